"""`claimdb run`."""

from __future__ import annotations

HELP = "Being written."


def run_claims() -> None:
    """Return nothing yet."""
