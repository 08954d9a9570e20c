"""Double-quoted names that are no column: found where SQLite takes them as text, nowhere else."""

from __future__ import annotations

import json
import re
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from claimdb_sandbox import Limits
from claimdb_sandbox.guards import GuardedConnection
from claimdb_sandbox.query import run_query
from claimdb_sandbox.quoted_names import MAX_NAMES, names_taken_as_text
from tests.sandbox.made_databases import heroes_database

TAKEN_AS_TEXT: list[tuple[str, list[str]]] = [
    ('SELECT id FROM heroes WHERE name = "Hero 7"', ["Hero 7"]),
    ('SELECT "nmae" FROM heroes LIMIT 1', ["nmae"]),
    ('SELECT "Hero 7"', ["Hero 7"]),
    ('select id from heroes where name = "x"', ["x"]),
    ('SELECT id FROM heroes WHERE name = "x" OR name = "x" OR name = "x"', ["x"]),
    ('SELECT id FROM heroes WHERE name = "x" OR name = "y"', ["x", "y"]),
    ('SELECT id FROM heroes WHERE name IN ("x", "name", "y", \'z\')', ["x", "y"]),
    ('SELECT id FROM heroes WHERE name = "X" OR name = "x"', ["X", "x"]),
    ('SELECT id FROM heroes WHERE name LIKE "%7"', ["%7"]),
    ('SELECT id FROM heroes WHERE name = ""', [""]),
    ('SELECT id FROM heroes WHERE name = "two\nlines"', ["two\nlines"]),
    ('SELECT id FROM heroes WHERE name = "naïve 名 🦸"', ["naïve 名 🦸"]),
    ('SELECT id FROM heroes WHERE name = "a ""b"" c"', ['a "b" c']),
    ('SELECT id FROM heroes WHERE name = "a`b"', ["a`b"]),
    ('SELECT id FROM heroes WHERE name = "it\'s"', ["it's"]),
    ('SELECT id FROM heroes WHERE name = "it\'s" OR name = "`a``"', ["it's", "`a``"]),
    ('SELECT id FROM heroes WHERE name = "a;b"', ["a;b"]),
    ('SELECT id FROM heroes WHERE name = "--" OR name = "/*"', ["--", "/*"]),
    ('SELECT id FROM heroes WHERE name = "heroes.name"', ["heroes.name"]),
    ('SELECT count(*) FROM heroes GROUP BY "powr"', ["powr"]),
    ('SELECT id FROM heroes ORDER BY "powr" LIMIT 1', ["powr"]),
    ('SELECT power FROM heroes GROUP BY power HAVING max(name) > "Hero 7"', ["Hero 7"]),
    ('SELECT 1 WHERE EXISTS (SELECT 1 FROM heroes WHERE name = "x")', ["x"]),
    ('SELECT (SELECT max(id) FROM heroes WHERE name = "x"), "name" FROM heroes', ["x"]),
    ('SELECT a.id FROM heroes a JOIN heroes b ON a.id = b.id AND b.name = "x"', ["x"]),
    ('WITH t AS (SELECT "x" AS y) SELECT y FROM t', ["x"]),
    ('SELECT "x" UNION SELECT "y" ORDER BY 1', ["x", "y"]),
    ('VALUES ("x"), (1)', ["x"]),
    ('SELECT CASE "x" WHEN "y" THEN 1 END', ["x", "y"]),
    ('SELECT \'{"a": 1}\' ->> "$.a"', ["$.a"]),
    ('SELECT json_extract(\'{"a": 1}\', "$.a")', ["$.a"]),
    ('SELECT power > 3 AS "strong" FROM heroes WHERE name = "strong man"', ["strong man"]),
    ('SELECT "heroes" FROM "heroes" LIMIT 1', ["heroes"]),
    ('SELECT "t" AS "t" FROM heroes LIMIT 1', ["t"]),
    ('SELECT /* "not this" */ "x" -- "nor this"', ["x"]),
    ('SELECT "x", \'"not this"\', `id`, [id] FROM heroes LIMIT 1', ["x"]),
    ('EXPLAIN SELECT id FROM heroes WHERE name = "x"', ["x"]),
    ('EXPLAIN QUERY PLAN SELECT id FROM heroes WHERE name = "x"', ["x"]),
    ('explain/**/query plan SELECT "x"', ["x"]),
    ('SELECT "true", "null", "current_date"', ["true", "null", "current_date"]),
    ('SELECT "1"', ["1"]),
    ('SELECT sum(power) OVER (PARTITION BY "x") FROM heroes LIMIT 1', ["x"]),
    ('SELECT name COLLATE "nocase" FROM heroes WHERE id = "7x"', ["7x"]),
]
"""Statements that run, and the names in them that are text to SQLite."""

