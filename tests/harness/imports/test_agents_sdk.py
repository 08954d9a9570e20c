"""Rows of runs with the OpenAI Agents SDK."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from claimdb_harness.imports.agents_sdk import ITEM_KEYS, read_agents_sdk
from claimdb_harness.imports.told import Told, trace_of
from claimdb_harness.runs.traces import Call, Tokens
from claimdb_metric.errors import DataError, PredictionFileError
from tests.harness.imports.recorded import ANSWER, written


def call(call_id: str, name: str = "zoo_execute_sql", **arguments: str) -> dict[str, Any]:
    given = {"name": name, "arguments": json.dumps(arguments), "call_id": call_id}
    return {"type": "function_call", "id": "fc", "status": "completed"} | given


def output(call_id: str, text: object) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": call_id, "output": text}


def message(text: str) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "role": "assistant", "id": "m", "content": content}


ITEMS = [
    {"role": "user", "content": "Claim: Vita sails."},
    {"type": "reasoning", "id": "r", "summary": []},
    call("1", sql="SELECT 1"),
    call("2", sql="SELECT 2"),
    output("1", "1"),
    output("2", [{"type": "input_text", "text": "2"}]),
    call("3", "lookup", word="ferry"),
    output("3", "a ship"),
    message(ANSWER),
]
CALLS = (
    Call("execute_sql", "SELECT 1", "unknown", "1", turn=1),
    Call("execute_sql", "SELECT 2", "unknown", "2", turn=1),
)
USAGE = {
    "requests": 3,
    "input_tokens": 100,
    "input_tokens_details": {"cached_tokens": 60},
    "output_tokens": 10,
    "output_tokens_details": {"reasoning_tokens": 4},
}
TOKENS = Tokens(input=40, cached=60, output=10, reasoning=4)


def told(tmp_path: Path, **row: Any) -> Told:
    path = written(tmp_path / "run.jsonl", [{"claim_id": 7} | row])
    return read_agents_sdk(path, {7, 8})[7]


@pytest.mark.parametrize("key", ITEM_KEYS)
def test_a_row(tmp_path: Path, key: str) -> None:
    found = told(tmp_path, **{key: ITEMS}, usage=USAGE, model="gpt-5-mini")
    assert found.calls == CALLS
    assert (found.verdict.label, found.verdict.justification) == ("ENTAILED", "3 rows")
    assert (found.turns, found.tokens, found.model) == (3, TOKENS, "gpt-5-mini")
    assert found.left_aside == ("calls of lookup",)


def test_items_as_text(tmp_path: Path) -> None:
    assert told(tmp_path, items=json.dumps(ITEMS)).calls == CALLS


def test_items_of_the_sdk_are_around_those_of_the_model(tmp_path: Path) -> None:
    wrapped = [{"type": "tool_call_item", "raw_item": one} for one in ITEMS[1:]]
    assert told(tmp_path, new_items=wrapped).calls == CALLS


def test_responses(tmp_path: Path) -> None:
    responses = [{"output": ITEMS[1:4], "usage": USAGE}, {"output": ITEMS[-1:], "usage": USAGE}]
    found = told(tmp_path, raw_responses=responses)
    assert [one.sql for one in found.calls] == ["SELECT 1", "SELECT 2"]
    assert found.calls[0].output == ""  # the model's responses do not hold what tools said
    assert found.tokens == Tokens(input=80, cached=120, output=20, reasoning=8)
    assert (found.verdict.label, found.turns) == ("ENTAILED", 2)


def test_a_hosted_mcp_server(tmp_path: Path) -> None:
    mcp = {"type": "mcp_call", "id": "1", "name": "execute_sql", "arguments": '{"sql": "SELECT 1"}'}
    failed = mcp | {"id": "2", "output": None, "error": "no such table: x"}
    found = told(tmp_path, items=[mcp | {"output": "1", "error": None}, failed])
    assert [(one.output, one.message) for one in found.calls] == [
        ("1", None),
        ("no such table: x", "no such table: x"),
    ]


@pytest.mark.parametrize(
    ("row", "label", "invalid"),
    [
        ({"verdict": "contradicted"}, "CONTRADICTED", None),
        ({"label": 1}, "CONTRADICTED", None),
        ({"verdict": "SUPPORTS"}, None, "wrong_label"),
        ({"verdict": ""}, "ENTAILED", None),
        ({"final_output": {"verdict": "CONTRADICTED"}}, "CONTRADICTED", None),
        ({"final_output": '{"verdict": "CONTRADICTED"}'}, "CONTRADICTED", None),
        ({"final_output": "It is false."}, None, "no_json"),
        ({"verdict": "", "error": "Max turns (20) exceeded"}, None, "no_answer"),
    ],
)
def test_whose_word_counts(
    tmp_path: Path, row: dict[str, Any], label: str | None, invalid: str | None
) -> None:
    verdict = told(tmp_path, items=ITEMS, **row).verdict
    assert (verdict.label, verdict.invalid) == (label, invalid)


def test_the_answer_tool_is_no_call(tmp_path: Path) -> None:
    answer = call("4", "final_result", verdict="CONTRADICTED", justification="so")
    found = told(tmp_path, items=[*ITEMS[:6], answer, output("4", "done")])
    assert (found.calls, found.left_aside) == (CALLS, ())
    assert found.verdict.label == "CONTRADICTED"


@pytest.mark.parametrize(
    ("error", "outcome", "stop"),
    [
        ("Error code: 429 - {'error': …}", "not_run", "error"),
        ({"status": 503}, "not_run", "error"),
        ("Max turns (20) exceeded", "no_verdict", "turns"),
        ("JSON Extraction Error.", "no_verdict", "gave_up"),
    ],
)
def test_errors(tmp_path: Path, error: object, outcome: str, stop: str) -> None:
    trace = trace_of(7, told(tmp_path, items=ITEMS[:6], verdict="", error=error))
    assert (trace.outcome, trace.stop, trace.calls) == (outcome, stop, CALLS)
    assert (trace.error is None) == (outcome != "not_run")
    assert (trace.said is None) == (outcome == "not_run")


def test_a_row_without_items_among_others(tmp_path: Path) -> None:
    rows = [{"claim_id": 7, "items": ITEMS}, {"claim_id": 8, "verdict": "", "error": "?"}]
    found = read_agents_sdk(written(tmp_path / "run.jsonl", rows), {7, 8})
    assert (found[7].calls, found[8].calls) == (CALLS, ())


CHAT = {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "execute_sql"}}]}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"verdict": "ENTAILED", "n": 1}, "line 1 is a JSON object with keys claim_id, n; openai-"),
        ({"items": {"a": 1}}, "keys claim_id, items; openai-agents rows have a list of items"),
        ({"items": "[1, "}, "keys claim_id, items; openai-agents rows"),
        ({"items": [{"a": 1, "b": 2}]}, "line 1: an item has the keys a, b; openai-agents items"),
        ({"items": [{}]}, "an item has the keys none"),
        ({"items": [7]}, "an item is no JSON object but int"),
        ({"messages": [CHAT]}, "messages of chat completions"),
        ({"messages": [{"role": "tool", "content": "1"}]}, "messages of chat completions"),
    ],
)
def test_unknown_forms_are_refused(tmp_path: Path, row: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        told(tmp_path, **row)


def test_rows_of_no_or_the_same_claim_are_refused(tmp_path: Path) -> None:
    rows = [{"claim_id": claim_id, "items": ITEMS} for claim_id in (7, 7, 99, None)]
    path = written(tmp_path / "run.jsonl", rows)
    with pytest.raises(PredictionFileError, match=r"3 problems[^$]*:2: [^$]*:3: [^$]*:4: "):
        read_agents_sdk(path, {7, 8})


def test_items_of_other_types_are_told(tmp_path: Path) -> None:
    items = [*ITEMS, {"type": "web_search_call", "id": "w"}]
    assert "items of type web_search_call" in told(tmp_path, items=items).left_aside
