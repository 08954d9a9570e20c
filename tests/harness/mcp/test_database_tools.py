"""What an agent may ask of one database, and what it reads then."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from claimdb_harness.mcp.database_tools import DatabaseTools, sql_name
from claimdb_sandbox import AGENT_LIMITS, ClosedError, Limits, UnusableDatabaseError
from tests.harness.mcp.clients import made
from tests.sandbox.made_databases import folder_state, heroes_database
from tests.sandbox.processes import ends_within

FERRIES = """
CREATE TABLE vessel (id INTEGER PRIMARY KEY, name TEXT NOT NULL, home INT REFERENCES port,
    knots REAL, kmh AS (knots * 1.852));
CREATE TABLE port (id INTEGER PRIMARY KEY, city);
CREATE TABLE "o'clock ""x"" ; --" (a);
CREATE VIEW fast AS SELECT name FROM vessel WHERE knots > 20;
CREATE VIEW broken AS SELECT * FROM gone;
INSERT INTO vessel (id, name, home, knots) VALUES (1, 'Vita', 1, 21), (2, 'Alma', NULL, 12),
    (3, 'Kaja', 1, 30), (4, 'Nora', 2, 8);
"""


@pytest.fixture
def ferries(tmp_path: Path) -> Path:
    return made(tmp_path / "ferries.sqlite", FERRIES)


@pytest.fixture
def tools(ferries: Path) -> Iterator[DatabaseTools]:
    with DatabaseTools(ferries) as tools:
        yield tools


def test_a_query(tools: DatabaseTools) -> None:
    call = tools.execute_sql("SELECT name FROM vessel WHERE id < 3")
    assert (call.tool, call.sql) == ("execute_sql", "SELECT name FROM vessel WHERE id < 3")
    assert (call.status, call.n_rows, call.message, call.ok) == ("ok", 2, None, True)
    assert call.output == "name\nVita\nAlma\n(2 rows)"
    assert (call.elapsed_ms or 0) > 0


@pytest.mark.parametrize(
    ("sql", "status", "message"),
    [
        ("DELETE FROM vessel", "denied", "DELETE is not allowed: this database can only be read"),
        (
            "ATTACH 'evil.db' AS e",
            "denied",
            "ATTACH is not allowed: this database can only be read",
        ),
        ("SELECT nme FROM vessel", "sql_error", "no such column: nme"),
        ("", "not_a_query", "there is no SQL statement"),
        ("SELECT '\ud800'", "sql_error", "character 9 (U+D800) of the SQL is no valid Unicode"),
    ],
)
def test_a_query_that_is_refused(
    tools: DatabaseTools, ferries: Path, sql: str, status: str, message: str
) -> None:
    before = folder_state(ferries.parent)
    call = tools.execute_sql(sql)
    assert (call.status, call.n_rows, call.ok) == (status, None, False)
    assert call.message is not None
    assert message in call.message
    assert call.output.startswith(f"{status}: {call.message}")
    assert folder_state(ferries.parent) == before


def test_the_limits_are_those_of_agents(tools: DatabaseTools, ferries: Path) -> None:
    numbers = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r) SELECT n FROM r"
    assert tools.execute_sql(numbers).n_rows == AGENT_LIMITS.max_rows
    with DatabaseTools(ferries, Limits(max_rows=2)) as others:
        call = others.execute_sql(numbers)
    assert (call.status, call.n_rows) == ("truncated", 2)


def test_all_tables_then_all_views(tools: DatabaseTools) -> None:
    assert tools.list_tables().output.split("\n") == [
        "name | type",
        'o\'clock "x" ; -- | table',
        "port | table",
        "vessel | table",
        "broken | view",
        "fast | view",
        "(5 rows)",
    ]


def test_a_table_with_columns_keys_and_rows(tools: DatabaseTools) -> None:
    call = tools.describe_table("VESSEL")
    assert (call.status, call.n_rows) == ("ok", 5)
    assert call.output.split("\n") == [
        "table vessel, 4 rows",
        "",
        "columns:",
        "column | type | not_null | primary_key",
        "id | INTEGER | 0 | 1",
        "name | TEXT | 1 | 0",
        "home | INT | 0 | 0",
        "knots | REAL | 0 | 0",
        "kmh | any | 0 | 0",
        "(5 rows)",
        "",
        "foreign keys:",
        "column | refers_to_table | refers_to_column",
        "home | port | (its primary key)",
        "(1 row)",
        "",
        "first rows:",
        "id | name | home | knots | kmh",
        "1 | Vita | 1 | 21.0 | 38.892",
        "2 | Alma | NULL | 12.0 | 22.224",
        "3 | Kaja | 1 | 30.0 | 55.56",
        "(3 rows)",
    ]


def test_a_view_has_no_number_of_rows(tools: DatabaseTools) -> None:
    output = tools.describe_table("fast").output
    assert output.startswith("view fast\n")
    assert "foreign keys" not in output
    assert "Vita\nKaja\n(2 rows)" in output


def test_a_long_table_is_not_counted_to_its_end(tmp_path: Path) -> None:
    rows = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r WHERE n < 1000001)"
    path = made(tmp_path / "long.sqlite", f"CREATE TABLE t AS {rows} SELECT n FROM r")
    with DatabaseTools(path) as tools:
        assert tools.describe_table("t").output.startswith("table t, more than 1,000,000 rows\n")


def test_a_table_that_is_not_counted_within_the_limits(tmp_path: Path) -> None:
    path = heroes_database(tmp_path / "heroes.sqlite", n_rows=20_000)
    with DatabaseTools(path, Limits(max_steps=20_000)) as tools:
        output = tools.describe_table("heroes").output
    assert output.startswith("table heroes\n")
    assert "Hero 3" in output


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("vessels", "did you mean vessel?"),
        ("PROT", "did you mean port?"),
        ("x'; DROP TABLE vessel; --", "list_tables names all"),
        ("sqlite_master", "list_tables names all"),
        ("", "list_tables names all"),
        ("y" * 5000, "list_tables names all"),
    ],
)
def test_a_table_that_is_not_there(tools: DatabaseTools, name: str, hint: str) -> None:
    call = tools.describe_table(name)
    assert (call.status, call.n_rows) == ("sql_error", None)
    assert call.output.startswith("sql_error: no table or view ")
    assert call.output.endswith(hint)
    assert len(call.output) < 400


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("broken", "no such table: main.gone"),
        ("a\0b", "the SQL holds a null character"),
        ("\ud800", "no valid Unicode"),
    ],
)
def test_a_table_that_sqlite_cannot_describe(tools: DatabaseTools, name: str, message: str) -> None:
    call = tools.describe_table(name)
    assert call.status == "sql_error"
    assert message in call.output


def test_columns_of_a_table_whose_rows_cannot_be_read(tmp_path: Path) -> None:
    wide = ", ".join(f"c{n}" for n in range(300))  # SQLite's limit is lowered to 200 in an answer
    path = made(tmp_path / "wide.sqlite", f"CREATE TABLE wide ({wide})")
    with DatabaseTools(path) as tools:
        call = tools.describe_table("wide")
    assert (call.status, call.n_rows) == ("truncated", 100)
    assert "c99 | any | 0 | 0" in call.output
    assert "first rows:\nsql_error: too many columns" in call.output


NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1)


@given(name=NAMES.filter(lambda name: not name.lower().startswith("sqlite_")))
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_name_of_a_table_is_safe(tmp_path: Path, name: str) -> None:
    path = tmp_path / "named.sqlite"
    path.unlink(missing_ok=True)
    made(path, f"CREATE TABLE {sql_name(name)} (a TEXT); INSERT INTO {sql_name(name)} VALUES ('é')")
    with DatabaseTools(path) as tools:
        call = tools.describe_table(name)
    assert call.status == "ok"
    assert "a | TEXT | 0 | 0\n(1 row)" in call.output
    assert call.output.endswith("first rows:\na\né\n(1 row)")


@pytest.mark.parametrize("max_bytes", [200, 201, 500, 1000])
def test_no_answer_is_longer_than_asked(ferries: Path, max_bytes: int) -> None:
    with DatabaseTools(ferries, max_output_bytes=max_bytes) as tools:
        calls = (
            tools.list_tables(),
            tools.describe_table("vessel"),
            tools.describe_table("ä" * 1000),
            tools.execute_sql("SELECT hex(zeroblob(400)), * FROM vessel"),
        )
    assert all(len(call.output.encode()) <= max_bytes for call in calls)


@pytest.mark.parametrize("max_bytes", [199, 0, -1, True, 1e4])
def test_an_answer_must_have_room(ferries: Path, max_bytes: int) -> None:
    with pytest.raises(ValueError, match="must be an integer of 200 or more"):
        DatabaseTools(ferries, max_output_bytes=max_bytes)


def test_no_database(tmp_path: Path) -> None:
    with pytest.raises(UnusableDatabaseError, match="No such file"):
        DatabaseTools(tmp_path / "gone.sqlite")
    (tmp_path / "page.html").write_text("<html>")
    page = DatabaseTools(tmp_path / "page.html")
    with page, pytest.raises(UnusableDatabaseError, match="HTML"):
        page.list_tables()


def test_one_worker_for_all_calls_until_it_is_closed(ferries: Path) -> None:
    tools = DatabaseTools(ferries)
    tools.list_tables()
    pid = tools._executor.worker_pid
    tools.describe_table("vessel")
    tools.execute_sql("SELECT 1")
    assert pid is not None
    assert tools._executor.worker_pid == pid
    tools.close()
    assert ends_within(pid, 5)
    with pytest.raises(ClosedError):
        tools.execute_sql("SELECT 1")
