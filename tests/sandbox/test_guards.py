"""What is in force on a guarded connection, and that a file cannot get around it."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from claimdb_sandbox import Limits
from claimdb_sandbox.guards import GuardedConnection
from claimdb_sandbox.query import run_query
from tests.sandbox.made_databases import heroes_database

PRAGMAS = {
    "query_only": 1,
    "trusted_schema": 0,
    "temp_store": 2,
    "cell_size_check": 1,
    "mmap_size": 0,
}
LIMITS = {
    "LENGTH": 1_000_000,
    "SQL_LENGTH": 400_100,
    "COLUMN": 200,
    "EXPR_DEPTH": 200,
    "COMPOUND_SELECT": 50,
    "VDBE_OP": 250_000,
    "FUNCTION_ARG": 32,
    "ATTACHED": 0,
    "LIKE_PATTERN_LENGTH": 1000,
    "VARIABLE_NUMBER": 100,
    "TRIGGER_DEPTH": 10,
    "WORKER_THREADS": 0,
}


@pytest.fixture
def guarded(database: Path) -> Iterator[GuardedConnection]:
    with closing(GuardedConnection(database, Limits())) as connection:
        yield connection


@pytest.mark.parametrize(("name", "value"), PRAGMAS.items())
def test_a_setting_is_in_force(guarded: GuardedConnection, name: str, value: int) -> None:
    guarded.connection.set_authorizer(None)  # which lets nobody ask
    answer = guarded.connection.execute(f"PRAGMA {name}").fetchone()
    # Where SQLite was built without memory maps it answers nothing.
    assert answer == (value,) or (name == "mmap_size" and answer is None)


@pytest.mark.parametrize(("name", "most"), LIMITS.items())
def test_a_limit_of_sqlite_is_in_force(guarded: GuardedConnection, name: str, most: int) -> None:
    assert guarded.connection.getlimit(getattr(sqlite3, f"SQLITE_LIMIT_{name}")) == most


@pytest.mark.skipif(sys.version_info < (3, 12), reason="needs getconfig() of Python 3.12")
def test_the_defensive_mode_is_on(guarded: GuardedConnection) -> None:
    config = guarded.connection.getconfig  # type: ignore[attr-defined, unused-ignore]
    on = sqlite3.SQLITE_DBCONFIG_DEFENSIVE  # type: ignore[attr-defined, unused-ignore]
    off = sqlite3.SQLITE_DBCONFIG_WRITABLE_SCHEMA  # type: ignore[attr-defined, unused-ignore]
    assert (config(on), config(off)) == (True, False)


def test_a_view_of_the_file_is_under_the_same_policy(tmp_path: Path) -> None:
    """What a file brings along may do no more than the SQL that uses it."""
    views = "CREATE VIEW leak AS SELECT fts3_tokenizer('simple') AS pointer;"
    path = heroes_database(tmp_path / "heroes.sqlite", views, n_rows=3)
    with closing(GuardedConnection(path, Limits())) as guarded:
        answer = json.loads(run_query(guarded, "SELECT * FROM leak"))
    assert answer["status"] in ("denied", "sql_error")
    assert answer["rows"] == []
