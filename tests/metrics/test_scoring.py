"""The score of small tables worked out by hand, and of random ones against scikit-learn."""

from __future__ import annotations

import ast
import dataclasses
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import claimdb_metric
from claimdb_metric import LABELS, ClassScore, DataError, HiddenLabelsError, Score, score
from claimdb_metric.scoring import rates

# Rows by label, columns by answer (E, C, NEI, invalid).
TABLE = [[5, 2, 2, 1], [1, 3, 4, 0], [0, 1, 6, 5]]


def rows_of(table: list[list[int]]) -> tuple[list[str], list[str]]:
    """Return predictions and references that have this table of counts."""
    answers = (*LABELS, "no label")
    cells = [(row, column) for row in range(3) for column in range(4)]
    pairs = [cell for cell in cells for _ in range(table[cell[0]][cell[1]])]
    return [answers[column] for _, column in pairs], [LABELS[row] for row, _ in pairs]


@pytest.fixture(name="scored")
def scored_table() -> Score:
    return score(*rows_of(TABLE))


def test_the_table_of_counts(scored: Score) -> None:
    assert scored.confusion == tuple(map(tuple, TABLE))
    assert (scored.n, scored.n_invalid, scored.invalid_rate) == (30, 6, 6 / 30)


def test_classes_worked_out_by_hand(scored: Score) -> None:
    assert list(scored.per_class) == list(LABELS)
    assert scored.per_class["ENTAILED"] == ClassScore(5 / 6, 5 / 10, 10 / 16, 10)
    assert scored.per_class["CONTRADICTED"] == ClassScore(3 / 6, 3 / 8, 6 / 14, 8)
    assert scored.per_class["NOT ENOUGH INFO"] == ClassScore(6 / 12, 6 / 12, 12 / 24, 12)
    assert scored.accuracy == 14 / 30
    assert scored.macro_f1 == pytest.approx((10 / 16 + 6 / 14 + 12 / 24) / 3, rel=1e-14)
    weighted = (10 * 10 / 16 + 8 * 6 / 14 + 12 * 12 / 24) / 30
    assert scored.weighted_f1 == pytest.approx(weighted, rel=1e-14)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("abstention_rate", 12 / 30),
        ("nei_rate", 12 / 30),
        ("abstention_bias", 0.0),
        ("abstention_precision", 6 / 12),
        ("abstention_recall", 6 / 12),
        ("abstention_f1", 12 / 24),
        ("over_abstention", 6 / 18),
        ("forced_answer", 1 / 12),
        ("coverage", 12 / 30),
        ("selective_accuracy", 8 / 12),
        ("decided_accuracy", 8 / 18),
        ("flip_rate", 3 / 18),
        ("nei_recall_by_category", None),
    ],
)
def test_abstention_worked_out_by_hand(scored: Score, name: str, value: float | None) -> None:
    assert getattr(scored, name) == value


@pytest.mark.parametrize(
    ("predictions", "references", "absent"),
    [
        ([0, 1], [2, 2], {"over_abstention", "decided_accuracy", "flip_rate"}),
        ([0, 1], [0, 1], {"forced_answer"}),
        ([2, 2], [0, 2], {"selective_accuracy"}),
        ([None], [2], {"over_abstention", "decided_accuracy", "flip_rate", "selective_accuracy"}),
    ],
)
def test_a_denominator_of_zero_gives_none(
    predictions: list[object], references: list[int], absent: set[str]
) -> None:
    result = dataclasses.asdict(score(predictions, references))
    del result["nei_recall_by_category"]
    assert {name for name, value in result.items() if value is None} == absent


def test_absent_classes_count_as_zero() -> None:
    result = score(["ENTAILED"], ["ENTAILED"])
    assert result.per_class["CONTRADICTED"] == ClassScore(0.0, 0.0, 0.0, 0)
    assert result.macro_f1 == pytest.approx(1 / 3)
    assert result.weighted_f1 == 1.0


def test_invalid_answers_lower_recall_and_accuracy_but_not_precision() -> None:
    predictions, references = rows_of(TABLE)
    valid = [place for place, label in enumerate(predictions) if label in LABELS]
    with_invalid = score(predictions, references)
    without = score([predictions[i] for i in valid], [references[i] for i in valid])
    for label in ("ENTAILED", "NOT ENOUGH INFO"):
        assert with_invalid.per_class[label].precision == without.per_class[label].precision
        assert with_invalid.per_class[label].recall < without.per_class[label].recall
    assert with_invalid.accuracy < without.accuracy


def test_nei_recall_by_category() -> None:
    result = score([2, 2, 0, "?", 2, 1], [2, 2, 2, 2, 0, 2], categories=[0, 0, 0, 1, -1, None])
    assert result.nei_recall_by_category == {
        "OUT-OF-SCHEMA": 2 / 3,
        "SUBJECTIVE": 0.0,
        "COUNTERFACTUAL": None,
    }


