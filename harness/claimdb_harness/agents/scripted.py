"""A model that costs nothing: `claimdb-scripted/demo`, or any name with `-M script=FILE`.

It plays a script, turn by turn, so that a run can be tried without a key or a network. A script is
JSON: {"default": [step, …], "claims": {"<claim_id>": [step, …]}}; a step is what one turn says:

{"sql": "SELECT 1"}                      a query; a list asks for several at once
{"verdict": "ENTAILED", "why": "…"}      the verdict
{"text": "…"}                            words
{"tool": "name", "arguments": {…}}       any call
{"error": 429, "times": 2}               the provider fails so often, then the next step follows
{"wait_s": 1}                            with any of them: how long the answer takes

After the last step it says nothing.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ContentText,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.tool import ToolCall, ToolChoice, ToolInfo

from claimdb_harness.agents.sessions import CURRENT
from claimdb_metric.errors import DataError
from claimdb_metric.labels import LABELS, NOT_ENOUGH_INFO

Step = Mapping[str, Any]

TRANSIENT: Final = frozenset({408, 429, 500, 502, 503, 504})

DEMO: Final[Mapping[str, Any]] = {
    "default": [
        {"sql": "SELECT name FROM sqlite_master WHERE type = 'table'"},
        {"verdict": LABELS[NOT_ENOUGH_INFO], "why": "A script cannot read."},
    ]
}


class ScriptedError(Exception):
    """The status with which a script has the provider fail."""

    def __init__(self, status: int) -> None:
        super().__init__(f"the script says {status}")
        self.status = status


@modelapi(name="claimdb-scripted")
class ScriptedAPI(ModelAPI):
    """Answers as its script says."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 - as Inspect's own have it
        script: str | Mapping[str, Any] | None = None,
        **_: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        self._script = DEMO if script is None else _read(script)
        self._failures: Counter[tuple[object, int]] = Counter()

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Return what the script says at this turn of this claim."""
        claim_id = session.claim_id if (session := CURRENT.get(None)) else None
        steps = self._script.get("claims", {}).get(str(claim_id), self._script.get("default", []))
        turn = sum(message.role == "assistant" for message in input)
        step = self._step(claim_id, steps, turn)
        await asyncio.sleep(float(step.get("wait_s", 0)))
        message = _message(step, self.model_name, turn)
        output = ModelOutput.from_message(message)
        # Its own numbers: Inspect would download a tokenizer to count.
        output.usage = ModelUsage(input_tokens=100, output_tokens=10, total_tokens=110)
        return output

    def _step(self, claim_id: object, steps: Sequence[Step], turn: int) -> Step:
        """The step of a turn; failures take no turn."""
        spoken = -1
        for place, step in enumerate(steps):
            if "error" in step:
                if spoken == turn - 1 and self._failures[claim_id, place] < step.get("times", 1):
                    self._failures[claim_id, place] += 1
                    raise ScriptedError(step["error"])
                continue
            spoken += 1
            if spoken == turn:
                return step
        return {"text": ""}

    def should_retry(self, ex: Exception) -> bool:
        """Return whether a status is one that passes."""
        return isinstance(ex, ScriptedError) and ex.status in TRANSIENT

    def retry_wait(self) -> Any:
        """Return no wait: a script's failures pass at once."""
        from tenacity import wait_none

        return wait_none()

    def max_connections(self) -> int:
        """Return how many claims are asked at a time."""
        return 20


def _read(script: str | Mapping[str, Any]) -> Mapping[str, Any]:
    if isinstance(script, Mapping):
        return script
    try:
        found = json.loads(Path(script).read_bytes())
    except (OSError, ValueError) as error:
        raise DataError(f"script {script}: {error}") from None
    if not isinstance(found, dict) or not found.keys() & {"default", "claims"}:
        raise DataError(f'script {script}: no object with "default" or "claims"')
    return found


def _message(step: Step, model: str, turn: int) -> ChatMessageAssistant:
    sqls = step.get("sql", [])
    calls = [("execute_sql", {"sql": sql}) for sql in ([sqls] if isinstance(sqls, str) else sqls)]
    if "tool" in step:
        calls.append((step["tool"], dict(step.get("arguments", {}))))
    if "verdict" in step:
        arguments = {"verdict": step["verdict"], "justification": step.get("why", "")}
        calls.append(("submit_verdict", arguments))
    return ChatMessageAssistant(
        content=[ContentText(text=step.get("text", ""))],
        tool_calls=[
            ToolCall(id=f"call-{turn}-{number}", function=name, arguments=arguments)
            for number, (name, arguments) in enumerate(calls)
        ]
        or None,
        model=model,
        source="generate",
    )
