"""Scripts played in this process: a model that notes what it is asked, and runs of it.

Inspect leaves streams of anyio's open, which complain when they are collected: `collected`.
"""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from inspect_ai.model import (
    ChatMessage,
    ChatMessageTool,
    GenerateConfig,
    Model,
    ModelAPI,
    ModelOutput,
    get_model,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolFunction, ToolInfo

from claimdb_harness.agents.run import CLAIMS_PER_LOG, evaluate, run_claims
from claimdb_harness.agents.scripted import ScriptedAPI
from claimdb_harness.agents.sessions import CURRENT
from claimdb_harness.agents.tasks import build_task
from claimdb_harness.agents.watch import Watch
from claimdb_harness.labelled_claims import from_split
from claimdb_harness.runs.asked import Asked
from claimdb_harness.runs.folder import RunFolder
from claimdb_harness.runs.plans import Plan, plan_run
from claimdb_harness.runs.runs import Run
from claimdb_harness.runs.traces import Trace
from claimdb_metric.labels import LABELS
from claimdb_sandbox import AsyncExecutor, Limits

Steps = Sequence[Mapping[str, Any]]

YES, NO, UNKNOWN = LABELS
MODEL = "claimdb-recording/test"

ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c"


@dataclass(frozen=True)
class Asking:
    """One call of the model: the claim, what was offered, what it got to read."""

    claim_id: int
    tools: tuple[str, ...]
    only: str | None
    """The one tool that it must call."""

    schema: Mapping[str, Any] | None
    texts: tuple[str, ...]


class Recorder:
    """What a model was asked, in order; `before` is called with each asking."""

    def __init__(self, before: Callable[[Asking], object] | None = None) -> None:
        self.askings: list[Asking] = []
        self.before = before

    def of(self, claim_id: int) -> list[Asking]:
        return [asking for asking in self.askings if asking.claim_id == claim_id]

    def note(self, asking: Asking) -> None:
        self.askings.append(asking)
        if self.before is not None:
            self.before(asking)


@modelapi(name="claimdb-recording")
class RecordingAPI(ModelAPI):
    """Has the scripted model answer, after a recorder noted what was asked."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 - as Inspect's own have it
        recorder: Recorder | None = None,
        **more: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        self._scripted = cast(ModelAPI, ScriptedAPI(model_name, config=config, **more))
        self._recorder = recorder or Recorder()

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        schema = config.response_schema
        asking = Asking(
            claim_id=CURRENT.get().claim_id,
            tools=tuple(tool.name for tool in tools),
            only=tool_choice.name if isinstance(tool_choice, ToolFunction) else None,
            schema=schema.json_schema.model_dump(exclude_none=True) if schema else None,
            texts=tuple(text_of(message) for message in input),
        )
        self._recorder.note(asking)
        answer = await self._scripted.generate(input, tools, tool_choice, config)
        assert isinstance(answer, ModelOutput)
        return answer

    def should_retry(self, ex: Exception) -> bool:
        return bool(self._scripted.should_retry(ex))

    def retry_wait(self) -> Any:
        return self._scripted.retry_wait()

    def max_connections(self) -> int:
        return self._scripted.max_connections()


def text_of(message: ChatMessage) -> str:
    """What a message says, an error of a tool included."""
    error = message.error if isinstance(message, ChatMessageTool) else None
    return error.message if error is not None else message.text


def recording(script: Mapping[str, Any], recorder: Recorder, **config: Any) -> Model:
    """The model that plays a script; its settings are Inspect's."""
    settings = GenerateConfig(**({"max_retries": 3} | config))
    return get_model(MODEL, config=settings, memoize=False, script=script, recorder=recorder)


@contextmanager
def collected() -> Iterator[None]:
    """Collect what Inspect leaves open, and hear no warnings of it."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Unclosed <MemoryObject", ResourceWarning)
        yield
        gc.collect()


@dataclass(frozen=True)
class Played:
    """What came of scripts by their names."""

    traces: Mapping[str, Trace]
    askings: Mapping[str, list[Asking]]
    log: Path


def play(
    folder: Path,
    scripts: Mapping[str, Steps],
    limits: Limits | None = None,
    plan: Plan | None = None,
    **asked: Any,
) -> Played:
    """Have one claim of the sample after the other verified by each script, in one evaluation.

    Args:
        folder: for Inspect's log.
        scripts: by a name of the test's; the first plays at the first claim.
        limits: of the SQL, where the agents' own take too long.
        plan: other claims than the sample's.
        asked: task, protocol, budget, as `Asked.of` takes them.
    """
    plan = plan or plan_run(from_split("sample"), len(scripts))
    ids = dict(zip(scripts, plan.claims.claim_ids, strict=True))
    script = {"claims": {str(ids[name]): steps for name, steps in scripts.items()}}
    recorder, traces = Recorder(), dict[int, Trace]()

    def keep(trace: Trace) -> None:
        assert trace.claim_id not in traces
        traces[trace.claim_id] = trace

    watch = Watch(plan.databases)
    if limits is not None:
        watch.__dict__["sandbox"] = AsyncExecutor(limits)
    how = Asked.of(asked.pop("task", "verify"), model=MODEL, **asked)
    with collected(), closing(watch):
        evaluate(build_task(plan, how, watch, keep), recording(script, recorder), folder)
    (log,) = folder.glob("*.eval")
    return Played(
        traces={name: traces[claim_id] for name, claim_id in ids.items()},
        askings={name: recorder.of(claim_id) for name, claim_id in ids.items()},
        log=log,
    )


def run(
    folder: Path,
    plan: Plan,
    script: Mapping[str, Any],
    recorder: Recorder | None = None,
    config: Mapping[str, Any] | None = None,
    **asked: Any,
) -> Run:
    """Begin a run in a folder, or go on with it."""
    size = asked.pop("claims_per_log", CLAIMS_PER_LOG)
    how = Asked.of("verify", model=MODEL, **asked)
    model = recording(script, recorder or Recorder(), **(config or {}))
    with collected():
        return run_claims(RunFolder(folder), plan, how, model, claims_per_log=size)
