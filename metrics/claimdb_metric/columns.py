"""Columns in whatever people hold them in, as lists or arrays; and what counts as missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from .errors import DataError

Column: TypeAlias = Iterable[object]


def plain_values(values: Any, name: str) -> Sequence[object] | npt.NDArray[Any]:
    """Return a column as a list, tuple or one-dimensional ndarray.

    Args:
        values: a list, tuple, ndarray, pandas Series, pyarrow Array, datasets Column or iterator.
        name: of the column, for the message.

    Raises:
        DataError: the values are no one-dimensional sequence.

    >>> plain_values(iter("ab"), "groups")
    ['a', 'b']
    """
    if isinstance(values, (list, tuple)):
        return values
    if isinstance(values, np.ma.MaskedArray):
        return plain_values(values.tolist(), name)
    if hasattr(values, "__array__"):
        array: npt.NDArray[Any] = np.asarray(values)
        if array.ndim != 1:
            raise DataError(f"{name} must have one dimension, not the shape {array.shape}")
        return array
    if isinstance(values, (str, bytes, Mapping, Set)) or not isinstance(values, Iterable):
        kind = type(values).__name__
        raise DataError(f"{name} must be a sequence (list, array, column), not {kind}")
    if not isinstance(values, Sequence):
        return list(values)
    try:
        # A datasets Column gives all rows at once for a slice, faster than one by one.
        rows = values[:]
    except TypeError:
        return list(values)
    return list(rows) if type(rows) is type(values) else plain_values(rows, name)


def is_missing(value: Any) -> bool:
    """Return whether a value is none: None, NaN, pandas.NA or NaT.

    >>> is_missing(None), is_missing(float("nan")), is_missing("")
    (True, True, False)
    """
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        # pandas.NA refuses to be a bool, and so does an array; only the first is a missing value.
        return type(value).__name__ == "NAType"
