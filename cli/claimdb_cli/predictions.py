"""`claimdb predictions`."""

from __future__ import annotations

HELP = "Being written."


def predictions() -> None:
    """Return nothing yet."""
