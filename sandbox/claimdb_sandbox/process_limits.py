"""Limits that a worker puts on its own process: SQLite's heap, then what the system can enforce."""

from __future__ import annotations

import math
import sqlite3
import sys
from collections.abc import Mapping
from contextlib import closing, suppress
from typing import Final

from claimdb_sandbox.limits import Limits

if sys.platform != "win32":
    import resource

PYTHON_BYTES: Final = 512 * 2**20
"""Address space beside SQLite's heap: the interpreter, and the widest row (200 MB) as objects."""

COPIES: Final = 4
"""Of an answer in the worker at the same time at most: rows, as they grow, and the whole frame."""

SPARE_CPU_S: Final = 2

_RLIMITS: Final[Mapping[str, int]] = {
    "RLIMIT_FSIZE": 0,  # no byte to any file; pipes are not files
    "RLIMIT_CORE": 0,  # no image of the data on disk
    "RLIMIT_NOFILE": 64,
}


def limit_process(limits: Limits) -> None:
    """Limit the memory, files and core dumps of this process for good.

    Windows has none of the system's limits, and macOS does not enforce the one on memory.
    """
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"PRAGMA hard_heap_limit = {limits.max_heap_bytes}")
    if sys.platform == "win32":
        return
    space = limits.max_heap_bytes + PYTHON_BYTES + COPIES * limits.max_bytes
    for name, most in (*_RLIMITS.items(), ("RLIMIT_AS", space)):
        # The system may have a lower limit in force, or none of this kind.
        with suppress(ValueError, OSError, AttributeError):
            resource.setrlimit(getattr(resource, name), (most, most))


def limit_cpu_time(limits: Limits) -> None:
    """Limit the processor time of the next query; the end of it where the parent hangs."""
    if sys.platform == "win32":
        return
    usage = resource.getrusage(resource.RUSAGE_SELF)
    used_s = usage.ru_utime + usage.ru_stime
    most = math.ceil(used_s + limits.time_limit_s + limits.grace_s) + SPARE_CPU_S
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    if hard == resource.RLIM_INFINITY or most < hard:
        resource.setrlimit(resource.RLIMIT_CPU, (most, hard))
