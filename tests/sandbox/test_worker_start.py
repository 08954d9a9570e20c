"""A worker that cannot be started is an error that says what to try."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

import pytest

from claimdb_sandbox import AsyncExecutor, Executor, WorkerStartError, worker_process
from tests.sandbox.processes import happens_within, needs_proc

TRY_THIS = 'see what `{} -I -c "import sqlite3"` says'


def script(path: Path, text: str) -> str:
    """Make a program that is started in the place of Python."""
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def start_error(database: Path, monkeypatch: pytest.MonkeyPatch, python: str | None) -> str:
    """The message where `sys.executable` is another program; then a real worker starts."""
    with Executor(database) as executor:
        with monkeypatch.context() as patch:
            patch.setattr(sys, "executable", python)
            with pytest.raises(WorkerStartError) as caught:
                executor.run("SELECT 1")
            assert executor.worker_pid is None
        assert executor.run("SELECT 1").rows == ((1,),)
    return str(caught.value)


def test_a_python_that_is_not_there_is_named(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = start_error(database, monkeypatch, "/no/such/python")
    assert message.startswith("/no/such/python cannot be started: ")


@pytest.mark.parametrize("python", [None, ""])
def test_a_program_that_has_no_python_of_its_own_says_so(
    database: Path, monkeypatch: pytest.MonkeyPatch, python: str | None
) -> None:
    """`sys.executable` is None in some programs that Python is built into."""
    message = start_error(database, monkeypatch, python)
    assert message.startswith("a worker cannot be started: this program has no Python")


def test_a_file_that_is_no_program_is_named(
    tmp_path: Path, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = tmp_path / "python"
    text.touch()
    message = start_error(database, monkeypatch, str(text))
    assert message.startswith(f"{text} cannot be started: ")
    assert "Permission denied" in message


@pytest.mark.parametrize(
    ("program", "end"),
    [
        ("exit 1", "exit code 1"),
        ("kill -9 $$", "signal 9"),
        ("echo this is no Python", "exit code 0|signal 9"),
        ("yes", "signal 9"),
        ("printf '\\0\\0\\0\\3[1]'; exec sleep 600", "signal 9"),
    ],
)
def test_a_python_that_ends_or_says_something_else_is_no_worker(
    tmp_path: Path, database: Path, monkeypatch: pytest.MonkeyPatch, program: str, end: str
) -> None:
    python = script(tmp_path / "python", program)
    message = start_error(database, monkeypatch, python)
    assert re.search(rf"\(({end})\); {re.escape(TRY_THIS.format(python))}$", message)


def test_a_python_that_hangs_is_given_up(
    tmp_path: Path, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_process, "START_LIMIT_S", 0.5)
    python = script(tmp_path / "python", "exec sleep 600")
    with Executor(database) as executor:
        monkeypatch.setattr(sys, "executable", python)
        with pytest.raises(WorkerStartError, match=re.escape(TRY_THIS.format(python))):
            executor.run("SELECT 1")


@needs_proc
def test_what_did_not_start_is_gone(
    tmp_path: Path, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = tmp_path / "pid"
    python = script(tmp_path / "python", f"echo $$ > '{note}'; echo no frame; exec sleep 600")
    start_error(database, monkeypatch, python)
    assert happens_within(lambda: not Path(f"/proc/{note.read_text().strip()}").exists(), 10)


def test_a_lane_whose_worker_did_not_start_is_free_again(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def ask() -> None:
        async with AsyncExecutor(lanes=1) as pool:
            with monkeypatch.context() as patch:
                patch.setattr(sys, "executable", "/no/such/python")
                for _ in range(3):
                    with pytest.raises(WorkerStartError):
                        await pool.run(database, "SELECT 1")
            assert (await pool.run(database, "SELECT 1")).rows == ((1,),)

    asyncio.run(ask())
