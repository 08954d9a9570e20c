"""What the system tells of a process: whether it lives, its children, its memory (Linux)."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

needs_proc = pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="reads /proc, which this system does not have"
)


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that ended and waits to be collected does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/status")
    try:
        return "State:\tZ" not in status.read_text()
    except OSError:
        return not Path("/proc/self").exists()


def ends_within(pid: int, limit_s: float) -> bool:
    """Whether a process ends in so many seconds."""
    return happens_within(lambda: not is_alive(pid), limit_s)


def happens_within(condition: Callable[[], bool], limit_s: float) -> bool:
    """Whether a condition becomes true in so many seconds; looks every 5 ms."""
    deadline = time.monotonic() + limit_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


def memory_bytes(pid: int, field: str = "VmRSS") -> int:
    """Return a process's memory in use; VmHWM is the most since its start or `forget_peak`."""
    found = re.search(rf"^{field}:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(), re.M)
    assert found is not None
    return int(found[1]) * 1024


def forget_peak(pid: int) -> None:
    """Let VmHWM count from now (man 5 proc, clear_refs)."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")
