"""The signature of a score: one line with everything that can move its numbers."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

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
    categories: Codes | None = None,
    systems: Sequence[Codes] = (),
    split: str | None = None,
    known_issues: str = NO_KNOWN_ISSUES,
) -> str:
    """Return the signature; two scores may be compared where theirs are equal.

    Args:
        reference: label codes, in the order in which they were scored.
        n_resamples: of the bootstrap; 0 where there are no intervals.
        seed: of the bootstrap.
        groups: what was resampled as a whole, claims where None; named with their number, and a
            hash of which claims are together.
        categories: NEI category codes; a field `cats` where there are some: they change the draw.
        systems: the answers that are drawn together; a field `systems` where they are compared.
        split: what the claims are, for whoever reads the line.
        known_issues: which known issues were left out.

    Raises:
        DataError: split, known_issues or the groups' name is no text of one line without "|".

    >>> signature(np.array([0, 2], np.int8), n_resamples=1000, seed=7, split="zoo")[:65]
    'claimdb_metric|v:1.0|split:zoo|n:2|inv:wrong|ki:none|ci:boot1000|'
    """
    names = {"split": "unnamed" if split is None else split, "known_issues": known_issues}
    if groups is not None:
        names["groups"] = groups.name
    for name, text in names.items():
        if not isinstance(text, str) or not text.isprintable() or "|" in text:
            raise DataError(f'{name}={text!r} must be one line without "|": it is in the signature')
    parts = {
        "v": METRIC_VERSION,
        "split": names["split"],
        "n": len(reference),
        "inv": "wrong",
        "ki": known_issues,
        "ci": f"boot{n_resamples}" if n_resamples else "none",
        "seed": seed,
        "groups": f"{groups}-{_hash(groups.codes)}" if groups else "none",
        "refs": _hash(reference),
    }
    if categories is not None and (categories >= 0).any():
        parts["cats"] = _hash(categories)
    if systems:
        parts["systems"] = f"{len(systems)}-{_hash(*systems)}"
    return "|".join(["claimdb_metric", *(f"{name}:{value}" for name, value in parts.items())])


def _hash(*columns: npt.NDArray[np.integer[Any]]) -> str:
    digest = hashlib.sha256()
    for column in columns:
        digest.update(column.tobytes())
    return digest.hexdigest()[:8]
