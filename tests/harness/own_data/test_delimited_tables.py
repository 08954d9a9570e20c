"""CSV as typed columns: types by all rows, delimiters, encodings, and what is refused."""

from __future__ import annotations

import csv
import gzip
import io
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import csv as arrow_csv

from claimdb_harness.own_data import delimited_tables
from claimdb_harness.own_data.delimited_tables import delimiter_of
from claimdb_harness.own_data.table_folders import sqlite_of
from claimdb_metric.errors import DataError

Row = tuple[Any, ...]


def loaded(content: bytes, name: str = "t.csv") -> tuple[tuple[tuple[str, str], ...], list[Row]]:
    """Columns and rows of a CSV file, through SQLite."""
    with tempfile.TemporaryDirectory() as folder:
        path, made = Path(folder, name), Path(folder, "made.sqlite")
        path.write_bytes(content)
        (table,) = sqlite_of(path, made)
        with closing(sqlite3.connect(made)) as connection:
            rows = connection.execute("SELECT * FROM t").fetchall()
        assert table.n_rows == len(rows)
        return table.columns, rows


@pytest.mark.parametrize(
    ("cells", "type_", "values"),
    [
        (["1", "-2", " 3 "], "INTEGER", [1, -2, 3]),
        (["1", "", "NA", "NULL", "nan"], "INTEGER", [1, None, None, None, None]),
        (["9223372036854775807", "-9223372036854775808"], "INTEGER", [2**63 - 1, -(2**63)]),
        (["9223372036854775808", "1"], "TEXT", ["9223372036854775808", "1"]),
        (["1", "2.50", "1e3", ".5", "5."], "REAL", [1.0, 2.5, 1000.0, 0.5, 5.0]),
        (["0.1", "NaN", "-inf"], "REAL", [0.1, None, float("-inf")]),
        (["0", "0.0", "-0.5"], "REAL", [0.0, 0.0, -0.5]),
        (["true", "FALSE", ""], "INTEGER", [1, 0, None]),
        (["true", "1"], "TEXT", ["true", "1"]),
        (["00123", "60200"], "TEXT", ["00123", "60200"]),
        (["60200", "-012"], "TEXT", ["60200", "-012"]),
        (["1.5", "00.5"], "TEXT", ["1.5", "00.5"]),
        (["+420", "1"], "TEXT", ["+420", "1"]),
        (["0x1F", "1"], "TEXT", ["0x1F", "1"]),
        (["1,234", "5"], "TEXT", ["1,234", "5"]),
        (["12 %", "5"], "TEXT", ["12 %", "5"]),
        (["2020-01-31", ""], "TEXT", ["2020-01-31", None]),
        (["2020-01-31T10:00:00Z"], "TEXT", ["2020-01-31T10:00:00Z"]),
        (["NA", "CZ", "NULL"], "TEXT", ["NA", "CZ", "NULL"]),
        (["", ""], "TEXT", [None, None]),
        ([" x ", "two\nlines", 'q"q'], "TEXT", [" x ", "two\nlines", 'q"q']),
    ],
)
def test_the_type_of_a_column(cells: list[str], type_: str, values: list[object]) -> None:
    text = io.StringIO()
    csv.writer(text).writerows([("a", "b"), *((cell, "x") for cell in cells)])
    columns, rows = loaded(text.getvalue().encode())
    assert columns == (("a", type_), ("b", "TEXT"))
    assert [row[0] for row in rows] == values
    assert [type(row[0]) for row in rows] == [type(value) for value in values]


@pytest.mark.parametrize(
    ("last", "type_"),
    [("2.5", "REAL"), ("007", "TEXT"), ("x", "TEXT"), ("9" * 20, "TEXT"), ("8", "INTEGER")],
)
def test_a_row_far_below_decides_the_type_too(
    monkeypatch: pytest.MonkeyPatch, last: str, type_: str
) -> None:
    monkeypatch.setattr(delimited_tables, "BLOCK_BYTES", 100)
    columns, rows = loaded(b"a,b\n" + b"7,x\n" * 1000 + f"{last},x\n".encode())
    assert columns[0] == ("a", type_)
    assert len(rows) == 1001
    assert (str(rows[0][0]), str(rows[-1][0])) == ("7.0" if type_ == "REAL" else "7", last)


