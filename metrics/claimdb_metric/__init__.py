"""Score ClaimDB verdicts: accuracy, per-class F1 and abstention, with nothing but numpy.

`claimdb_metric.claimdb_metric` is the same score as an `evaluate` module.
"""

from __future__ import annotations

from .errors import (
    ClaimDBError,
    ClaimFileError,
    DatabaseFileError,
    DataError,
    HiddenLabelsError,
    UnavailableError,
    UnknownDatabaseError,
)
from .labels import CATEGORIES, LABELS, label_name
from .scoring import ClassScore, Score, score

__all__ = [
    "CATEGORIES",
    "LABELS",
    "ClaimDBError",
    "ClaimFileError",
    "ClassScore",
    "DataError",
    "DatabaseFileError",
    "HiddenLabelsError",
    "Score",
    "UnavailableError",
    "UnknownDatabaseError",
    "label_name",
    "score",
]
