"""The score of random rows agrees with scikit-learn, invalid labels and absent classes and all."""

from __future__ import annotations

import dataclasses
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimdb_metric import LABELS, score


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


@pytest.mark.unmeasured
@settings(max_examples=200, deadline=None)
@given(rows=drawn_rows())
def test_agreement_with_scikit_learn(rows: tuple[list[str], list[str]]) -> None:
    mine, peer = score(*rows, n_resamples=0), peer_score(*rows)
    for name in ("accuracy", "macro_f1", "weighted_f1"):
        assert getattr(mine, name) == pytest.approx(peer[name], abs=1e-12)
    np.testing.assert_array_equal(mine.confusion, peer["confusion"])
    per_class = [dataclasses.astuple(found) for found in mine.per_class.values()]
    np.testing.assert_allclose(per_class, peer["per_class"], rtol=0, atol=1e-12)
