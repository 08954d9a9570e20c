"""Programs that hold workers, and end in all the ways in which programs end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.children import child_env
from tests.sandbox.processes import happens_within

START = """
import asyncio, gc, os, signal, sys, threading, time, warnings
from claimdb_sandbox import AsyncExecutor, ClosedError, Executor
from tests.sandbox.long_queries import ENDLESS, PATIENT, STUCK

COUNT = "SELECT count(*) FROM heroes"
# Python 3.12 and newer warn of a fork beside threads.
warnings.filterwarnings("ignore", ".*fork.*", DeprecationWarning)

def say(*words):
    print(*words, flush=True)

path = sys.argv[1]
"""

WITH_WORKER = """
sandbox = Executor(path, PATIENT)
sandbox.run("SELECT 1")
say(sandbox.worker_pid)
"""
"""Its first line is the worker's id."""

LIMIT_S = 10
"""An end that takes longer is none; a query in these programs takes minutes."""


class Parent(subprocess.Popen[str]):
    """A program that runs, in a session of its own as in a terminal."""

    def line(self) -> str:
        """Return the next line that it says, '' at its end."""
        assert self.stdout is not None
        return self.stdout.readline().rstrip("\n")

    def pid_line(self) -> int:
        """Return the process id that it says; fails with its traceback if it says none."""
        line = self.line()
        assert line.isdigit(), (line, self.communicate(timeout=60))
        return int(line)

    def go_on(self) -> None:
        """Let it go on where it waits for a line."""
        assert self.stdin is not None
        self.stdin.write("\n")
        self.stdin.flush()

    def ctrl_c(self) -> None:
        """Interrupt it and all that it started, as a terminal does."""
        os.killpg(self.pid, signal.SIGINT)

    def ending(self) -> tuple[int, str]:
        """Wait for its end; return its exit code and what it wrote to stderr."""
        errors = self.communicate(timeout=60)[1]
        return self.returncode, errors


@contextmanager
def parent(code: str, database: Path, start: str = START + WITH_WORKER) -> Iterator[Parent]:
    """Run a program with warnings as errors; none of its processes outlives the block."""
    command = [sys.executable, "-W", "error", "-c", start + code, str(database)]
    with Parent(
        command,
        cwd=Path(__file__).parents[2],
        env=child_env(database.parent.parent),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as program:
        try:
            yield program
        finally:
            with suppress(ProcessLookupError):
                os.killpg(program.pid, signal.SIGKILL)


def processor_s(pid: int) -> float:
    """Return the processor time that a process has taken (man 5 proc, stat)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def is_busy(pid: int, for_s: float = 0.1) -> bool:
    """Wait until a process has worked for a while; False if it does not."""
    before = processor_s(pid)
    return happens_within(lambda: processor_s(pid) >= before + for_s, 30)
