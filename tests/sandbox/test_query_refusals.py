"""Why a query has no rows, in words; and tables of all kinds, which have them."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from claimdb_sandbox import Limits
from claimdb_sandbox.guards import GuardedConnection
from claimdb_sandbox.query import MAX_MESSAGE_CHARS, run_query
from claimdb_sandbox.refusals import refusal_of
from tests.sandbox.made_databases import folder_state, heroes_database

VIRTUAL = {
    "fts5": (
        "CREATE VIRTUAL TABLE v USING fts5(body); INSERT INTO v VALUES ('fast boat'), ('slow')",
        ["SELECT body FROM v", "SELECT body FROM v WHERE v MATCH 'boat' ORDER BY rank"],
    ),
    "fts4": (
        "CREATE VIRTUAL TABLE v USING fts4(body); INSERT INTO v VALUES ('fast boat'), ('slow')",
        ["SELECT body FROM v", "SELECT snippet(v) FROM v WHERE v MATCH 'boat'"],
    ),
    "fts4 with quotes": (
        'CREATE VIRTUAL TABLE "v" USING fts4(a); CREATE VIRTUAL TABLE "it\'s ""v""" USING fts4(a)',
        ['SELECT * FROM "it\'s ""v"""'],
    ),
    "rtree": (
        "CREATE VIRTUAL TABLE v USING rtree(id, low, high); INSERT INTO v VALUES (1, 0, 2)",
        ["SELECT * FROM v", "SELECT id FROM v WHERE low < 1 AND high > 1"],
    ),
}
"""Modules that a file may use: how such a table is made, and queries on it."""


def asked(path: Path, sql: str, **limits: Any) -> dict[str, Any]:
    with closing(GuardedConnection(path, Limits(**limits))) as guarded:
        answer: dict[str, Any] = json.loads(run_query(guarded, sql))
    return answer


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return heroes_database(tmp_path_factory.mktemp("hidden-folder") / "hidden-name.sqlite")


@pytest.mark.parametrize(
    ("sql", "status", "message"),
    [
        ("", "not_a_query", "there is no SQL statement in it"),
        ("SELECT nope FROM heroes", "sql_error", "no such column: nope"),
        ("SELECT 1 FROM nowhere", "sql_error", "no such table: nowhere"),
        ("SELECT nope(1)", "sql_error", "no such function: nope"),
        ("SELEC 1", "sql_error", 'near "SELEC": syntax error'),
        ("SELECT sum(9223372036854775807) FROM heroes", "sql_error", "integer overflow"),
        (
            "SELECT ?1",
            "sql_error",
            "parameters (?, :name) are not supported; write the value",
        ),
        (
            "SELECT zeroblob(2000000)",
            "sql_error",
            "a text or blob in it is longer than 1,000,000 bytes",
        ),
        (
            "SELECT $a('); DROP TABLE bad",  # to SQLite, a variable up to the bracket
            "sql_error",
            "You can only execute one statement at a time.",
        ),
        (
            "DELETE FROM heroes",
            "denied",
            "DELETE is not allowed: this database can only be read",
        ),
        (
            "-- tidy up\nwith x as (select 1) delete from heroes",
            "denied",
            "DELETE is not allowed: this database can only be read",
        ),
        ("VACUUM", "denied", "VACUUM is not allowed: this database can only be read"),
        (
            "PRAGMA database_list",
            "denied",
            "PRAGMA database_list is not allowed",
        ),
        (
            "SELECT * FROM dbstat",
            "denied",
            "this virtual table is not allowed",
        ),
        (
            "SELECT * FROM pragma_database_list",
            "denied",
            "this virtual table is not allowed",
        ),
        (
            "SELECT load_extension('x')",
            "denied",
            "load_extension() is not allowed",
        ),
    ],
)
def test_a_refusal_in_words(path: Path, sql: str, status: str, message: str) -> None:
    answer = asked(path, sql)
    assert (answer["status"], answer["message"]) == (status, message)
    assert answer["rows"] == []
    assert "columns" not in answer


def test_a_message_is_cut_at_300_characters(path: Path) -> None:
    answer = asked(path, "SELECT '" + "x" * 5000)
    assert len(answer["message"]) == MAX_MESSAGE_CHARS + 1 == 301
    assert answer["message"].startswith("unrecognized token: \"'xxx")
    assert answer["message"].endswith("x…")
    for strict_names in (True, False):
        noted = asked(path, 'SELECT "' + "x" * 5000 + '"', strict_names=strict_names)
        assert [len(note) for note in noted["notes"]] == [301]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM nowhere",
        "SELECT * FROM other.heroes",
        "ATTACH 'x.sqlite' AS x",
        "VACUUM INTO 'x.sqlite'",
        "PRAGMA database_list",
        "SELECT file FROM pragma_database_list",
        "SELECT readfile('/etc/passwd')",
        "SELECT '",
        "SELECT 1; SELECT 2",
    ],
)
def test_no_message_tells_where_the_file_is(path: Path, sql: str) -> None:
    text = json.dumps(asked(path, sql))
    assert "hidden" not in text
    assert str(path.parent.parent) not in text