@pytest.mark.parametrize(
    ("content", "columns", "row"),
    [
        (b"a;b\n1;x, y\n", ("a", "b"), (1, "x, y")),
        (b"a;b\n1,5;2\n", ("a", "b"), ("1,5", 2)),
        (b"a\tb\n1\t2\n", ("a", "b"), (1, 2)),
        (b"a|b\n1|2\n", ("a", "b"), (1, 2)),
        (b"a\n1\n", ("a",), (1,)),
        (b"\xef\xbb\xbfa,b\n1,2\n", ("a", "b"), (1, 2)),
        (b"a,b\r\n1,2\r\n", ("a", "b"), (1, 2)),
        (b"a,b\n1,2", ("a", "b"), (1, 2)),
        (b"\n\na,b\n\n1,2\n\n", ("a", "b"), (1, 2)),
        (b'"a\nb",c\n1,2\n', ("a b", "c"), (1, 2)),
        (b"a,,a\n1,2,3\n", ("a", "column_2", "a_2"), (1, 2, 3)),
        ("a;b\n1;é\n".encode("utf-16"), ("a", "b"), (1, "é")),
        ("a,b\n1,x\u2028y\n".encode(), ("a", "b"), (1, "x\u2028y")),
    ],
)
def test_how_a_file_may_be_written(content: bytes, columns: tuple[str, ...], row: Row) -> None:
    found, rows = loaded(content)
    assert (tuple(name for name, _ in found), rows) == (columns, [row])


@pytest.mark.parametrize("content", [b"a,b", b"a,b\n", b"a,b\r\n", b"\xef\xbb\xbfa,b\n\n"])
def test_no_rows(content: bytes) -> None:
    assert loaded(content) == ((("a", "TEXT"), ("b", "TEXT")), [])


def test_tsv_has_tabs_whatever_else_is_in_it() -> None:
    assert loaded(b"a,x,y\tb\n1,2,3\t2\n", "t.tsv")[0][1] == ("b", "INTEGER")


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("name;note\na;b, c, d\ne;f\n", ";"),
        ("name,note\na,b; c\nd,e\n", ","),
        ('"a;b",c\n"d;e;f",g\n', ","),
        ("word\nother\n", ","),
        ("a;b\n" + "x;" + "y" * 200_000 + "\n", ";"),
    ],
)
def test_the_delimiter(text: str, delimiter: str) -> None:
    assert delimiter_of(text) == delimiter


@pytest.mark.parametrize(
    ("content", "name", "told"),
    [
        (b"", "t.csv", "t.csv is empty"),
        (b"\xef\xbb\xbf \n\n", "t.csv", "t.csv is empty"),
        (b"a,b\n1,2\n3,caf\xe9\n", "t.csv", "t.csv:3 is not UTF-8 (byte 0xE9): save it as UTF-8"),
        (b"caf\xe9,b\n1,2\n", "t.csv", "t.csv:1 is not UTF-8 (byte 0xE9)"),
        ("a,b\n1,2\n".encode("utf-16-le"), "t.csv", "UTF-16 without its mark: save it as UTF-8"),
        (b"a,b\n1,2\n3,4,5\n", "t.csv", "Expected 2 columns, got 3: 3,4,5"),
        (b"a,b\n1,2\n3\n", "t.csv", "give each row as many cells as the header"),
        (b'a,b\n1,"x\n2,y\n', "t.csv", "a quote that is never closed"),
        (b'a,b\n"1,x\n2,y\n', "t.csv", "Expected 2 columns, got 1"),
        (b"a,b\n1,2\n", "t.csv.gz", "t.csv.gz cannot be read as CSV"),
        (
            gzip.compress(b"a,b\n1,2\n" * 99, mtime=0)[:-9],
            "t.csv.gz",
            "t.csv.gz cannot be read as CSV",
        ),
    ],
)
def test_what_is_refused(content: bytes, name: str, told: str) -> None:
    with pytest.raises(DataError) as caught:
        loaded(content, name)
    assert told in str(caught.value)


def test_a_row_longer_than_a_block_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited_tables, "BLOCK_BYTES", 50)
    with pytest.raises(DataError, match="is a row longer than"):
        loaded(b"a,b\n1,2\n3," + b"x" * 200 + b"\n" + b"4,5\n" * 99)


# A letter in front keeps a text from being a number, or a mark for no value.
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8).map("x".__add__)
COLUMNS = {
    "i": st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1)),
    "f": st.one_of(st.none(), st.floats(allow_nan=False)),
    "s": st.one_of(st.none(), TEXTS),
}


@given(st.lists(st.tuples(st.just(7), *COLUMNS.values()), max_size=20))
@settings(max_examples=60, deadline=None)
def test_what_pyarrow_writes_comes_back(rows: list[Row]) -> None:
    types = (pa.int64(), pa.int64(), pa.float64(), pa.string())
    arrays = [pa.array([row[n] for row in rows], type_) for n, type_ in enumerate(types)]
    text = pa.BufferOutputStream()
    arrow_csv.write_csv(pa.table(arrays, names=["always", *COLUMNS]), text)
    assert loaded(text.getvalue().to_pybytes())[1] == rows
