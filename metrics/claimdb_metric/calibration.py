"""How far a system's confidences can be trusted, and what it gains by answering only when sure.

An invalid answer claims no probability, so Brier score, calibration error and AUROC leave it out;
in the risk-coverage curve it is wrong, and the first to be given up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from .encoding import INVALID, Codes
from .labels import NOT_ENOUGH_INFO
from .rates import N_LABELS, Floats

N_BINS: Final = 15


@dataclass(frozen=True)
class Calibration:
    """What the confidences of the answers are worth.

    Attributes:
        n_with_confidence: the answers with a confidence, which are the valid ones.
        brier_score: lower is better (Brier 1950). Of one probability for each claim: the mean of
            (probability - right)^2, 0 to 1. Of three: the mean of their summed squared errors,
            0 to 2. None where there are none.
        expected_calibration_error: of the predicted label's probability, over 15 bins of equal
            mass (Naeini et al. 2015; equal mass: Nguyen & O'Connor 2015); equal probabilities
            share a bin. None where there are none.
        auroc_nei: area under the ROC curve of NEI against the other labels. From one probability,
            that of NEI is (1 - p) / 2 where another label is predicted. None where all of their
            claims, or none, are NEI.
        aurc: area under the risk-coverage curve (Geifman & El-Yaniv 2017), the mean over k of the
            share of wrong answers among the k surest; equal confidences are in random order.
        risk_coverage: the curve, one (coverage, risk) for each distinct confidence, surest first.
    """

    n_with_confidence: int
    brier_score: float | None
    expected_calibration_error: float | None
    auroc_nei: float | None
    aurc: float
    risk_coverage: tuple[tuple[float, float], ...]


def calibration(predicted: Codes, reference: Codes, given: Floats) -> Calibration:
    """Return what confidences are worth.

    Args:
        predicted, reference: label codes of n claims.
        given: their probabilities as `encode_confidences` returns them, (n,) or (n, 3).

    >>> found = calibration(np.array([0, 1]), np.array([0, 0]), np.array([0.9, 0.6]))
    >>> round(found.brier_score, 3), found.risk_coverage
    (0.185, ((0.5, 0.0), (1.0, 0.5)))
    """
    is_valid = predicted != INVALID
    right = (predicted == reference).astype(np.float64)
    claimed = given if given.ndim == 1 else _of_predicted(given, predicted)
    curve, area = _risk_coverage(np.where(is_valid, claimed, -1.0), right)
    n = int(is_valid.sum())
    if not n:
        return Calibration(0, None, None, None, area, curve)
    given, claimed, right = given[is_valid], claimed[is_valid], right[is_valid]
    predicted, reference = predicted[is_valid], reference[is_valid]
    of_nei = _of_nei(given, predicted)
    return Calibration(
        n_with_confidence=n,
        brier_score=_brier_score(given, right, reference),
        expected_calibration_error=_calibration_error(claimed, right),
        auroc_nei=_auroc(of_nei, reference == NOT_ENOUGH_INFO),
        aurc=area,
        risk_coverage=curve,
    )


def _of_predicted(given: Floats, predicted: Codes) -> Floats:
    place = np.where(predicted == INVALID, 0, predicted)
    return np.asarray(np.take_along_axis(given, place[:, None].astype(np.intp), axis=1)[:, 0])


def _of_nei(given: Floats, predicted: Codes) -> Floats:
    if given.ndim == 2:
        return given[:, NOT_ENOUGH_INFO]
    return np.where(predicted == NOT_ENOUGH_INFO, given, (1 - given) / (N_LABELS - 1))


def _brier_score(given: Floats, right: Floats, reference: Codes) -> float:
    if given.ndim == 1:
        return float(np.mean((given - right) ** 2))
    return float(np.mean(((given - np.eye(N_LABELS)[reference]) ** 2).sum(1)))


def _calibration_error(claimed: Floats, right: Floats) -> float:
    edges = np.quantile(claimed, np.linspace(0, 1, N_BINS + 1))
    bins = np.searchsorted(edges[1:-1], claimed)
    gaps = np.bincount(bins, weights=claimed - right, minlength=N_BINS)
    return float(np.abs(gaps).sum() / len(claimed))


def _auroc(scores: Floats, is_positive: npt.NDArray[np.bool_]) -> float | None:
    n_positive = int(is_positive.sum())
    n_negative = len(scores) - n_positive
    if not n_positive or not n_negative:
        return None
    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[place]
    # Mann-Whitney: the share of (positive, negative) pairs in the right order, ties half.
    won = ranks[is_positive].sum() - n_positive * (n_positive + 1) / 2
    return float(won / (n_positive * n_negative))


def _risk_coverage(surety: Floats, right: Floats) -> tuple[tuple[tuple[float, float], ...], float]:
    n = len(surety)
    _, place, counts = np.unique(-surety, return_inverse=True, return_counts=True)
    wrong = np.bincount(place, weights=1 - right)
    reached, wrong_until = np.cumsum(counts), np.cumsum(wrong)
    curve = zip((reached / n).tolist(), (wrong_until / reached).tolist(), strict=True)
    # Within equal confidences, the expected number of wrong answers grows evenly.
    steps = np.arange(1, n + 1)
    expected = np.interp(steps, np.append(0, reached), np.append(0, wrong_until))
    return tuple(curve), float(np.mean(expected / steps))
