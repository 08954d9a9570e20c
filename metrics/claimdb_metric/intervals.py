"""Percentile bootstrap intervals (Efron 1979; Efron & Tibshirani 1993, chapter 13)."""

from __future__ import annotations

from collections.abc import Mapping
from operator import index
from typing import Any, Final, TypeAlias

import numpy as np

from .errors import DataError
from .rates import Floats

Interval: TypeAlias = tuple[float, float]

DEFAULT_RESAMPLES: Final = 1_000
DEFAULT_SEED: Final = 12345
COVERED: Final = (0.025, 0.975)
"""The quantiles of a 95 % interval."""


def percentile_intervals(samples: Mapping[str, Floats]) -> dict[str, Interval | None]:
    """Return the 95 % percentile interval of each number.

    Args:
        samples: for each number its value in every resample; NaN where a resample has none, which
            is left out. None stands for a number that no resample has.

    >>> percentile_intervals({"accuracy": np.arange(1001) / 1000})
    {'accuracy': (0.025, 0.975)}
    """
    values = np.stack(list(samples.values()))
    bounds = np.quantile(values, COVERED, axis=1).T
    for place in np.flatnonzero(np.isnan(values).any(1)):
        known = values[place][~np.isnan(values[place])]
        bounds[place] = np.quantile(known, COVERED) if len(known) else np.nan
    return {
        name: None if np.isnan(low) else (float(low), float(high))
        for name, (low, high) in zip(samples, bounds, strict=True)
    }


def whole_number(name: str, value: Any, at_least: int = 0) -> int:
    """Return an option that is a whole number, such as a seed.

    Raises:
        DataError: it is none, or too small.

    >>> whole_number("seed", 7)
    7
    """
    try:
        if not isinstance(value, bool) and index(value) >= at_least:
            return index(value)
    except TypeError:
        pass
    raise DataError(f"{name} must be a whole number of at least {at_least}, got {value!r}")
