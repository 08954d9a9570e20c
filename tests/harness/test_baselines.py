"""Baselines that read no database."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from claimdb_harness import baselines
from claimdb_harness.baselines import claim_only, majority, predictions_of, random_labels
from claimdb_harness.labelled_claims import LabelledClaims, from_split
from claimdb_metric import score
from claimdb_metric.errors import DataError

# A word gives the label away; each group holds one claim of each label.
CLAIMS = [f"{word} thing number {n}" for n in range(6) for word in ("alpha", "beta", "gamma")]
LABELS = [0, 1, 2] * 6
GROUPS = [n // 3 for n in range(18)]


@pytest.mark.parametrize(
    ("labels", "guess"), [([2, 0, 2], 2), ([1], 1), ([1, 0], 0), ([2, 2, 1, 1, 0], 1)]
)
def test_the_most_frequent_label_wins_and_the_first_wins_a_tie(
    labels: list[int], guess: int
) -> None:
    assert majority(labels) == [guess] * len(labels)


def test_no_labels() -> None:
    with pytest.raises(DataError, match="no labels"):
        majority([])


def test_words_that_give_labels_away_are_found() -> None:
    assert claim_only(CLAIMS, LABELS, GROUPS) == LABELS


def test_nothing_of_a_claims_own_group_is_learned_from() -> None:
    """Siblings share a word that no other claim has: it helps only whoever has seen a sibling."""
    words = ["qzkwx", "jvbgh", "ptdfm", "ylrcn", "uoaei", "shhhs"]
    claims = [f"{words[n // 3]} {n}" for n in range(18)]
    labels = [n // 3 % 3 for n in range(18)]
    seen_siblings = claim_only(claims, labels, list(range(18)), n_folds=18)
    assert seen_siblings == labels
    unseen = claim_only(claims, labels, GROUPS)
    assert sum(guess == label for guess, label in zip(unseen, labels, strict=True)) <= 6


def test_the_same_input_gives_the_same_guesses() -> None:
    assert claim_only(CLAIMS, LABELS, GROUPS) == claim_only(CLAIMS, LABELS, GROUPS, n_folds=10)


@pytest.mark.parametrize(
    ("claims", "labels", "groups", "words"),
    [
        (CLAIMS, LABELS[:-1], GROUPS, "18 claims, 17 labels, 18 groups"),
        (CLAIMS, LABELS, GROUPS[:-1], "18 claims, 18 labels, 17 groups"),
        (CLAIMS, LABELS, [0] * 18, "at least two groups"),
        ([], [], [], "at least two groups"),
        (CLAIMS, [1] * 18, GROUPS, "at least two labels"),
    ],
)
def test_wrong_input(
    claims: Sequence[str], labels: Sequence[int], groups: Sequence[int], words: str
) -> None:
    with pytest.raises(DataError, match=words):
        claim_only(claims, labels, groups)


def test_random_labels_are_each_as_likely() -> None:
    labels = random_labels(9000)
    assert all(labels.count(label) == pytest.approx(3000, rel=0.05) for label in range(3))
    assert labels == random_labels(9000) != random_labels(9000, seed=1)


def test_a_seed_that_is_none_is_refused() -> None:
    with pytest.raises(DataError, match="seed must be a whole number of at least 0, got -1"):
        random_labels(3, seed=-1)


@pytest.mark.parametrize(("group_by", "n_folds"), [("bird_id", 10), ("db_name", 11)])
def test_folds_hold_questions_or_one_database_each(
    monkeypatch: pytest.MonkeyPatch, group_by: str, n_folds: int
) -> None:
    columns: dict[str, list[object]] = {
        "claim_id": list(range(66)),
        "claim": [f"{word} {n}" for n in range(22) for word in ("alpha", "beta", "gamma")],
        "label": ["ENTAILED", "CONTRADICTED", "NOT ENOUGH INFO"] * 22,
        "bird_id": [n // 3 for n in range(66)],
        "db_name": [n // 6 for n in range(66)],
    }
    fits = []
    real = baselines._classifier

    def counted() -> Any:
        fits.append(real())
        return fits[-1]

    monkeypatch.setattr(baselines, "_classifier", counted)
    labels = predictions_of("claim-only", LabelledClaims("mine", columns), group_by)
    assert labels == columns["label"]
    assert len(fits) == n_folds


@pytest.mark.parametrize(
    ("group_by", "low", "high"), [("bird_id", 0.69, 0.72), ("db_name", 0.67, 0.71)]
)
def test_the_published_claims_give_themselves_away(
    shared: Path, group_by: str, low: float, high: float
) -> None:
    """0.7 without any database: the floor that a real system must beat."""
    claims = from_split("test_public", str(shared / "data" / "claimdb"))
    guesses = predictions_of("claim-only", claims, group_by)
    assert low <= score(guesses, claims.labels).accuracy <= high
