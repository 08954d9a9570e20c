"""A score as tables of text: the command line draws them, `Score.format` aligns them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from .intervals import Interval
from .labels import LABELS, slug
from .rates import MEANINGS

if TYPE_CHECKING:
    from .scores import Score

DASH: Final = "–"
_SHORT: Final = ("E", "C", "NEI")
_NAMES: Final = tuple(f"{label} ({short})" for label, short in zip(LABELS, _SHORT, strict=True))
_CALIBRATION: Final = {
    "brier_score": "Brier score; lower is better",
    "expected_calibration_error": "over 15 bins of equal mass",
    "auroc_nei": "NEI against the other labels",
    "aurc": "area under the risk-coverage curve",
}


@dataclass(frozen=True)
class TextTable:
    """Cells that are text already; the columns named in `right` are aligned right."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: frozenset[str]


def score_tables(score: Score, digits: int) -> list[TextTable]:
    """Return a score's tables: rates, labels, answers, and where they are known NEI categories,
    confidences and breakdowns.

    Args:
        score: what is shown.
        digits: decimals of each rate.

    >>> from claimdb_metric import score
    >>> [table.title for table in score_tables(score([0, 1], [0, 1]), digits=3)]
    ['2 claims, 0 invalid answers', 'Labels', 'Answers']
    """
    tables = [_rates(score, digits), _labels(score, digits), _answers(score)]
    if any(recall is not None for recall in score.nei_recall_by_category.values()):
        tables.append(_categories(score, digits))
    if score.calibration is not None:
        tables.append(_confidences(score, digits))
    return [*tables, *(breakdown(column, score.by[column], digits) for column in score.by)]


def number(value: float | None, digits: int) -> str:
    """Return a number with so many decimals, or a dash for None.

    >>> number(0.5, 3), number(None, 3)
    ('0.500', '–')
    """
    return DASH if value is None else f"{value:.{digits}f}"


def bounds(interval: Interval | None, digits: int) -> str:
    """Return an interval as text, or a dash for None.

    >>> bounds((0.25, 0.75), 2)
    '[0.25, 0.75]'
    """
    if interval is None:
        return DASH
    return f"[{interval[0]:.{digits}f}, {interval[1]:.{digits}f}]"


def plain(table: TextTable) -> str:
    """Return a table as aligned text under its title.

    >>> print(plain(TextTable("Pets", ("name", "legs"), (("owl", "2"),), frozenset({"legs"}))))
    Pets
    name  legs
    owl      2
    """
    cells = [table.columns, *table.rows]
    widths = [max(len(row[place]) for row in cells) for place in range(len(table.columns))]
    aligned = [
        "  ".join(
            cell.rjust(width) if name in table.right else cell.ljust(width)
            for cell, width, name in zip(row, widths, table.columns, strict=True)
        ).rstrip()
        for row in cells
    ]
    return "\n".join([table.title, *aligned])


def breakdown(column: str, scores: dict[object, Score], digits: int) -> TextTable:
    """Return one row for each value of a column.

    Macro-F1 is shown only of parts in which every label has claims; in others its mean of three is
    the mean of fewer, divided by three.

    >>> from claimdb_metric import score
    >>> parts = score([0, 1], [0, 1], by={"db_name": ["zoo", "bank"]}).by["db_name"]
    >>> breakdown("db_name", parts, digits=1).rows[0]
    ('bank', '1', '1.0', '–', '–', '0.0')
    """
    columns = (column, "n", "accuracy", "95 %", "macro-F1", "abstains")
    rows = tuple(
        (
            DASH if value is None else str(value),
            f"{part.n:,}",
            number(part.accuracy, digits),
            bounds(part.intervals["accuracy"], digits),
            number(None if _lacks_a_label(part) else part.macro_f1, digits),
            number(part.abstention_rate, digits),
        )
        for value, part in scores.items()
    )
    return TextTable(f"By {column}", columns, rows, frozenset(columns[1:]))


def _lacks_a_label(score: Score) -> bool:
    return any(found.support == 0 for found in score.per_class.values())


def _labels(score: Score, digits: int) -> TextTable:
    columns = ("label", "precision", "recall", "F1", "95 % of F1", "support")
    rows = tuple(
        (
            name,
            number(found.precision, digits),
            number(found.recall, digits),
            number(found.f1, digits),
            bounds(score.intervals[f"f1_{slug(label)}"], digits),
            f"{found.support:,}",
        )
        for name, (label, found) in zip(_NAMES, score.per_class.items(), strict=True)
    )
    return TextTable("Labels", columns, rows, frozenset(columns[1:]))


def _answers(score: Score) -> TextTable:
    columns = ("label \\ answer", *_SHORT, "invalid")
    rows = tuple(
        (name, *(f"{n:,}" for n in counts))
        for name, counts in zip(_NAMES, score.confusion, strict=True)
    )
    return TextTable("Answers", columns, rows, frozenset(columns[1:]))


def _rates(score: Score, digits: int) -> TextTable:
    rows = tuple(
        (name, number(getattr(score, name), digits), bounds(score.intervals[name], digits), meaning)
        for name, meaning in MEANINGS.items()
    )
    title = f"{_counted(score.n, 'claim')}, {_counted(score.n_invalid, 'invalid answer')}"
    columns = ("rate", "value", "95 %", "meaning")
    return TextTable(title, columns, rows, frozenset({"value"}))


def _categories(score: Score, digits: int) -> TextTable:
    rows = tuple(
        (name, number(recall, digits), bounds(score.intervals[f"nei_recall_{slug(name)}"], digits))
        for name, recall in score.nei_recall_by_category.items()
    )
    return TextTable(
        "NEI claims answered NEI", ("category", "recall", "95 %"), rows, frozenset({"recall"})
    )


def _confidences(score: Score, digits: int) -> TextTable:
    rows = tuple(
        (name, number(getattr(score.calibration, name), digits), meaning)
        for name, meaning in _CALIBRATION.items()
    )
    n = score.calibration.n_with_confidence if score.calibration else 0
    title = f"Confidences of {_counted(n, 'answer')}"
    return TextTable(title, ("number", "value", "meaning"), rows, frozenset({"value"}))


def _counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'s' * (n != 1)}"
