"""Runs SQL that nobody trusts on SQLite files: read-only, bounded, in a process of its own.

Needs nothing but Python, and imports nothing else of ClaimDB.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from .async_executor import AsyncExecutor
    from .errors import (
        BadLimitsError,
        ChangedDatabaseError,
        ClosedError,
        SandboxError,
        UnusableDatabaseError,
        WorkerStartError,
    )
    from .executor import Executor
    from .limits import AGENT_LIMITS, GOLD_LIMITS, Limits
    from .results import STATUSES, Result, Status
    from .unchanged import Fingerprint, assert_unchanged, fingerprint, fingerprints

_ROOMS: Final = {
    "async_executor": ("AsyncExecutor",),
    "errors": (
        "BadLimitsError",
        "ChangedDatabaseError",
        "ClosedError",
        "SandboxError",
        "UnusableDatabaseError",
        "WorkerStartError",
    ),
    "executor": ("Executor",),
    "unchanged": ("Fingerprint", "assert_unchanged", "fingerprint", "fingerprints"),
    "limits": ("AGENT_LIMITS", "GOLD_LIMITS", "Limits"),
    "results": ("STATUSES", "Result", "Status"),
}

__all__ = [
    "AGENT_LIMITS",
    "GOLD_LIMITS",
    "STATUSES",
    "AsyncExecutor",
    "BadLimitsError",
    "ChangedDatabaseError",
    "ClosedError",
    "Executor",
    "Fingerprint",
    "Limits",
    "Result",
    "SandboxError",
    "Status",
    "UnusableDatabaseError",
    "WorkerStartError",
    "assert_unchanged",
    "fingerprint",
    "fingerprints",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is asked for: a worker starts with only what it needs."""
    from importlib import import_module

    for room, names in _ROOMS.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{room}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
