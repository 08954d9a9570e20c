"""Rates of verdicts: every number here is a function of one table of counts.

A table has six rows and four columns. Rows are the labels: E, C and NEI without a category, then
NEI of each category. Columns are the answers: E, C, NEI, and those that are no label. `rates`
takes one such table or a stack of them, so that resampled tables need no second implementation.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from .encoding import INVALID, Codes
from .labels import CATEGORIES, LABELS, NOT_ENOUGH_INFO, slug

Floats: TypeAlias = npt.NDArray[np.float64]
Counts: TypeAlias = npt.NDArray[np.int64]

N_LABELS: Final = len(LABELS)
N_ANSWERS: Final = N_LABELS + 1
N_ROWS: Final = N_LABELS + len(CATEGORIES)
N_CELLS: Final = N_ROWS * N_ANSWERS

MEANINGS: Final = {
    "accuracy": "right answers / n",
    "macro_f1": "mean of the three F1",
    "weighted_f1": "the same, weighted by support",
    "invalid_rate": "answers that are no label / n",
    "abstention_rate": "answers NEI / n",
    "nei_rate": "labels NEI / n",
    "abstention_bias": "abstention rate - NEI rate",
    "abstention_precision": "of answers NEI: right",
    "abstention_recall": "of labels NEI: answered NEI",
    "abstention_f1": "F1 of NEI",
    "over_abstention": "of labels E, C: answered NEI",
    "forced_answer": "of labels NEI: answered E, C",
    "coverage": "answers E, C / n",
    "selective_accuracy": "of answers E, C: right",
    "decided_accuracy": "of labels E, C: right",
    "flip_rate": "of labels E, C: the opposite",
}
"""The rates of the whole, and what each says."""

CLASS_PARTS: Final = ("precision", "recall", "f1")
"""The rates of each label: precision_entailed, …, f1_not_enough_info."""


def cells_of(predicted: Codes, reference: Codes, categories: Codes | None = None) -> Codes:
    """Return for each claim its cell in the table of counts, row by row.

    >>> cells_of(np.array([0, 3], np.int8), np.array([0, 2], np.int8)).tolist()
    [0, 11]
    """
    # int8 throughout: half the time of the same sum on int64.
    row = reference if categories is None else reference + (categories + np.int8(1))
    cells: Codes = row * np.int8(N_ANSWERS) + predicted
    return cells


def count(cells: Codes) -> Counts:
    """Return the table of counts of some claims, (6, 4).

    >>> int(count(np.array([0, 0, 11])).sum())
    3
    """
    counts: Counts = np.bincount(cells, minlength=N_CELLS)
    return counts.reshape(N_ROWS, N_ANSWERS)


def confusion_of(tables: Counts) -> Counts:
    """Return the (..., 3, 4) confusion tables, in which all NEI claims share one row.

    >>> confusion_of(np.ones((6, 4), np.int64)).tolist()
    [[1, 1, 1, 1], [1, 1, 1, 1], [4, 4, 4, 4]]
    """
    confusion = tables[..., :N_LABELS, :].copy()
    confusion[..., NOT_ENOUGH_INFO, :] += tables[..., N_LABELS:, :].sum(-2)
    return confusion


def rates(tables: Counts) -> dict[str, Floats]:
    """Return every rate of one table of counts (6, 4), or of each in a stack (..., 6, 4).

    Precision, recall and F1 are 0.0 where their denominator is 0 (scikit-learn's
    zero_division=0); any other rate is NaN there.

    >>> rates(count(np.array([0, 1, 5])))["accuracy"].round(3).item()
    0.667
    """
    confusion = confusion_of(tables).astype(np.float64)
    nei_tables = tables[..., N_LABELS:, :]
    by_category = _ratio(nei_tables[..., NOT_ENOUGH_INFO], nei_tables.sum(-1))
    named = {
        f"nei_recall_{slug(name)}": by_category[..., place] for place, name in enumerate(CATEGORIES)
    }
    return _class_rates(confusion) | _rates_of_all(confusion) | named


def accuracy_and_macro_f1(confusion: Counts) -> Floats:
    """Return the two headline rates (..., 2) of confusion tables (..., 3, 4).

    >>> accuracy_and_macro_f1(np.eye(3, 4, dtype=np.int64)).tolist()
    [1.0, 1.0]
    """
    counts = confusion.astype(np.float64)
    right = np.diagonal(counts, axis1=-2, axis2=-1)
    accuracy = _ratio(right.sum(-1), counts.sum((-2, -1)))
    f1 = _ratio(2 * right, counts.sum(-1) + counts.sum(-2)[..., :INVALID], empty=0.0)
    return np.stack([accuracy, f1.mean(-1)], axis=-1)


def _class_rates(confusion: Floats) -> dict[str, Floats]:
    support, answered = confusion.sum(-1), confusion.sum(-2)[..., :INVALID]
    right = np.diagonal(confusion, axis1=-2, axis2=-1)
    parts = {
        "precision": _ratio(right, answered, empty=0.0),
        "recall": _ratio(right, support, empty=0.0),
        "f1": _ratio(2 * right, support + answered, empty=0.0),
    }
    result = {
        f"{part}_{slug(label)}": parts[part][..., place]
        for place, label in enumerate(LABELS)
        for part in CLASS_PARTS
    }
    of_nei = {f"abstention_{part}": parts[part][..., NOT_ENOUGH_INFO] for part in CLASS_PARTS}
    f1 = parts["f1"]
    means = {
        "macro_f1": f1.mean(-1),
        "weighted_f1": _ratio((f1 * support).sum(-1), support.sum(-1)),
    }
    return result | of_nei | means


def _rates_of_all(confusion: Floats) -> dict[str, Floats]:
    n, support, answered = confusion.sum((-2, -1)), confusion.sum(-1), confusion.sum(-2)
    right = np.diagonal(confusion, axis1=-2, axis2=-1)
    decided, covered = support[..., :2].sum(-1), answered[..., :2].sum(-1)
    right_decided, nei = right[..., :2].sum(-1), support[..., NOT_ENOUGH_INFO]
    abstention_rate, nei_rate = _ratio(answered[..., NOT_ENOUGH_INFO], n), _ratio(nei, n)
    return {
        "accuracy": _ratio(right.sum(-1), n),
        "invalid_rate": _ratio(answered[..., INVALID], n),
        "abstention_rate": abstention_rate,
        "nei_rate": nei_rate,
        "abstention_bias": abstention_rate - nei_rate,
        "over_abstention": _ratio(confusion[..., :2, NOT_ENOUGH_INFO].sum(-1), decided),
        "forced_answer": _ratio(confusion[..., NOT_ENOUGH_INFO, :2].sum(-1), nei),
        "coverage": _ratio(covered, n),
        "selective_accuracy": _ratio(right_decided, covered),
        "decided_accuracy": _ratio(right_decided, decided),
        "flip_rate": _ratio(confusion[..., 0, 1] + confusion[..., 1, 0], decided),
    }


def _ratio(part: Floats | Counts, whole: Floats | Counts, empty: float = np.nan) -> Floats:
    out: Floats = np.full(np.shape(whole), empty)
    return np.divide(part, whole, out=out, where=whole > 0)
