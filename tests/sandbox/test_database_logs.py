"""A database with a log beside it: its newest rows are read, or nobody is told old ones."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import pytest

from claimdb_sandbox import Executor, UnusableDatabaseError
from claimdb_sandbox.database_file import connect_read_only
from tests.loader.made_databases import locked_folder
from tests.sandbox.long_queries import PATIENT
from tests.sandbox.made_databases import folder_state, heroes_database
from tests.sandbox.writers import writer

COUNT = "SELECT count(*) FROM heroes"
INSERT = "INSERT INTO heroes (name) VALUES ('newest')"
SMALL_CACHE = "PRAGMA cache_size = 1"
CHANGE_ALL = "UPDATE heroes SET name = name || ' changed'"
FIRST_NAME = "SELECT name FROM heroes WHERE id = 1"


@pytest.fixture
def wal_database(tmp_path: Path) -> Path:
    """2,000 rows in WAL mode, all of them in the file, alone in its folder."""
    path = heroes_database(tmp_path / "db" / "heroes.sqlite")
    with writer(path) as program:
        program.run("PRAGMA journal_mode = WAL", "DELETE FROM bad")
    assert list(folder_state(path.parent)) == ["heroes.sqlite"]
    return path


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A folder into which a database is copied while it is written."""
    folder = tmp_path / "copied"
    folder.mkdir()
    return folder


def copy_with(path: Path, folder: Path, *suffixes: str) -> Path:
    """Copy a database and some of its logs, as a crash or a careless backup leaves them."""
    for suffix in ("", *suffixes):
        shutil.copyfile(f"{path}{suffix}", folder / f"{path.name}{suffix}")
    return folder / path.name


def test_an_executor_that_has_nothing_to_do_lets_the_log_be_merged(wal_database: Path) -> None:
    """SQLite merges a log when the last connection ends: then a copy of the file has all rows."""
    with Executor(wal_database, PATIENT) as sandbox:
        with writer(wal_database) as program:
            program.run(INSERT)
            assert rows(sandbox) == 2001
        assert list(folder_state(wal_database.parent)) == ["heroes.sqlite"]
        assert rows(sandbox) == 2001


def rows(sandbox: Executor, sql: str = COUNT) -> object:
    result = sandbox.run(sql)
    assert result.status == "ok", result
    return result.rows[0][0]


def test_a_read_only_folder_stays_as_it_is(wal_database: Path) -> None:
    before = folder_state(wal_database.parent)
    with Executor(wal_database, PATIENT) as sandbox:
        sandbox.run("SELECT 1")  # its worker starts as whoever runs the tests
        with locked_folder(wal_database.parent):
            with pytest.raises(PermissionError):
                (wal_database.parent / "probe").touch()
            with closing(connect_read_only(wal_database)) as connection:
                assert connection.execute(COUNT).fetchone() == (2000,)
                assert folder_state(wal_database.parent) == before
            assert rows(sandbox) == 2000
            assert folder_state(wal_database.parent) == before
    assert folder_state(wal_database.parent) == before


def test_the_newest_rows_of_a_program_that_writes_are_read(wal_database: Path) -> None:
    with writer(wal_database) as program, Executor(wal_database, PATIENT) as sandbox:
        assert rows(sandbox) == 2000
        for number in range(1, 6):
            program.run(INSERT)
            before = folder_state(wal_database.parent)
            assert list(before) == ["heroes.sqlite", "heroes.sqlite-shm", "heroes.sqlite-wal"]
            assert rows(sandbox) == 2000 + number
            with closing(connect_read_only(wal_database)) as connection:
                assert connection.execute(COUNT).fetchone() == (2000 + number,)
            assert folder_state(wal_database.parent) == before


def test_rows_are_read_before_and_after_the_log_is_merged(wal_database: Path) -> None:
    with Executor(wal_database, PATIENT) as sandbox:
        with writer(wal_database) as program:
            program.run(INSERT)
            assert rows(sandbox) == 2001
            program.run("PRAGMA wal_checkpoint(TRUNCATE)")
            assert rows(sandbox) == 2001
            program.run(INSERT)
            assert rows(sandbox) == 2002
        assert rows(sandbox) == 2002


