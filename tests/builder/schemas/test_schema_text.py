"""The schema as text: all names in it, the same bytes each time, one line for each column."""

from __future__ import annotations

import hashlib
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlglot.dialects.sqlite import SQLite

from claimdb_builder.schemas.identifiers import quoted
from claimdb_builder.schemas.schema_text import schema_text
from claimdb_builder.schemas.tables import read_tables
from claimdb_metric.errors import DatabaseFileError, DataError
from tests.builder.schemas.made_descriptions import (
    descriptions_folder,
    dev_tables,
    make_database,
    table,
    train_databases,
    write_files,
)

NAME = re.compile(r'("(?:[^"]|"")*"|\w+)(?: |,|$)', re.MULTILINE)


def full_text(folder: Path, ddl: str, **descriptions: str) -> str:
    """The full text of a database with these descriptions."""
    path = make_database(folder / "zoo.sqlite", ddl)
    files: dict[str, str | bytes] = {f"{name}.csv": text for name, text in descriptions.items()}
    return schema_text(path, write_files(folder / "described", files), "full")


def line_of(folder: Path, ddl: str, alias: str = "") -> str:
    """The line of the first column, `wt`, of the table `owl`."""
    return full_text(folder, ddl, owl=table([["wt", alias]])).split("\n")[1]


def names_in(text: str) -> list[tuple[str, list[str]]]:
    """The names of tables and columns as they are written in a full text without wide keys."""
    blocks = text.removesuffix("\n").split("\n\n")
    found = []
    for block in blocks:
        heading, *lines = block.split("\n")
        columns = [NAME.match(line.removeprefix("  ")) for line in lines]
        found.append((heading.removeprefix("Table "), [match[1] for match in columns if match]))
    return found


def test_a_column_has_its_type_its_alias_and_its_keys(tmp_path: Path) -> None:
    ddl = (
        'CREATE TABLE "order" (year INT, no INT, wt DECIMAL(4, 1), "unit price" REAL, x, '
        "PRIMARY KEY (year, no)); "
        'CREATE TABLE line (id INTEGER PRIMARY KEY, y, n, owl REFERENCES "order"(wt) '
        'REFERENCES line, FOREIGN KEY (y, n) REFERENCES "order")'
    )
    order = table([["WT ", "weight\r\n in   grams"], ["year", ""], ["no", "No."]])
    assert full_text(tmp_path, ddl, Order=order) == (
        "Table line\n"
        "  id INTEGER, primary key\n"
        "  y\n"
        "  n\n"
        '  owl → line(id), → "order"(wt)\n'
        '  (y, n) → "order"(year, "no")\n'
        "\n"
        'Table "order"\n'
        "  year INT, primary key 1 of 2\n"
        '  "no" INT (No.), primary key 2 of 2\n'
        "  wt DECIMAL(4, 1) (weight in grams)\n"
        '  "unit price" REAL\n'
        "  x\n"
    )


@pytest.mark.parametrize("alias", ["", "  ", "WT", "w t", "W_T ", "w\u00a0t"])
def test_an_alias_that_says_no_more_is_left_out(tmp_path: Path, alias: str) -> None:
    assert line_of(tmp_path, "CREATE TABLE owl (wt REAL)", alias) == "  wt REAL"


@pytest.mark.parametrize("alias", ["a\nb", "a\r\nb", "\ta\vb ", "a\x85b", "a\u2028b", "a\x00b\x1f"])
def test_an_alias_is_on_one_line(tmp_path: Path, alias: str) -> None:
    line = line_of(tmp_path, "CREATE TABLE owl (wt REAL)", alias)
    assert line == ("  wt REAL (ab)" if "\0" in alias else "  wt REAL (a b)")


def test_a_type_is_on_one_line(tmp_path: Path) -> None:
    assert line_of(tmp_path, "CREATE TABLE owl (wt VARCHAR\n (4,\n 1))") == "  wt VARCHAR (4, 1)"


def test_a_key_to_a_table_that_is_not_there_names_it(tmp_path: Path) -> None:
    assert line_of(tmp_path, 'CREATE TABLE owl (wt REFERENCES "a b")') == '  wt → "a b"'


