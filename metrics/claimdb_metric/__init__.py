"""Score ClaimDB verdicts: accuracy, per-class F1 and abstention, intervals and significance.

Needs nothing but numpy; scipy where systems are compared.

`claimdb_metric.claimdb_metric` is the same score as an `evaluate` module.
"""

from __future__ import annotations

from .calibration import Calibration
from .comparisons import Comparison, Difference
from .errors import (
    ClaimDBError,
    ClaimFileError,
    DatabaseFileError,
    DataError,
    HiddenLabelsError,
    PredictionFileError,
    UnavailableError,
    UnknownDatabaseError,
)
from .labels import CATEGORIES, LABELS, label_name
from .pairs import compare, compare_systems
from .scores import ClassScore, Score
from .scoring import score

__all__ = [
    "CATEGORIES",
    "LABELS",
    "Calibration",
    "ClaimDBError",
    "ClaimFileError",
    "ClassScore",
    "Comparison",
    "DataError",
    "DatabaseFileError",
    "Difference",
    "HiddenLabelsError",
    "PredictionFileError",
    "Score",
    "UnavailableError",
    "UnknownDatabaseError",
    "compare",
    "compare_systems",
    "label_name",
    "score",
]
