"""Resamples systems on the same claims: accuracy and macro-F1 of each, in each resample."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .comparisons import Difference
from .encoding import Codes
from .grouping import Grouping
from .rates import N_ANSWERS, N_LABELS, Counts, Floats, accuracy_and_macro_f1
from .resampling import Units, resample, units_of
from .significance import difference

# What a resample takes, in ns, measured: for each claim, again for each system of it; for a pair
# of systems whose claims are counted in 48 cells.
_NS_A_CLAIM, _NS_A_PAIR = 6, 4_000


@dataclass(frozen=True)
class DrawnRates:
    """Accuracy and macro-F1 of some systems.

    Attributes:
        places: where each system stands in the arrays.
        units: what was drawn, with the 3 x 4 tables of all systems side by side.
        found: the two rates of each system, (n_systems, 2).
        resampled: the same in each resample, (n_resamples, n_systems, 2).
    """

    places: dict[str, int]
    units: Units
    found: Floats
    resampled: Floats

    def difference(self, pair: tuple[str, str], rate: int) -> Difference:
        """Return how a pair differs in accuracy (rate 0) or macro-F1 (rate 1)."""
        both = [self.places[name] for name in pair]
        return difference(
            self.found[both, rate], self.resampled[:, both, rate].T, self._n_differing(both, rate)
        )

    def _n_differing(self, both: list[int], rate: int) -> int:
        """How many units bring the two systems other counts: of right answers, or any."""
        tables = self.units.rows.reshape(len(self.units.times), -1, N_LABELS, N_ANSWERS)
        a, b = (tables[:, place] for place in both)
        if rate == 0:
            a, b = (np.trace(table, axis1=1, axis2=2)[:, None, None] for table in (a, b))
        return int(self.units.times[(a != b).any((1, 2))].sum())


@dataclass(frozen=True)
class Runs:
    """The answers of each system, and how they are resampled."""

    answers: Mapping[str, Codes]
    reference: Codes
    groups: Grouping | None
    n_resamples: int
    seed: int

    def rates(self, names: Iterable[str]) -> DrawnRates:
        """Return the rates of some of the systems, drawn together."""
        names = list(names)
        units = _units([self.answers[name] for name in names], self.reference, self.groups)
        found = _rates_of((units.times @ units.rows)[None])[0]
        resampled: Floats = resample(units, self.n_resamples, self.seed, _rates_of)
        places = {name: place for place, name in enumerate(names)}
        return DrawnRates(places, units, found, resampled)

    def may_share(self, n_pairs: int) -> bool:
        """Return whether one draw for all systems is cheaper than one for each pair."""
        if self.groups is not None and not self.groups.is_a_group_each:
            return True
        shared_ns = len(self.reference) * _NS_A_CLAIM * (1 + len(self.answers))
        return n_pairs == 1 or shared_ns < _NS_A_PAIR * n_pairs


def _units(answers: Sequence[Codes], reference: Codes, groups: Grouping | None) -> Units:
    """What is drawn as a whole, with the confusion tables of all systems side by side."""
    cells = [reference.astype(np.int64) * N_ANSWERS + codes for codes in answers]
    n_cells = N_LABELS * N_ANSWERS
    if groups is not None and not groups.is_a_group_each:
        tables = [units_of(column, n_cells, groups).rows for column in cells]
        return Units(np.concatenate(tables, axis=1), np.ones(len(groups.values), np.int64))
    # Claims with the same label and answers are alike: for two systems no more than 48 kinds.
    kinds = np.zeros(len(reference), np.int64)
    for column in cells:
        _, first, kinds = np.unique(
            kinds * n_cells + column, return_index=True, return_inverse=True
        )
    one_hot = [np.eye(n_cells, dtype=np.int64)[column[first]] for column in cells]
    return Units(np.concatenate(one_hot, axis=1), np.bincount(kinds))


def _rates_of(counts: Counts) -> Floats:
    return accuracy_and_macro_f1(counts.reshape(len(counts), -1, N_LABELS, N_ANSWERS))