NOT_TAKEN: list[str] = [
    "SELECT id FROM heroes WHERE name = 'Hero 7'",
    'SELECT "name" FROM heroes LIMIT 1',
    'SELECT "NAME", "Power" FROM "HEROES" LIMIT 1',
    'SELECT "heroes"."name" FROM "heroes" LIMIT 1',
    'SELECT "main"."heroes"."name" FROM "main"."heroes" LIMIT 1',
    'SELECT "rowid", "oid", "_rowid_" FROM heroes LIMIT 1',
    'SELECT h."name" FROM heroes AS "h" LIMIT 1',
    'SELECT power AS "strength" FROM heroes ORDER BY "strength" LIMIT 1',
    'SELECT power AS "a ""b`c" FROM heroes WHERE "a ""b`c" > 5 LIMIT 1',
    'SELECT power AS "p", count(*) AS "n" FROM heroes GROUP BY "p" HAVING "n" > 3',
    'WITH "t" ("x") AS (SELECT 1) SELECT "x", "t"."x" FROM "t"',
    'WITH t AS (SELECT name AS "the name" FROM heroes) SELECT "the name" FROM t LIMIT 1',
    'SELECT "column1" FROM (VALUES (1))',
    'SELECT "key", "value" FROM json_each(\'{"a": 1}\')',
    'SELECT (SELECT max("id") FROM bad WHERE "power" > 3) FROM heroes LIMIT 1',
    'SELECT name COLLATE "nocase", CAST(id AS "TEXT"), "upper"(name) FROM heroes LIMIT 1',
    "SELECT '\"', '\"x\"', `name`, [name] FROM heroes LIMIT 1",
    'SELECT 1 -- "x"',
    'SELECT /* "x" */ 1',
    'PRAGMA table_info("heroes")',
    'EXPLAIN SELECT "name" FROM "heroes"',
]
"""Statements that run, in which no double-quoted name is text."""

ERRORS: list[str] = [
    'SELECT h."nmae" FROM heroes h',
    'SELECT "heroes"."nmae" FROM "heroes"',
    'SELECT nmae FROM "heroes"',
    'SELECT nmae, "name" FROM heroes',
    'SELECT "name" FROM "nowhere"',
    'SELECT "nowhere"(name) FROM heroes',
    'SELECT "name" FROM heroes WHERE',
    'SELECT "open',
    'PRAGMA table_info("heroes"',
]
"""Statements that SQLite refuses for another reason."""

VIEW = 'CREATE VIEW with_text AS SELECT name FROM heroes WHERE name > "Hero 5"'
"""The double quotes hold text: there are such views in old files."""

OF_VIEW: list[str] = [
    "SELECT count(*) FROM with_text",
    'SELECT "name" FROM "with_text"',
    'WITH t AS (SELECT "name" FROM with_text) SELECT count(*) FROM t, with_text',
]
"""Statements without such text that read the view."""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return heroes_database(tmp_path_factory.mktemp("quoted") / "heroes.sqlite", f"{VIEW};")


@contextmanager
def opened(path: Path, *, strict_names: bool) -> Iterator[GuardedConnection]:
    guarded = GuardedConnection(path, Limits(max_rows=10**6, strict_names=strict_names))
    with closing(guarded):
        yield guarded


def asked(path: Path, sql: str, *, strict_names: bool) -> dict[str, Any]:
    with opened(path, strict_names=strict_names) as guarded:
        answer: dict[str, Any] = json.loads(run_query(guarded, sql))
        return answer


def plain_answer(path: Path, sql: str, *, quoted_text: bool = True) -> list[Any] | str:
    """The rows or the error of plain sqlite3; with double-quoted text, or without."""
    with closing(sqlite3.connect(path)) as connection:
        if not quoted_text and sys.version_info >= (3, 12):
            connection.setconfig(sqlite3.SQLITE_DBCONFIG_DQS_DML, False)
        try:
            return [list(row) for row in connection.execute(sql)]
        except sqlite3.Error as error:
            return str(error)


@pytest.mark.parametrize(("sql", "names"), TAKEN_AS_TEXT)
def test_a_name_that_is_no_column_is_found(path: Path, sql: str, names: list[str]) -> None:
    with opened(path, strict_names=False) as guarded:
        found = names_taken_as_text(guarded, sql)
    assert sorted(found) == sorted(names)


