"""Baselines that read no database."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from claimdb_metric.baselines import claim_only, majority, random_labels
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
