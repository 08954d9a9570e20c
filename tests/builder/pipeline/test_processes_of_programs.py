"""Worker processes of whole programs: scripts, their ends, and what is left of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.children import child_env
from tests.sandbox.processes import ends_within, is_alive, needs_proc

BUILDS = """
import operator, os, sys, time
from claimdb_builder.pipeline.processes import Processes

executor = Processes(2)
"""
PLAIN = BUILDS + "print(list(executor.map(abs, [-1, 2, -3])))\nexecutor.shutdown()\n"
ENDS = (
    BUILDS
    + """
for _ in range(8):
    executor.submit(time.sleep, 60)
time.sleep(float(sys.argv[1]))
executor.end()
"""
)
WAITS = (
    BUILDS
    + """
print(*set(executor.map(operator.methodcaller("__call__"), [os.getpid] * 20)), flush=True)
executor.submit(time.sleep, 60)
time.sleep(60)
"""
)


def python(folder: Path, *line: object, given: str = "") -> tuple[int, str, str]:
    """Run Python to its end; return exit code, stdout and stderr."""
    done = subprocess.run(
        [sys.executable, *map(str, line)],
        cwd=folder,
        env=child_env(folder),
        input=given,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stdout, done.stderr


def test_a_script_needs_no_guard_and_may_come_from_stdin(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(PLAIN)
    wanted = (0, "[1, 2, 3]\n", "")
    assert python(tmp_path, "script.py") == wanted
    assert python(tmp_path, "-", given=PLAIN) == wanted
    assert python(tmp_path, "-c", PLAIN) == wanted


@pytest.mark.parametrize("delay_s", [0, 0.02, 0.05, 0.1, 0.2])
def test_the_end_as_workers_start_is_silent(tmp_path: Path, delay_s: float) -> None:
    assert python(tmp_path, "-c", ENDS, delay_s) == (0, "", "")


@needs_proc
def test_workers_end_when_their_program_is_killed(tmp_path: Path) -> None:
    line = [sys.executable, "-c", WAITS]
    with subprocess.Popen(
        line, cwd=tmp_path, env=child_env(tmp_path), stdout=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout is not None
        pids = [int(pid) for pid in program.stdout.readline().split()]
        assert pids
        assert all(is_alive(pid) for pid in pids)
        program.kill()
        assert all(ends_within(pid, 2) for pid in pids)


HELD_BACK = (
    BUILDS
    + """
import re, signal

executor.submit(abs, -1)
status = open(f"/proc/{executor._workers[0][0].pid}/status").read()
blocked = int(re.search(r"SigBlk:\\s+(\\w+)", status)[1], 16)
print(bool(blocked >> (signal.SIGINT - 1) & 1))
executor.end()
"""
)


@needs_proc
def test_the_first_worker_starts_with_ctrl_c_held_back(tmp_path: Path) -> None:
    assert python(tmp_path, "-c", HELD_BACK) == (0, "True\n", "")
