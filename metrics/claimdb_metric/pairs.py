"""Compares systems on the same claims, pair by pair."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

import numpy as np

from .columns import Column
from .comparisons import Comparison
from .encoding import Codes, encode_predictions, encode_references
from .errors import DataError
from .grouping import Grouping, grouping
from .intervals import DEFAULT_SEED, resample, whole_number
from .rates import N_ANSWERS, N_LABELS, N_ROWS, Counts, Floats, rates
from .signature import NO_KNOWN_ISSUES, signature
from .significance import difference, holm, mcnemar

DEFAULT_PAIR_RESAMPLES: Final = 10_000
"""Ten times those of a score: with 1,000, no p-value corrected for 30 pairs could be under 0.05."""

_COMPARED: Final = ("accuracy", "macro_f1")


def compare(
    a: Iterable[object],
    b: Iterable[object],
    references: Iterable[object],
    *,
    names: tuple[str, str] = ("a", "b"),
    groups: Column | Mapping[str, Column] | None = None,
    n_resamples: int = DEFAULT_PAIR_RESAMPLES,
    seed: int = DEFAULT_SEED,
    split: str | None = None,
    known_issues: str = NO_KNOWN_ISSUES,
) -> Comparison:
    """Return how two systems differ on the same claims.

    Args:
        a, b: the predictions of both, as `score` takes them.
        references: the true labels.
        names: of the two systems, for whoever reads the result.
        groups, n_resamples, seed, split, known_issues: as for `score`.

    Raises:
        HiddenLabelsError, DataError: as `score`; and where fewer than two claims or groups leave
            nothing to resample.

    >>> result = compare([0, 1, 2, 2], [0, 1, 1, 1], [0, 1, 2, 2])
    >>> result.accuracy.effect, result.only_a_right, result.mcnemar_p
    (0.5, 2, 0.5)
    """
    if len(set(names)) != len(names):
        raise DataError(f"both systems are named {names[0]!r}: give them names of their own")
    systems = dict(zip(names, (a, b), strict=True))
    (comparison,) = compare_systems(
        systems,
        references,
        groups=groups,
        n_resamples=n_resamples,
        seed=seed,
        split=split,
        known_issues=known_issues,
    )
    return comparison


def compare_systems(
    systems: Mapping[str, Iterable[object]],
    references: Iterable[object],
    *,
    baseline: str | None = None,
    groups: Column | Mapping[str, Column] | None = None,
    n_resamples: int = DEFAULT_PAIR_RESAMPLES,
    seed: int = DEFAULT_SEED,
    split: str | None = None,
    known_issues: str = NO_KNOWN_ISSUES,
) -> list[Comparison]:
    """Return how each pair of systems differs, or each system from a baseline.

    Args:
        systems: the predictions of each system, under its name.
        baseline: the system that the others are compared with; None compares every pair.
        references, groups, n_resamples, seed, split, known_issues: as for `compare`.

    Raises:
        HiddenLabelsError, DataError: as `compare`; and where there are fewer than two systems, or
            none is named as the baseline.

    >>> runs = {"x": [0, 1, 2], "y": [0, 1, 1], "z": [0, 0, 0]}
    >>> [(pair.a, pair.b) for pair in compare_systems(runs, [0, 1, 2], baseline="z")]
    [('x', 'z'), ('y', 'z')]
    """
    pairs = _pairs(list(systems), baseline)
    reference = encode_references(references)
    answers = {name: _encoded(name, given, reference) for name, given in systems.items()}
    grouped = None if groups is None else grouping(groups, len(reference))
    n_units = len(reference) if grouped is None else len(grouped.values)
    if n_units < 2:
        raise DataError(f"{n_units} claims or groups: a comparison resamples at least two")
    draws = _Draws(
        reference,
        grouped,
        whole_number("n_resamples", n_resamples, at_least=1),
        whole_number("seed", seed),
        split,
        known_issues,
    )
    return _corrected([_compared(pair, answers, draws) for pair in pairs])


@dataclass(frozen=True)
class _Draws:
    reference: Codes
    groups: Grouping | None
    n_resamples: int
    seed: int
    split: str | None
    known_issues: str

    def signature(self) -> str:
        return signature(
            self.reference,
            n_resamples=self.n_resamples,
            seed=self.seed,
            groups=self.groups,
            split=self.split,
            known_issues=self.known_issues,
        )


def _pairs(names: list[str], baseline: str | None) -> list[tuple[str, str]]:
    if len(names) < 2:
        raise DataError(f"a comparison needs at least two systems, got {len(names)}")
    if baseline is None:
        return list(combinations(names, 2))
    if baseline not in names:
        raise DataError(f"no system is named {baseline!r}; there are {', '.join(names)}")
    return [(name, baseline) for name in names if name != baseline]


def _encoded(name: str, predictions: Iterable[object], reference: Codes) -> Codes:
    codes = encode_predictions(predictions)
    if len(codes) != len(reference):
        raise DataError(
            f"{len(codes)} predictions of {name!r} but {len(reference)} references:"
            " give one for each"
        )
    return codes


def _compared(pair: tuple[str, str], answers: Mapping[str, Codes], draws: _Draws) -> Comparison:
    a, b = (answers[name] for name in pair)
    # A claim's cell says its label and both answers, so that one table holds both systems.
    cells = (draws.reference * np.int8(N_ANSWERS) + a) * np.int8(N_ANSWERS) + b
    n_cells = N_LABELS * N_ANSWERS * N_ANSWERS
    drawn = resample(cells, n_cells, draws.groups, draws.n_resamples, draws.seed)
    found = _rates_of_both(np.bincount(cells, minlength=n_cells))
    resampled = _rates_of_both(drawn)
    differences = {name: difference(found[name], resampled[name]) for name in _COMPARED}
    a_right, b_right = a == draws.reference, b == draws.reference
    only_a, only_b = int((a_right & ~b_right).sum()), int((b_right & ~a_right).sum())
    p_value = mcnemar(only_a, only_b)
    return Comparison(
        a=pair[0],
        b=pair[1],
        n=len(cells),
        only_a_right=only_a,
        only_b_right=only_b,
        mcnemar_p=p_value,
        mcnemar_p_holm=p_value,
        signature=draws.signature(),
        **differences,
    )


def _rates_of_both(tables: Counts) -> dict[str, Floats]:
    """Return the compared rates of a, then b, of each table of (label, answer a, answer b)."""
    cube = tables.reshape(*tables.shape[:-1], N_LABELS, N_ANSWERS, N_ANSWERS)
    both = np.stack([cube.sum(-1), cube.sum(-2)])
    # No categories: their rows stay empty.
    rows = np.zeros((*both.shape[:-2], N_ROWS - N_LABELS, N_ANSWERS), np.int64)
    found = rates(np.concatenate([both, rows], axis=-2))
    return {name: found[name] for name in _COMPARED}


def _corrected(pairs: list[Comparison]) -> list[Comparison]:
    columns = [
        holm([pair.accuracy.p_value for pair in pairs]),
        holm([pair.macro_f1.p_value for pair in pairs]),
        holm([pair.mcnemar_p for pair in pairs]),
    ]
    return [
        replace(
            pair,
            accuracy=replace(pair.accuracy, p_holm=accuracy),
            macro_f1=replace(pair.macro_f1, p_holm=macro_f1),
            mcnemar_p_holm=of_mcnemar,
        )
        for pair, accuracy, macro_f1, of_mcnemar in zip(pairs, *columns, strict=True)
    ]
