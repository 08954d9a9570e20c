"""The score of small tables worked out by hand, and of random ones against scikit-learn."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import claimdb_metric
from claimdb_metric import (
    CATEGORIES,
    LABELS,
    ClassScore,
    DataError,
    HiddenLabelsError,
    Score,
    score,
)
from claimdb_metric.rates import MEANINGS
from tests.metrics.tables import TABLE, rows_of


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
        ("nei_recall_by_category", dict.fromkeys(CATEGORIES)),
    ],
)
def test_abstention_worked_out_by_hand(scored: Score, name: str, value: object) -> None:
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
    result = score(predictions, references)
    rates = {name: getattr(result, name) for name in MEANINGS}
    assert {name for name, value in rates.items() if value is None} == absent
    assert {name for name in MEANINGS if result.intervals[name] is None} >= absent


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


BY: dict[str, list[Any]] = {"db_name": ["zoo", "bank", "zoo", "zoo"], "hops": [2, 10, 2, None]}


def test_a_column_splits_the_claims_into_parts_with_a_score_of_their_own() -> None:
    predictions, references = [0, 1, 2, None], [0, 1, 0, 2]
    whole = score(predictions, references, by=BY, split="mine")
    assert list(whole.by) == ["db_name", "hops"]
    assert list(whole.by["db_name"]) == ["bank", "zoo"]
    zoo = whole.by["db_name"]["zoo"]
    assert zoo == score([0, 2, None], [0, 0, 2], split="mine")
    assert list(whole.by["hops"]) == [2, 10, None]
    assert whole.by["hops"][2].accuracy == 0.5


def test_parts_keep_groups_categories_and_confidences() -> None:
    predictions, references = [2, 2, 0, 1], [2, 2, 0, 0]
    options: dict[str, Any] = {
        "groups": {"bird_id": [5, 6, 6, 7]},
        "categories": ["SUBJECTIVE", "COUNTERFACTUAL", None, None],
        "confidences": [0.5, 0.6, 0.7, 0.8],
    }
    part = score(predictions, references, by={"db": list("aaab")}, **options).by["db"]["a"]
    kept = {
        "groups": {"bird_id": [5, 6, 6]},
        "categories": options["categories"][:3],
        "confidences": options["confidences"][:3],
    }
    assert part == score(predictions[:3], references[:3], **kept)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"groups": [1]}, "groups 'given': 1 values but 2 claims"),
        ({"groups": [1, None]}, "missing values"),
        ({"groups": [1, float("nan")]}, "missing values"),
        ({"groups": [[1], [2]]}, "text or numbers"),
        ({"groups": {"a": [1, 2], "b": [1, 2]}}, "one column, not 2"),
        ({"by": "db_name"}, "by must be columns by name, {name: values}, not str"),
        ({"by": {"n": ["a", "b"]}}, "no column can be named 'n'"),
        ({"by": {"accuracy_ci": ["a", "b"]}}, "no column can be named 'accuracy_ci'"),
        ({"by": {3: ["a", "b"]}}, "no column can be named 3"),
        ({"known_issues": None}, "known_issues=None must be one line"),
        ({"groups": {"a\nb": [1, 2]}}, "groups="),
        ({"by": {"db": ["a"]}}, "by 'db': 1 values but 2 claims"),
        ({"by": {"db": [{}, {}]}}, "by 'db': values must be text or numbers"),
        ({"confidences": [0.5]}, "one probability or three"),
        ({"n_resamples": -1}, "n_resamples must be a whole number of at least 0, got -1"),
        ({"n_resamples": 1.5}, "n_resamples"),
        ({"n_resamples": True}, "n_resamples"),
        ({"seed": -1}, "seed"),
        ({"seed": "12345"}, "seed"),
        ({"split": "a|b"}, "split='a|b' must be one line"),
        ({"known_issues": "a\nb"}, "known_issues"),
    ],
)
def test_options_with_a_wrong_value(options: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=re.escape(message)):
        score([0, 1], [0, 1], **options)


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
