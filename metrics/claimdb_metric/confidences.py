"""Confidences as numbers: what comes in as floats, None or rows of three goes on as one array."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from .columns import is_missing, plain_values
from .encoding import INVALID, Codes
from .errors import DataError
from .labels import LABELS
from .rates import N_LABELS, Floats

SUM_TOLERANCE: Final = 0.02
"""So far from 1 may three probabilities sum: a model writes them out in two decimals."""


def encode_confidences(confidences: Iterable[Any], predicted: Codes) -> Floats:
    """Return the probabilities of n answers as numbers, (n,) or (n, 3).

    Args:
        confidences: n probabilities of the predicted labels, or n rows of three (E, C, NEI); None
            or NaN only beside invalid answers.
        predicted: the codes of the answers.

    Raises:
        DataError: another shape or length, a probability missing or outside 0 to 1, or three that
            do not sum to 1.

    >>> encode_confidences([0.5, None], np.array([0, 3])).tolist()
    [0.5, nan]
    """
    is_valid = predicted != INVALID
    values = _as_floats(confidences)
    n = len(is_valid)
    if values.shape not in ((n,), (n, N_LABELS)):
        raise DataError(
            f"confidences must be one probability or three ({', '.join(LABELS)}) for each of"
            f" {n} claims, got shape {values.shape}"
        )
    rows = values.reshape(n, -1)
    _refuse(is_valid & ~(((rows >= 0) & (rows <= 1)).all(1)), values, "must be from 0 to 1")
    if values.ndim == 2:
        is_off = np.abs(rows.sum(1) - 1) > SUM_TOLERANCE
        _refuse(is_valid & is_off, values, "must sum to 1")
    return values


def _as_floats(confidences: Any) -> Floats:
    is_table = isinstance(confidences, np.ndarray) and confidences.ndim != 1
    values: Any = confidences if is_table else plain_values(confidences, "confidences")
    rows = [row for row in values if _is_row(row)]
    if rows and not is_table:
        blank = [np.nan] * len(rows[0])
        values = [blank if is_missing(row) else row for row in values]
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"confidences must be numbers, all of one shape ({error})") from None


def _is_row(value: Any) -> bool:
    # An array without dimensions has a __len__ that raises.
    return hasattr(value, "__len__") and not (hasattr(value, "ndim") and value.ndim == 0)


def _refuse(is_bad: npt.NDArray[np.bool_], values: Floats, rule: str) -> None:
    places = np.flatnonzero(is_bad)
    if len(places):
        raise DataError(
            f"confidences {rule}, and only an invalid answer may have none;"
            f" {len(places)} of {len(values)} do not, first"
            f" confidences[{places[0]}] is {values[places[0]].tolist()}"
        )