@pytest.mark.parametrize(
    ("predictions", "references", "message"),
    [
        ([], [], "nothing to score: 0 predictions and 0 references"),
        ([0], [], "1 predictions but 0 references"),
        ([0], [0, 1], "1 predictions but 2 references"),
        ([0], ["maybe"], "unknown reference"),
    ],
)
def test_input_that_cannot_be_scored(
    predictions: list[object], references: list[object], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        score(predictions, references)


def test_hidden_references() -> None:
    with pytest.raises(HiddenLabelsError, match="submit"):
        score(["ENTAILED"], [-1])


def test_to_dict_is_plain_json_with_the_same_keys_always() -> None:
    predictions, references = rows_of(TABLE)
    categories = [0 if label == "NOT ENOUGH INFO" else -1 for label in references]
    full = score(np.array(predictions), references, categories=categories).to_dict()
    small = score(["?"], [2]).to_dict()
    assert list(full) == list(small)
    # The repr of a numpy number is no literal.
    assert ast.literal_eval(repr(full)) == full
    assert json.loads(json.dumps(full, allow_nan=False)) == full
    assert full["confusion"] == TABLE
    assert full["recall_not_enough_info"] == full["abstention_recall"] == 0.5
    assert full["support_contradicted"] == 8


@pytest.mark.parametrize("times", [1, 50_000], ids=["30 claims", "1,500,000 claims"])
def test_format_fits_a_terminal(times: int) -> None:
    references = np.repeat([0, 1, 2], [sum(row) * times for row in TABLE])
    predictions = np.concatenate([np.repeat([0, 1, 2, 3], np.array(row) * times) for row in TABLE])
    categories = np.where(references == 2, 0, -1)
    text = score(predictions, references, categories=categories).format()
    assert max(map(len, text.splitlines())) <= 80
    words = [line.split() for line in text.splitlines()]
    assert ["macro_f1", "0.518"] in [line[:2] for line in words]
    assert ["SUBJECTIVE", "-"] in [line[:2] for line in words]
    counts = [str(count * times) for count in TABLE[2]]
    assert words[4] == [
        "NOT",
        "ENOUGH",
        "INFO",
        "0.500",
        "0.500",
        "0.500",
        str(12 * times),
        *counts,
    ]


def test_a_stack_of_tables_gives_the_rates_of_each() -> None:
    tables = np.array([TABLE, np.zeros((3, 4)), np.eye(3, 4)], dtype=np.int64)
    stacked = rates(tables)
    for place, table in enumerate(tables):
        for name, value in rates(table).items():
            np.testing.assert_array_equal(stacked[name][place], value)
    assert np.isnan(stacked["accuracy"][1])
    assert stacked["macro_f1"].tolist()[1:] == [0.0, 1.0]


def test_a_score_cannot_be_changed(scored: Score) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        scored.accuracy = 1.0  # type: ignore[misc]


def test_exported_names_exist() -> None:
    assert all(hasattr(claimdb_metric, name) for name in claimdb_metric.__all__)


def test_importing_and_scoring_load_nothing_heavier_than_numpy() -> None:
    program = (
        "import sys, claimdb_metric as c\n"
        "c.score(['ENTAILED', None], [0, 1]).format()\n"
        "heavy = {'datasets', 'evaluate', 'pandas', 'pyarrow', 'sklearn', 'scipy', 'rich'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    folder = Path(claimdb_metric.__file__).parents[1]
    env = {**os.environ, "PYTHONPATH": str(folder)}
    child = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(child, env=env, capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


def peer_score(predictions: list[str], references: list[str]) -> dict[str, Any]:
    """Return scikit-learn's numbers for the same rows."""
    from sklearn import metrics

    names = [*LABELS, "no label"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        options: dict[str, Any] = {"labels": list(LABELS), "zero_division": 0}
        each = metrics.precision_recall_fscore_support(references, predictions, **options)
        return {
            "accuracy": metrics.accuracy_score(references, predictions),
            "macro_f1": metrics.f1_score(references, predictions, average="macro", **options),
            "weighted_f1": metrics.f1_score(references, predictions, average="weighted", **options),
            "confusion": metrics.confusion_matrix(references, predictions, labels=names)[:3],
            "per_class": np.array(each).T,
        }


@st.composite
def drawn_rows(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """Draw rows over some of the labels, so that absent classes are common."""
    known = draw(st.lists(st.sampled_from(LABELS), min_size=1, max_size=3))
    answers = draw(st.lists(st.sampled_from((*LABELS, "no label")), min_size=1, max_size=4))
    pairs = st.tuples(st.sampled_from(answers), st.sampled_from(known))
    drawn = draw(st.lists(pairs, min_size=1, max_size=40))
    return [answer for answer, _ in drawn], [label for _, label in drawn]


@settings(max_examples=500, deadline=None)
@given(rows=drawn_rows())
def test_agreement_with_scikit_learn(rows: tuple[list[str], list[str]]) -> None:
    mine, peer = score(*rows), peer_score(*rows)
    for name in ("accuracy", "macro_f1", "weighted_f1"):
        assert getattr(mine, name) == pytest.approx(peer[name], abs=1e-12)
    np.testing.assert_array_equal(mine.confusion, peer["confusion"])
    per_class = [dataclasses.astuple(found) for found in mine.per_class.values()]
    np.testing.assert_allclose(per_class, peer["per_class"], rtol=0, atol=1e-12)
