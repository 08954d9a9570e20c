"""Predictions files as runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimdb_harness.imports.prediction_runs import read_prediction_run, tokens_of
from claimdb_harness.imports.told import trace_of
from claimdb_harness.runs.traces import Tokens, Trace, to_line
from claimdb_metric.errors import PredictionFileError
from tests.harness.imports.recorded import CLAIMS, written
from tests.loader.prediction_writers import WRITERS

LIMIT = "Max turns (20) exceeded"


def trace(tmp_path: Path, **row: Any) -> Trace:
    path = written(tmp_path / "run.jsonl", [{"claim_id": 7} | row])
    return trace_of(7, read_prediction_run(path, {7})[7])


@pytest.mark.parametrize(
    ("row", "outcome", "invalid", "said"),
    [
        ({"label": "ENTAILED"}, "answered", None, None),
        ({"verdict": " not enough info "}, "answered", None, None),
        ({"label": "ENTAILED", "error": "Error code: 500"}, "answered", None, None),
        ({"label": "SUPPORTS"}, "no_verdict", "wrong_label", "SUPPORTS"),
        ({"label": {"a": 1}}, "no_verdict", "wrong_label", '{"a": 1}'),
        ({"label": "x" * 900}, "no_verdict", "wrong_label", "x" * 500),
        ({"label": ""}, "no_verdict", "no_answer", None),
        ({"label": None}, "no_verdict", "no_answer", None),
        ({"label": "", "error": LIMIT}, "no_verdict", "no_answer", LIMIT),
        ({"label": "", "error": ""}, "no_verdict", "no_answer", None),
        ({"label": "", "error": "Connection error."}, "not_run", None, None),
        ({"label": "", "error": {"code": 429}}, "not_run", None, None),
        ({"label": "", "error": 503}, "not_run", None, None),
        ({"label": "error", "error": "Error code: 429 - {}"}, "not_run", None, None),
    ],
)
def test_labels_and_errors(
    tmp_path: Path, row: dict[str, Any], outcome: str, invalid: str | None, said: str | None
) -> None:
    found = trace(tmp_path, **row)
    assert (found.outcome, found.invalid, found.said) == (outcome, invalid, said)
    assert (found.stop == "error") == (outcome == "not_run")


@pytest.mark.parametrize(
    ("row", "cost"),
    [
        ({}, None),
        ({"cost_usd": 0.5}, 0.5),
        ({"total_cost_usd": 1}, 1),
        ({"cost": 0.25}, 0.25),
        ({"cost": -1}, None),
        ({"cost": "0.25 $"}, None),
        ({"cost": True}, None),
    ],
)
def test_cost(tmp_path: Path, row: dict[str, Any], cost: float | None) -> None:
    assert trace(tmp_path, label=0, **row).cost_usd == cost


@pytest.mark.parametrize(
    ("row", "tokens"),
    [
        ({}, Tokens()),
        ({"tokens": 100}, Tokens(input=100)),
        ({"tokens": "many"}, Tokens()),
        ({"tokens": {"input": 1, "cached": 2, "output": 3, "reasoning": 1}}, Tokens(1, 2, 3, 1)),
        ({"tokens": {"input_tokens": 1, "output_tokens": 3}}, Tokens(input=1, output=3)),
        ({"input_tokens": 1, "cached_tokens": 2, "output_tokens": 3}, Tokens(1, 2, 3)),
        ({"input_tokens": -1, "output_tokens": None}, Tokens()),
    ],
)
def test_tokens(row: dict[str, Any], tokens: Tokens) -> None:
    assert tokens_of(row) == tokens


def test_a_trace_of_ours_comes_back(tmp_path: Path) -> None:
    ours = Trace(7, "answered", "ENTAILED", "3 rows", tokens=Tokens(1, 2, 3), cost_usd=0.5)
    path = tmp_path / "traces.jsonl"
    path.write_text(to_line(ours) + "\n")
    assert trace_of(7, read_prediction_run(path, {7})[7]) == ours


@pytest.mark.parametrize("name", sorted(WRITERS))
def test_every_format(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    rows = [{"claim_id": 7, "label": "ENTAILED"}, {"claim_id": 9, "label": "no"}]
    path.write_bytes(WRITERS[name](rows))
    found = read_prediction_run(path, set(CLAIMS.claim_ids))
    assert {claim_id: told.verdict.label for claim_id, told in found.items()} == {
        7: "ENTAILED",
        9: None,
    }


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"claim_id": 99, "label": 0}], r"1 problem in a predictions file:\n.*:1: claim_id 99"),
        ([{"claim_id": 7, "label": 0}] * 2, "claim_id 7 stands already at line 1"),
        ([{"claim_id": 7, "label": 0, "verdict": 1}], "label 0 and verdict 1 differ"),
        ([{"claim_id": 7, "answer": "ENTAILED"}], "no row has the key label or verdict"),
        ([{"id": 7, "label": 0}], "no row has the key claim_id"),
        ([], "no rows"),
    ],
)
def test_what_is_refused(tmp_path: Path, rows: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(PredictionFileError, match=message):
        read_prediction_run(written(tmp_path / "run.jsonl", rows), {7, 8})


VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just({"input": 1})


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(["tokens", "input_tokens", "cached_tokens"]), VALUES))
def test_no_column_is_too_odd(row: dict[str, Any]) -> None:
    assert tokens_of(row).total >= 0
