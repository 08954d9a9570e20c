"""Baselines that read no database: the floor that a real system must beat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from claimdb_metric.errors import DataError

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
        DataError: lengths differ, or all claims are of one group.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline, make_union
    from threadpoolctl import threadpool_limits

    claims, labels, groups = list(claims), list(labels), list(groups)
    n_groups = len(set(groups))
    if not len(claims) == len(labels) == len(groups):
        raise DataError(f"{len(claims)} claims, {len(labels)} labels, {len(groups)} groups")
    if n_groups < 2:
        raise DataError("cross-validation needs claims of at least two groups")
    words = TfidfVectorizer(ngram_range=(1, 2))
    characters = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5))
    model = make_pipeline(make_union(words, characters), LogisticRegression(C=10, max_iter=1000))
    folds = GroupKFold(min(n_folds, n_groups))
    # On so few rows BLAS threads wait for each other: 1.5 s a fit with two, 0.09 s with one.
    with threadpool_limits(limits=1):
        guesses = cross_val_predict(model, claims, labels, groups=groups, cv=folds)
    return [int(guess) for guess in guesses]
