"""The analysis of runs, from their folders to plain values."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from claimdb_harness.analysis.prices import packaged_prices
from claimdb_harness.analysis.run_analysis import RunAnalysis, analyze_runs
from claimdb_harness.runs.traces import Call, Tokens, Trace
from claimdb_metric.errors import DataError
from claimdb_metric.labels import CATEGORIES
from tests.harness.analysis.made_runs import NEI, C, E, answer, claims_of, failed, made_run

PRICES = packaged_prices()
SCHEMA = answer("SELECT name FROM sqlite_master", "trip")
COUNT = answer("SELECT COUNT(*) FROM trip", "48")
AGAIN = answer("select count( * )  FROM trip;", "48")
WRONG = failed("SELECT nothing FROM trip", "no such column: nothing")
MORE = Call("execute_sql", "SELECT id FROM trip", "truncated", "id\n7\n(1 row; …)", "more", 1)
REFUSED = failed("SELECT 1", "no further call", "refused")
LIST = Call("list_tables", "", "ok", "trip")

TRACES = [
    Trace(1, "answered", E, "There are 48 and 49 trips.", calls=(SCHEMA, COUNT, AGAIN)),
    Trace(2, "answered", C, "All is wrong.", calls=(WRONG, MORE), forced=True, stop="turns"),
    Trace(3, "answered", NEI, "'Vita' is unknown.", calls=(LIST, SCHEMA)),
    Trace(4, "no_verdict", stop="turns", invalid="no_answer", calls=(COUNT, REFUSED)),
    Trace(5, "answered", E),
    Trace(6, "not_run", stop="error", error="503", calls=(COUNT,)),
]
CLAIMS = claims_of(
    7,
    claim=["48 trips.", "49 trips.", "'Vita' sails.", "A claim.", "A claim.", "A claim.", "Last."],
    label=[E, C, NEI, NEI, E, E, E],
    category=[None, None, CATEGORIES[0], CATEGORIES[1], None, None, None],
)


@pytest.fixture
def analysis(tmp_path: Path) -> RunAnalysis:
    (found,) = analyze_runs([str(made_run(tmp_path / "run", TRACES, CLAIMS))], PRICES)
    return found


def test_claims_that_were_not_run_are_left_out(analysis: RunAnalysis) -> None:
    assert (analysis.n_done, analysis.n_claims, analysis.is_complete) == (5, 7, False)
    assert analysis.score is not None
    assert (analysis.score.n, analysis.score.n_invalid, analysis.score.accuracy) == (5, 1, 0.8)


def test_calls(analysis: RunAnalysis) -> None:
    found = analysis.calls
    assert (found.n_sql, found.mean, found.median) == (8, 1.6, 2.0)
    assert found.mean_answered == 1.5
    assert found.histogram[:4] == (1, 1, 2, 1)
    assert found.histogram_no_verdict[:4] == (0, 0, 1, 0)
    assert {kind: n for kind, n in found.errors.items() if n} == {
        "no such column": 1,
        "truncated": 1,
        "refused": 1,
    }
    assert (found.n_errors, found.n_repeated, found.n_repeating) == (1, 1, 1)
    assert (found.n_schema_first, found.n_with_calls) == (2, 4)
    assert found.right_by_calls == {0: (1, 1), 1: (1, 1), 2: (2, 1), 3: (1, 1)}


def test_verdicts(analysis: RunAnalysis) -> None:
    found = analysis.verdicts
    assert (found.n_answered, found.n_forced, found.n_forced_right) == (4, 1, 1)
    assert (found.accuracy, found.accuracy_unforced) == (0.8, 0.6)
    assert (found.nei_share, found.gold_nei_share) == (0.25, 0.4)
    assert (found.invalid["no_answer"], sum(found.invalid.values())) == (1, 1)
    assert (found.stops["turns"], sum(found.stops.values())) == (1, 1)
    assert found.nei_by_category == {
        CATEGORIES[0]: (1, 1),
        CATEGORIES[1]: (0, 0),
        CATEGORIES[2]: (0, 0),
    }


def test_evidence(analysis: RunAnalysis) -> None:
    found = analysis.faithfulness
    claim, words = found.support[E]["claim"], found.support[E]["justification"]
    assert (claim.n_texts, claim.n_whole, claim.n_numbers, claim.numbers) == (1, 1, 1, 1)
    assert (words.n_texts, words.n_whole, words.n_numbers, words.numbers) == (1, 0, 2, 1)
    assert (found.support[C]["claim"].n_numbers, found.support[C]["claim"].numbers) == (1, 0)
    assert (found.support[NEI]["claim"].n_names, found.support[NEI]["claim"].names) == (1, 0)
    # Claim 3 read only the schema, claim 5 nothing; the rows of claim 2 were cut, but are rows.
    assert (found.n_without_evidence, found.n_right_without_evidence) == (2, 2)


COUNTED = Tokens(input=1_000_000, cached=1_000_000, output=1_000_000, reasoning=500_000)


@pytest.mark.parametrize(
    ("model", "costs", "usd", "n_priced", "sources"),
    [
        ("openai/gpt-5-nano", [None, None], 0.05 + 0.005 + 0.4, 1, ("list prices",)),
        ("openai/gpt-5-nano", [0.1, None], 0.1, 1, ("recorded",)),
        ("openai/gpt-5-nano", [None, 0.045], 0.25, 2, ("recorded", "list prices")),
        ("mine", [None, None], None, 0, ()),
        ("mine", [0.0, 0.5], 0.25, 2, ("recorded",)),
    ],
)
def test_costs(
    tmp_path: Path,
    model: str,
    costs: list[float | None],
    usd: float | None,
    n_priced: int,
    sources: tuple[str, ...],
) -> None:
    traces = [
        Trace(1, "answered", E, tokens=COUNTED, cost_usd=costs[0], seconds=2.0, turns=3),
        Trace(2, "answered", E, cost_usd=costs[1]),
    ]
    path = made_run(tmp_path / "run", traces, claims_of(2), model)
    found = analyze_runs([str(path)], PRICES)[0].costs
    assert (found.n_counted, found.input, found.reasoning) == (1, 1_000_000, 500_000)
    assert (found.seconds, found.turns) == (2.0, 3.0)
    assert found.usd == (None if usd is None else pytest.approx(usd))
    assert (found.n_priced, found.sources) == (n_priced, sources)


HIDDEN: dict[str, dict[str, list[Any]]] = {
    "hidden": {"label": ["HIDDEN"] * 7},
    "none": {"label": [None] * 7},
    "partly": {"label": [E] * 4 + ["HIDDEN"] * 3},
}


@pytest.mark.parametrize("case", HIDDEN)
def test_hidden_labels(tmp_path: Path, case: str) -> None:
    path = made_run(tmp_path / "run", TRACES, CLAIMS | HIDDEN[case] | {"category": [None] * 7})
    (found,) = analyze_runs([str(path)], PRICES)
    assert found.score is None
    assert (found.verdicts.accuracy, found.verdicts.accuracy_unforced) == (None, None)
    assert (found.calls.right_by_calls, found.faithfulness.n_right_without_evidence) == (None, None)
    assert (found.calls.mean, found.verdicts.nei_share) == (1.6, 0.25)
    assert (found.faithfulness.n_without_evidence, found.n_done) == (2, 5)


@pytest.mark.parametrize("given", [[], [replace(TRACES[5], claim_id=1)]])
def test_a_run_of_which_nothing_is_done(tmp_path: Path, given: list[Trace]) -> None:
    (found,) = analyze_runs([str(made_run(tmp_path / "run", given, CLAIMS))], PRICES)
    assert (found.n_done, found.score, found.calls.mean, found.costs.usd) == (0, None, None, None)
    json.dumps(found.to_dict(), allow_nan=False)


def test_claims_of_which_only_the_number_is_known(tmp_path: Path) -> None:
    path = made_run(tmp_path / "run", TRACES[:1], {"claim_id": [1]})
    (found,) = analyze_runs([str(path)], PRICES)
    assert (found.score, found.faithfulness.support[E]["claim"].n_texts) == (None, 0)
    assert found.faithfulness.support[E]["justification"].numbers == 1


def test_values_for_json(analysis: RunAnalysis) -> None:
    found = json.loads(json.dumps(analysis.to_dict(), allow_nan=False))
    assert found["calls"]["right_by_calls"][0] == {"calls": 0, "claims": 1, "right": 1}
    assert found["verdicts"]["nei_by_category"][CATEGORIES[0]] == {"verdicts": 1, "nei": 1}
    assert found["faithfulness"]["support"][E]["claim"]["numbers"] == 1
    assert found["score"]["accuracy"] == 0.8
    assert found["signature"].startswith("claimdb_run|v:1|model:openai/gpt-5-mini")


@pytest.mark.parametrize(
    ("models", "names"),
    [
        (["openai/a", "openai/b"], ["openai/a", "openai/b"]),
        (["a", "a"], ["a (0)", "a (1)"]),
    ],
)
def test_names(tmp_path: Path, models: list[str], names: list[str]) -> None:
    paths = [
        str(made_run(tmp_path / str(place), TRACES, CLAIMS, model))
        for place, model in enumerate(models)
    ]
    assert [run.name for run in analyze_runs(paths, PRICES)] == names


def test_one_model_in_folders_of_the_same_name(tmp_path: Path) -> None:
    paths = [str(made_run(tmp_path / name / "run", TRACES, CLAIMS, "a")) for name in "xy"]
    assert [run.name for run in analyze_runs(paths, PRICES)] == [f"a ({path})" for path in paths]


def test_wrong_runs(tmp_path: Path) -> None:
    path = str(made_run(tmp_path / "run", TRACES, CLAIMS))
    with pytest.raises(DataError, match="the same run twice"):
        analyze_runs([path, f"{path}/../run"], PRICES)
    with pytest.raises(DataError, match="no such run"):
        analyze_runs([path, str(tmp_path / "gone")], PRICES)
    with pytest.raises(DataError, match="is no folder of a run"):
        analyze_runs([str(tmp_path)], PRICES)
