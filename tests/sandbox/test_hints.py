"""What to write instead, where SQL is that of another program."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from claimdb_sandbox import Executor
from claimdb_sandbox.hints import hints_for

TABLES = "write: SELECT name FROM sqlite_master WHERE type = 'table'"
COLUMNS = "write: PRAGMA table_info(NAME)"
INDEXES = "write: PRAGMA index_list(NAME)"
DDL = "write: SELECT sql FROM sqlite_master"


@pytest.mark.parametrize(
    ("sql", "start", "end"),
    [
        (".tables", ".tables is a command of the sqlite3 program", TABLES),
        (".table", ".tables is a command", TABLES),
        (".TABLES hero%", ".tables is a command", TABLES),
        (".schema heroes", ".schema is a command", DDL),
        (".index", ".indexes is a command", INDEXES),
        (".indexes heroes", ".indexes is a command", INDEXES),
        (".mode csv", "a line that starts with a dot", "not SQL"),
        (".shell id", "a line that starts with a dot", "not SQL"),
        (".tablespaces", "a line that starts with a dot", "not SQL"),
        ("SHOW TABLES", "SQLite has no SHOW TABLES", TABLES),
        ("show full tables", "SQLite has no SHOW TABLES", TABLES),
        ("Show\n Tables LIKE 'h%'", "SQLite has no SHOW TABLES", TABLES),
        ("SHOW COLUMNS FROM heroes", "SQLite has no DESCRIBE", COLUMNS),
        ("SHOW FULL COLUMNS FROM heroes", "SQLite has no DESCRIBE", COLUMNS),
        ("DESCRIBE heroes", "SQLite has no DESCRIBE", COLUMNS),
        ("desc\theroes", "SQLite has no DESCRIBE", COLUMNS),
        ("SHOW DATABASES", "SQLite has no SHOW;", "SELECT sql FROM sqlite_master"),
        ("SHOW CREATE TABLE heroes", "SQLite has no SHOW;", "SELECT sql FROM sqlite_master"),
        ("SELECT * FROM information_schema.tables", "SQLite has no information_schema", DDL),
        ("select x\nfrom\nINFORMATION_SCHEMA.columns", "SQLite has no information_schema", DDL),
        ("USE superhero", "there is one database here", "open already"),
        ("use\nsuperhero", "there is one database here", "open already"),
    ],
)
def test_sql_of_another_program_gets_a_hint(sql: str, start: str, end: str) -> None:
    (hint,) = hints_for(sql)
    assert hint.startswith(start)
    assert hint.endswith(end)


@pytest.mark.parametrize(
    "sql",
    [
        "",
        "SELECT 1",
        "SELECT 'SHOW TABLES'",
        "SELECT name FROM heroes ORDER BY name DESC",
        "describe",
        "description",
        "shows",
        "user",
        "useful x",
        "SELECT information_schema FROM heroes",
        "SELECT my_information_schema.x FROM my_information_schema",
        "WITH x AS (SELECT 1) SELECT nope FROM x",
    ],
)
def test_other_sql_gets_none(sql: str) -> None:
    assert hints_for(sql) == ()


@pytest.mark.parametrize("sql", [".tables", ".schema", ".index", "DESCRIBE x", "SHOW x"])
def test_what_a_hint_says_to_write_is_sql_that_runs(sql: str) -> None:
    (hint,) = hints_for(sql)
    better = hint.split("write: ")[-1].split("are in: ")[-1].replace("NAME", "heroes")
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE heroes (name UNIQUE)")
        assert connection.execute(better).fetchall()


def test_a_refused_query_carries_its_hint_and_one_that_runs_has_none(sandbox: Executor) -> None:
    refused = sandbox.run("-- which are there?\nSHOW TABLES;")
    assert refused.status == "sql_error"
    assert refused.message == 'near "SHOW": syntax error'
    assert refused.notes == hints_for("SHOW TABLES")
    assert sandbox.run("SELECT 'a.b' AS \"information_schema.x\"").notes == ()
