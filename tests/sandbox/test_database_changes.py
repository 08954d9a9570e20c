"""A database that others change, lock, replace or delete while an executor is open."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from claimdb_sandbox import Executor, UnusableDatabaseError
from tests.sandbox.long_queries import PATIENT
from tests.sandbox.made_databases import heroes_database
from tests.sandbox.writers import writer

COUNT = "SELECT count(*) FROM heroes"


def n_rows(sandbox: Executor) -> object:
    result = sandbox.run(COUNT)
    assert result.status == "ok", result
    return result.rows[0][0]


def test_rows_that_another_program_adds_are_read(database: Path) -> None:
    with writer(database) as program, Executor(database, PATIENT) as sandbox:
        for number in range(2000, 2020):
            assert n_rows(sandbox) == number
            program.run("INSERT INTO heroes (name) VALUES ('new')")


def test_a_table_that_another_program_makes_is_there(database: Path) -> None:
    with writer(database) as program, Executor(database, PATIENT) as sandbox:
        assert sandbox.run("SELECT * FROM made").status == "sql_error"
        program.run("CREATE TABLE made (x)", "CREATE VIRTUAL TABLE words USING fts5(word)")
        assert sandbox.run("SELECT * FROM made").columns == ("x",)
        program.run("ALTER TABLE made ADD COLUMN y", "VACUUM")
        assert sandbox.run("SELECT * FROM made").columns == ("x", "y")


def test_a_database_that_changes_its_journal_mode_is_read_on(database: Path) -> None:
    """By a program that is done before the next query: SQLite lets nobody change it beside one."""
    with Executor(database, PATIENT) as sandbox:
        for number, mode in enumerate(["WAL", "DELETE", "WAL", "TRUNCATE"]):
            assert n_rows(sandbox) == 2000 + number
            with writer(database) as program:
                program.run(
                    f"PRAGMA journal_mode = {mode}", "INSERT INTO heroes (name) VALUES ('new')"
                )


def move(new: Path, old: Path) -> None:
    new.replace(old)


def overwrite(new: Path, old: Path) -> None:
    old.write_bytes(new.read_bytes())


def relink(new: Path, old: Path) -> None:
    old.unlink()
    old.symlink_to(new)


@pytest.mark.parametrize("replace", [move, overwrite, relink])
def test_another_database_in_its_place_is_read(
    tmp_path: Path, database: Path, replace: Callable[[Path, Path], None]
) -> None:
    with Executor(database, PATIENT) as sandbox:
        for number in (3, 2000, 5000):
            replace(heroes_database(tmp_path / f"{number}.sqlite", n_rows=number), database)
            assert n_rows(sandbox) == number


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "No such file"),
        (b"", "is empty"),
        (b"garbage" * 10_000, "is not a SQLite database"),
        (b"SQLite format 3\0" + b"garbage" * 10_000, "damaged|cut short"),
    ],
    ids=["deleted", "emptied", "garbage", "garbage behind a header"],
)
def test_a_file_that_is_no_database_any_more_is_an_error_until_it_is_one_again(
    tmp_path: Path, database: Path, content: bytes | None, message: str
) -> None:
    copy = shutil.copyfile(database, tmp_path / "copy.sqlite")
    with Executor(database, PATIENT) as sandbox:
        assert n_rows(sandbox) == 2000
        pid = sandbox.worker_pid
        database.unlink() if content is None else database.write_bytes(content)
        for _ in range(2):
            with pytest.raises(UnusableDatabaseError, match=message) as caught:
                sandbox.run(COUNT)
            assert str(caught.value).startswith(f"{database} ")
        shutil.copyfile(copy, database)
        assert n_rows(sandbox) == 2000
        assert sandbox.worker_pid == pid
