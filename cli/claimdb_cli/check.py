"""`claimdb check`."""

from __future__ import annotations

HELP = "Being written."


def check() -> None:
    """Return nothing yet."""
