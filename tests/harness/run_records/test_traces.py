"""A trace as a line of JSON: whatever a model says comes back; nothing else is taken for one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimdb_harness.runs.traces import (
    CALL_STATUSES,
    INVALIDS,
    STOPS,
    Call,
    Tokens,
    Trace,
    from_values,
    to_line,
)
from claimdb_loader.prediction_rows import read_predictions
from claimdb_metric.errors import DataError
from claimdb_metric.labels import LABELS
from tests.harness.run_records.made import append, begun

# Halves of surrogate pairs one by one: two side by side are one character in any JSON.
HOSTILE = st.sampled_from(
    ["\x00", "\u2028", "\x85", "\ud800", "\udfff", "\\", '"', "\n", "\r", "😀"]
)
TEXT = st.text() | st.lists(HOSTILE, max_size=6).map(" ".join)
COUNT = st.integers(0, 10**12)
NUMBER = st.floats(0, 1e12) | COUNT
CALLS = st.builds(
    Call,
    tool=TEXT,
    sql=TEXT,
    status=st.sampled_from(CALL_STATUSES),
    output=TEXT,
    message=st.none() | TEXT,
    n_rows=st.none() | COUNT,
    elapsed_ms=st.none() | NUMBER,
    turn=COUNT,
)
REST = {
    "claim_id": st.integers(),
    "justification": TEXT,
    "stop": st.sampled_from(STOPS),
    "forced": st.booleans(),
    "said": st.none() | TEXT,
    "calls": st.lists(CALLS, max_size=3).map(tuple),
    "turns": COUNT,
    "tokens": st.builds(Tokens, COUNT, COUNT, COUNT, COUNT),
    "seconds": NUMBER,
    "error": st.none() | TEXT,
    "cost_usd": st.none() | NUMBER,
}
ANSWERED = st.builds(Trace, outcome=st.just("answered"), verdict=st.sampled_from(LABELS), **REST)
OTHERS = st.builds(
    Trace,
    outcome=st.sampled_from(["no_verdict", "not_run"]),
    invalid=st.none() | st.sampled_from(INVALIDS),
    **REST,
)
ONE = Trace(7, "answered", LABELS[0], "Vita.", calls=(Call("execute_sql", "SELECT 1", "ok", "1"),))


def refused(name: str) -> Any:
    raise AssertionError(f"{name} is no JSON")


@settings(deadline=None)
@given(ANSWERED | OTHERS)
def test_any_trace_comes_back(trace: Trace) -> None:
    line = to_line(trace)
    assert "\n" not in line
    assert from_values(json.loads(line, parse_constant=refused)) == trace


@settings(max_examples=30, deadline=None)  # a disk may take its time
@given(st.lists(ANSWERED | OTHERS, max_size=3, unique_by=lambda trace: trace.claim_id))
def test_any_trace_comes_back_from_the_disk(
    tmp_path_factory: pytest.TempPathFactory, traces: list[Trace]
) -> None:
    folder = begun(tmp_path_factory.mktemp("runs") / "run")
    append(folder, *traces)
    assert folder.traces() == {trace.claim_id: trace for trace in traces}


def test_numbers_that_json_lacks_are_not_written() -> None:
    for number in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="not JSON compliant"):
            to_line(replace(ONE, seconds=number))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"verdict": LABELS[0]}, "no trace has a field 'verdict'"),
        ({"mood": 1}, "no trace has a field 'mood': was it written by a newer ClaimDB"),
        ({"claim_id": "7"}, "claim_id is '7'"),
        ({"claim_id": True}, "claim_id is True"),
        ({"claim_id": 7.0}, "claim_id is 7.0"),
        ({"label": "MAYBE"}, "with label 'MAYBE'"),
        ({"label": None}, "outcome 'answered' with label None"),
        ({"label": ["ENTAILED"]}, "verdict is"),
        ({"outcome": "no_verdict"}, "outcome 'no_verdict' with label 'ENTAILED'"),
        ({"outcome": "no_verdict", "label": "MAYBE"}, "with label 'MAYBE'"),
        ({"outcome": "lost"}, "outcome is 'lost'"),
        ({"justification": None}, "justification is None"),
        ({"stop": "bored"}, "stop is 'bored'"),
        ({"stop": ["turns"]}, "stop is"),
        ({"forced": 1}, "forced is 1"),
        ({"invalid": "rude"}, "invalid is 'rude'"),
        ({"said": 3}, "said is 3"),
        ({"turns": "2"}, "turns is '2'"),
        ({"seconds": float("nan")}, "seconds is nan"),
        ({"seconds": True}, "seconds is True"),
        ({"cost_usd": "1"}, "cost_usd is '1'"),
        ({"tokens": []}, "not a trace"),
        ({"tokens": {"input": 1.5}}, "input is 1.5"),
        ({"tokens": {"written": 1}}, "written"),
        ({"calls": {}}, "calls are {}"),
        ({"calls": ["SELECT 1"]}, "not a trace"),
        ({"calls": [{"tool": "execute_sql"}]}, "not a trace"),
    ],
)
def test_what_is_no_trace(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(DataError) as caught:
        from_values(json.loads(to_line(ONE)) | changed)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"status": "fine"}, "no call has the status 'fine'"),
        ({"sql": 5}, "sql is 5"),
        ({"output": None}, "output is None"),
        ({"n_rows": 1.0}, "n_rows is 1.0"),
        ({"elapsed_ms": "1"}, "elapsed_ms is '1'"),
        ({"rows": 1}, "rows"),
    ],
)
def test_what_is_no_call(changed: dict[str, Any], said: str) -> None:
    values = json.loads(to_line(ONE))
    values["calls"][0] |= changed
    with pytest.raises(DataError) as caught:
        from_values(values)
    assert said in str(caught.value)


@pytest.mark.parametrize("name", ["claim_id", "label", "outcome", "calls", "tokens"])
def test_what_every_trace_has(name: str) -> None:
    values = json.loads(to_line(ONE))
    del values[name]
    with pytest.raises(DataError, match="not a trace"):
        from_values(values)


def test_traces_are_a_predictions_file(tmp_path: Path) -> None:
    folder = begun(tmp_path / "run")
    append(folder, ONE, Trace(8, "no_verdict", said="I \u2028 do\x00"))
    found = read_predictions(str(folder.path / "traces.jsonl"))
    assert [(row.claim_id, row.label) for row in found.predictions] == [(7, LABELS[0]), (8, None)]
    assert [problem.kind for problem in found.problems] == ["label"]
