"""SQLite's values as values that JSON can hold, and column names of which none is twice."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from claimdb_sandbox.results import Value


def plain_row(row: Sequence[Any], flags: set[str]) -> list[Value]:
    """Return a row with bytes as X'hex' and infinities as text; says so in `flags`.

    >>> flags = set()
    >>> plain_row((1, None, "a", b"\\x00\\xff", -math.inf), flags), sorted(flags)
    ([1, None, 'a', "X'00FF'", '-Infinity'], ['blob', 'infinite'])
    """
    values = list(row)
    for place, value in enumerate(values):
        if type(value) is bytes:
            flags.add("blob")
            values[place] = f"X'{value.hex().upper()}'"
        elif type(value) is float and not math.isfinite(value):
            flags.add("infinite")
            values[place] = "Infinity" if value > 0 else "-Infinity"
    return values


def unique_names(names: Iterable[str]) -> list[str]:
    """Return column names of which none is twice: a later one gets the first free _2, _3, ….

    >>> unique_names(["id", "id", "id_2", "id"])
    ['id', 'id_3', 'id_2', 'id_4']
    """
    names = list(names)
    taken = set(names)
    next_number = dict.fromkeys(names, 1)
    unique = []
    for name in names:
        candidate = name
        while next_number[name] > 1 and (candidate := f"{name}_{next_number[name]}") in taken:
            next_number[name] += 1
        next_number[name] += 1
        taken.add(candidate)
        unique.append(candidate)
    return unique
