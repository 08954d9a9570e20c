"""The real command in a process of its own: what it starts, how it ends, what it leaves."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from tests.children import child_env
from tests.sandbox.processes import happens_within

LIMIT_S: Final = 60


class Command(subprocess.Popen[str]):
    """A `claimdb …` that runs, in a session of its own as in a terminal."""

    def processes(self) -> list[int]:
        """Return the ids of all processes of its session that live, itself among them."""
        return [pid for pid in _pids() if _session(pid) == self.pid]

    def workers(self) -> list[int]:
        """Return the ids of the processes that do batches."""
        return [pid for pid in self.processes() if "spawn_main" in _command_line(pid)]

    def sandboxes(self) -> list[int]:
        """Return the ids of the processes that run SQL; their workers are ready."""
        return [pid for pid in self.processes() if "claimdb_sandbox.worker" in _command_line(pid)]

    def wait_for(self, condition: Callable[[], object]) -> None:
        """Wait until something is so, or the command has ended."""
        assert happens_within(lambda: bool(condition()) or self.poll() is not None, LIMIT_S)

    def ctrl_c(self) -> None:
        """Interrupt it and all that it started, as a terminal does."""
        os.killpg(self.pid, signal.SIGINT)

    def ending(self) -> tuple[int, str, str, float]:
        """Wait for its end; return exit code, stdout, stderr and the seconds that it took."""
        started = time.monotonic()
        out, err = self.communicate(timeout=LIMIT_S)
        return self.returncode, out, err, time.monotonic() - started

    def leaves_nobody(self, limit_s: float = 5) -> bool:
        """Whether all that it started ends in so many seconds."""
        return happens_within(lambda: not self.processes(), limit_s)


def _pids() -> Iterator[int]:
    return (int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit())


def _session(pid: int) -> int:
    """The session of a process that lives, 0 of one that ended (man 5 proc, stat)."""
    try:
        state, *fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return 0 if state in "ZX" else int(fields[2])


def _command_line(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text()
    return ""


@contextmanager
def command(folder: Path, *arguments: object, start: Sequence[str] = ()) -> Iterator[Command]:
    """Start `claimdb` in a folder; none of its processes outlives the block."""
    program = start or [sys.executable, "-P", "-m", "claimdb_cli"]
    with Command(
        [*program, *map(str, arguments)],
        cwd=folder,
        env=child_env(folder),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as running:
        try:
            yield running
        finally:
            with suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)


def ended(folder: Path, *arguments: object) -> tuple[int, str, str]:
    """Run `claimdb` to its end; return exit code, stdout and stderr."""
    with command(folder, *arguments) as running:
        return running.ending()[:3]
