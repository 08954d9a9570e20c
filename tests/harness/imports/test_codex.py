"""Transcripts of `codex exec --json`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from claimdb_harness.imports.codex import codex_told
from claimdb_harness.imports.told import trace_of
from claimdb_harness.runs.traces import Call, Tokens
from tests.harness.imports.recorded import ANSWER, CODEX, imported, item, usage, written


def failed(message: str) -> dict[str, Any]:
    return {"type": "turn.failed", "error": {"message": message}}


ERROR = "Error: no such column: x\n"


def test_a_whole_transcript() -> None:
    told = codex_told(CODEX)
    assert (told.verdict.label, told.verdict.justification) == ("ENTAILED", "3 rows")
    assert told.calls == (
        Call("execute_sql", "SELECT 1", "unknown", "1"),
        Call("execute_sql", "SELECT 2", "unknown", ERROR, ERROR),
    )
    assert told.tokens == Tokens(input=40, cached=60, output=10, reasoning=2)
    assert told.left_aside == ("calls of command_execution",)
    assert (told.error, told.turns) == (None, 0)


def test_usage_is_that_of_the_thread_so_far() -> None:
    assert codex_told([*CODEX, usage(300, 100, 30)]).tokens == Tokens(200, 100, 30, 2)


def test_a_failed_tool() -> None:
    call = item(
        "mcp_tool_call",
        tool="execute_sql",
        arguments='{"sql": "SELECT x"}',
        result=None,
        error={"message": "no such column: x"},
        status="failed",
    )
    (found,) = codex_told([call]).calls
    assert (found.sql, found.output, found.message) == (
        "SELECT x",
        "no such column: x",
        "no such column: x",
    )


@pytest.mark.parametrize(
    ("last", "outcome", "stop", "invalid"),
    [
        (failed("unexpected status 429 Too Many Requests"), "not_run", "error", None),
        (failed("stream disconnected before completion"), "not_run", "error", None),
        ({"type": "error", "message": "Connection error."}, "not_run", "error", None),
        (failed("ran out of room in the context window"), "no_verdict", "tokens", "no_answer"),
        ({"type": "turn.failed", "error": "?"}, "no_verdict", "gave_up", "no_answer"),
        (item("agent_message", text=ANSWER), "answered", "verdict", None),
        (item("agent_message", text="true"), "no_verdict", "gave_up", "no_json"),
        (item("agent_message"), "no_verdict", "gave_up", "no_answer"),
    ],
)
def test_how_it_ended(last: dict[str, Any], outcome: str, stop: str, invalid: str | None) -> None:
    trace = trace_of(7, codex_told([CODEX[0], last]))
    assert (trace.outcome, trace.stop, trace.invalid) == (outcome, stop, invalid)


def test_an_error_that_passed_is_none() -> None:
    reconnecting = {"type": "error", "message": "Reconnecting... 1/5 (stream disconnected)"}
    assert codex_told([CODEX[0], reconnecting, *CODEX[1:]]).error is None


def test_odd_lines_are_passed_over() -> None:
    odd: list[dict[str, Any]] = [
        {"type": "item.started", "item": {"type": "mcp_tool_call"}},
        {"type": "item.completed"},
        item("mcp_tool_call", tool="fetch", arguments=None),
        item("todo_list", items=[]),
        {"type": "turn.completed"},
    ]
    told = codex_told(odd)
    assert (told.calls, told.left_aside) == ((), ("calls of fetch",))
    assert told.tokens == Tokens()


def test_a_folder(tmp_path: Path) -> None:
    written(tmp_path / "codex-run" / "8.jsonl", CODEX)
    found = imported(tmp_path, tmp_path / "codex-run", "codex")
    assert (found.model, found.pending) == ("codex-run", (7, 9))
    assert [trace.claim_id for trace in found.traces] == [8]