@pytest.mark.parametrize("sql", [*NOT_TAKEN, *OF_VIEW, *ERRORS])
def test_where_no_name_is_text_none_is_found(path: Path, sql: str) -> None:
    with opened(path, strict_names=False) as guarded:
        assert names_taken_as_text(guarded, sql) == []


@pytest.mark.parametrize(("sql", "names"), TAKEN_AS_TEXT)
def test_strict_names_make_it_an_error_with_a_note(path: Path, sql: str, names: list[str]) -> None:
    answer = asked(path, sql, strict_names=True)
    assert answer["status"] == "sql_error"
    assert answer["message"] in {f"no such column: {name}" for name in names}
    (note,) = answer["notes"]
    assert all(f'"{name}"' in note for name in names)
    assert note.endswith("no column; text stands in single quotes" if len(names) == 1 else "quotes")
    assert answer["rows"] == []


@pytest.mark.parametrize(("sql", "names"), TAKEN_AS_TEXT)
def test_else_the_answer_is_sqlite_s_with_a_note(path: Path, sql: str, names: list[str]) -> None:
    answer = asked(path, sql, strict_names=False)
    assert answer["status"] == "ok"
    assert answer["rows"] == plain_answer(path, sql)
    (note,) = answer["notes"]
    assert all(f'"{name}"' in note for name in names)
    assert ("is no column, so" if len(names) == 1 else "are no columns, so") in note


@pytest.mark.parametrize("strict_names", [True, False])
@pytest.mark.parametrize("sql", [*NOT_TAKEN, *OF_VIEW])
def test_where_no_name_is_text_the_answer_is_sqlite_s_without_a_note(
    path: Path, sql: str, strict_names: bool
) -> None:
    answer = asked(path, sql, strict_names=strict_names)
    assert answer["status"] == "ok"
    assert answer["rows"] == plain_answer(path, sql)
    assert answer["notes"] == []


@pytest.mark.parametrize("strict_names", [True, False])
@pytest.mark.parametrize("sql", ERRORS)
def test_where_sqlite_refuses_it_the_error_is_sqlite_s(
    path: Path, sql: str, strict_names: bool
) -> None:
    answer = asked(path, sql, strict_names=strict_names)
    assert answer["status"] == "sql_error"
    assert answer["message"] == plain_answer(path, sql)
    assert answer["notes"] == []


def test_the_notes_word_for_word(path: Path) -> None:
    one, two = 'SELECT "x"', 'SELECT "x", "y"'
    assert asked(path, one, strict_names=True)["notes"] == [
        '"x" is no column; text stands in single quotes'
    ]
    assert asked(path, two, strict_names=True)["notes"] == [
        '"x", "y" are no columns; text stands in single quotes'
    ]
    assert asked(path, one, strict_names=False)["notes"] == [
        '"x" is no column, so SQLite took it as text; text stands in single quotes'
    ]


def test_of_many_names_the_first_ones_are_told(path: Path) -> None:
    sql = "SELECT " + ", ".join(f'"x{n}"' for n in range(MAX_NAMES + 5))
    with opened(path, strict_names=False) as guarded:
        assert len(names_taken_as_text(guarded, sql)) == MAX_NAMES
    assert asked(path, sql, strict_names=True)["message"] == "no such column: x0"


def test_when_its_time_is_up_no_more_names_are_looked_for(path: Path) -> None:
    with opened(path, strict_names=False) as guarded:
        guarded.ticks.deadline = time.monotonic() - 1
        assert names_taken_as_text(guarded, 'SELECT "x"') == []


@pytest.mark.skipif(sys.version_info < (3, 12), reason="needs setconfig() of Python 3.12")
@pytest.mark.parametrize(("sql", "names"), [*TAKEN_AS_TEXT, *((sql, []) for sql in NOT_TAKEN)])
def test_sqlite_without_double_quoted_text_agrees(path: Path, sql: str, names: list[str]) -> None:
    """Where text in double quotes is switched off, exactly the statements with names fail."""
    strict = plain_answer(path, sql, quoted_text=False)
    if not names:
        assert strict == plain_answer(path, sql)
        return
    assert isinstance(strict, str)
    # Newer versions of SQLite quote the name and add advice.
    missing = re.match(r'no such column: "?(.*?)"?( - should this be .*)?$', strict, re.DOTALL)
    assert missing is not None
    assert missing[1] in names
