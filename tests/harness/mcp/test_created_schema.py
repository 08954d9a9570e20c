"""The schema of a database as text for a prompt: in order, bounded, saying what was cut."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from claimdb_harness.mcp.database_tools import schema_text
from claimdb_metric.errors import DataError
from claimdb_sandbox import Limits, UnusableDatabaseError
from tests.harness.mcp.clients import made

FERRIES = """
CREATE TABLE vessel (id INTEGER PRIMARY KEY, name TEXT NOT NULL, home INT REFERENCES port,
    knots REAL, kmh AS (knots * 1.852));
CREATE TABLE port (id INTEGER PRIMARY KEY AUTOINCREMENT, city);
CREATE INDEX cities ON port (city);
CREATE VIEW fast AS SELECT name FROM vessel WHERE knots > 20;
CREATE VIEW broken AS SELECT * FROM gone;
CREATE TABLE "o'clock ""x"" y" (a);
"""


@pytest.fixture
def ferries(tmp_path: Path) -> Path:
    return made(tmp_path / "ferries.sqlite", FERRIES)


def test_the_schema_is_in_order_and_whole(ferries: Path) -> None:
    statements = schema_text(ferries, 10_000).split(";\n\n")
    starts = [" ".join(statement.split()[:3]) for statement in statements]
    assert starts == [
        "CREATE TABLE \"o'clock",
        "CREATE TABLE port",
        "CREATE TABLE vessel",
        "CREATE VIEW broken",
        "CREATE VIEW fast",
    ]
    assert "kmh AS (knots * 1.852));" in schema_text(ferries, 10_000)
    assert schema_text(ferries, 10_000) == schema_text(ferries, len(schema_text(ferries, 10_000)))


def test_the_longest_are_left_out_and_named(ferries: Path) -> None:
    text = schema_text(ferries, len(schema_text(ferries, 10_000)) - 1)
    assert "CREATE TABLE vessel" not in text
    assert "CREATE VIEW fast AS" in text
    assert text.split("\n")[-1] == "-- 1 of 5 CREATE statements do not fit and are left out: vessel"


def test_the_schema_of_an_empty_database(tmp_path: Path) -> None:
    path = made(tmp_path / "empty.sqlite", "CREATE TABLE t (a); DROP TABLE t")
    assert schema_text(path, 200) == ""


@given(max_bytes=st.integers(200, 9000))
@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_a_schema_is_as_long_as_it_may_be(tmp_path: Path, max_bytes: int) -> None:
    path = tmp_path / "many.sqlite"
    if not path.exists():
        made(path, ";".join(f"CREATE TABLE tablé_{n} ({'c' * n} TEXT)" for n in range(1, 101)))
    text = schema_text(path, max_bytes)
    n_shown = text.count("CREATE TABLE ")
    assert len(text.encode()) <= max_bytes
    assert (f"-- {100 - n_shown} of 100 CREATE statements" in text) == (n_shown < 100)
    # What is missing is longer than the room that is left, or a line of names takes one half.
    assert n_shown == 100 or len(text.encode()) > max_bytes // 2 - 150


def test_a_schema_that_cannot_be_read_says_why(
    ferries: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("claimdb_harness.mcp.created_schema._STATEMENTS", "SELECT gone")
    with pytest.raises(DataError, match=r"the schema of .*ferries\.sqlite cannot be read: no such"):
        schema_text(ferries, 1000)


def test_of_more_tables_than_are_read_the_others_are_mentioned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = made(tmp_path / "many.sqlite", "CREATE TABLE a (x); CREATE TABLE b (x)")
    monkeypatch.setattr("claimdb_harness.mcp.created_schema._LIMITS", Limits(max_rows=1))
    assert schema_text(path, 200) == "CREATE TABLE a (x);\n\n-- there are more than 1 row"


def test_names_that_do_not_fit_are_cut(tmp_path: Path) -> None:
    tables = (f'CREATE TABLE "{"é" * 300} {n}" (x);' for n in range(3))
    text = schema_text(made(tmp_path / "long.sqlite", "".join(tables)), 200)
    assert text.startswith("-- 3 of 3 CREATE statements do not fit and are left out: éé")
    assert text.endswith("é…")
    assert len(text.encode()) <= 200


def test_no_database(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<html>")
    with pytest.raises(UnusableDatabaseError, match="HTML"):
        schema_text(tmp_path / "page.html", 1000)
    with pytest.raises(UnusableDatabaseError, match="No such file"):
        schema_text(tmp_path / "gone.sqlite", 1000)


@pytest.mark.parametrize("max_bytes", [199, 0, -1, True, 1e4])
def test_it_must_have_room(ferries: Path, max_bytes: int) -> None:
    with pytest.raises(ValueError, match="must be an integer of 200 or more"):
        schema_text(ferries, max_bytes)
