"""Bootstrap intervals against scipy, against resampled rows, and against the truth."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from claimdb_metric import score
from claimdb_metric.grouping import grouping
from claimdb_metric.intervals import percentile_intervals
from claimdb_metric.resampling import resample, units_of

GENERATOR = np.random.default_rng(20260101)
N = 400
REFERENCES = GENERATOR.integers(0, 3, N)
PREDICTIONS = np.where(GENERATOR.random(N) < 0.7, REFERENCES, GENERATOR.integers(0, 4, N))
GROUPS = GENERATOR.integers(0, 40, N)
# Two bootstraps of so many resamples differ by less than this.
N_RESAMPLES, TOLERANCE = 10_000, 0.004


def interval(name: str, groups: Any = None) -> tuple[float, float]:
    scored = score(PREDICTIONS, REFERENCES, groups=groups, n_resamples=N_RESAMPLES)
    found = scored.intervals[name]
    assert found is not None
    return found


def test_accuracy_as_scipy_resamples_it() -> None:
    from scipy.stats import bootstrap

    right = (PREDICTIONS == REFERENCES).astype(float)
    peer = bootstrap((right,), np.mean, n_resamples=N_RESAMPLES, method="percentile", rng=1)
    assert interval("accuracy") == pytest.approx(peer.confidence_interval, abs=TOLERANCE)


def f1_of_drawn_rows(drawn: npt.NDArray[np.int64]) -> float:
    from sklearn.metrics import f1_score

    labels, answers = REFERENCES[drawn], PREDICTIONS[drawn]
    options = {"labels": [0, 1, 2], "average": "macro", "zero_division": 0}
    return float(f1_score(labels, answers, **options))


@pytest.mark.unmeasured
@pytest.mark.parametrize("by_group", [False, True], ids=["claims", "groups"])
def test_macro_f1_as_rows_are_resampled_one_by_one(by_group: bool) -> None:
    generator = np.random.default_rng(1)
    members = [np.flatnonzero(group == GROUPS) for group in np.unique(GROUPS)]
    values = []
    for _ in range(700):
        if by_group:
            chosen = generator.integers(0, len(members), len(members))
            drawn = np.concatenate([members[place] for place in chosen])
        else:
            drawn = generator.integers(0, N, N)
        values.append(f1_of_drawn_rows(drawn))
    # 700 calls of scikit-learn take 2 s; their quantiles are less exact.
    expected = np.quantile(values, [0.025, 0.975])
    assert interval("macro_f1", GROUPS if by_group else None) == pytest.approx(expected, abs=0.01)


def test_claims_of_one_question_make_the_interval_wider() -> None:
    """Ten copies of each claim say no more than one: groups must see that."""
    ten = np.repeat(PREDICTIONS, 10), np.repeat(REFERENCES, 10)
    grouped = score(*ten, groups=np.repeat(np.arange(N), 10)).intervals["accuracy"]
    fooled = score(*ten).intervals["accuracy"]
    honest = interval("accuracy")
    assert grouped == pytest.approx(honest, abs=0.01)
    assert fooled is not None
    assert honest[1] - honest[0] > 2.5 * (fooled[1] - fooled[0])


def test_groups_of_one_claim_each_are_claims() -> None:
    assert interval("macro_f1", np.arange(N)) == interval("macro_f1")


@pytest.mark.unmeasured
def test_the_true_accuracy_is_inside_95_of_100_times() -> None:
    generator, inside, runs = np.random.default_rng(5), 0, 600
    for _ in range(runs):
        answers = np.where(generator.random(300) < 0.7, 0, 1)
        low, high = score(answers, np.zeros(300, int), n_resamples=2000).intervals["accuracy"] or (
            0,
            0,
        )
        inside += low <= 0.7 <= high
    # Three standard errors of a share of 0.95 in 600 runs; percentile intervals fall a bit short.
    assert 0.915 <= inside / runs <= 0.975


def test_the_same_seed_gives_the_same_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    cells, groups = PREDICTIONS.astype(np.int8), grouping(GROUPS, N)
    monkeypatch.setattr("claimdb_metric.resampling._CHUNK", 1000)
    for grouped in (None, groups):
        once = resample(units_of(cells, 4, grouped), 300, seed=7)
        monkeypatch.setattr(os, "cpu_count", lambda: 7)
        again = resample(units_of(cells, 4, grouped), 300, seed=7)
        np.testing.assert_array_equal(once, again)
        assert (once != resample(units_of(cells, 4, grouped), 300, seed=8)).any()
        # No chunk repeats another: with 40 groups, each holds 25 resamples.
        assert len(np.unique(once, axis=0)) > 250


def test_resamples_of_groups_hold_whole_groups() -> None:
    cells, groups = (
        np.array([0, 0, 1, 2, 2, 2], np.int8),
        grouping(["a", "a", "b", "c", "c", "c"], 6),
    )
    drawn = resample(units_of(cells, 3, groups), 500, seed=1)
    n_drawn = drawn / [2, 1, 3]
    np.testing.assert_array_equal(n_drawn, n_drawn.astype(int))
    np.testing.assert_array_equal(n_drawn.sum(1), 3)
    assert n_drawn.mean(0) == pytest.approx([1, 1, 1], abs=0.15)


@pytest.mark.parametrize("groups", [["q", "q", "q"], {"bird_id": [3, 3, 3]}])
def test_one_group_leaves_nothing_to_resample(groups: Any) -> None:
    result = score([0, 1, 2], [0, 1, 1], groups=groups)
    assert set(result.intervals.values()) == {None}


def test_one_claim_leaves_nothing_to_resample() -> None:
    assert set(score([0], [0]).intervals.values()) == {None}


def test_resamples_without_a_value_are_left_out() -> None:
    nan = np.nan
    samples = {"some": np.array([nan, 0.0, 1.0]), "none": np.array([nan] * 3)}
    found = percentile_intervals(samples)
    assert found["none"] is None
    assert found["some"] == pytest.approx((0.025, 0.975))


def test_a_rate_without_a_value_has_no_interval() -> None:
    result = score([0, 1], [0, 1])
    assert result.forced_answer is None
    assert result.intervals["forced_answer"] is None
