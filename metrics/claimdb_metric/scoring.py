"""Scores a run: labels to codes, codes to counts, counts to rates, intervals and a signature.

Accuracy and macro-F1 are those of ClaimDB (arXiv 2601.14698). An answer that is no label is wrong:
it lowers recall and accuracy, never precision.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .calibration import calibration
from .columns import Column
from .confidences import encode_confidences
from .encoding import INVALID, Codes, encode_categories, encode_pairs
from .errors import DataError
from .grouping import GroupCodes, Grouping, codes_of, grouping, places_by_value, subset
from .intervals import (
    DEFAULT_RESAMPLES,
    DEFAULT_SEED,
    Interval,
    percentile_intervals,
    whole_number,
)
from .labels import CATEGORIES, LABELS, slug
from .rates import (
    CLASS_PARTS,
    MEANINGS,
    N_ANSWERS,
    N_CELLS,
    N_ROWS,
    Counts,
    Floats,
    cells_of,
    confusion_of,
    count,
    rates,
)
from .resampling import resample, units_of
from .scores import RESERVED_KEYS, ClassScore, Score
from .signature import NO_KNOWN_ISSUES, signature


def score(
    predictions: Iterable[object],
    references: Iterable[object],
    *,
    categories: Iterable[object] | None = None,
    groups: Column | Mapping[str, Column] | None = None,
    confidences: Iterable[object] | None = None,
    by: Mapping[str, Column] | None = None,
    n_resamples: int = DEFAULT_RESAMPLES,
    seed: int = DEFAULT_SEED,
    split: str | None = None,
    known_issues: str = NO_KNOWN_ISSUES,
) -> Score:
    """Return the score of predictions against references, compared by position.

    Args:
        predictions: label names or integers in any sequence (list, ndarray, pandas Series, pyarrow
            Array, datasets Column), also mixed. What is no label (None, an unknown string, NaN)
            is an invalid answer: wrong, and counted.
        references: the true labels, likewise, none of them hidden or unknown.
        categories: the NEI category of each claim, -1, "" or None where it has none.
        groups: the question or database of each claim, plain or under its name,
            {"bird_id": [...]}: intervals then resample whole groups, and not claims.
        confidences: a probability of the predicted label for each claim, or three (E, C, NEI);
            None only beside an invalid answer.
        by: columns by name; their values split the claims into parts with a score of their own.
        n_resamples: how many resamples the 95 % intervals come from; 0 for no intervals.
        seed: of the resamples; the same rows and seed give the same intervals.
        split: what the claims are, for the signature only.
        known_issues: which known issues the caller left out, for the signature only.

    Raises:
        HiddenLabelsError: references are hidden (-1, "HIDDEN" or None).
        DataError: nothing to score, lengths differ, a reference or category is unknown, a claim
            has a category although its label is not NEI, or an option has a wrong value.

    >>> result = score(["ENTAILED", 2, "no idea"], ["ENTAILED", "NOT ENOUGH INFO", "CONTRADICTED"])
    >>> result.n_invalid, round(result.accuracy, 3), result.per_class["ENTAILED"].f1
    (1, 0.667, 1.0)
    >>> result.intervals["accuracy"]
    (0.0, 1.0)
    """
    predicted, reference = encode_pairs(predictions, references)
    n = len(reference)
    if not n:
        raise DataError("nothing to score: 0 predictions and 0 references")
    rows = _Rows(
        predicted,
        reference,
        None if categories is None else encode_categories(categories, reference),
        None if confidences is None else encode_confidences(confidences, predicted),
        None if groups is None else grouping(groups, n),
    )
    _check_by(by)
    bootstrap = _Bootstrap(whole_number("n_resamples", n_resamples), whole_number("seed", seed))
    parts = {
        name: {
            value: _score(rows.at(places), bootstrap, {}, split, known_issues)
            for value, places in places_by_value(codes_of(column, n, f"by {name!r}"))
        }
        for name, column in (by or {}).items()
    }
    return _score(rows, bootstrap, parts, split, known_issues)


def _check_by(by: Any) -> None:
    if by is None:
        return
    if not isinstance(by, Mapping):
        raise DataError(f"by must be columns by name, {{name: values}}, not {type(by).__name__}")
    taken = [name for name in by if not isinstance(name, str) or name in RESERVED_KEYS]
    if taken:
        raise DataError(f"by: no column can be named {taken[0]!r}, which is a key of a score's own")


@dataclass(frozen=True)
class _Rows:
    """The claims as codes."""

    predicted: Codes
    reference: Codes
    categories: Codes | None
    confidences: Floats | None
    groups: Grouping | None

    def at(self, places: GroupCodes) -> _Rows:
        return _Rows(
            self.predicted[places],
            self.reference[places],
            None if self.categories is None else self.categories[places],
            None if self.confidences is None else self.confidences[places],
            None if self.groups is None else subset(self.groups, places),
        )


@dataclass(frozen=True)
class _Bootstrap:
    n_resamples: int
    seed: int


def _score(
    rows: _Rows,
    bootstrap: _Bootstrap,
    parts: dict[str, dict[object, Score]],
    split: str | None,
    known_issues: str,
) -> Score:
    cells = cells_of(rows.predicted, rows.reference, rows.categories)
    table = count(cells)
    confusion = confusion_of(table)
    found: dict[str, Any] = {name: _number(value) for name, value in rates(table).items()}
    per_class = {
        label: ClassScore(
            **{part: found[f"{part}_{slug(label)}"] for part in CLASS_PARTS}, support=support
        )
        for label, support in zip(LABELS, confusion.sum(1).tolist(), strict=True)
    }
    return Score(
        n=len(cells),
        n_invalid=int(confusion[:, INVALID].sum()),
        per_class=per_class,
        nei_recall_by_category={name: found[f"nei_recall_{slug(name)}"] for name in CATEGORIES},
        confusion=tuple(tuple(row) for row in confusion.tolist()),
        intervals=_intervals(cells, rows.groups, bootstrap, found),
        calibration=None
        if rows.confidences is None
        else calibration(rows.predicted, rows.reference, rows.confidences),
        by=parts,
        signature=signature(
            rows.reference,
            n_resamples=bootstrap.n_resamples,
            seed=bootstrap.seed,
            groups=rows.groups,
            categories=rows.categories,
            split=split,
            known_issues=known_issues,
        ),
        **{name: found[name] for name in MEANINGS},
    )


def _intervals(
    cells: Codes, groups: Grouping | None, bootstrap: _Bootstrap, found: dict[str, float | None]
) -> dict[str, Interval | None]:
    n_units = len(cells) if groups is None else len(groups.values)
    if not bootstrap.n_resamples or n_units < 2:
        return dict.fromkeys(found)
    drawn: Counts = resample(
        units_of(cells, N_CELLS, groups), bootstrap.n_resamples, bootstrap.seed
    )
    intervals = percentile_intervals(rates(drawn.reshape(-1, N_ROWS, N_ANSWERS)))
    return {name: None if value is None else intervals[name] for name, value in found.items()}


def _number(value: Floats) -> float | None:
    return None if value != value else float(value)
