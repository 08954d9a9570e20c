"""Tables and notes: one row for each run, nothing that holds nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from claimdb_harness.analysis.notes import EVIDENCE, analysis_notes
from claimdb_harness.analysis.prices import packaged_prices
from claimdb_harness.analysis.run_analysis import RunAnalysis, analyze_runs
from claimdb_harness.analysis.tables import BINS, analysis_tables
from claimdb_harness.runs.traces import Tokens, Trace
from claimdb_metric.labels import CATEGORIES
from claimdb_metric.score_tables import TextTable
from tests.harness.analysis.made_runs import NEI, E, answer, claims_of, failed, made_run

PRICES = packaged_prices()
COUNT = answer("SELECT COUNT(*) FROM trip", "48")
WRONG = failed("SELECT 1 FROM nowhere", "no such table: nowhere")


def analyses(
    tmp_path: Path, *given: tuple[str, list[Trace], dict[str, list[Any]]]
) -> list[RunAnalysis]:
    paths = [
        str(made_run(tmp_path / model, traces, claims_of(2) | columns, model))
        for model, traces, columns in given
    ]
    return analyze_runs(paths, PRICES)


def by_title(runs: list[RunAnalysis]) -> dict[str, TextTable]:
    return {table.title.split(",")[0]: table for table in analysis_tables(runs)}


def test_a_run_with_all_there_is(tmp_path: Path) -> None:
    tokens = Tokens(input=1000, cached=200, output=100)
    traces = [
        Trace(1, "answered", E, "There are 48.", calls=(WRONG, COUNT), tokens=tokens, forced=True),
        Trace(2, "no_verdict", stop="tokens", invalid="no_json", tokens=tokens),
    ]
    columns: dict[str, list[Any]] = {
        "label": [E, NEI],
        "category": [None, CATEGORIES[1]],
        "claim": ["47.", "."],
    }
    runs = analyses(tmp_path, ("gpt-5-mini", traces, columns))
    tables = by_title(runs)
    rows = {title: table.rows[0] for title, table in tables.items()}
    assert rows["Verdicts"] == (
        *("gpt-5-mini", "2", "0.500", "[0.000, 1.000]", "0.333", "1", "1", "0.000"),
        *("0.0 %", "50.0 %"),
    )
    calls = rows["SQL calls per claim"]
    assert calls == ("gpt-5-mini", "2", "1.00", "1.0", "2.00", "0.0 %", "50.0 %", "0.0 %")
    assert rows["Claims by SQL calls"][1:4] == ("1", "0", "1")
    assert rows["Accuracy by SQL calls"][1:4] == ("0.000", "–", "1.000")
    errors = tables["SQL calls that brought no rows or not all"]
    assert (errors.columns, errors.rows[0]) == (("run", "no such table"), ("gpt-5-mini", "50.0 %"))
    assert tables["Without a verdict"].columns == ("run", "tokens")
    assert rows["Tokens"][1:4] == ("1,000", "200", "100")
    assert rows["Tokens"][-2:] == ("0.00046", "0.00")
    assert rows["Of each claim"] == ("gpt-5-mini", "0.0 %", "–", "0.0 %", *["–"] * 6)
    assert rows["Of each justification"] == ("gpt-5-mini", "100.0 %", "–", "100.0 %", *["–"] * 6)
    assert rows["Verdicts without a single row of data"] == ("gpt-5-mini", "0", "0.0 %", "0")
    assert analysis_notes(runs, PRICES) == [
        f"dollars are list prices as of {PRICES.as_of} ({PRICES.source})",
        EVIDENCE,
    ]


def test_runs_of_which_some_know_less(tmp_path: Path) -> None:
    done = [Trace(1, "answered", E, calls=(COUNT,)), Trace(2, "answered", E, calls=(COUNT,))]
    counted = [Trace(1, "answered", E, tokens=Tokens(output=5))]
    half = [*done[:1], Trace(2, "answered", E, cost_usd=0.5)]
    runs = analyses(
        tmp_path,
        ("a", done, {}),
        ("b", counted, {"label": ["HIDDEN"] * 2}),
        ("c", half, {}),
    )
    tables = by_title(runs)
    assert [row[0] for row in tables["Verdicts"].rows] == ["a", "b", "c"]
    assert tables["Verdicts"].rows[1][1:5] == ("1/2", "–", "–", "–")
    assert "Verdicts NOT ENOUGH INFO" not in tables
    assert "Without a verdict" not in tables
    assert analysis_notes(runs, PRICES) == [
        "b: incomplete, 1/2 claims; 1 not run and left out",
        "c: dollars of 1 of 2 claims",
        "labels are hidden, so that only what needs none is shown: b",
        "no price is known, give --prices FILE: b",
        "tokens were not counted: a, c",
        EVIDENCE,
    ]


def test_a_run_of_which_nothing_is_done(tmp_path: Path) -> None:
    runs = analyses(tmp_path, ("a", [], {}))
    assert by_title(runs)["Verdicts"].rows[0][1:3] == ("0/2", "–")
    assert "a: incomplete, 0/2 claims; 2 not run and left out" in analysis_notes(runs, PRICES)


def test_bins_hold_every_number_of_calls_once() -> None:
    for calls in (*range(30), 1000):
        assert sum(first <= calls <= last for first, last in BINS) == 1


def test_columns_have_names_of_their_own(tmp_path: Path) -> None:
    for table in analysis_tables(analyses(tmp_path, ("a", [Trace(1, "no_verdict")], {}))):
        assert len(set(table.columns)) == len(table.columns) == len(table.rows[0])
