"""Whether a difference is more than chance: paired bootstrap, McNemar test, Holm's correction.

The paired bootstrap (Efron & Tibshirani 1993, chapter 16; Koehn 2004) looks at both systems in each
resample of claims or groups. The exact McNemar test counts the claims that only one of the two got
right, and takes claims as independent.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .comparisons import Difference
from .intervals import COVERED
from .rates import Floats


def difference(found: Floats, resampled: Floats, n_differing: int) -> Difference:
    """Return how one number of two systems differs, not yet corrected for other pairs.

    Args:
        found: the number of a and of b, (2,).
        resampled: the same in each resample, (2, n_resamples).
        n_differing: the units that are drawn as a whole and on which the two systems differ. No
            test that exchanges the systems unit by unit has a p-value under 2^(1 - n_differing),
            so the bootstrap's, which is too small where units are few, is not let under it.

    >>> difference(np.array([0.9, 0.8]), np.array([[0.9, 0.8, 0.9], [0.8, 0.8, 0.7]]), 9).p_value
    1.0
    """
    # Rounded, so that an effect of nothing is 0 and not what adding in another order leaves of it.
    effects = np.round(resampled[0] - resampled[1], 12)
    n = len(effects)
    # With the sample itself counted as one resample, no p-value is 0 (Davison & Hinkley 1997, 4.2).
    tail = min(int((effects <= 0).sum()), int((effects >= 0).sum()))
    of_exchanges = 0.5 ** (n_differing - 1)
    p_value = min(1.0, max(2 * (tail + 1) / (n + 1), of_exchanges))
    is_smallest = of_exchanges <= 2 / (n + 1) == p_value < 1.0
    low, high = np.quantile(effects, COVERED).tolist()
    a, b = found.tolist()
    return Difference(a, b, a - b, (low, high), p_value, p_value, is_smallest_p=is_smallest)


def mcnemar(only_a_right: int, only_b_right: int) -> float:
    """Return the two-sided p-value of the exact McNemar test (McNemar 1947).

    >>> mcnemar(5, 0)
    0.0625
    """
    n = only_a_right + only_b_right
    if not n:
        return 1.0
    from scipy.stats import binomtest

    return float(binomtest(only_a_right, n).pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number (Holm 1979), in the order given.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    given = np.asarray(p_values, np.float64)
    order = np.argsort(given, kind="stable")
    factors = np.arange(len(given), 0, -1)
    corrected = np.empty(len(given))
    corrected[order] = np.minimum(np.maximum.accumulate(factors * given[order]), 1.0)
    return [float(value) for value in corrected]
