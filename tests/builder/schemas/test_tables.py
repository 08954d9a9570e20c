"""Tables are read as the database has them: names, types, keys."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from claimdb_builder.schemas.tables import Column, ForeignKey, Table, read_tables
from claimdb_metric.errors import DatabaseFileError
from tests.builder.schemas.made_descriptions import make_database


def tables_of(folder: Path, ddl: str) -> dict[str, Table]:
    return {table.name: table for table in read_tables(make_database(folder / "zoo.sqlite", ddl))}


def keys_of(folder: Path, ddl: str) -> tuple[ForeignKey, ...]:
    """The foreign keys of the table `child`."""
    return tables_of(folder, ddl)["child"].foreign_keys


def test_a_column_has_its_type_and_its_place_in_the_primary_key(tmp_path: Path) -> None:
    ddl = "CREATE TABLE owl (ring TEXT NOT NULL, age, year VARCHAR (4), PRIMARY KEY (year, ring))"
    owl = tables_of(tmp_path, ddl)["owl"]
    assert owl.columns == (
        Column("ring", "TEXT", 2, True),
        Column("age", "", 0, False),
        Column("year", "VARCHAR (4)", 1, False),
    )
    assert owl.primary_key == ("year", "ring")


def test_tables_stand_in_the_order_of_their_code_points(tmp_path: Path) -> None:
    ddl = "PRAGMA encoding = 'UTF-16le'; CREATE TABLE b (x); CREATE TABLE é (x); CREATE TABLE Z (x)"
    assert list(tables_of(tmp_path, ddl)) == ["Z", "b", "é"]


def test_views_and_what_sqlite_made_for_itself_are_left_out(tmp_path: Path) -> None:
    ddl = (
        "CREATE TABLE owl (id INTEGER PRIMARY KEY AUTOINCREMENT); CREATE VIEW v AS SELECT 1;"
        "CREATE TABLE sqliteful (x); CREATE INDEX i ON sqliteful (x)"
    )
    assert list(tables_of(tmp_path, ddl)) == ["owl", "sqliteful"]


def test_generated_columns_are_columns(tmp_path: Path) -> None:
    ddl = (
        "CREATE TABLE owl (g REAL, kg REAL GENERATED ALWAYS AS (g / 1000), lb AS (g / 453) STORED)"
    )
    columns = tables_of(tmp_path, ddl)["owl"].columns
    assert [(column.name, column.type) for column in columns] == [
        ("g", "REAL"),
        ("kg", "REAL"),
        ("lb", ""),
    ]


def test_hidden_columns_of_a_virtual_table_are_left_out(tmp_path: Path) -> None:
    try:
        tables = tables_of(tmp_path, "CREATE VIRTUAL TABLE note USING fts5(body, author)")
    except sqlite3.OperationalError:
        pytest.skip("this SQLite has no fts5")
    assert [column.name for column in tables["note"].columns] == ["body", "author"]


def test_names_of_any_characters_are_kept(tmp_path: Path) -> None:
    names = ['4" gun', "it's", "Größe 鳥", "order", " x ", "a\nb", "[c]", "%s"]
    quoted = ['"' + name.replace('"', '""') + '"' for name in names]
    ddl = "; ".join(f"CREATE TABLE {name} ({', '.join(quoted)})" for name in quoted)
    tables = tables_of(tmp_path, ddl)
    assert list(tables) == sorted(names)
    for table in tables.values():
        assert [column.name for column in table.columns] == names


def test_a_name_that_is_no_utf_8_is_refused(tmp_path: Path) -> None:
    path = make_database(tmp_path / "zoo.sqlite", "CREATE TABLE ow_ (x)")
    path.write_bytes(path.read_bytes().replace(b"ow_", b"ow\xe9"))
    with pytest.raises(DatabaseFileError, match="unreadable schema"):
        read_tables(path)


PARENT = "CREATE TABLE Parent (Id INTEGER PRIMARY KEY, Code TEXT UNIQUE);"
PAIR = "CREATE TABLE Pair (a, b, c, PRIMARY KEY (b, a));"


@pytest.mark.parametrize(
    ("ddl", "keys"),
    [
        (f"{PARENT} CREATE TABLE child (x REFERENCES parent(CODE))", [("x", "Parent", "Code")]),
        (f"{PARENT} CREATE TABLE child (x REFERENCES PARENT)", [("x", "Parent", "Id")]),
        (
            f"{PAIR} CREATE TABLE child (x, y, FOREIGN KEY (y, x) REFERENCES pair)",
            [("y x", "Pair", "b a")],
        ),
        (
            f"{PAIR} CREATE TABLE child (x, y, FOREIGN KEY (y, x) REFERENCES pair (A, c))",
            [("y x", "Pair", "a c")],
        ),
        (f"{PAIR} CREATE TABLE child (x REFERENCES pair)", [("x", "Pair", "")]),
        (
            "CREATE TABLE child (x REFERENCES Gone, y REFERENCES Gone(z))",
            [("x", "Gone", ""), ("y", "Gone", "z")],
        ),
        ("CREATE TABLE child (id INTEGER PRIMARY KEY, x REFERENCES CHILD)", [("x", "child", "id")]),
        (
            f"{PARENT} {PAIR} CREATE TABLE child (x REFERENCES Parent REFERENCES Parent(id), y, "
            "FOREIGN KEY (Y) REFERENCES Pair(a), FOREIGN KEY (x) REFERENCES Pair(c))",
            [("x", "Pair", "c"), ("x", "Parent", "Id"), ("y", "Pair", "a")],
        ),
        ("CREATE TABLE child (x)", []),
    ],
)
def test_foreign_keys(tmp_path: Path, ddl: str, keys: list[tuple[str, str, str]]) -> None:
    assert keys_of(tmp_path, ddl) == tuple(
        ForeignKey(tuple(columns.split()), table, tuple(references.split()))
        for columns, table, references in keys
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read: No such file"),
        (b"", "is empty"),
        (b"<!DOCTYPE html>", "is an HTML page, not SQLite"),
        (b"original_column_name\n" * 9, "is not a SQLite database"),
        (b"SQLite format 3\0" + b"\xff" * 5000, "is cut short"),
    ],
)
def test_a_file_that_is_no_database_is_named(
    tmp_path: Path, content: bytes | None, message: str
) -> None:
    path = tmp_path / "zoo.sqlite"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DatabaseFileError, match=f"zoo.sqlite {message}"):
        read_tables(path)


def test_a_database_without_tables_is_refused(tmp_path: Path) -> None:
    path = make_database(tmp_path / "zoo.sqlite", "CREATE VIEW v AS SELECT 1")
    with pytest.raises(DatabaseFileError, match="holds no table"):
        read_tables(path)


def test_a_virtual_table_of_an_unknown_module_is_named(tmp_path: Path) -> None:
    path = make_database(tmp_path / "zoo.sqlite", "CREATE TABLE owl (x)")
    with closing(sqlite3.connect(path)) as made:
        made.execute("PRAGMA writable_schema = 1")
        made.execute(
            "INSERT INTO sqlite_master VALUES "
            "('table', 'map', 'map', 0, 'CREATE VIRTUAL TABLE map USING spatial(x)')"
        )
        made.commit()
    with pytest.raises(DatabaseFileError, match="unreadable schema: no such module: spatial"):
        read_tables(path)


def test_the_file_is_left_as_it_is(tmp_path: Path) -> None:
    path = make_database(tmp_path / "zoo.sqlite", PARENT)
    before = path.read_bytes()
    assert read_tables(path) == read_tables(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_the_real_superhero_database(shared: Path) -> None:
    tables = read_tables(shared / "data/bird/databases/superhero/superhero.sqlite")
    assert {table.name: len(table.columns) for table in tables} == {
        "alignment": 2,
        "attribute": 2,
        "colour": 2,
        "gender": 2,
        "hero_attribute": 3,
        "hero_power": 2,
        "publisher": 2,
        "race": 2,
        "superhero": 12,
        "superpower": 2,
    }
    keys = [(table.name, key) for table in tables for key in table.foreign_keys]
    assert len(keys) == 11
    assert keys[0] == ("hero_attribute", ForeignKey(("hero_id",), "superhero", ("id",)))
