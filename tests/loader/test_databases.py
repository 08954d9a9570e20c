"""Database handles: what they answer, and that processes and threads may share them."""

from __future__ import annotations

import gc
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import claimdb
from claimdb_loader.databases import (
    DEFAULT_MAX_ROWS,
    Database,
    QueryResult,
    open_database,
)
from claimdb_metric.errors import DatabaseFileError, DataError
from tests.loader.made_databases import is_open, listing, make_database


@pytest.fixture
def db(tmp_path: Path) -> Database:
    return Database("heroes", make_database(tmp_path / "heroes.sqlite", 2500))


def count(db: Database) -> object:
    return db.query("SELECT count(*) FROM heroes").rows[0][0]


def test_a_result_is_columns_rows_and_whether_there_are_more(db: Database) -> None:
    result = db.query("SELECT id, name AS hero FROM heroes ORDER BY id LIMIT 2")
    assert result == QueryResult(("id", "hero"), ((1, "hero 1"), (2, "hero 2")), truncated=False)
    assert list(result) == [(1, "hero 1"), (2, "hero 2")]
    assert len(result) == 2


@pytest.mark.parametrize(
    ("max_rows", "n_rows", "truncated"),
    [
        (None, 2500, False),
        (2501, 2500, False),
        (2500, 2500, False),
        (2499, 2499, True),
        (1, 1, True),
        (0, 0, True),
        (10**12, 2500, False),
    ],
)
def test_max_rows(db: Database, max_rows: int | None, n_rows: int, truncated: bool) -> None:
    result = db.query("SELECT id FROM heroes ORDER BY id", max_rows=max_rows)
    assert result.rows == tuple((number,) for number in range(1, n_rows + 1))
    assert result.truncated == truncated


def test_a_thousand_rows_unless_told(db: Database) -> None:
    result = db.query("SELECT * FROM heroes")
    assert (len(result), result.truncated) == (DEFAULT_MAX_ROWS, True) == (1000, True)
    assert db.query("SELECT 1 WHERE 0").truncated is False


def test_a_negative_max_rows(db: Database) -> None:
    with pytest.raises(DataError, match="max_rows=-1 must be an integer of 0 or more"):
        db.query("SELECT 1", max_rows=-1)


@pytest.mark.parametrize(
    ("sql", "params", "rows"),
    [
        ("SELECT ?, ?", ("a", None), (("a", None),)),
        ("SELECT :x + :y", {"x": 1, "y": 2}, ((3,),)),
        ("SELECT count(*) FROM heroes WHERE name = ?", ["hero 7"], ((1,),)),
        ("SELECT ?", ["'; DROP TABLE heroes --"], (("'; DROP TABLE heroes --",),)),
        ("SELECT cast(x'c3ff41' AS text)", (), (("��A",),)),
        ("SELECT 1 AS n, 2 AS n", (), ((1, 2),)),
        ("", (), ()),
    ],
)
def test_parameters_and_values(
    db: Database, sql: str, params: object, rows: tuple[tuple[object, ...], ...]
) -> None:
    assert db.query(sql, params).rows == rows  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sql", "params", "message"),
    [
        ("SELECT fame FROM heroes", (), "no such column"),
        ("SELECT * FROM villains", (), "no such table"),
        ("SELECT ?", (), "Incorrect number of bindings"),
        ("SELECT 1; SELECT 2", (), "one statement at a time"),
        ("DELETE FROM heroes", (), "readonly"),
    ],
)
def test_what_sqlite_refuses(
    db: Database, sql: str, params: tuple[object, ...], message: str
) -> None:
    before = listing(db.path.parent)
    with pytest.raises(sqlite3.Error, match=message):
        db.query(sql, params)
    assert count(db) == 2500
    assert listing(db.path.parent) == before


def test_tables_and_schema_are_in_a_stable_order(tmp_path: Path) -> None:
    statements = [
        "CREATE TABLE zoo (id INTEGER PRIMARY KEY AUTOINCREMENT, size REAL)",
        "CREATE TABLE sqliteish (id INTEGER)",
        'CREATE TABLE "an animal" (\n  id INTEGER, -- its number\n  zoo REFERENCES zoo(id)\n)',
        'CREATE INDEX by_zoo ON "an animal" (zoo)',
        "CREATE VIEW big AS SELECT * FROM zoo WHERE size > 1",
    ]
    expected = (
        'CREATE TABLE "an animal" (\n  id INTEGER, -- its number\n  zoo REFERENCES zoo(id)\n);\n\n'
        "CREATE TABLE sqliteish (id INTEGER);\n\n"
        "CREATE TABLE zoo (id INTEGER PRIMARY KEY AUTOINCREMENT, size REAL);\n\n"
        "CREATE VIEW big AS SELECT * FROM zoo WHERE size > 1;"
    )
    for name, order in (("one", statements), ("two", [statements[i] for i in (2, 0, 4, 3, 1)])):
        with closing(sqlite3.connect(tmp_path / name)) as connection:
            for statement in order:
                connection.execute(statement)
        with Database(name, tmp_path / name) as db:
            assert db.tables() == ["an animal", "sqliteish", "zoo"]
            assert db.schema() == expected
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(expected)