def test_a_path_that_sqlite_puts_into_a_message_is_taken_out(path: Path) -> None:
    with closing(GuardedConnection(path, Limits())) as guarded:
        error = sqlite3.OperationalError(f"cannot open {path} or {path.parent} at line 7")
        refusal = refusal_of(error, guarded, "SELECT 1")
    assert "hidden" not in refusal.message
    assert refusal.message.endswith("at line 7")


def test_a_refusal_leaves_the_connection_and_the_folder_as_they_were(path: Path) -> None:
    before = folder_state(path.parent)
    with closing(GuardedConnection(path, Limits(max_steps=10**6))) as guarded:
        for sql in ("DELETE FROM heroes", "BEGIN", "SELECT '", "CREATE TEMP TABLE heroes (x)"):
            assert json.loads(run_query(guarded, sql))["status"] in ("denied", "sql_error")
            answer = json.loads(run_query(guarded, "SELECT count(*), max(name) FROM heroes"))
            assert answer["rows"] == [[2000, "Hero 999"]]
    assert folder_state(path.parent) == before


@pytest.mark.parametrize("module", VIRTUAL)
def test_a_virtual_table_of_the_file_is_read_as_any_other(tmp_path: Path, module: str) -> None:
    more_sql, queries = VIRTUAL[module]
    try:
        path = heroes_database(tmp_path / "db" / "heroes.sqlite", f"{more_sql};", n_rows=2)
    except sqlite3.OperationalError as error:
        pytest.skip(f"this SQLite has not the module: {error}")
    before = folder_state(path.parent)
    for sql in queries:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as plain:
            expected = [list(row) for row in plain.execute(sql)]
        answer = asked(path, sql)
        assert (answer["status"], answer.get("message")) == ("ok", None)
        assert answer["rows"] == expected
    assert asked(path, "INSERT INTO v DEFAULT VALUES")["status"] == "denied"
    assert folder_state(path.parent) == before


def test_a_table_of_a_module_that_is_not_there_leaves_the_others_readable(tmp_path: Path) -> None:
    path = heroes_database(tmp_path / "heroes.sqlite", n_rows=2)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "PRAGMA writable_schema = 1;"
            "INSERT INTO sqlite_master VALUES"
            " ('table', 'v \"x', 'v \"x', 0, 'CREATE VIRTUAL TABLE \"v \"\"x\" USING gone(a)');"
        )
    assert asked(path, 'SELECT * FROM "v ""x"')["message"] == "no such module: gone"
    assert asked(path, "SELECT count(*) FROM heroes")["rows"] == [[2]]


@pytest.mark.parametrize(
    ("sql", "n_rows"),
    [
        ("SELECT name FROM pragma_table_info('heroes')", 4),
        ("SELECT * FROM pragma_foreign_key_list('heroes')", 0),
        ("SELECT name FROM pragma_table_list WHERE name = 'heroes'", 1),
        ("PRAGMA table_info(heroes)", 4),
        ("SELECT value FROM json_each('[1, 2, 3]')", 3),
        ("SELECT fullkey FROM json_tree('[1, [2]]')", 4),
        ("SELECT sql FROM sqlite_master WHERE name = 'heroes'", 1),
    ],
)
def test_the_schema_and_json_are_read(path: Path, sql: str, n_rows: int) -> None:
    answer = asked(path, sql)
    assert answer["status"] == "ok"
    assert len(answer["rows"]) == n_rows


def test_a_column_whose_name_is_no_utf_8_spoils_only_queries_that_name_it(tmp_path: Path) -> None:
    more_sql = 'CREATE TABLE odd ("ab__cd", n); INSERT INTO odd VALUES (1, 2);'
    path = heroes_database(tmp_path / "hidden-name.sqlite", more_sql, n_rows=2)
    content = path.read_bytes()
    assert content.count(b"ab__cd") == 1
    path.write_bytes(content.replace(b"ab__cd", b"ab\xff\xfecd"))
    with closing(GuardedConnection(path, Limits())) as guarded:
        for sql, rows in {"SELECT n FROM odd": [[2]], "SELECT count(*) FROM heroes": [[2]]}.items():
            spoilt = json.loads(run_query(guarded, "SELECT * FROM odd"))
            assert spoilt["status"] == "sql_error"
            assert "hidden" not in spoilt["message"]
            assert json.loads(run_query(guarded, sql))["rows"] == rows
        names = json.loads(run_query(guarded, "SELECT name FROM pragma_table_info('odd')"))
    assert (names["rows"], names["flags"]) == ([["ab\ufffd\ufffdcd"], ["n"]], ["replaced_text"])
