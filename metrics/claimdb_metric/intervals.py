"""Bootstrap intervals: counts are resampled, never rows, so that a million claims take no longer.

Percentile bootstrap (Efron 1979; Efron & Tibshirani 1993, chapter 13). Drawing n claims with
replacement and counting their cells is one multinomial draw of n over the cells' shares. Claims
of one question or database are not independent: with groups, whole groups are drawn instead
(cluster bootstrap, Davison & Hinkley 1997, section 3.8).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from operator import index
from typing import Any, Final, TypeAlias

import numpy as np

from .encoding import Codes
from .errors import DataError
from .grouping import Grouping
from .rates import Counts, Floats

Interval: TypeAlias = tuple[float, float]

DEFAULT_RESAMPLES: Final = 1_000
DEFAULT_SEED: Final = 12345
COVERED: Final = (0.025, 0.975)
"""The quantiles of a 95 % interval."""

# Draws of groups in one chunk: 8 MB of weights.
_CHUNK: Final = 1_000_000


def resample(
    cells: Codes, n_cells: int, groups: Grouping | None, n_resamples: int, seed: int
) -> Counts:
    """Return the counts of each resample, (n_resamples, n_cells).

    Args:
        cells: the cell of each claim, 0 to n_cells - 1.
        groups: what is drawn as a whole; None draws claims.
        n_resamples: how many.
        seed: of numpy's default generator.

    >>> resample(np.array([0, 1, 1]), 2, None, 2, seed=1).sum(1).tolist()
    [3, 3]
    """
    n = len(cells)
    if groups is None or len(groups.values) == n:  # a group for each claim: the same draw
        shares = np.bincount(cells, minlength=n_cells) / n
        drawn: Counts = np.random.default_rng(seed).multinomial(n, shares, size=n_resamples)
        return drawn
    n_groups = len(groups.values)
    flat = np.bincount(groups.codes * n_cells + cells, minlength=n_groups * n_cells)
    by_group = flat.reshape(n_groups, n_cells)
    is_used = by_group.any(0)
    result = np.zeros((n_resamples, n_cells), np.int64)
    result[:, is_used] = _draw_groups(by_group[:, is_used], n_resamples, seed)
    return result


def _draw_groups(by_group: Counts, n_resamples: int, seed: int) -> Floats:
    """Return the sums over n_groups groups drawn with replacement, for each resample.

    Each chunk has a generator of its own, so the result is the same on any number of threads.
    """
    step = max(1, _CHUNK // len(by_group))
    sizes = [min(step, n_resamples - start) for start in range(0, n_resamples, step)]
    seeds = np.random.SeedSequence(seed).spawn(len(sizes))
    sums = partial(_draw_chunk, by_group.astype(np.float64))
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # numpy draws and counts without the GIL
        return np.concatenate(list(pool.map(sums, sizes, seeds)))


def _draw_chunk(by_group: Floats, n_resamples: int, seed: np.random.SeedSequence) -> Floats:
    generator = np.random.default_rng(seed)
    n_groups = len(by_group)
    weights = np.empty((n_resamples, n_groups))
    for row in weights:
        # Counting drawn places is 8 x faster than a multinomial draw over so many groups.
        drawn = generator.integers(0, n_groups, n_groups, dtype=np.uint32)
        row[:] = np.bincount(drawn, minlength=n_groups)
    sums: Floats = weights @ by_group
    return sums


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
