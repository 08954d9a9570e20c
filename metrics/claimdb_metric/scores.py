"""What a score holds, and how it is shown."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import isfinite
from typing import Any, Final

import numpy as np

from .calibration import Calibration
from .intervals import Interval
from .labels import CATEGORIES, LABELS, slug
from .rates import CLASS_PARTS, MEANINGS
from .score_tables import plain, score_tables


@dataclass(frozen=True)
class ClassScore:
    """How well one label was found; 0.0 where a denominator is 0."""

    precision: float
    recall: float
    f1: float
    support: int


@dataclass(frozen=True)
class Score:
    """All numbers of one run; E, C and NEI are the three labels, in this order.

    Attributes:
        n: the claims scored.
        per_class: label name -> its `ClassScore`.
        confusion: counts; rows are labels (E, C, NEI), columns answers (E, C, NEI, invalid).
        abstention_precision, abstention_recall, abstention_f1: those of the NEI class.
        over_abstention, decided_accuracy, flip_rate: None where no label is E or C.
        forced_answer: None where no label is NEI.
        selective_accuracy: None where no answer is E or C.
        nei_recall_by_category: category -> share of its claims answered NEI; None where no claim
            is known to be of it.
        intervals: the 95 % interval of every rate, by its key in `to_dict`; None where the rate
            is None, and where fewer than two claims or groups leave nothing to resample.
        calibration: what the confidences are worth; None where none were given.
        by: column -> its value -> the score of the claims that have it.
        signature: one line with everything that can move the numbers.
    """

    n: int
    n_invalid: int
    accuracy: float
    macro_f1: float
    weighted_f1: float
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
    per_class: dict[str, ClassScore]
    nei_recall_by_category: dict[str, float | None]
    confusion: tuple[tuple[int, ...], ...]
    intervals: dict[str, Interval | None]
    calibration: Calibration | None
    by: dict[str, dict[object, Score]]
    signature: str

    def rates(self) -> dict[str, float | None]:
        """Return every rate under its flat key: those of all claims, of labels, of categories.

        >>> from claimdb_metric import score
        >>> score(["ENTAILED"], ["ENTAILED"]).rates()["f1_entailed"]
        1.0
        """
        result = {name: getattr(self, name) for name in MEANINGS}
        for label, scores in self.per_class.items():
            parts = {"precision": scores.precision, "recall": scores.recall, "f1": scores.f1}
            result |= {f"{part}_{slug(label)}": value for part, value in parts.items()}
        by_category = self.nei_recall_by_category.items()
        return result | {f"nei_recall_{slug(name)}": value for name, value in by_category}

    def to_dict(self) -> dict[str, object]:
        """Return the score as plain Python values under flat keys, always in the same order.

        A rate is followed by its interval, [low, high] or None, under its key and `_ci`. Each
        column of `by` adds a key by_<column>: a list of rows, the column's value first.

        >>> from claimdb_metric import score
        >>> list(score(["ENTAILED"], ["ENTAILED"]).to_dict())[:6]
        ['n', 'n_invalid', 'accuracy', 'accuracy_ci', 'macro_f1', 'macro_f1_ci']
        """
        result: dict[str, object] = {"n": self.n, "n_invalid": self.n_invalid}
        for name, value in self.rates().items():
            interval = self.intervals[name]
            result |= {name: value, f"{name}_ci": None if interval is None else list(interval)}
        for label, scores in self.per_class.items():
            result[f"support_{slug(label)}"] = scores.support
        result["confusion"] = [list(row) for row in self.confusion]
        for field in fields(Calibration):
            result[field.name] = getattr(self.calibration, field.name, None)
        if self.calibration is not None:
            result["risk_coverage"] = [list(point) for point in self.calibration.risk_coverage]
        result["signature"] = self.signature
        for column, scores_by_value in self.by.items():
            rows = [
                {column: _plain(value)} | part.to_dict() for value, part in scores_by_value.items()
            ]
            result[f"by_{column}"] = rows
        return result

    def format(self, digits: int = 3) -> str:
        """Return the score as text of at most 80 columns; its last line is the signature.

        Args:
            digits: decimals of each rate.

        >>> from claimdb_metric import score
        >>> print(score(["ENTAILED"], ["ENTAILED"]).format().splitlines()[0])
        1 claim, 0 invalid answers
        """
        parts = [plain(table) for table in score_tables(self, digits)]
        return "\n\n".join([*parts, self.signature])

    def __str__(self) -> str:
        return self.format()


def _plain(value: Any) -> object:
    """A column's value as JSON has it: dates, bytes and infinities are text."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, str | int):
        return value
    return value if isinstance(value, float) and isfinite(value) else str(value)


_RATES: Final = (
    *MEANINGS,
    *(f"{part}_{slug(label)}" for label in LABELS for part in CLASS_PARTS),
    *(f"nei_recall_{slug(name)}" for name in CATEGORIES),
)
RESERVED_KEYS: Final = frozenset(
    {
        *("n", "n_invalid", "confusion", "signature"),
        *_RATES,
        *(f"{name}_ci" for name in _RATES),
        *(f"support_{slug(label)}" for label in LABELS),
        *(field.name for field in fields(Calibration)),
    }
)
"""The keys of `Score.to_dict`, which no column of `by` may have as its name."""
