"""Confidences in a predictions file: `confidence` of the predicted label, or `probabilities`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from claimdb_loader.claim_rows import BadLineError, shown
from claimdb_metric.confidences import SUM_TOLERANCE
from claimdb_metric.labels import LABELS

COLUMNS: Final = ("probabilities", "confidence")
"""The columns that are read, the first one that is there."""

Confidence: TypeAlias = float | list[float]


def confidence_column(names: Iterable[str]) -> str | None:
    """Return which of a file's columns holds the confidences, None if none does.

    >>> confidence_column(["claim_id", "confidence", "probabilities"])
    'probabilities'
    """
    there = set(names)
    return next((name for name in COLUMNS if name in there), None)


def confidence_of(column: str, value: object) -> Confidence | None:
    """Return the confidence that a value stands for, None where it is missing.

    Args:
        column: `confidence`, a number from 0 to 1; or `probabilities`, three of them that sum to 1,
            in the order of the labels or by name.

    Raises:
        BadLineError: the value is no such thing; with the reason.

    >>> confidence_of("confidence", 0.5)
    0.5
    >>> by_name = {"NOT ENOUGH INFO": 0.25, "ENTAILED": 0.5, "CONTRADICTED": 0.25}
    >>> confidence_of("probabilities", by_name)
    [0.5, 0.25, 0.25]
    """
    if value is None:
        return None
    if column == "confidence":
        return _probability(column, value)
    if isinstance(value, Mapping) and set(value) == set(LABELS):
        value = [value[label] for label in LABELS]
    if not isinstance(value, list) or len(value) != len(LABELS):
        three = f"three numbers, {', '.join(LABELS)}"
        raise BadLineError(f"{column} must be {three}, got {shown(value)}; mend it")
    found = [_probability(column, part) for part in value]
    if abs(sum(found) - 1) > SUM_TOLERANCE:
        raise BadLineError(f"{column} must sum to 1, got {shown(value)}; mend it")
    return found


def _probability(column: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise BadLineError(f"{column} must be from 0 to 1, got {shown(value)}; mend it")
    return float(value)
