"""Resamples claims, or whole groups of them: counts are resampled, never rows.

Drawing n claims with replacement and counting their cells is one multinomial draw of n over the
cells' shares, so that a million claims take no longer than a thousand. Claims of one question or
database are not independent: with groups, whole groups are drawn instead (cluster bootstrap,
Davison & Hinkley 1997, section 3.8).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from .encoding import Codes
from .grouping import Grouping
from .rates import Counts, Floats

# Draws of units, or counts of them, in one chunk: 8 MB of either.
_CHUNK: Final = 1_000_000
# A multinomial draw of one unit takes as long as drawing and counting so many places.
_MULTINOMIAL_COST: Final = 8


@dataclass(frozen=True)
class Units:
    """What is drawn as a whole: claims, alike ones together, or groups of claims.

    Attributes:
        rows: the counts that each unit brings, (n_units, n_counts).
        times: how often each unit is there, (n_units,); as many units are drawn as there are.
    """

    rows: Counts
    times: Counts


def units_of(cells: Codes, n_cells: int, groups: Grouping | None) -> Units:
    """Return the units behind one table of counts.

    Args:
        cells: the cell of each claim, 0 to n_cells - 1.
        groups: what is drawn as a whole; None draws claims.

    >>> units_of(np.array([0, 1, 1]), 2, None).times.tolist()
    [1, 2]
    """
    if groups is None or groups.is_a_group_each:
        return Units(np.eye(n_cells, dtype=np.int64), np.bincount(cells, minlength=n_cells))
    n_groups = len(groups.values)
    flat = np.bincount(groups.codes * n_cells + cells, minlength=n_groups * n_cells)
    return Units(flat.reshape(n_groups, n_cells), np.ones(n_groups, np.int64))


def resample(
    units: Units,
    n_resamples: int,
    seed: int,
    then: Callable[[Counts], npt.NDArray[Any]] = np.asarray,
) -> npt.NDArray[Any]:
    """Return the counts of each resample, (n_resamples, n_counts), or what is made of them.

    Chunks of resamples run on all cores. Each has a generator of its own, so the result is the
    same on any number of them.

    Args:
        units: what is drawn, with replacement.
        n_resamples: how many.
        seed: of numpy's default generator.
        then: what is kept of a chunk of counts, so that no more than one chunk a core is held.

    >>> units = units_of(np.array([0, 1, 1]), 2, None)
    >>> resample(units, 2, seed=1).sum(1).tolist()
    [3, 3]
    """
    step = max(1, _CHUNK // max(units.rows.shape))
    sizes = [min(step, n_resamples - start) for start in range(0, n_resamples, step)]
    seeds = np.random.SeedSequence(seed).spawn(len(sizes))
    is_used = np.asarray(units.rows.any(0))
    rows = units.rows[:, is_used].astype(np.float64)

    def draw(n: int, own_seed: np.random.SeedSequence) -> npt.NDArray[Any]:
        weights = _weights(units.times, n, np.random.default_rng(own_seed))
        counts = np.zeros((n, len(is_used)), np.int64)
        counts[:, is_used] = np.rint(weights @ rows)
        return then(counts)

    with ThreadPoolExecutor(os.cpu_count()) as pool:  # numpy draws and counts without the GIL
        return np.concatenate(list(pool.map(draw, sizes, seeds)))


def _weights(times: Counts, n_resamples: int, generator: np.random.Generator) -> Floats:
    """Return how often each unit is drawn in each resample, (n_resamples, n_units)."""
    n = int(times.sum())
    if _MULTINOMIAL_COST * len(times) <= n:
        return generator.multinomial(n, times / n, size=n_resamples).astype(np.float64)
    unit_of = np.repeat(np.arange(len(times)), times)
    weights = np.empty((n_resamples, len(times)))
    for row in weights:
        drawn = generator.integers(0, n, n, dtype=np.uint32)
        row[:] = np.bincount(unit_of[drawn], minlength=len(times))
    return weights
