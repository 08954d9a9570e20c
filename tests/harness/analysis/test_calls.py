"""What a call was and what became of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from claimdb_harness.analysis.calls import (
    ERROR_KINDS,
    error_kind,
    is_answered,
    is_evidence,
    is_schema_read,
    n_repeated,
    normalised_sql,
)
from claimdb_harness.runs.traces import CALL_STATUSES, Call
from claimdb_sandbox import Executor


def call(sql: str = "SELECT 1", status: str = "ok", message: str | None = None) -> Call:
    return Call("execute_sql", sql, status, message or "", message)


SCHEMA_READS = [
    "SELECT name FROM sqlite_master",
    "select sql from \"sqlite_schema\" where type = 'table'",
    "SELECT * FROM main.sqlite_master",
    "PRAGMA table_info(trip)",
    "-- first the schema\npragma  table_list;",
    "```sql\nPRAGMA foreign_key_list(trip)\n```",
    "SELECT * FROM pragma_table_info('trip')",
    "SELECT m.name FROM x, sqlite_master AS m",
    "SELECT * FROM (sqlite_master)",
]
DATA_READS = [
    "SELECT 1",
    "SELECT * FROM trip WHERE note = 'sqlite_master'",
    "SELECT sqlite_version()",
    "SELECT pragma FROM trip",
    "SELECT * FROM sqlite_masters",
    "-- PRAGMA table_info(trip)\nSELECT 1",
    "",
]


@pytest.mark.parametrize("sql", SCHEMA_READS)
def test_reads_of_the_schema(sql: str) -> None:
    assert is_schema_read(call(sql))
    assert not is_evidence(call(sql))


@pytest.mark.parametrize("sql", DATA_READS)
def test_reads_of_the_data(sql: str) -> None:
    assert not is_schema_read(call(sql))
    assert is_evidence(call(sql))


@pytest.mark.parametrize("tool", ["list_tables", "describe_table"])
def test_tools_that_read_the_schema(tool: str) -> None:
    assert is_schema_read(Call(tool, "", "ok", "trip"))


@pytest.fixture(scope="module")
def executor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Executor]:
    """The sandbox on a database with one table."""
    path = tmp_path_factory.mktemp("zoo") / "zoo.sqlite"
    with closing(sqlite3.connect(path)) as made:
        made.execute("CREATE TABLE trip (id INTEGER)")
    with Executor(path) as executor:
        yield executor


KINDS_OF_SQL = {
    "SELECT FROM": "syntax",
    "SELECT (1": "syntax",
    "SELECT #": "syntax",
    "SELECT 1 FROM nowhere": "no such table",
    "SELECT nope FROM sqlite_master": "no such column",
    "SELECT name FROM sqlite_master a, sqlite_master b": "no such column",
    "SELECT year('2019')": "no such function",
    "SELECT abs(1, 2)": "no such function",
    "SELECT abs(-9223372036854775808)": "type",
    "SELECT json('{')": "type",
    "DELETE FROM sqlite_master": "denied",
    "SELECT 1; SELECT 2": "denied",
    "": "other",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n": "truncated",
    "SELECT 1": None,
}


@pytest.mark.parametrize("sql", KINDS_OF_SQL)
def test_kinds_of_what_the_sandbox_says(sql: str, executor: Executor) -> None:
    result = executor.run(sql)
    found = Call("execute_sql", sql, result.status, result.to_text(), result.message)
    assert error_kind(found) == KINDS_OF_SQL[sql]
    assert is_answered(found) == (KINDS_OF_SQL[sql] in (None, "truncated"))


@pytest.mark.parametrize("status", CALL_STATUSES)
def test_every_status_has_a_kind(status: str) -> None:
    kind = error_kind(call(status=status, message="something new"))
    assert kind in (None, *ERROR_KINDS)
    assert (kind is None) == (status in ("ok", "unknown"))


SAID_BY_OTHERS = {
    "unable to execute query: SQL logic error: no such table: trips (1)": "no such table",
    'Error: near "FROM": syntax error': "syntax",
    "unable to execute query: database is locked": "other",
    '[{"COUNT(*)": 48}]': None,
    "x" * 400 + "no such table: trips": None,
    "": None,
}


@pytest.mark.parametrize("output", SAID_BY_OTHERS)
def test_kinds_of_what_others_say(output: str) -> None:
    found = Call("execute_sql", "SELECT 1", "unknown", output)
    assert error_kind(found) == SAID_BY_OTHERS[output]
    assert is_answered(found) == (SAID_BY_OTHERS[output] is None)


SAME = [
    ("SELECT  a,b FROM T", "select a , b\nfrom t;"),
    ("SELECT 1 -- one", "/* 1 */ select 1"),
    ("```sql\nSELECT 1\n```", "SELECT 1"),
    ("SELECT a=1", "SELECT a = 1"),
]
DIFFERENT = [
    ("SELECT 'A'", "SELECT 'a'"),
    ("SELECT 'a  b'", "SELECT 'a b'"),
    ("SELECT ' ( a'", "SELECT '(a'"),
    ('SELECT "A b"', 'SELECT "A  b"'),
    ("SELECT 1 2", "SELECT 12"),
    ("SELECT 'open", "SELECT 'Open"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_sql(one: str, other: str) -> None:
    assert normalised_sql(one) == normalised_sql(other)
    assert n_repeated([call(one), call(other)]) == 1


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different_sql(one: str, other: str) -> None:
    assert normalised_sql(one) != normalised_sql(other)
    assert n_repeated([call(one), call(other)]) == 0


def test_calls_of_other_tools_repeat_nothing() -> None:
    assert n_repeated([Call("list_tables", "", "ok", "")] * 2) == 0
