"""Point scores of verdicts: everything here is a function of one 3 x 4 table of counts.

`rates` takes one such table or a stack of them, so that resampled tables need no second
implementation. Formulas: ClaimDB (arXiv 2601.14698) for accuracy and macro-F1; an answer that
is no label is wrong: it lowers recall and accuracy, never precision.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from .encoding import INVALID, Codes, encode_categories, encode_pairs
from .errors import DataError
from .labels import CATEGORIES, LABELS, NOT_ENOUGH_INFO

Floats: TypeAlias = npt.NDArray[np.float64]
Counts: TypeAlias = npt.NDArray[np.int64]

# The rates that `format` shows, and what each says; n is the number of claims.
_RATES: Final = {
    "accuracy": "right answers / n",
    "macro_f1": "mean of the three F1",
    "weighted_f1": "mean of the three F1, weighted by support",
    "invalid_rate": "answers that are no label / n",
    "abstention_rate": "answers NEI / n",
    "nei_rate": "labels NEI / n",
    "abstention_bias": "abstention rate - NEI rate",
    "over_abstention": "of labels E or C: answered NEI",
    "forced_answer": "of labels NEI: answered E or C",
    "coverage": "answers E or C / n",
    "selective_accuracy": "of answers E or C: right",
    "decided_accuracy": "of labels E or C: right",
    "flip_rate": "of labels E or C: answered the opposite",
}


@dataclass(frozen=True)
class ClassScore:
    """How well one label was found; 0.0 where a denominator is 0."""

    precision: float
    recall: float
    f1: float
    support: int


@dataclass(frozen=True)
class Score:
    """All point scores of one run; E, C and NEI are the three labels, in this order.

    Attributes:
        per_class: label name -> its `ClassScore`.
        confusion: counts; rows are labels (E, C, NEI), columns answers (E, C, NEI, invalid).
        abstention_precision, abstention_recall, abstention_f1: those of the NEI class.
        over_abstention, decided_accuracy, flip_rate: None where no label is E or C.
        forced_answer: None where no label is NEI.
        selective_accuracy: None where no answer is E or C.
        nei_recall_by_category: category -> share of its claims answered NEI, None for a category
            without claims; None as a whole where no categories were given.
    """

    n: int
    accuracy: float
    macro_f1: float
    weighted_f1: float
    per_class: dict[str, ClassScore]
    n_invalid: int
    invalid_rate: float
    abstention_rate: float
    nei_rate: float
    abstention_bias: float
    abstention_precision: float
    abstention_recall: float
    abstention_f1: float
    over_abstention: float | None
    forced_answer: float | None
    coverage: float
    selective_accuracy: float | None
    decided_accuracy: float | None
    flip_rate: float | None
    nei_recall_by_category: dict[str, float | None] | None
    confusion: tuple[tuple[int, ...], ...]

    def to_dict(self) -> dict[str, object]:
        """Return the score as plain Python values, always with the same keys in the same order.

        `per_class` becomes flat keys: precision_entailed, …, support_not_enough_info.

        >>> list(score(["ENTAILED"], ["ENTAILED"]).to_dict())[:5]
        ['n', 'accuracy', 'macro_f1', 'weighted_f1', 'precision_entailed']
        """
        result: dict[str, object] = {}
        for name, value in vars(self).items():
            if name == "per_class":
                for label, scores in self.per_class.items():
                    slug = label.lower().replace(" ", "_")
                    result |= {f"{kind}_{slug}": part for kind, part in vars(scores).items()}
            elif name == "confusion":
                result[name] = [list(row) for row in self.confusion]
            else:
                result[name] = dict(value) if isinstance(value, dict) else value
        return result

    def format(self) -> str:
        """Return the score as a text table of at most 80 columns.

        >>> print(score(["ENTAILED"], ["ENTAILED"]).format().splitlines()[2])
        ENTAILED            1.000  1.000  1.000       1       1       0       0       0
        """
        return "\n".join([*_class_table(self), "", *_rate_table(self)])


def score(
    predictions: Iterable[object],
    references: Iterable[object],
    *,
    categories: Iterable[object] | None = None,
) -> Score:
    """Return the point scores of predictions against references, compared by position.

    Args:
        predictions: label names or integers in any sequence (list, ndarray, pandas Series, pyarrow
            Array, datasets Column), also mixed. What is no label (None, an unknown string, NaN)
            is an invalid answer: wrong, and counted.
        references: the true labels, likewise, none of them hidden or unknown.
        categories: the NEI category of each claim, -1, "" or None where it has none.

    Raises:
        HiddenLabelsError: references are hidden (-1, "HIDDEN" or None).
        DataError: nothing to score, lengths differ, a reference or category is unknown, or a
            claim has a category although its label is not NEI.

    >>> result = score(["ENTAILED", 2, "no idea"], ["ENTAILED", "NOT ENOUGH INFO", "CONTRADICTED"])
    >>> result.n_invalid, round(result.accuracy, 3), result.per_class["ENTAILED"].f1
    (1, 0.667, 1.0)
    """
    predicted, reference = encode_pairs(predictions, references)
    if not len(reference):
        raise DataError("nothing to score: 0 predictions and 0 references")
    by_category = None
    if categories is not None:
        by_category = _nei_recall(predicted, encode_categories(categories, reference))
    return _from_confusion(_confusion(predicted, reference), by_category)


def rates(confusion: Counts) -> dict[str, Floats]:
    """Return every rate of one 3 x 4 table of counts, or of each in a stack (..., 3, 4).

    Args:
        confusion: rows by reference, columns by prediction, the last one invalid.

    NaN stands where a denominator is 0, but 0.0 in precision, recall and F1 (arrays of three).

    >>> tables = np.array([[[1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1]]])
    >>> rates(tables)["accuracy"].tolist()
    [0.5]
    """
    counts = confusion.astype(np.float64)
    n, support, answered = counts.sum((-2, -1)), counts.sum(-1), counts.sum(-2)
    right = np.diagonal(counts, axis1=-2, axis2=-1)
    f1 = _ratio(2 * right, support + answered[..., :INVALID], empty=0.0)
    decided, covered = support[..., :2].sum(-1), answered[..., :2].sum(-1)
    right_decided = right[..., :2].sum(-1)
    nei = support[..., NOT_ENOUGH_INFO]
    abstention_rate, nei_rate = _ratio(answered[..., NOT_ENOUGH_INFO], n), _ratio(nei, n)
    return {
        "precision": _ratio(right, answered[..., :INVALID], empty=0.0),
        "recall": _ratio(right, support, empty=0.0),
        "f1": f1,
        "accuracy": _ratio(right.sum(-1), n),
        "macro_f1": f1.mean(-1),
        "weighted_f1": _ratio((f1 * support).sum(-1), n),
        "invalid_rate": _ratio(answered[..., INVALID], n),
        "abstention_rate": abstention_rate,
        "nei_rate": nei_rate,
        "abstention_bias": abstention_rate - nei_rate,
        "over_abstention": _ratio(counts[..., :2, NOT_ENOUGH_INFO].sum(-1), decided),
        "forced_answer": _ratio(counts[..., NOT_ENOUGH_INFO, :2].sum(-1), nei),
        "coverage": _ratio(covered, n),
        "selective_accuracy": _ratio(right_decided, covered),
        "decided_accuracy": _ratio(right_decided, decided),
        "flip_rate": _ratio(counts[..., 0, 1] + counts[..., 1, 0], decided),
    }


def _ratio(part: Floats | Counts, whole: Floats | Counts, empty: float = np.nan) -> Floats:
    out: Floats = np.full(np.shape(whole), empty)
    return np.divide(part, whole, out=out, where=whole > 0)


def _confusion(predicted: Codes, reference: Codes) -> Counts:
    # int8 throughout: half the time of the same sum on int64.
    cells = reference * np.int8(INVALID + 1) + predicted
    counts: Counts = np.bincount(cells, minlength=INVALID * (INVALID + 1))
    return counts.reshape(INVALID, INVALID + 1)


def _nei_recall(predicted: Codes, categories: Codes) -> dict[str, float | None]:
    claims = np.bincount(categories[categories >= 0], minlength=len(CATEGORIES))
    found = (categories >= 0) & (predicted == NOT_ENOUGH_INFO)
    recall = _ratio(np.bincount(categories[found], minlength=len(CATEGORIES)), claims)
    return {name: _number(value) for name, value in zip(CATEGORIES, recall, strict=True)}


def _from_confusion(confusion: Counts, by_category: dict[str, float | None] | None) -> Score:
    found = rates(confusion)
    columns = (found["precision"], found["recall"], found["f1"], confusion.sum(1))
    rows = zip(*(column.tolist() for column in columns), strict=True)
    per_class = dict(zip(LABELS, (ClassScore(*row) for row in rows), strict=True))
    nei = per_class[LABELS[NOT_ENOUGH_INFO]]
    scalars: dict[str, Any] = {name: _number(found[name]) for name in _RATES}
    return Score(
        n=int(confusion.sum()),
        n_invalid=int(confusion[:, INVALID].sum()),
        per_class=per_class,
        abstention_precision=nei.precision,
        abstention_recall=nei.recall,
        abstention_f1=nei.f1,
        nei_recall_by_category=by_category,
        confusion=tuple(tuple(row) for row in confusion.tolist()),
        **scalars,
    )


def _number(value: Floats) -> float | None:
    return None if np.isnan(value) else float(value)


def _class_table(score: Score) -> list[str]:
    lines = [f"{score.n} claims, {score.n_invalid} invalid answers; right of support: the answers"]
    lines.append("label           precision recall     F1 support       E       C     NEI invalid")
    for (label, found), row in zip(score.per_class.items(), score.confusion, strict=True):
        numbers = f"{found.precision:>9.3f}{found.recall:>7.3f}{found.f1:>7.3f}{found.support:>8}"
        lines.append(f"{label:<16}{numbers}" + "".join(f"{count:>8}" for count in row))
    return lines


def _rate_table(score: Score) -> list[str]:
    rows = [(name, getattr(score, name), text) for name, text in _RATES.items()]
    for category, recall in (score.nei_recall_by_category or {}).items():
        rows.append((category, recall, "of these NEI claims: answered NEI"))
    return [
        f"{name:<18}{'-' if value is None else format(value, '.3f'):>7}  {text}"
        for name, value, text in rows
    ]
