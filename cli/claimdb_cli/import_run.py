"""`claimdb import`."""

from __future__ import annotations

HELP = "Being written."


def import_run() -> None:
    """Return nothing yet."""