def test_a_with_block_closes_and_a_later_query_opens_again(db: Database) -> None:
    with db as opened:
        assert opened is db
        assert count(db) == 2500
    assert not is_open(db.path)
    assert count(db) == 2500
    assert is_open(db.path)
    db.close()
    db.close()
    assert not is_open(db.path)


def test_a_with_block_per_row_leaves_nothing_behind(db: Database) -> None:
    for _ in range(50):
        with db:
            count(db)
    gc.collect()
    connections = [thing for thing in gc.get_objects() if isinstance(thing, sqlite3.Connection)]
    assert not is_open(db.path)
    assert len(connections) < 50


def test_a_handle_says_what_it_is(db: Database) -> None:
    assert repr(db) == f"Database('heroes', path={str(db.path)!r})"
    assert (db.db_name, db.path.name) == ("heroes", "heroes.sqlite")


def test_a_file_that_is_replaced_is_opened_anew(db: Database, tmp_path: Path) -> None:
    assert count(db) == 2500
    make_database(tmp_path / "new.sqlite", 7).replace(db.path)
    assert count(db) == 7
    db.path.write_bytes(b"<html>")
    with pytest.raises(DatabaseFileError, match="HTML page"):
        count(db)
    db.path.unlink()
    with pytest.raises(DatabaseFileError, match="No such file"):
        count(db)


def test_a_database_without_tables_is_refused_at_the_first_query(tmp_path: Path) -> None:
    path = make_database(tmp_path / "a.sqlite", ddl="PRAGMA user_version = 1")
    with pytest.raises(DatabaseFileError, match="holds no table"):
        Database("a", path).query("SELECT 1")
    assert not is_open(path)


def test_the_same_handle_for_the_same_file(tmp_path: Path) -> None:
    for name in ("a", "b"):
        make_database(tmp_path / f"{name}.sqlite")
    one = open_database("a", data_dir=tmp_path)
    assert open_database("a", data_dir=str(tmp_path)) is one
    assert open_database("b", data_dir=tmp_path) is not one
    assert claimdb.open_database("a", data_dir=tmp_path) is one
    with one:
        assert count(one) == 3
    assert open_database("a", data_dir=tmp_path) is one


def test_opening_checks_the_file_before_any_query(tmp_path: Path) -> None:
    (tmp_path / "a.sqlite").write_bytes(b"<!DOCTYPE html>")
    with pytest.raises(DatabaseFileError, match=r"a\.sqlite is an HTML page, not SQLite"):
        open_database("a", data_dir=tmp_path)


@pytest.mark.parametrize(
    "sql",
    [
        "PRAGMA case_sensitive_like = ON",
        "PRAGMA query_only = 0",
        "PRAGMA user_version = 7",
        "PRAGMA hard_heap_limit = 1000",
        "BEGIN",
        "SAVEPOINT s",
        "ATTACH ':memory:' AS other",
    ],
)
def test_no_query_changes_the_handle_for_the_next(db: Database, sql: str) -> None:
    before = db.query("SELECT 'A' LIKE 'a', count(*) FROM heroes").rows
    with pytest.raises(sqlite3.DatabaseError, match="not authorized"):
        db.query(sql)
    assert db.query("SELECT 'A' LIKE 'a', count(*) FROM heroes").rows == before


@pytest.mark.parametrize(
    ("sql", "n_rows"),
    [
        ("PRAGMA table_info(heroes)", 2),
        ("PRAGMA user_version", 1),
        ("SELECT * FROM pragma_table_info('heroes')", 2),
        ("SELECT value FROM json_each('[1, 2, 3]')", 3),
        (
            "WITH r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r LIMIT 4) SELECT n FROM r",
            4,
        ),
    ],
)
def test_what_only_reads_is_allowed(db: Database, sql: str, n_rows: int) -> None:
    assert len(db.query(sql)) == n_rows


def test_a_page_that_is_damaged_names_the_file(tmp_path: Path) -> None:
    path = make_database(tmp_path / "a.sqlite", n_rows=5000)
    content = bytearray(path.read_bytes())
    content[4096 * 2 : 4096 * 6] = b"\xff" * 4096 * 4
    path.write_bytes(content)
    with pytest.raises(DatabaseFileError, match=r"a\.sqlite is damaged: database disk image"):
        Database("a", path).query("SELECT sum(length(name)) FROM heroes")
