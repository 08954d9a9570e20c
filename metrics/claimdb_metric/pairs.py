"""Compares systems on the same claims, pair by pair."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Final

from .columns import Column
from .comparisons import Comparison
from .encoding import Codes, encode_predictions, encode_references
from .errors import DataError
from .grouping import grouping
from .intervals import DEFAULT_SEED, whole_number
from .paired_draws import DrawnRates, Runs
from .signature import NO_KNOWN_ISSUES, signature
from .significance import holm, mcnemar

_LEAST_RESAMPLES: Final = 10_000
# So that the smallest p-value, corrected for all pairs, can still be 0.01.
_RESAMPLES_A_PAIR: Final = 200


def compare(
    a: Iterable[object],
    b: Iterable[object],
    references: Iterable[object],
    *,
    names: tuple[str, str] = ("a", "b"),
    groups: Column | Mapping[str, Column] | None = None,
    n_resamples: int | None = None,
    seed: int = DEFAULT_SEED,
    split: str | None = None,
    known_issues: str = NO_KNOWN_ISSUES,
) -> Comparison:
    """Return how two systems differ on the same claims.

    Args:
        a, b: the predictions of both, as `score` takes them.
        references: the true labels.
        names: of the two systems, for whoever reads the result.
        n_resamples: how many resamples; 10,000 if None.
        groups, seed, split, known_issues: as for `score`.

    Raises:
        HiddenLabelsError, DataError: as `score`; and where fewer than two claims or groups leave
            nothing to resample.

    >>> result = compare([0, 1, 2, 2], [0, 1, 1, 1], [0, 1, 2, 2])
    >>> result.accuracy.effect, result.only_a_right, result.mcnemar_p
    (0.5, 2, 0.5)
    """
    if len(names) != 2 or len(set(names)) != 2:
        raise DataError(f"names={names!r} must be two different names, one for each system")
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
    n_resamples: int | None = None,
    seed: int = DEFAULT_SEED,
    split: str | None = None,
    known_issues: str = NO_KNOWN_ISSUES,
) -> list[Comparison]:
    """Return how each pair of systems differs, or each system from a baseline.

    Args:
        systems: the predictions of each system, under its name.
        baseline: the system that the others are compared with; None compares every pair.
        n_resamples: how many resamples; if None 200 for each pair, and no fewer than 10,000: with
            fewer, no p-value could stay small once it is corrected for so many pairs.
        references, groups, seed, split, known_issues: as for `compare`.

    Raises:
        HiddenLabelsError, DataError: as `compare`; and where there are fewer than two systems, or
            none is named as the baseline.

    >>> runs = {"x": [0, 1, 2], "y": [0, 1, 1], "z": [0, 0, 0]}
    >>> [(pair.a, pair.b) for pair in compare_systems(runs, [0, 1, 2], baseline="z")]
    [('x', 'z'), ('y', 'z')]
    """
    if not isinstance(systems, Mapping):
        raise DataError(f"systems must be predictions by name, not {type(systems).__name__}")
    pairs = _pairs(list(systems), baseline)
    reference = encode_references(references)
    answers = {name: _encoded(name, given, reference) for name, given in systems.items()}
    grouped = None if groups is None else grouping(groups, len(reference))
    n_units = len(reference) if grouped is None else len(grouped.values)
    if n_units < 2:
        what = "claims" if grouped is None else f"groups {grouped.name!r}"
        raise DataError(f"a comparison resamples {what}, and needs at least two; got {n_units}")
    n_resamples, seed = _resamples_for(len(pairs), n_resamples), whole_number("seed", seed)
    signed = signature(
        reference,
        n_resamples=n_resamples,
        seed=seed,
        groups=grouped,
        systems=list(answers.values()),
        split=split,
        known_issues=known_issues,
    )
    runs = Runs(answers, reference, grouped, n_resamples, seed)
    # One draw for all systems, so that each pair is compared on the same claims, where that is
    # cheaper than a draw for each pair.
    shared = runs.rates(answers) if runs.may_share(len(pairs)) else None
    found = [_compared(pair, runs, shared or runs.rates(pair), signed) for pair in pairs]
    return _corrected(found)


def _resamples_for(n_pairs: int, n_resamples: int | None) -> int:
    if n_resamples is None:
        return max(_LEAST_RESAMPLES, _RESAMPLES_A_PAIR * n_pairs)
    return whole_number("n_resamples", n_resamples, at_least=1)


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


def _compared(pair: tuple[str, str], runs: Runs, rates: DrawnRates, signed: str) -> Comparison:
    a_right, b_right = (runs.answers[name] == runs.reference for name in pair)
    only_a, only_b = int((a_right & ~b_right).sum()), int((b_right & ~a_right).sum())
    p_value = mcnemar(only_a, only_b)
    return Comparison(
        a=pair[0],
        b=pair[1],
        n=len(runs.reference),
        accuracy=rates.difference(pair, 0),
        macro_f1=rates.difference(pair, 1),
        only_a_right=only_a,
        only_b_right=only_b,
        mcnemar_p=p_value,
        mcnemar_p_holm=p_value,
        signature=signed,
    )


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
