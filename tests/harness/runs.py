"""Predictions for the sample: files in tmp_path, right but for what a test changes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from claimdb_harness.labelled_claims import LabelledClaims, from_split
from claimdb_metric import LABELS


def sample() -> LabelledClaims:
    return from_split("sample")


def right_labels() -> dict[int, str]:
    """The right label of each claim of the sample."""
    claims = sample()
    return dict(zip(claims.claim_ids, map(str, claims.column("label")), strict=True))


def wrong(label: str) -> str:
    return LABELS[(LABELS.index(label) + 1) % 3]


def write_run(path: Path, labels: dict[int, Any], **columns: Any) -> Path:
    """Write predictions; a column is a value for all rows, or a dict by claim_id."""
    with path.open("w", encoding="utf-8") as file:
        for claim_id, label in labels.items():
            row = {"claim_id": claim_id, "label": label}
            for name, value in columns.items():
                row[name] = value[claim_id] if isinstance(value, dict) else value
            file.write(json.dumps(row) + "\n")
    return path
