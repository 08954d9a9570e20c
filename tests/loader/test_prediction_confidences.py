"""Confidences in predictions files: what is read, and what is refused with a reason."""

from __future__ import annotations

import pytest

from claimdb_loader.claim_rows import BadLineError
from claimdb_loader.prediction_confidences import confidence_column, confidence_of
from claimdb_metric.labels import LABELS

BY_NAME = dict(zip(LABELS, (0.5, 0.25, 0.25), strict=True))


@pytest.mark.parametrize(
    ("names", "column"),
    [
        (["claim_id", "label"], None),
        (["confidence"], "confidence"),
        (["confidence", "probabilities"], "probabilities"),
    ],
)
def test_which_column(names: list[str], column: str | None) -> None:
    assert confidence_column(names) == column


@pytest.mark.parametrize(
    ("column", "value", "found"),
    [
        ("confidence", None, None),
        ("confidence", 0.25, 0.25),
        ("confidence", 1, 1.0),
        ("probabilities", None, None),
        ("probabilities", [0.5, 0.25, 0.25], [0.5, 0.25, 0.25]),
        ("probabilities", [0.33, 0.33, 0.33], [0.33, 0.33, 0.33]),
        ("probabilities", BY_NAME, [0.5, 0.25, 0.25]),
        ("probabilities", dict(reversed(BY_NAME.items())), [0.5, 0.25, 0.25]),
    ],
)
def test_what_is_read(column: str, value: object, found: object) -> None:
    assert confidence_of(column, value) == found


@pytest.mark.parametrize(
    ("column", "value", "reason"),
    [
        ("confidence", 1.2, "from 0 to 1, got 1.2"),
        ("confidence", -0.1, "from 0 to 1"),
        ("confidence", 54, "from 0 to 1"),
        ("confidence", "high", 'got "high"'),
        ("confidence", True, "got true"),
        ("confidence", [0.5, 0.25, 0.25], "from 0 to 1"),
        ("probabilities", 0.5, "must be three numbers, ENTAILED, CONTRADICTED, NOT ENOUGH INFO"),
        ("probabilities", [0.5, 0.5], "three numbers"),
        ("probabilities", {"ENTAILED": 1.0}, "three numbers"),
        ("probabilities", [0.5, 0.5, 0.5], "must sum to 1"),
        ("probabilities", [-0.1, -0.5, -2.3], "from 0 to 1"),
    ],
)
def test_what_is_refused(column: str, value: object, reason: str) -> None:
    with pytest.raises(BadLineError, match=reason):
        confidence_of(column, value)
