"""`claimdb analyze`."""

from __future__ import annotations

HELP = "Being written."


def analyze() -> None:
    """Return nothing yet."""