def test_a_name_is_quoted_where_sqlite_needs_it(tmp_path: Path) -> None:
    keywords = SQLite.Tokenizer.KEYWORDS
    words = sorted({word.lower() for word in keywords if re.fullmatch(r"[A-Z_]+", word)})
    assert len(words) > 150
    with closing(sqlite3.connect(":memory:")) as connection:
        for word in words:
            connection.execute(f'CREATE TABLE "{word}" ("{word}")')
            connection.execute(f'INSERT INTO "{word}" VALUES (?)', [f"the {word}"])
            sql = f"SELECT {quoted(word)} FROM {quoted(word)} ORDER BY {quoted(word)}"
            assert connection.execute(sql).fetchall() == [(f"the {word}",)]


@pytest.mark.parametrize("name", ["", "1a", "a b", "a-b", "é", 'a"b', "Order", "a$", "a\n", "a.b"])
def test_what_is_no_plain_identifier_is_quoted(name: str) -> None:
    assert quoted(name) == '"' + name.replace('"', '""') + '"'


def test_the_paper_style_keeps_what_the_files_say(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "b.csv": table([["id", " the number "], ["wt ", ""], ["", "ghost"], ["", "", "nothing"]]),
        "A.csv": table([["x", "y"]]),
        "empty.csv": "",
    }
    folder = write_files(tmp_path / "described", files)
    assert schema_text(tmp_path / "absent.sqlite", folder, "paper") == (
        "Table: A\nColumns:\n  - y\n\n"
        "Table: b\nColumns:\n  -  the number \n  - wt \n  - ghost\n\n"
        "Table: empty\nColumns:\n"
    )


@pytest.mark.parametrize("folder", [None, "absent", "empty"])
def test_the_paper_style_falls_back_to_the_database(tmp_path: Path, folder: str | None) -> None:
    (tmp_path / "empty").mkdir()
    path = make_database(tmp_path / "zoo.sqlite", 'CREATE TABLE b ("x y"); CREATE TABLE a (id)')
    text = schema_text(path, tmp_path / folder if folder else None, "paper")
    assert text == "Table: a\nColumns:\n  - id\n\nTable: b\nColumns:\n  - x y\n"


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "zoo.sqlite"
    path.write_bytes(b"<html>")
    for style in ("full", "paper"):
        with pytest.raises(DatabaseFileError, match="is an HTML page"):
            schema_text(path, None, style)


def test_an_unknown_style_is_refused(tmp_path: Path) -> None:
    style: Any = "papper"
    with pytest.raises(DataError, match="style='papper'"):
        schema_text(tmp_path / "zoo.sqlite", None, style)


def test_the_real_superhero_database(shared: Path) -> None:
    path = shared / "data/bird/databases/superhero/superhero.sqlite"
    folder = descriptions_folder(shared, "superhero")
    text = schema_text(path, folder, "full")
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert digest == "1e8a3957c8cad454dcaacfeda6fb2f21f62c27ac28e0d1b76abb8d98a3c076d5"
    assert [name for name, _ in names_in(text)] == sorted(dev_tables(shared)["superhero"])
    assert (
        "Table hero_attribute\n"
        "  hero_id INTEGER → superhero(id)\n"
        "  attribute_id INTEGER → attribute(id)\n"
        "  attribute_value INTEGER\n"
    ) in text
    assert "\n  height_cm INTEGER\n" in text
    paper = schema_text(path, folder, "paper")
    assert "Table: hero_attribute\nColumns:\n  - hero id\n  - attribute id\n" in paper


def test_the_paper_text_of_each_development_database_has_its_tables(shared: Path) -> None:
    for db_name, tables in dev_tables(shared).items():
        text = schema_text(Path("absent"), descriptions_folder(shared, db_name), "paper")
        stems = re.findall(r"^Table: (.*)\nColumns:\n  - ", text, re.MULTILINE)
        assert sorted(stems) == sorted(tables)


def test_every_name_of_the_training_databases_can_be_copied_into_sql(
    shared: Path, tmp_path: Path
) -> None:
    ddl = train_databases(shared)
    assert len(ddl) == 69
    for db_name, statements in ddl.items():
        path = make_database(tmp_path / f"{db_name}.sqlite", statements)
        text = schema_text(path, None, "full")
        assert text == schema_text(path, None, "full")
        assert not re.search(r"[ \t\r]$", text, re.MULTILINE)
        tables = read_tables(path)
        written = names_in(text)
        assert len(written) == len(tables)
        with closing(sqlite3.connect(path)) as connection:
            for (heading, columns), real in zip(written, tables, strict=True):
                found = connection.execute(f"SELECT {', '.join(columns)} FROM {heading}")
                assert [name for name, *_ in found.description] == [c.name for c in real.columns]
