"""The parent's end of one worker: starts it, asks it, kills it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import weakref
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any, Final

from claimdb_sandbox.errors import WorkerStartError
from claimdb_sandbox.limits import Limits
from claimdb_sandbox.pipes import Pipes, WorkerDied, WorkerLate

START_LIMIT_S: Final = 60.0
"""It takes 30 ms; so long only where a machine is close to standing still."""

MAX_HEAD_BYTES: Final = 4 * 2**20
"""Of an answer beside its rows; a longer one is not from our code."""

_KEPT_ENVIRONMENT: Final = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")
"""What it takes to start a Python. No key or token reaches the process that runs foreign SQL."""

# Isolated and without site-packages: no .pth file, no folder of the user's, 10 ms less. Appended to
# the path, the folder that holds this package cannot shadow the standard library.
_START: Final = (
    "import sys; sys.path.append(sys.argv[1]); from claimdb_sandbox.worker import main; main()"
)


_workers: Final[weakref.WeakSet[WorkerProcess]] = weakref.WeakSet()
_starting: Final = threading.RLock()
"""Held while a worker is started and noted; a fork waits for it, lest it inherit unknown pipes."""


class WorkerProcess:
    """A Python of its own, not a fork: nothing of this process's memory or files is in it.

    Raises:
        WorkerStartError: it does not start.
    """

    def __init__(self, limits: Limits) -> None:
        self._owner = os.getpid()
        self._stopped = False
        _let_go_in_forks()
        with _starting:
            self._process = _started()
            _workers.add(self)
        self.pid = self._process.pid
        self._pipes = Pipes(self._process, limits.max_bytes + MAX_HEAD_BYTES)
        try:
            self.ask(asdict(limits), START_LIMIT_S)
        except (WorkerDied, WorkerLate) as error:
            self.kill()
            raise WorkerStartError(
                f"the process that runs SQL ended or hung at its start ({self.end()}); see what "
                f'`{sys.executable} -I -c "import sqlite3"` says'
            ) from error
        except BaseException:
            self.kill()
            raise

    def ask(self, request: dict[str, Any], limit_s: float) -> dict[str, Any]:
        """Return the answer to a request; raises what `Pipes.ask` raises."""
        return self._pipes.ask(request, limit_s)

    def has_ended(self) -> bool:
        """Whether the process is known to be gone, or on its way."""
        return self._stopped or self._process.poll() is not None

    def stop(self) -> None:
        """Send the process its end, and wait for nothing: its pipe ends, which `ask` sees."""
        self._stopped = True
        if self._owner == os.getpid():
            self._process.kill()

    def kill(self) -> None:
        """End the process at once and wait until it is gone; in a forked child, let it be."""
        try:
            if self._owner == os.getpid():
                self._process.kill()
                self._process.wait()
        finally:
            self._pipes.close()

    def let_go(self) -> None:
        """Close a forked child's copies of the pipes: the worker is its parent's."""
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None, "the process is started with pipes"
            pipe.close()
        self._process.returncode = 0  # else subprocess warns of a child that still runs

    def end(self) -> str:
        """Return how the process ended, in words."""
        code = self._process.wait()
        return f"signal {-code}" if code < 0 else f"exit code {code}"


def _started() -> subprocess.Popen[bytes]:
    if not sys.executable:
        raise WorkerStartError(
            "a worker cannot be started: this program has no Python (sys.executable is empty)"
        )
    folder = str(Path(__file__).resolve().parent.parent)
    # On Windows the python.exe of a virtual environment starts another one, which no kill reaches.
    base = getattr(sys, "_base_executable", sys.executable)
    python = base if sys.platform == "win32" else sys.executable
    try:
        return subprocess.Popen(
            [python, "-I", "-S", "-c", _START, folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd=os.sep,
            env={name: os.environ[name] for name in _KEPT_ENVIRONMENT if name in os.environ},
        )
    except OSError as error:
        raise WorkerStartError(f"{python} cannot be started: {error}") from error


@cache
def _let_go_in_forks() -> None:
    """Have each forked child close its copies of the pipes.

    With them open, a worker would not see the end of its parent while a forked child lives.
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(
            before=_starting.acquire,
            after_in_parent=_starting.release,
            after_in_child=_let_all_go,
        )


def _let_all_go() -> None:
    _starting.release()
    for worker in _workers:
        worker.let_go()
