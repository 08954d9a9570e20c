"""Tests of differences, against scipy and statsmodels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimdb_metric import compare
from claimdb_metric.significance import difference, holm, mcnemar

GENERATOR = np.random.default_rng(11)
N = 500
REFERENCES = GENERATOR.integers(0, 3, N)
A = np.where(GENERATOR.random(N) < 0.75, REFERENCES, GENERATOR.integers(0, 4, N))
B = np.where(GENERATOR.random(N) < 0.65, REFERENCES, A)
PAIRED = (A == REFERENCES).astype(float), (B == REFERENCES).astype(float)


def mean_difference(a: np.ndarray, b: np.ndarray, axis: int = -1) -> np.ndarray:
    result: np.ndarray = a.mean(axis) - b.mean(axis)
    return result


@pytest.mark.parametrize(
    ("only_a", "only_b"), [(0, 0), (1, 0), (5, 0), (7, 3), (10, 10), (120, 85), (3000, 2800)]
)
def test_mcnemar_as_statsmodels_has_it(only_a: int, only_b: int) -> None:
    from statsmodels.stats.contingency_tables import mcnemar as peer

    expected = peer([[50, only_a], [only_b, 50]], exact=True).pvalue
    assert mcnemar(only_a, only_b) == pytest.approx(expected, rel=1e-9)
    assert mcnemar(only_b, only_a) == mcnemar(only_a, only_b)


@pytest.mark.unmeasured
# Each call of the peer takes 30 ms and more.
@settings(max_examples=15, deadline=None)
@given(p_values=st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_as_statsmodels_has_it(p_values: list[float]) -> None:
    from statsmodels.stats.multitest import multipletests

    expected = multipletests(p_values, method="holm")[1]
    assert holm(p_values) == pytest.approx(expected, abs=1e-12)


def test_the_interval_of_an_effect_as_scipy_resamples_it() -> None:
    from scipy.stats import bootstrap

    peer = bootstrap(
        PAIRED, mean_difference, paired=True, n_resamples=10_000, method="percentile", rng=1
    )
    mine = compare(A, B, REFERENCES).accuracy
    assert mine.effect == pytest.approx(mean_difference(*PAIRED))
    assert mine.interval == pytest.approx(peer.confidence_interval, abs=0.003)


@pytest.mark.unmeasured
@pytest.mark.parametrize("share", [0.0, 0.3, 0.6, 1.0])
def test_the_p_value_is_near_that_of_a_permutation_test(share: float) -> None:
    """Another test of the same question: the labels a and b are exchanged at random."""
    from scipy.stats import permutation_test

    # Between B and A: a smaller and smaller difference.
    b = np.where(np.random.default_rng(2).random(N) < share, A, B)
    pair = (A == REFERENCES).astype(float), (b == REFERENCES).astype(float)
    peer = permutation_test(
        pair, mean_difference, permutation_type="samples", n_resamples=9999, rng=1
    )
    mine = compare(A, b, REFERENCES).accuracy
    assert mine.p_value == pytest.approx(peer.pvalue, abs=0.03, rel=0.5)


@pytest.mark.unmeasured
def test_a_grouped_effect_on_macro_f1_as_rows_are_resampled_one_by_one() -> None:
    from sklearn.metrics import f1_score

    groups = np.arange(N) // 5
    generator, effects = np.random.default_rng(1), []
    options: dict[str, Any] = {"labels": [0, 1, 2], "average": "macro", "zero_division": 0}
    for _ in range(400):
        chosen = generator.integers(0, N // 5, N // 5)
        drawn = (chosen[:, None] * 5 + np.arange(5)).ravel()
        a, b = (f1_score(REFERENCES[drawn], answers[drawn], **options) for answers in (A, B))
        effects.append(a - b)
    mine = compare(A, B, REFERENCES, groups=groups).macro_f1
    whole = [f1_score(REFERENCES, answers, **options) for answers in (A, B)]
    assert mine.effect == pytest.approx(whole[0] - whole[1])
    assert mine.interval == pytest.approx(np.quantile(effects, [0.025, 0.975]), abs=0.008)


def test_the_p_value_and_the_interval_agree() -> None:
    for share in np.linspace(0.6, 0.9, 16):
        b = np.where(np.random.default_rng(2).random(N) < share, A, B)
        found = compare(A, b, REFERENCES, n_resamples=2000).accuracy
        low, high = found.interval
        if not 0.03 < found.p_value < 0.07:
            assert (found.p_value < 0.05) == (not low <= 0 <= high)


@pytest.mark.parametrize(
    ("n_differing", "p_value", "may_be_smaller"),
    [
        (99, 2 / 100, True),
        (7, 2 / 100, True),
        (6, 1 / 32, False),
        (2, 0.5, False),
        (1, 1.0, False),
        (0, 1.0, False),
    ],
)
def test_the_smallest_p_value(n_differing: int, p_value: float, may_be_smaller: bool) -> None:
    always = np.array([np.ones(99), np.zeros(99)])
    found = difference(always[:, 0], always, n_differing)
    assert (found.p_value, found.is_smallest_p) == (p_value, may_be_smaller)


def test_an_effect_of_nothing_is_zero() -> None:
    noise = np.array([[0.1 + 0.2] * 9, [0.3] * 9])
    assert difference(noise[:, 0], noise, 9).p_value == 1.0


def test_no_p_value_is_above_one() -> None:
    never = np.zeros((2, 99))
    assert difference(never[:, 0], never, 0).p_value == 1.0
