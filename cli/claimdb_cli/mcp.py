"""`claimdb mcp`."""

from __future__ import annotations

HELP = "Being written."


def mcp() -> None:
    """Return nothing yet."""
