"""What confidences are worth, against scikit-learn and by hand."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimdb_metric import Calibration, score

GENERATOR = np.random.default_rng(3)
N = 500
N_BINS = 15
REFERENCES = GENERATOR.integers(0, 3, N)
PROBABILITIES = GENERATOR.dirichlet((1, 1, 1), N)
PROBABILITIES[np.arange(N), REFERENCES] += 0.5
PROBABILITIES /= PROBABILITIES.sum(1, keepdims=True)
PREDICTIONS = PROBABILITIES.argmax(1)
TOP = PROBABILITIES.max(1)


def worth(predictions: Any, references: Any, confidences: Any) -> Calibration:
    found = score(predictions, references, confidences=confidences, n_resamples=0).calibration
    assert found is not None
    return found


def test_brier_score_as_scikit_learn_has_it() -> None:
    from sklearn.metrics import brier_score_loss

    right = PREDICTIONS == REFERENCES
    one, three = worth(PREDICTIONS, REFERENCES, TOP), worth(PREDICTIONS, REFERENCES, PROBABILITIES)
    assert one.brier_score == pytest.approx(brier_score_loss(right, TOP))
    peer = brier_score_loss(REFERENCES, PROBABILITIES, scale_by_half=False)
    assert three.brier_score == pytest.approx(peer)


def test_calibration_error_as_scikit_learn_bins_it() -> None:
    from sklearn.calibration import calibration_curve

    right = PREDICTIONS == REFERENCES
    shares, means = calibration_curve(right, TOP, n_bins=N_BINS, strategy="quantile")
    sizes = np.histogram(TOP, np.quantile(TOP, np.linspace(0, 1, N_BINS + 1)))[0]
    peer = np.abs(shares - means) @ sizes / N
    for confidences in (TOP, PROBABILITIES):
        found = worth(PREDICTIONS, REFERENCES, confidences).expected_calibration_error
        assert found == pytest.approx(peer, abs=1e-3)


def test_auroc_as_scikit_learn_has_it() -> None:
    from sklearn.metrics import roc_auc_score

    is_nei = REFERENCES == 2
    for probabilities in (PROBABILITIES, PROBABILITIES.round(1)):
        found = worth(PREDICTIONS, REFERENCES, probabilities / probabilities.sum(1, keepdims=True))
        ranked = (probabilities / probabilities.sum(1, keepdims=True))[:, 2]
        assert found.auroc_nei == pytest.approx(roc_auc_score(is_nei, ranked))
    of_nei = np.where(PREDICTIONS == 2, TOP, (1 - TOP) / 2)
    found = worth(PREDICTIONS, REFERENCES, TOP)
    assert found.auroc_nei == pytest.approx(roc_auc_score(is_nei, of_nei))


@pytest.mark.parametrize("references", [[2, 2], [0, 1]])
def test_auroc_needs_nei_and_other_claims(references: list[int]) -> None:
    assert worth([2, 0], references, [0.9, 0.8]).auroc_nei is None


def aurc_of(order: tuple[int, ...], is_wrong: list[bool]) -> float:
    return float(
        np.mean(np.cumsum([is_wrong[place] for place in order]) / range(1, len(order) + 1))
    )


@settings(max_examples=100, deadline=None)
@given(
    rows=st.lists(
        st.tuples(st.sampled_from([0.2, 0.5, 0.9]), st.booleans()), min_size=1, max_size=6
    )
)
def test_aurc_is_the_mean_over_all_orders_of_equal_confidences(
    rows: list[tuple[float, bool]],
) -> None:
    confidences, is_wrong = [row[0] for row in rows], [row[1] for row in rows]
    orders = [
        order
        for order in permutations(range(len(rows)))
        if [confidences[place] for place in order] == sorted(confidences, reverse=True)
    ]
    expected = np.mean([aurc_of(order, is_wrong) for order in orders])
    found = worth([int(wrong) for wrong in is_wrong], [0] * len(rows), confidences)
    assert found.aurc == pytest.approx(expected)


def test_the_curve_has_a_point_for_each_distinct_confidence() -> None:
    found = worth([0, 0, 1, 1], [0, 0, 0, 0], [0.9, 0.7, 0.7, 0.1])
    assert found.risk_coverage == ((0.25, 0.0), (0.75, 1 / 3), (1.0, 0.5))


def test_the_order_of_rows_does_not_matter() -> None:
    shuffled = np.random.default_rng(1).permutation(N)
    rough = TOP.round(1)
    one = worth(PREDICTIONS[shuffled], REFERENCES[shuffled], rough[shuffled])
    other = worth(PREDICTIONS, REFERENCES, rough)
    assert one.risk_coverage == other.risk_coverage
    for name in ("brier_score", "expected_calibration_error", "auroc_nei", "aurc"):
        assert getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-12)


def test_an_invalid_answer_claims_nothing_and_is_given_up_first() -> None:
    found = worth([0, 1, None, "?"], [0, 0, 0, 0], [0.9, 0.6, None, 1.0])
    valid = worth([0, 1], [0, 0], [0.9, 0.6])
    assert found.n_with_confidence == 2
    for name in ("brier_score", "expected_calibration_error", "auroc_nei"):
        assert getattr(found, name) == getattr(valid, name)
    assert found.risk_coverage == ((0.25, 0.0), (0.5, 0.5), (1.0, 0.75))


def test_only_invalid_answers() -> None:
    found = worth([None, "?"], [0, 2], [None, None])
    assert found == Calibration(0, None, None, None, 1.0, ((1.0, 1.0),))


def test_a_perfect_and_sure_system() -> None:
    found = worth([0, 1, 2], [0, 1, 2], np.eye(3))
    assert found == Calibration(3, 0.0, 0.0, 1.0, 0.0, ((1.0, 0.0),))
