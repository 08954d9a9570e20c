"""Transcripts of `claude -p --output-format stream-json --verbose`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from claimdb_harness.imports.claude_code import claude_code_told
from claimdb_harness.imports.told import trace_of
from claimdb_harness.runs.traces import Call, Tokens
from tests.harness.imports.recorded import (
    ANSWER,
    CLAUDE,
    INIT,
    ended,
    imported,
    read,
    said,
    text,
    use,
    written,
)

USAGE = {
    "input_tokens": 9,
    "cache_creation_input_tokens": 300,
    "cache_read_input_tokens": 3000,
    "output_tokens": 70,
}
RESULT = ended(result=ANSWER, total_cost_usd=0.01, duration_ms=2500, usage=USAGE)


def test_a_whole_transcript() -> None:
    told = claude_code_told([*CLAUDE, RESULT])
    assert (told.verdict.label, told.verdict.justification) == ("ENTAILED", "3 rows")
    error = "Error: no such column: x"
    assert told.calls == (
        Call("execute_sql", "SELECT 1", "unknown", "1\n(1 row)", turn=1),
        Call("execute_sql", "SELECT 2", "unknown", error, error, turn=1),
    )
    assert told.left_aside == ("calls of Bash",)
    assert told.tokens == Tokens(input=309, cached=3000, output=70)
    assert (told.turns, told.seconds, told.cost_usd, told.model) == (3, 2.5, 0.01, INIT["model"])
    assert told.error is None


def test_without_a_result_each_message_counts_once() -> None:
    told = claude_code_told(CLAUDE)
    assert told.verdict.label == "ENTAILED"
    # Of the three lines of the first message, the last has all of its output.
    assert told.tokens == Tokens(input=3 * 103, cached=3000, output=40 + 5 + 5)
    assert (told.seconds, told.cost_usd) == (0.0, None)


@pytest.mark.parametrize(
    ("last", "outcome", "stop", "invalid"),
    [
        (ended(result="It is true."), "no_verdict", "gave_up", "no_json"),
        (ended(result='{"verdict": "maybe"}'), "no_verdict", "gave_up", "wrong_label"),
        (ended(result=""), "no_verdict", "gave_up", "no_answer"),
        (ended("error_max_turns"), "no_verdict", "turns", "no_json"),
        (ended("error_during_execution", is_error=True), "no_verdict", "gave_up", "no_json"),
        (ended(is_error=True, result="Prompt is too long"), "no_verdict", "gave_up", "no_answer"),
        (ended(is_error=True, result="Overloaded", api_error_status=529), "not_run", "error", None),
        (ended(is_error=True, result=f"API Error: 500 {ANSWER}"), "not_run", "error", None),
        (ended("error_during_execution", errors=["Connection error."]), "not_run", "error", None),
        (ended(result="", structured_output={"verdict": "ENTAILED"}), "answered", "verdict", None),
    ],
)
def test_how_it_ended(last: dict[str, Any], outcome: str, stop: str, invalid: str | None) -> None:
    trace = trace_of(7, claude_code_told([INIT, said("m1", text("Let me look.")), last]))
    assert (trace.outcome, trace.stop, trace.invalid) == (outcome, stop, invalid)
    assert (trace.error is not None) == (outcome == "not_run")


def test_an_error_that_passed_is_none() -> None:
    lines = [said("m1") | {"error": "rate_limit"}, said("m2", text(ANSWER)), RESULT]
    assert claude_code_told(lines).error is None
    assert trace_of(7, claude_code_told(lines[:1])).outcome == "not_run"


def test_odd_lines_are_passed_over() -> None:
    odd: list[dict[str, Any]] = [
        {"type": "assistant"},
        {"type": "assistant", "message": {"id": "m", "content": "words"}},
        {"type": "user", "message": {"content": "a prompt"}},
        {"type": "user", "message": {"content": ["x", {"type": "text"}]}},
        {"type": "rate_limit_event"},
        said("m1", use("t1", "StructuredOutput", verdict="ENTAILED")),
        said("m1", use("t2", "Bash")),
        read("t9", None),
    ]
    told = claude_code_told(odd)
    assert told.calls == ()
    assert told.left_aside == ("calls of Bash",)


def test_a_folder(tmp_path: Path) -> None:
    written(tmp_path / "runs" / "7.jsonl", [*CLAUDE, RESULT])
    written(tmp_path / "runs" / "8.jsonl", [INIT, ended(result="?")])
    (tmp_path / "runs" / "7.log").write_text("stderr")
    found = imported(tmp_path, tmp_path / "runs", "claude-code")
    assert (found.model, found.pending) == ("claude-haiku-4-5", (9,))
    assert [trace.outcome for trace in found.traces] == ["answered", "no_verdict"]
    assert found.to_dict()["left_aside"] == {"calls of Bash": 1}
