"""Baselines as predictions for a split."""

from __future__ import annotations

from typing import Any

import pytest

from claimdb_harness.baselines import predictions_of
from claimdb_harness.labelled_claims import LabelledClaims
from claimdb_metric import baselines


@pytest.mark.parametrize(("group_by", "n_folds"), [("bird_id", 10), ("db_name", 11)])
def test_folds_hold_questions_or_one_database_each(
    monkeypatch: pytest.MonkeyPatch, group_by: str, n_folds: int
) -> None:
    columns: dict[str, list[object]] = {
        "claim_id": list(range(66)),
        "claim": [f"{word} {n}" for n in range(22) for word in ("alpha", "beta", "gamma")],
        "label": ["ENTAILED", "CONTRADICTED", "NOT ENOUGH INFO"] * 22,
        "bird_id": [n // 3 for n in range(66)],
        "db_name": [n // 6 for n in range(66)],
    }
    fits = []
    real = baselines._classifier

    def counted() -> Any:
        fits.append(real())
        return fits[-1]

    monkeypatch.setattr(baselines, "_classifier", counted)
    labels = predictions_of("claim-only", LabelledClaims("mine", columns), group_by)
    assert labels == columns["label"]
    assert len(fits) == n_folds


def test_claims_of_unknown_questions_are_not_kept_in_one_fold(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else none could be learnt from where another is guessed."""
    groups: list[list[object]] = []

    def noted(claims: Any, labels: Any, found: list[object], n_folds: int) -> list[int]:
        groups.append(found)
        return list(labels)

    monkeypatch.setattr("claimdb_harness.baselines.claim_only", noted)
    columns: dict[str, list[object]] = {
        "claim_id": [0, 1, 2, 3],
        "claim": ["a", "b", "c", "d"],
        "label": ["ENTAILED"] * 4,
        "bird_id": [5, -1, -1, 5],
    }
    predictions_of("claim-only", LabelledClaims("mine", columns))
    (found,) = groups
    assert found[0] == found[3] == 5
    assert len(set(found)) == 3
