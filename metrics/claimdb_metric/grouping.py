"""Columns that put claims into groups: what is resampled together, and what a score is split by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from .columns import Column, is_missing, plain_values
from .errors import DataError
from .labels import HIDDEN

GroupCodes: TypeAlias = npt.NDArray[np.int64]

UNNAMED: Final = "given"


@dataclass(frozen=True)
class Grouping:
    """One column as codes: claim i is of the group `values[codes[i]]`."""

    name: str
    codes: GroupCodes
    values: tuple[object, ...]

    @property
    def is_a_group_each(self) -> bool:
        """Whether no two claims share a group: then to draw groups is to draw claims."""
        return len(self.values) == len(self.codes)

    def __str__(self) -> str:
        return f"{self.name}/{len(self.values)}"


def own_groups(values: Sequence[object], ids: Sequence[int]) -> list[object]:
    """Return groups in which each claim of an unknown one (-1 or None) has a group of its own.

    Args:
        values: of a column such as bird_id.
        ids: the claim_id of each.

    >>> own_groups([7, -1, None], [3, 4, 5])
    [7, -5, -6]
    """
    pairs = zip(values, ids, strict=True)
    return [-1 - claim_id if value in (None, HIDDEN) else value for value, claim_id in pairs]


def grouping(column: Column | Mapping[str, Column], n: int) -> Grouping:
    """Return a column of groups as codes.

    Args:
        column: a value for each claim (a question's id, a database's name); or one such column
            under its name, {"bird_id": [...]}.
        n: how many claims there are.

    Raises:
        DataError: other than one column, another length, or values that are missing or no key.

    >>> str(grouping({"db_name": ["zoo", "bank", "zoo"]}, 3))
    'db_name/2'
    """
    name = UNNAMED
    if isinstance(column, Mapping):
        if len(column) != 1:
            raise DataError(f"groups must be one column, not {len(column)}: {list(column)}")
        ((name, column),) = column.items()
    found = codes_of(column, n, f"groups {name!r}")
    if None in found.values:
        raise DataError(f"groups {name!r} has missing values: each claim needs one")
    return Grouping(name, found.codes, found.values)


def codes_of(column: Column, n: int, name: str) -> Grouping:
    """Return any column as codes, its values in the order in which they first appear.

    Values that are missing (NaN, pandas.NA) are one value, None.

    Raises:
        DataError: the column has another length than n, or values that cannot be keys.

    >>> codes_of([7, 5, 7], 3, "bird_id").codes.tolist()
    [0, 1, 0]
    """
    plain: Any = plain_values(column, name)
    if len(plain) != n:
        raise DataError(f"{name}: {len(plain)} values but {n} claims: give one for each")
    if isinstance(plain, np.ndarray) and plain.dtype.kind in "iu":
        found, numbers = _numbered(plain)
        return Grouping(name, found, tuple(numbers.tolist()))
    values = plain.tolist() if isinstance(plain, np.ndarray) else plain
    try:
        if any(is_missing(value) for value in set(values)):
            values = [None if is_missing(value) else value for value in values]
        places: dict[object, int] = {}
        codes = [places.setdefault(value, len(places)) for value in values]
    except TypeError as error:
        raise DataError(f"{name}: values must be text or numbers ({error})") from None
    return Grouping(name, np.array(codes, np.int64), tuple(places))


def _numbered(values: npt.NDArray[Any]) -> tuple[GroupCodes, npt.NDArray[Any]]:
    """The codes of integers and the integers themselves, in the order in which they first appear.

    Three times as fast as a dict, and numbered as a dict would, so that the same draw follows.
    """
    numbers, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return place[inverse], numbers[order]


def subset(column: Grouping, places: GroupCodes) -> Grouping:
    """Return the column of some of its claims, with the groups that these have.

    >>> subset(codes_of([7, 5, 7], 3, "bird_id"), np.array([1])).values
    (5,)
    """
    codes, kept = _numbered(column.codes[places])
    return Grouping(column.name, codes, tuple(column.values[code] for code in kept))


def places_by_value(column: Grouping) -> list[tuple[object, GroupCodes]]:
    """Return each value, in order and None last, with the places of the claims that have it.

    >>> places_by_value(codes_of(["b", "a"], 2, "db_name"))
    [('a', array([1])), ('b', array([0]))]
    """
    order = np.argsort(column.codes, kind="stable")
    ends = np.cumsum(np.bincount(column.codes, minlength=len(column.values)))
    by_value = dict(zip(column.values, np.split(order, ends[:-1]), strict=True))
    known = [value for value in column.values if value is not None]
    try:
        known.sort()
    except TypeError:
        known.sort(key=str)
    values = [*known, *([None] if None in by_value else [])]
    return [(value, by_value[value]) for value in values]
