"""A folder of tables as one SQLite file: which files, which names, which errors."""

from __future__ import annotations

import gzip
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from claimdb_harness.own_data.table_folders import column_names, is_table_file, sqlite_of
from claimdb_metric.errors import DataError
from tests.children import answer_of, child_env


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "data"
    made.mkdir()
    return made


def rows_of(path: Path, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql).fetchall()


def test_every_table_file_of_a_folder_is_loaded(folder: Path, tmp_path: Path) -> None:
    (folder / "branch offices.csv").write_text("name\nBrno\n")
    (folder / "Codes.TSV").write_text("code\tn\nx\t1\n")
    (folder / "old.csv.gz").write_bytes(gzip.compress(b"a\n1\n2\n"))
    pq.write_table(pa.table({"b": [1.5]}), folder / "new.parquet")
    (folder / ".hidden.csv").write_text("not,a\ntable\n")
    (folder / "README.md").write_text("about")
    (folder / "more").mkdir()
    loaded = sqlite_of(folder, tmp_path / "made.sqlite")
    found = {(table.name, table.path.name, table.columns, table.n_rows) for table in loaded}
    assert found == {
        ("branch offices", "branch offices.csv", (("name", "TEXT"),), 1),
        ("Codes", "Codes.TSV", (("code", "TEXT"), ("n", "INTEGER")), 1),
        ("old", "old.csv.gz", (("a", "INTEGER"),), 2),
        ("new", "new.parquet", (("b", "REAL"),), 1),
    }
    tables = rows_of(tmp_path / "made.sqlite", "SELECT name FROM sqlite_master ORDER BY name")
    assert tables == [("Codes",), ("branch offices",), ("new",), ("old",)]
    assert rows_of(tmp_path / "made.sqlite", 'SELECT name FROM "branch offices"') == [("Brno",)]


def test_declared_types_are_those_that_are_told(folder: Path, tmp_path: Path) -> None:
    (folder / "t.csv").write_text("i,r,s\n1,2.5,x\n")
    (loaded,) = sqlite_of(folder, tmp_path / "made.sqlite")
    info = rows_of(tmp_path / "made.sqlite", "SELECT name, type FROM pragma_table_info('t')")
    assert tuple(info) == loaded.columns == (("i", "INTEGER"), ("r", "REAL"), ("s", "TEXT"))


def test_a_single_file(folder: Path, tmp_path: Path) -> None:
    (folder / "one.csv").write_text("a\n1\n")
    (folder / "other.csv").write_text("a\n1\n")
    loaded = sqlite_of(folder / "one.csv", tmp_path / "made.sqlite")
    assert [table.name for table in loaded] == ["one"]


def test_names_that_need_quotes(folder: Path, tmp_path: Path) -> None:
    (folder / 'a"b].csv').write_text('"x ""y""",select\n1,2\n')
    (loaded,) = sqlite_of(folder, tmp_path / "made.sqlite")
    assert loaded.columns == (('x "y"', "INTEGER"), ("select", "INTEGER"))
    assert rows_of(tmp_path / "made.sqlite", 'SELECT * FROM "a""b]"') == [(1, 2)]


@pytest.mark.parametrize(
    ("given", "made"),
    [
        (["a", "a", "a"], ["a", "a_2", "a_3"]),
        (["a", "A"], ["a", "A_2"]),
        (["a", "a", "a_2"], ["a", "a_3", "a_2"]),
        (["", " ", "x"], ["column_1", "column_2", "x"]),
        (["", "column_1"], ["column_1_2", "column_1"]),
        ([" padded ", "two\nlines", "tab\there"], ["padded", "two lines", "tab here"]),
    ],
)
def test_column_names(given: list[str], made: list[str]) -> None:
    assert column_names(given) == made


def two_of_a_name(folder: Path) -> None:
    (folder / "a.csv").write_text("x\n1\n")
    pq.write_table(pa.table({"x": [1]}), folder / "A.parquet")


def a_folder_with_a_suffix(folder: Path) -> None:
    (folder / "a.parquet").mkdir()


