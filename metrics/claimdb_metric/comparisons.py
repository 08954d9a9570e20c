"""What a comparison of two systems holds, and how it is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .intervals import Interval
from .score_tables import TextTable, bounds, number, plain


@dataclass(frozen=True)
class Difference:
    """One number of two systems on the same claims.

    Attributes:
        a, b: its value for each system.
        effect: a - b.
        interval: the 95 % interval of the effect.
        p_value: two-sided, of the paired bootstrap.
        p_holm: the same, corrected for as many pairs as were compared (Holm 1979).
        is_smallest_p: whether no resample contradicts the effect: p_value is then the smallest
            that so many resamples can show, 2 / (n_resamples + 1), and the true one may be smaller.
    """

    a: float
    b: float
    effect: float
    interval: Interval
    p_value: float
    p_holm: float
    is_smallest_p: bool


@dataclass(frozen=True)
class Comparison:
    """Two systems on the same claims.

    Attributes:
        a, b: their names.
        n: the claims.
        accuracy, macro_f1: how they differ.
        only_a_right, only_b_right: claims that one of them got right and the other wrong.
        mcnemar_p: two-sided, of the exact McNemar test, which takes claims as independent.
        mcnemar_p_holm: the same, corrected for as many pairs as were compared.
        signature: one line with everything that can move the numbers.
    """

    a: str
    b: str
    n: int
    accuracy: Difference
    macro_f1: Difference
    only_a_right: int
    only_b_right: int
    mcnemar_p: float
    mcnemar_p_holm: float
    signature: str

    def to_dict(self) -> dict[str, object]:
        """Return the comparison as plain Python values under flat keys.

        >>> from claimdb_metric import compare
        >>> compare([0, 1, 2], [0, 1, 1], [0, 1, 2]).to_dict()["accuracy_effect"]
        0.33333333333333337
        """
        result: dict[str, object] = {"a": self.a, "b": self.b, "n": self.n}
        for name in ("accuracy", "macro_f1"):
            found: Difference = getattr(self, name)
            parts = vars(found) | {"interval": list(found.interval)}
            result |= {f"{name}_{part}": value for part, value in parts.items()}
        names = ("only_a_right", "only_b_right", "mcnemar_p", "mcnemar_p_holm", "signature")
        return result | {name: getattr(self, name) for name in names}

    def format(self, digits: int = 3) -> str:
        """Return the comparison as text; its last line is the signature.

        >>> from claimdb_metric import compare
        >>> print(compare([0, 1, 2], [0, 1, 1], [0, 1, 2]).format().splitlines()[0])
        a and b on 3 claims: paired bootstrap
        """
        parts = [plain(table) for table in comparison_tables([self], digits)]
        return "\n\n".join([*parts, self.signature])

    def __str__(self) -> str:
        return self.format()


def comparison_tables(comparisons: Sequence[Comparison], digits: int) -> list[TextTable]:
    """Return the tables of some comparisons: of the bootstrap, and of McNemar's test.

    Only where there are several pairs do corrected p-values differ from the others, and are shown.

    >>> from claimdb_metric import compare
    >>> [table.rows[0][0] for table in comparison_tables([compare([0, 1], [0, 0], [0, 1])], 3)]
    ['a - b', 'a - b']
    """
    p_columns = ("p",) if len(comparisons) == 1 else ("p", "p (Holm)")
    return [
        _bootstrap_table(comparisons, digits, p_columns),
        _mcnemar_table(comparisons, p_columns),
    ]


def _bootstrap_table(
    comparisons: Sequence[Comparison], digits: int, p_columns: tuple[str, ...]
) -> TextTable:
    first = comparisons[0]
    who = f"{first.a} and {first.b}" if len(comparisons) == 1 else f"{len(comparisons)} pairs"
    columns = ("pair", "number", "first", "second", "effect", "95 %", *p_columns)
    rows = tuple(
        (
            pair_name,
            name,
            number(found.a, digits),
            number(found.b, digits),
            f"{found.effect:+.{digits}f}",
            bounds(found.interval, digits),
            *("≤" * found.is_smallest_p + p_value(p) for p in _shown(found, len(p_columns))),
        )
        for pair in comparisons
        for pair_name, name, found in (
            (f"{pair.a} - {pair.b}", "accuracy", pair.accuracy),
            ("", "macro-F1", pair.macro_f1),
        )
    )
    title = f"{who} on {first.n:,} claims: paired bootstrap"
    return TextTable(title, columns, rows, frozenset(columns[2:]))


def _mcnemar_table(comparisons: Sequence[Comparison], p_columns: tuple[str, ...]) -> TextTable:
    columns = ("pair", "only first right", "only second right", *p_columns)
    rows = tuple(
        (
            f"{pair.a} - {pair.b}",
            f"{pair.only_a_right:,}",
            f"{pair.only_b_right:,}",
            *map(p_value, (pair.mcnemar_p, pair.mcnemar_p_holm)[: len(p_columns)]),
        )
        for pair in comparisons
    )
    title = "Exact McNemar test of accuracy; takes claims as independent"
    return TextTable(title, columns, rows, frozenset(columns[1:]))


def _shown(found: Difference, n_columns: int) -> tuple[float, ...]:
    return (found.p_value, found.p_holm)[:n_columns]


def p_value(value: float) -> str:
    """Return a p-value as text; small ones are not shown as nothing.

    >>> p_value(0.04), p_value(0.00004)
    ('0.0400', '<0.0001')
    """
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"
