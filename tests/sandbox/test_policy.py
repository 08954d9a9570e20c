"""What SQL may do: read and ask for the schema; all else that SQLite knows is denied."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress

import pytest

from claimdb_sandbox.policy import ALLOWED_VIRTUAL_TABLES, Policy

READING_PRAGMAS = (
    *("foreign_key_list", "index_info", "index_list", "index_xinfo"),
    *("table_info", "table_list", "table_xinfo"),
)
WRITING = (
    *("ALTER_TABLE", "ANALYZE", "ATTACH", "CREATE_INDEX", "CREATE_TABLE", "CREATE_TEMP_INDEX"),
    *("CREATE_TEMP_TABLE", "CREATE_TEMP_TRIGGER", "CREATE_TEMP_VIEW", "CREATE_TRIGGER"),
    *("CREATE_VIEW", "CREATE_VTABLE", "DELETE", "DETACH", "DROP_INDEX", "DROP_TABLE"),
    *("DROP_TEMP_INDEX", "DROP_TEMP_TABLE", "DROP_TEMP_TRIGGER", "DROP_TEMP_VIEW"),
    *("DROP_TRIGGER", "DROP_VIEW", "DROP_VTABLE", "INSERT", "REINDEX", "SAVEPOINT"),
    *("TRANSACTION", "UPDATE"),
)
"""All actions of https://sqlite.org/c3ref/c_alter_table.html that change something."""


def asked(action: int, first: str | None = None, second: str | None = None) -> tuple[int, Policy]:
    policy = Policy()
    return policy(action, first, second, "main", None), policy


@pytest.mark.parametrize(
    ("action", "first", "second"),
    [
        (sqlite3.SQLITE_SELECT, None, None),
        (sqlite3.SQLITE_READ, "heroes", "name"),
        (sqlite3.SQLITE_READ, "sqlite_master", "sql"),
        (sqlite3.SQLITE_READ, "heroes", ""),
        (sqlite3.SQLITE_RECURSIVE, None, None),
        (sqlite3.SQLITE_FUNCTION, None, "count"),
        (sqlite3.SQLITE_FUNCTION, None, "randomblob"),
        (sqlite3.SQLITE_FUNCTION, None, "json_extract"),
    ],
)
def test_reading_is_allowed(action: int, first: str | None, second: str | None) -> None:
    answer, policy = asked(action, first, second)
    assert answer == sqlite3.SQLITE_OK
    assert policy.denied is None


@pytest.mark.parametrize("name", WRITING)
def test_every_action_that_changes_something_is_denied(name: str) -> None:
    answer, policy = asked(getattr(sqlite3, f"SQLITE_{name}"), "heroes", None)
    assert answer == sqlite3.SQLITE_DENY
    assert policy.denied


@pytest.mark.parametrize("action", [0, 34, 99, -1])
def test_an_action_that_nobody_knows_is_denied(action: int) -> None:
    assert asked(action)[0] == sqlite3.SQLITE_DENY


@pytest.mark.parametrize(
    "name", ["load_extension", "LOAD_EXTENSION", "readfile", "writefile", "edit", "fts3_tokenizer"]
)
def test_functions_that_reach_out_of_the_database_are_denied(name: str) -> None:
    answer, policy = asked(sqlite3.SQLITE_FUNCTION, None, name)
    assert answer == sqlite3.SQLITE_DENY
    assert policy.denied == f"{name}()"


@pytest.mark.parametrize("name", READING_PRAGMAS)
@pytest.mark.parametrize("case", [str.lower, str.upper, str.title])
def test_pragmas_of_the_schema_are_allowed_in_any_letter_case(
    name: str, case: Callable[[str], str]
) -> None:
    assert asked(sqlite3.SQLITE_PRAGMA, case(name), "heroes")[0] == sqlite3.SQLITE_OK


@pytest.mark.parametrize(
    "name",
    ["database_list", "USER_VERSION", "writable_schema", "query_only", "hard_heap_limit", "", "x"],
)
def test_other_pragmas_are_denied_by_name(name: str) -> None:
    answer, policy = asked(sqlite3.SQLITE_PRAGMA, name, None)
    assert answer == sqlite3.SQLITE_DENY
    assert policy.denied == f"PRAGMA {name}"


def test_of_all_pragmas_that_sqlite_has_only_those_of_the_schema_run() -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        known = [name for (name,) in connection.execute("PRAGMA pragma_list")]
        connection.set_authorizer(Policy())
        ran = set()
        for name in known:
            with suppress(sqlite3.DatabaseError):
                connection.execute(f"PRAGMA {name}").close()
                ran.add(name)
    assert len(known) > 40
    assert ran == {*READING_PRAGMAS, "data_version"}  # FTS5 asks for the last one, a counter


@pytest.mark.parametrize(
    ("sql", "denied"),
    [
        ("SELECT count(*) FROM heroes", None),
        ("PRAGMA table_info(heroes)", None),
        ("PRAGMA TABLE_INFO(heroes)", None),
        ("PRAGMA main.table_info('heroes')", None),
        ("PRAGMA table_info = heroes", None),
        ("EXPLAIN QUERY PLAN SELECT name FROM heroes", None),
        ("WITH RECURSIVE r(n) AS (SELECT 1 UNION SELECT n + 1 FROM r) SELECT n FROM r", None),
        ("PRAGMA user_version", "PRAGMA user_version"),
        ("PRAGMA main.journal_mode = WAL", "PRAGMA journal_mode"),
        ("ATTACH ':memory:' AS other", "ATTACH"),
        ("DELETE FROM heroes", "DELETE"),
        ("UPDATE heroes SET name = 1", "UPDATE"),
        ("INSERT INTO heroes VALUES (1)", "INSERT"),
        ("DROP TABLE heroes", "changing the schema"),
        ("CREATE TABLE t (x)", "changing the schema"),
        ("CREATE TEMP TABLE t (x)", "changing the schema"),
        ("BEGIN", "what this statement does"),
        ("SAVEPOINT s", "what this statement does"),
    ],
)
def test_a_statement_is_allowed_or_what_it_does_is_remembered(sql: str, denied: str | None) -> None:
    policy = Policy()
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute("CREATE TABLE heroes (name)")
        connection.set_authorizer(policy)
        with suppress(sqlite3.DatabaseError):
            connection.execute(sql).close()
    assert policy.denied == denied


def test_what_was_denied_first_is_remembered() -> None:
    policy = Policy()
    policy(sqlite3.SQLITE_DELETE, "heroes", None, "main", None)
    policy(sqlite3.SQLITE_READ, "heroes", "name", "main", None)
    policy(sqlite3.SQLITE_ATTACH, "x.db", None, None, None)
    assert policy.denied == "DELETE"


def test_the_virtual_tables_of_the_schema_and_of_json_are_those_that_are_warmed_up() -> None:
    names = {table.split("(")[0] for table in ALLOWED_VIRTUAL_TABLES}
    assert names == {f"pragma_{name}" for name in READING_PRAGMAS} | {"json_each", "json_tree"}
