"""Messages of Pydantic AI in the rows of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from claimdb_harness.imports.agents_sdk import read_agents_sdk
from claimdb_harness.imports.pydantic_messages import messages_told
from claimdb_harness.runs.traces import Call, Tokens
from tests.harness.imports.recorded import written


def part(kind: str, **given: Any) -> dict[str, Any]:
    return {"part_kind": kind} | given


def tool_call(call_id: str, name: str, args: object) -> dict[str, Any]:
    return part("tool-call", tool_name=name, args=args, tool_call_id=call_id)


def response(*parts: dict[str, Any], **usage: int) -> dict[str, Any]:
    return {"kind": "response", "parts": [*parts], "usage": usage, "model_name": "qwen3:8b"}


def request(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "request", "parts": [*parts]}


ERROR = "no such column: x"
ANSWER = {"verdict": "ENTAILED", "justification": "so"}
MESSAGES = [
    request(part("system-prompt", content="…"), part("user-prompt", content="Claim: …")),
    response(
        part("thinking", content="hm"),
        tool_call("1", "zoo_execute_sql", '{"sql": "SELECT 1"}'),
        tool_call("2", "zoo_execute_sql", {"sql": "SELECT x"}),
        input_tokens=100,
        cache_read_tokens=60,
        output_tokens=10,
    ),
    request(
        part("tool-return", tool_call_id="1", content=[{"n": 1}]),
        part("retry-prompt", tool_call_id="2", content=ERROR),
    ),
    response(
        tool_call("3", "lookup", {}),
        tool_call("4", "final_result", ANSWER),
        request_tokens=7,
        response_tokens=3,
    ),
    request(part("tool-return", tool_call_id="4", content="Final result processed.")),
]


def test_the_messages_of_a_run() -> None:
    told = messages_told(MESSAGES)
    assert told.calls == (
        Call("execute_sql", "SELECT 1", "unknown", '[{"n": 1}]', turn=1),
        Call("execute_sql", "SELECT x", "unknown", ERROR, ERROR, turn=1),
    )
    assert (told.verdict.label, told.verdict.justification) == ("ENTAILED", "so")
    assert told.tokens == Tokens(input=47, cached=60, output=13)
    assert (told.turns, told.model, told.left_aside) == (2, "qwen3:8b", ("calls of lookup",))


@pytest.mark.parametrize(
    ("outcome", "message"),
    [("success", None), ("retried", ERROR), ("failed", ERROR)],
)
def test_a_call_with_an_outcome(outcome: str, message: str | None) -> None:
    answer = part("tool-return", tool_call_id="2", content=ERROR, outcome=outcome)
    (_, found) = messages_told([*MESSAGES[:2], request(answer)]).calls
    assert (found.output, found.message) == (ERROR, message)


@pytest.mark.parametrize(
    ("last", "label", "invalid"),
    [
        (part("text", content='{"verdict": "CONTRADICTED"}'), "CONTRADICTED", None),
        (part("text", content="It is true."), None, "no_json"),
        (tool_call("5", "final_result", '{"verdict": "ENTAILED"}'), "ENTAILED", None),
        (tool_call("5", "final_result", {"verdict": "?"}), None, "wrong_label"),
        (tool_call("5", "final_result", None), None, "no_answer"),
        (part("thinking", content="hm"), "ENTAILED", None),
    ],
)
def test_the_last_that_was_said(
    last: dict[str, Any], label: str | None, invalid: str | None
) -> None:
    verdict = messages_told([*MESSAGES, response(last)]).verdict
    assert (verdict.label, verdict.invalid) == (label, invalid)


def test_a_row(tmp_path: Path) -> None:
    rows = [{"claim_id": 7, "verdict": "CONTRADICTED", "messages": MESSAGES, "error": None}]
    told = read_agents_sdk(written(tmp_path / "run.jsonl", rows), {7})[7]
    assert (told.verdict.label, len(told.calls), told.model) == ("CONTRADICTED", 2, "qwen3:8b")
    assert told.tokens.total == 120
