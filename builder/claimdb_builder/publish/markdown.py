"""Markdown tables of numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

_NUMBER: Final = re.compile(r"[\d,]+(\.\d+)?")


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table; integers get thousands separators, None is a dash.

    >>> print(table(["split", "claims"], [["train", 51369]]))
    | split | claims |
    | --- | ---: |
    | train | 51,369 |
    """
    rows = [list(row) for row in rows]
    is_number = [bool(rows) and all(_is_number(row[i]) for row in rows) for i in range(len(heads))]
    rules = ["---:" if number else "---" for number in is_number]
    lines = [list(heads), rules, *([cell(value) for value in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def cell(value: object) -> str:
    """Return a value as it stands in a table; what would end its cell is escaped.

    >>> cell(1234), cell(0.5), cell(None), cell("a|b")
    ('1,234', '0.500', '–', 'a\\\\|b')
    """
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:,.3f}"
    if isinstance(value, int):
        return f"{value:,}"
    text = " ".join(str(value).split()).replace("|", "\\|")
    return text.replace("<", "&lt;")  # or it could close a section of the card


def counted(n: int, noun: str) -> str:
    """Return a number and what it counts.

    >>> counted(1, "claim"), counted(1234, "claim")
    ('1 claim', '1,234 claims')
    """
    return f"{n:,} {noun}{'s' * (n != 1)}"


def _is_number(value: object) -> bool:
    is_text_of_one = isinstance(value, str) and _NUMBER.fullmatch(value) is not None
    return value is None or isinstance(value, int | float) or is_text_of_one