def test_rows_that_are_not_committed_are_not_read(wal_database: Path) -> None:
    with writer(wal_database) as program, Executor(wal_database, PATIENT) as sandbox:
        program.run("BEGIN", INSERT)
        assert rows(sandbox) == 2000
        program.run("ROLLBACK")
        assert rows(sandbox) == 2000


def test_a_log_of_a_crashed_program_is_read_where_its_index_is_there(
    wal_database: Path, copied: Path
) -> None:
    with writer(wal_database) as program:
        program.run(INSERT)
        copy = copy_with(wal_database, copied, "-wal", "-shm")
    before = folder_state(copied)
    with Executor(copy, PATIENT) as sandbox:
        assert rows(sandbox) == 2001
    assert folder_state(copied) == before


@pytest.mark.parametrize("suffix", ["-wal", "-journal"])
def test_a_log_that_only_a_writer_can_merge_is_not_passed_over(
    tmp_path: Path, copied: Path, suffix: str
) -> None:
    """Without it the newest rows would lack, or half of a change would be read."""
    path = heroes_database(tmp_path / "source.sqlite")
    with writer(path) as program:
        program.run(f"PRAGMA journal_mode = {'WAL' if suffix == '-wal' else 'DELETE'}", SMALL_CACHE)
        program.run(INSERT if suffix == "-wal" else "BEGIN")
        if suffix == "-journal":
            program.run(CHANGE_ALL)
        copy = copy_with(path, copied, suffix)
    before = folder_state(copied)
    with Executor(copy) as sandbox:
        for _ in range(2):
            with pytest.raises(
                UnusableDatabaseError, match=r"only a writer can merge.*sqlite3 FILE"
            ):
                sandbox.run(COUNT)
    with pytest.raises(UnusableDatabaseError, match="only a writer can merge"):
        connect_read_only(copy)
    assert folder_state(copied) == before


def test_the_advice_for_a_log_that_only_a_writer_can_merge_helps(
    tmp_path: Path, copied: Path
) -> None:
    path = heroes_database(tmp_path / "source.sqlite")
    with writer(path) as program:
        program.run(SMALL_CACHE, "BEGIN", CHANGE_ALL)
        copy = copy_with(path, copied, "-journal")
    with Executor(copy) as sandbox:
        with pytest.raises(UnusableDatabaseError):
            sandbox.run(COUNT)
        with writer(copy) as program:
            program.run("SELECT count(*) FROM sqlite_master")
        assert rows(sandbox, FIRST_NAME) == "Hero 1"


@pytest.mark.parametrize("mode", ["PERSIST", "TRUNCATE"])
def test_a_journal_that_a_finished_change_left_is_no_obstacle(tmp_path: Path, mode: str) -> None:
    path = heroes_database(tmp_path / "db" / "heroes.sqlite")
    with writer(path) as program:
        program.run(f"PRAGMA journal_mode = {mode}", INSERT)
    before = folder_state(path.parent)
    assert list(before) == ["heroes.sqlite", "heroes.sqlite-journal"]
    with Executor(path, PATIENT) as sandbox:
        assert rows(sandbox) == 2001
    assert folder_state(path.parent) == before


def test_a_change_that_is_not_finished_is_not_read(database: Path) -> None:
    with writer(database) as program, Executor(database, PATIENT) as sandbox:
        assert rows(sandbox, FIRST_NAME) == "Hero 1"
        program.run("BEGIN", "UPDATE heroes SET name = 'changed' WHERE id = 1")
        assert (database.parent / "heroes.sqlite-journal").stat().st_size > 0
        assert rows(sandbox, FIRST_NAME) == "Hero 1"
        program.run("COMMIT")
        assert rows(sandbox, FIRST_NAME) == "changed"
