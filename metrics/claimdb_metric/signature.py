"""The signature of a score: one line with everything that can move its numbers."""

from __future__ import annotations

import hashlib
from typing import Final

from .encoding import Codes
from .errors import DataError
from .grouping import Grouping

METRIC_VERSION: Final = "1.0"
"""Raised when the same rows would give another number."""

NO_KNOWN_ISSUES: Final = "none"


def signature(
    reference: Codes,
    *,
    n_resamples: int,
    seed: int,
    groups: Grouping | None = None,
    split: str | None = None,
    known_issues: str = NO_KNOWN_ISSUES,
) -> str:
    """Return the signature; two scores may be compared where theirs are equal.

    Args:
        reference: label codes, in the order in which they were scored.
        n_resamples: of the bootstrap; 0 where there are no intervals.
        seed: of the bootstrap.
        groups: what was resampled as a whole, claims where None.
        split: what the claims are, for whoever reads the line.
        known_issues: which known issues were left out.

    Raises:
        DataError: split or known_issues hold a "|" or a line break.

    >>> import numpy as np
    >>> signature(np.array([0, 2], np.int8), n_resamples=1000, seed=7, split="zoo")[:65]
    'claimdb_metric|v:1.0|split:zoo|n:2|inv:wrong|ki:none|ci:boot1000|'
    """
    labels = {"split": split or "unnamed", "known_issues": known_issues}
    for name, text in labels.items():
        if not text.isprintable() or "|" in text:
            raise DataError(f'{name}={text!r} must be one line without "|": it is in the signature')
    parts = {
        "v": METRIC_VERSION,
        "split": labels["split"],
        "n": len(reference),
        "inv": "wrong",
        "ki": known_issues,
        "ci": f"boot{n_resamples}" if n_resamples else "none",
        "seed": seed,
        "groups": groups or "none",
        "refs": hashlib.sha256(reference.tobytes()).hexdigest()[:8],
    }
    return "|".join(["claimdb_metric", *(f"{name}:{value}" for name, value in parts.items())])
