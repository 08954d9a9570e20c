"""Baselines that read no database: the floor that a real system must beat.

They also measure a benchmark: what the words of its claims alone give away.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from claimdb_metric.errors import DataError
from claimdb_metric.intervals import DEFAULT_SEED, whole_number
from claimdb_metric.labels import LABELS

DEFAULT_FOLDS: Final = 10


def majority(labels: Sequence[int]) -> list[int]:
    """Return the most frequent label for every claim; the first label wins a tie.

    >>> majority([2, 0, 2])
    [2, 2, 2]
    """
    if not labels:
        raise DataError("no labels: the majority baseline needs at least one")
    counts = Counter(labels)
    most = min(counts, key=lambda label: (-counts[label], label))
    return [most] * len(labels)


def random_labels(n: int, seed: int = DEFAULT_SEED) -> list[int]:
    """Return n labels, each of the three as likely.

    Args:
        n: how many.
        seed: the same seed gives the same labels.

    Raises:
        DataError: the seed is no whole number of at least 0.

    >>> random_labels(4)
    [2, 0, 2, 0]
    """
    from numpy.random import default_rng

    drawn: list[int] = default_rng(whole_number("seed", seed)).integers(0, len(LABELS), n).tolist()
    return drawn


def claim_only(
    claims: Sequence[str],
    labels: Sequence[int],
    groups: Sequence[object],
    n_folds: int = DEFAULT_FOLDS,
) -> list[int]:
    """Return labels guessed from the words of the claims alone, by cross-validation.

    TF-IDF over words (1-2) and characters within words (2-5), then logistic regression (C=10). No
    claim is judged by a model that has seen a claim of the same group, such as its question.

    Args:
        claims: the sentences.
        labels: their ClassLabel integers.
        groups: a question or database for each claim.
        n_folds: how many folds; fewer where there are fewer groups.

    Raises:
        DataError: lengths differ, all claims are of one group or have one label, or their words
            are none.

    >>> claims = ["at least 3", "no 3", "at least 4", "no 4"]
    >>> claim_only(claims, [0, 1, 0, 1], groups=[3, 3, 4, 4])
    [0, 1, 0, 1]
    """
    from sklearn.model_selection import GroupKFold
    from threadpoolctl import threadpool_limits
    from tqdm import tqdm

    claims, labels, groups = list(claims), list(labels), list(groups)
    n_groups = len(set(groups))
    if not len(claims) == len(labels) == len(groups):
        raise DataError(f"{len(claims)} claims, {len(labels)} labels, {len(groups)} groups")
    if n_groups < 2:
        raise DataError("cross-validation needs claims of at least two groups")
    if len(set(labels)) < 2:
        raise DataError("a classifier needs claims of at least two labels")
    splits = GroupKFold(min(n_folds, n_groups)).split(claims, labels, groups)
    guesses = [0] * len(claims)
    # On so few rows BLAS threads wait for each other: 1.5 s a fit with two, 0.09 s with one.
    with threadpool_limits(limits=1):
        # Quiet unless somebody watches; on the 51,369 train claims a fold takes minutes.
        for train, test in tqdm(list(splits), desc="claim-only", unit="fold", disable=None):
            known = {labels[place] for place in train}
            if len(known) == 1:  # nothing to tell apart; the classifier would refuse
                found: Sequence[int] = [*known] * len(test)
            else:
                found = _learned(claims, labels, train, test)
            for place, guess in zip(test, found, strict=True):
                guesses[place] = int(guess)
    return guesses


def _learned(
    claims: Sequence[str], labels: Sequence[int], train: Sequence[int], test: Sequence[int]
) -> Sequence[int]:
    """What a classifier says of some claims after it has seen others."""
    model = _classifier()
    try:
        model.fit([claims[place] for place in train], [labels[place] for place in train])
    except ValueError as error:  # such as claims without a word of two letters
        raise DataError(f"nothing can be learned from the words of these claims: {error}") from None
    guesses: Sequence[int] = model.predict([claims[place] for place in test])
    return guesses


def _classifier() -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline, make_union

    words = TfidfVectorizer(ngram_range=(1, 2))
    characters = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5))
    return make_pipeline(make_union(words, characters), LogisticRegression(C=10, max_iter=1000))