def a_link_to_nowhere(folder: Path) -> None:
    (folder / "a.csv").symlink_to(folder / "gone.csv")


def many_columns(folder: Path) -> None:
    (folder / "a.csv").write_text(",".join(f"c{n}" for n in range(2001)) + "\n")


def a_kept_name(folder: Path) -> None:
    (folder / "sqlite_stat1.csv").write_text("x\n1\n")


def a_name_that_is_no_utf8(folder: Path) -> None:
    Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.csv")).write_text("a\n1\n")


def nothing(folder: Path) -> None:
    pass


def other_files(folder: Path) -> None:
    for n in range(7):
        (folder / f"{n}.txt").touch()
    (folder / "0dir").mkdir()


def a_database(folder: Path) -> None:
    (folder / "bank.sqlite").touch()


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (two_of_a_name, ["A.parquet", "a.csv", "would both be table 'a'", "rename"]),
        (a_folder_with_a_suffix, ["a.parquet is a folder", "must be one file"]),
        (a_link_to_nowhere, ["a.csv cannot be read: No such file"]),
        (many_columns, ["a.csv has 2,001 columns", "at most 2,000", "leave out"]),
        (a_kept_name, ["sqlite_stat1.csv", "SQLite keeps names with sqlite_"]),
        (a_name_that_is_no_utf8, ["caf\ufffd.csv", "its name is not UTF-8; rename it"]),
        (nothing, ["holds no CSV, TSV", "it is empty"]),
        (other_files, ["it holds 0.txt, 0dir/, 1.txt, 2.txt, 3.txt and 3 more"]),
        (a_database, ["it holds bank.sqlite: give that file itself"]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_cannot_be_loaded(
    folder: Path, tmp_path: Path, make: Callable[[Path], None], told: list[str]
) -> None:
    make(folder)
    with pytest.raises(DataError) as caught:
        sqlite_of(folder, tmp_path / "made.sqlite")
    assert [part for part in told if part not in str(caught.value)] == []


def test_a_file_of_another_kind(tmp_path: Path) -> None:
    (tmp_path / "a.xlsx").touch()
    with pytest.raises(DataError, match=r"a\.xlsx is no CSV, TSV \(also \.gz\) or Parquet file"):
        sqlite_of(tmp_path / "a.xlsx", tmp_path / "made.sqlite")


def test_an_existing_file_is_not_written_to(folder: Path, tmp_path: Path) -> None:
    (folder / "a.csv").write_text("x\n1\n")
    (tmp_path / "mine.sqlite").write_text("mine")
    with pytest.raises(DataError, match="exists already"):
        sqlite_of(folder, tmp_path / "mine.sqlite")
    assert (tmp_path / "mine.sqlite").read_text() == "mine"


def test_a_full_disk_is_told(folder: Path, tmp_path: Path) -> None:
    (folder / "a.csv").write_text("n\n" + "123456789\n" * 50_000)
    code = """
import json, resource, sys
from pathlib import Path
from claimdb_harness.own_data.table_folders import sqlite_of
from claimdb_metric.errors import UnavailableError
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    sqlite_of(Path("data"), Path("made.sqlite"))
except UnavailableError as error:
    sys.stdout.write(json.dumps(str(error)))
"""
    env = child_env(tmp_path)
    # Without coverage, which could not write its own file either.
    for name in ("COVERAGE_PROCESS_START", "COVERAGE_PROCESS_CONFIG"):
        env.pop(name, None)
    message = answer_of(code, tmp_path, env)
    assert "no space left in . for data as SQLite" in message
    assert "set TMPDIR" in message


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("a.csv", True),
        ("a.CSV.GZ", True),
        ("a.b.tsv", True),
        ("a.parquet", True),
        (".csv", False),
        ("a.csv.bz2", False),
        ("csv", False),
        ("a.sqlite", False),
    ],
)
def test_which_names_are_tables(name: str, is_one: bool) -> None:
    assert is_table_file(Path(name)) is is_one
