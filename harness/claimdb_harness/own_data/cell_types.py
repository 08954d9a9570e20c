"""Finds the type of a column of text cells, and converts the cells to it."""

from __future__ import annotations

from functools import cache
from typing import Any, Final, NamedTuple


class CellKind(NamedTuple):
    """What the cells of a column are; `pattern` is of RE2."""

    name: str
    sqlite_type: str
    pattern: str


_WHOLE: Final = "-?(?:0|[1-9][0-9]*)"
_POWER: Final = "(?:[eE][+-]?[0-9]+)?"

INTEGER: Final = CellKind("integer", "INTEGER", f"^{_WHOLE}$")
BIG_INTEGER: Final = CellKind("integer beyond 64 bits", "TEXT", f"^{_WHOLE}$")
REAL: Final = CellKind("real", "REAL", rf"^(?:(?:{_WHOLE}(?:\.[0-9]*)?|-?\.[0-9]+){_POWER}|-?inf)$")
BOOLEAN: Final = CellKind("boolean", "INTEGER", "^(?:true|True|TRUE|false|False|FALSE)$")
TEXT: Final = CellKind("text", "TEXT", "")

_NUMBERS: Final = (INTEGER, BIG_INTEGER, REAL)
"""Each holds all that those before it hold; numbers with a zero or a plus before are of none."""


class ColumnSurvey:
    """Sees the cells of a column block by block; `kind` fits all that were seen.

    >>> import pyarrow as pa
    >>> survey = ColumnSurvey()
    >>> for block in (["7", "NA", ""], ["2.5"]):
    ...     survey.see(pa.array(block))
    >>> survey.kind.sqlite_type
    'REAL'
    """

    def __init__(self) -> None:
        self._is_filled = False
        self._level = 0
        self._is_boolean = True

    def see(self, texts: Any) -> None:
        """Take some more cells of the column into account."""
        if self._level == len(_NUMBERS) and not self._is_boolean:
            return
        trimmed = _trimmed(texts).drop_null()
        if not len(trimmed):
            return
        self._is_filled = True
        self._is_boolean = self._is_boolean and _all_match(trimmed, BOOLEAN)
        while self._level < len(_NUMBERS) and not _fits(trimmed, _NUMBERS[self._level]):
            self._level += 1

    @property
    def kind(self) -> CellKind:
        """What the cells are; text where all are empty."""
        if not self._is_filled:
            return TEXT
        return BOOLEAN if self._is_boolean else (*_NUMBERS, TEXT)[self._level]


def converted(texts: Any, kind: CellKind) -> list[object]:
    """Return cells as values for SQLite.

    Empty cells are None; in columns of numbers and booleans also NaN, NA, N/A, NULL and the other
    marks that pyarrow takes for no value. In text these stay: NA may be Namibia.

    >>> import pyarrow as pa
    >>> converted(pa.array(["true", "", "FALSE"]), BOOLEAN)
    [1, None, 0]
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    values: list[object]
    if kind is INTEGER:
        values = _trimmed(texts).cast(pa.int64()).to_pylist()
    elif kind is REAL:
        values = _trimmed(texts).cast(pa.float64()).to_pylist()
    elif kind is BOOLEAN:
        lower = pc.utf8_lower(_trimmed(texts))
        values = pc.equal(lower, "true").cast(pa.int8()).to_pylist()
    else:
        values = [text or None for text in texts.to_pylist()]
    return values


def _fits(trimmed: Any, kind: CellKind) -> bool:
    import pyarrow as pa

    if not _all_match(trimmed, kind):
        return False
    if kind is INTEGER:
        try:
            trimmed.cast(pa.int64())
        except pa.ArrowInvalid:
            return False
    return True


def _all_match(trimmed: Any, kind: CellKind) -> bool:
    import pyarrow.compute as pc

    return bool(pc.all(pc.match_substring_regex(trimmed, kind.pattern)).as_py())


def _trimmed(texts: Any) -> Any:
    """Cells without white space around; null where they stand for no value."""
    import pyarrow as pa
    import pyarrow.compute as pc

    trimmed = pc.utf8_trim_whitespace(texts)
    is_empty = pc.is_in(trimmed, value_set=_no_values())
    return pc.if_else(is_empty, pa.scalar(None, pa.string()), trimmed)


@cache
def _no_values() -> Any:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    return pa.array(arrow_csv.ConvertOptions().null_values)
