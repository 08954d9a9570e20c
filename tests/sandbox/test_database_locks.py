"""Locks on a database: of others, of this program, and none at all as on some network disks."""

from __future__ import annotations

import errno
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path

import pytest

from claimdb_sandbox import Executor, Limits, UnusableDatabaseError
from claimdb_sandbox.guards import GuardedConnection
from tests.children import child_env
from tests.sandbox.long_queries import PATIENT
from tests.sandbox.made_databases import folder_state
from tests.sandbox.writers import writer

COUNT = "SELECT count(*) FROM heroes"


def n_rows(sandbox: Executor) -> object:
    result = sandbox.run(COUNT)
    assert result.status == "ok", result
    return result.rows[0][0]


def test_a_first_query_says_that_the_file_is_locked(database: Path) -> None:
    with writer(database) as program, Executor(database, PATIENT) as sandbox:
        program.run("BEGIN EXCLUSIVE")
        with pytest.raises(UnusableDatabaseError, match=r"locked.*try again later"):
            sandbox.run(COUNT)
        program.run("ROLLBACK")
        assert n_rows(sandbox) == 2000


@pytest.mark.parametrize(
    "limits",
    [PATIENT, Limits(time_limit_s=0.5, grace_s=20)],
    ids=["wide limits", "a time limit shorter than the wait for a lock"],
)
def test_a_later_query_waits_for_a_lock_only_so_long(database: Path, limits: Limits) -> None:
    with writer(database) as program, Executor(database, limits) as sandbox:
        assert n_rows(sandbox) == 2000
        program.run("BEGIN EXCLUSIVE")
        with pytest.raises(UnusableDatabaseError, match=r"locked.*try again later"):
            sandbox.run(COUNT)
        program.run("ROLLBACK")
        assert n_rows(sandbox) == 2000


KEEPS_LOCKING = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=60)
print("ready", flush=True)
while True:
    connection.execute("BEGIN EXCLUSIVE")
    connection.execute("COMMIT")
    time.sleep(0.0005)
"""


def test_a_lock_that_comes_while_a_file_is_opened_is_an_error_of_ours(database: Path) -> None:
    """Between the first statement on a new connection and the last one, a lock may come."""
    command = [sys.executable, "-I", "-S", "-c", KEEPS_LOCKING, str(database)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        n_opened = 0
        for _ in range(500):
            with suppress(UnusableDatabaseError):
                GuardedConnection(database, Limits(time_limit_s=0.001)).close()
                n_opened += 1
        program.kill()
    assert n_opened > 0


def test_a_query_waits_for_a_short_lock(database: Path) -> None:
    code = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN EXCLUSIVE")
print("locked", flush=True)
time.sleep(0.3)
connection.execute("DELETE FROM heroes WHERE id <= 10")
connection.execute("COMMIT")
"""
    command = [sys.executable, "-I", "-S", "-c", code, str(database)]
    with Executor(database, PATIENT) as sandbox:
        assert n_rows(sandbox) == 2000
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
            assert program.stdout is not None
            assert program.stdout.readline() == "locked\n"
            assert n_rows(sandbox) == 1990


LOCKS_ALL = """
import fcntl, sys
with open(sys.argv[1], "r+b") as file:
    fcntl.lockf(file, fcntl.LOCK_EX)
    print("locked", flush=True)
    sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="locks files in another way")
def test_a_program_that_locks_the_whole_file_is_not_waited_for(database: Path) -> None:
    """As some tools for backups do, which know nothing of SQLite."""
    command = [sys.executable, "-I", "-S", "-c", LOCKS_ALL, str(database)]
    limits = Limits(time_limit_s=10, grace_s=5)
    with (
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program,
        Executor(database, limits) as sandbox,
    ):
        assert program.stdout is not None
        assert program.stdout.readline() == b"locked\n"
        with pytest.raises(UnusableDatabaseError, match=r"locked.*try again later"):
            sandbox.run(COUNT)
        program.kill()
        program.wait()
        assert n_rows(sandbox) == 2000


def test_a_check_does_not_take_away_locks_of_this_program(database: Path) -> None:
    """Closing any file lets go of all POSIX locks that the process has on it.

    SQLite's own connections know that (https://sqlite.org/howtocorrupt.html#_posix_advisory_locks).
    """
    with closing(sqlite3.connect(database, isolation_level=None)) as own:
        own.execute("BEGIN EXCLUSIVE")
        with Executor(database) as sandbox, pytest.raises(UnusableDatabaseError, match="locked"):
            sandbox.run(COUNT)


def test_a_check_does_not_let_others_remove_a_log_that_this_program_writes(
    database: Path,
) -> None:
    """Without its lock, the next program takes itself for the last one, and merges the log."""
    with closing(sqlite3.connect(database, isolation_level=None)) as own:
        own.execute("PRAGMA journal_mode = WAL")
        own.execute("INSERT INTO heroes (name) VALUES ('new')")
        with Executor(database) as sandbox:
            assert n_rows(sandbox) == 2001
        with writer(database) as other:
            other.run(COUNT)
        own.execute("INSERT INTO heroes (name) VALUES ('newest')")
        with Executor(database) as sandbox:
            assert n_rows(sandbox) == 2002


NO_LOCKS = """
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

int fcntl(int fd, int command, ...)
{
    va_list rest;
    va_start(rest, command);
    long argument = va_arg(rest, long);
    va_end(rest);
    if (command == F_SETLK || command == F_SETLKW || command == F_GETLK) {
        errno = ERRNO;
        return -1;
    }
    return (int)syscall(SYS_fcntl, fd, command, argument);
}

int fcntl64(int fd, int command, ...) __attribute__((alias("fcntl")));
"""

READ = """
import fcntl, sys
from contextlib import closing
from pathlib import Path
from claimdb_sandbox.database_file import connect_read_only
with open(sys.argv[1]) as file:
    try:
        fcntl.lockf(file, fcntl.LOCK_SH)
    except OSError as error:
        print(error.errno)
with closing(connect_read_only(Path(sys.argv[1]))) as connection:
    print(connection.execute("SELECT count(*) FROM heroes").fetchone())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="takes the place of a function of glibc")
@pytest.mark.parametrize("code", ["ENOLCK", "ENOSYS", "EINVAL"])
def test_a_disk_without_locks_is_read_without(tmp_path: Path, database: Path, code: str) -> None:
    """NFS without a lock daemon says ENOLCK, Lustre without the option ENOSYS."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("needs a C compiler")
    library = tmp_path / "no_locks.so"
    build = [compiler, "-shared", "-fPIC", f"-DERRNO={code}", "-x", "c", "-", "-o", str(library)]
    subprocess.run(build, input=NO_LOCKS, text=True, check=True)
    before = folder_state(database.parent)
    done = subprocess.run(
        [sys.executable, "-c", READ, str(database)],
        env=child_env(tmp_path, LD_PRELOAD=str(library)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == f"{getattr(errno, code)}\n(2000,)\n", done.stderr
    assert folder_state(database.parent) == before
