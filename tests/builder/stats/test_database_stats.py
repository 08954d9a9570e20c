"""Tables, rows, columns and bytes of real SQLite files, and what is said of files that are none."""

from __future__ import annotations

import signal
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from claimdb_builder.stats.database_stats import DatabaseStats, TableStats, _opened, measure
from claimdb_metric.errors import DatabaseFileError
from tests.builder.stats.made_tables import counting, made, zoo


def test_a_database(tmp_path: Path) -> None:
    path = zoo(tmp_path / "zoo.sqlite")
    (found,) = measure({"zoo": path})
    assert found.tables == (TableStats("cage", 1, 3), TableStats("owl", 3, 2))
    assert (found.n_tables, found.n_rows, found.n_columns) == (2, 4, 5)
    assert (found.n_bytes, found.n_tokens, found.tokens_error_95) == (path.stat().st_size,) + (
        None,
    ) * 2


def test_its_tokens(tmp_path: Path) -> None:
    (found,) = measure({"zoo": zoo(tmp_path / "zoo.sqlite")}, counting())
    # id|,|owl|_|id|,|width|_|m and 1|,|1|,|2|.|5, id|,|name and 1|,|owl| |1, each with a break.
    assert [table.n_tokens for table in found.tables] == [10 + 8, 4 + 3 * 6]
    assert (found.n_tokens, found.tokens_error_95) == (40, 0)


def test_the_error_is_that_of_independent_tables() -> None:
    tables = [TableStats(name, 9, 1, 100, error, 5) for name, error in (("a", 3.0), ("b", 4.0))]
    assert DatabaseStats("zoo", tuple(tables)).tokens_error_95 == 5


def test_a_table_that_is_sampled(tmp_path: Path) -> None:
    (found,) = measure({"zoo": zoo(tmp_path / "zoo.sqlite", 2000)}, counting(50))
    owl = found.tables[1]
    assert (owl.n_rows, owl.n_rows_read) == (2000, 50)
    assert 0 < (owl.tokens_error_95 or 0) < 0.2 * (owl.n_tokens or 0)


def test_databases_come_by_name_and_leave_no_trace(tmp_path: Path) -> None:
    files = {name: zoo(tmp_path / f"{name}.sqlite") for name in ("b", "a", "c")}
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert [found.db_name for found in measure(files, counting())] == ["a", "b", "c"]
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_sqlites_own_tables_are_none(tmp_path: Path) -> None:
    path = made(
        tmp_path / "zoo.sqlite",
        "CREATE TABLE owl (id INTEGER PRIMARY KEY AUTOINCREMENT)",
        "INSERT INTO owl VALUES (1)",
        "ANALYZE",
    )
    assert [table.name for table in measure({"zoo": path})[0].tables] == ["owl"]


def test_a_database_that_is_being_written_to(tmp_path: Path) -> None:
    path = tmp_path / "zoo.sqlite"
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("CREATE TABLE owl (id)")
        writer.execute("INSERT INTO owl VALUES (1)")
        writer.commit()
        assert measure({"zoo": path}, counting())[0].n_rows == 1


def broken(path: Path) -> None:
    zoo(path, 2000)
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)


WRONG: dict[str, tuple[Callable[[Path], object], str]] = {
    "page.sqlite": (lambda path: path.write_text("<html>"), "is an HTML page, not SQLite"),
    "text.sqlite": (lambda path: path.write_text("owl,heron"), "is not a SQLite database"),
    "zero.sqlite": (lambda path: path.write_bytes(b""), "is empty"),
    "bare.sqlite": (lambda path: made(path, "PRAGMA user_version = 1"), "holds no table"),
    "gone.sqlite": (lambda path: None, "cannot be read: No such file"),
    "torn.sqlite": (broken, "cannot be counted: database disk image is malformed"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_file_that_is_no_database(tmp_path: Path, name: str) -> None:
    make, message = WRONG[name]
    make(tmp_path / name)
    with pytest.raises(DatabaseFileError, match=message) as caught:
        measure({"zoo": tmp_path / name}, counting())
    assert str(tmp_path / name) in str(caught.value)


def test_all_faults_are_listed_before_anything_is_counted(tmp_path: Path) -> None:
    files = {name: tmp_path / f"{name}.sqlite" for name in ("a", "b", "c")}
    zoo(files["b"])
    with pytest.raises(DatabaseFileError) as caught:
        measure(files)
    lines = str(caught.value).split("\n")
    assert lines[0] == "2 databases:"
    assert [name in line for name, line in zip("ac", lines[1:], strict=True)] == [True, True]


def ask(path: Path, query: str) -> None:
    with _opened(path) as connection:
        connection.execute(query).fetchone()


def test_ctrl_c_ends_a_long_query(tmp_path: Path) -> None:
    path = zoo(tmp_path / "zoo.sqlite")
    forever = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n"
    timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
    # Also where SIGINT is ignored from outside, as under nohup.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            ask(path, forever)
    finally:
        signal.signal(signal.SIGINT, before)
