"""Parquet as columns of what SQLite has."""

from __future__ import annotations

import datetime as dt
import sqlite3
import tempfile
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimdb_harness.own_data import parquet_tables
from claimdb_harness.own_data.table_folders import sqlite_of
from claimdb_metric.errors import DataError

MOMENT = dt.datetime(2020, 1, 31, 10, 0)


def loaded(table: pa.Table, **options: Any) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Types and rows of a table, through Parquet and SQLite."""
    with tempfile.TemporaryDirectory() as folder:
        path, made = Path(folder, "t.parquet"), Path(folder, "made.sqlite")
        pq.write_table(table, path, **options)
        (found,) = sqlite_of(path, made)
        with closing(sqlite3.connect(made)) as connection:
            rows = connection.execute("SELECT * FROM t").fetchall()
        return [type_ for _, type_ in found.columns], rows


@pytest.mark.parametrize(
    ("array", "type_", "values"),
    [
        (pa.array([1, None], pa.int8()), "INTEGER", [1, None]),
        (pa.array([2**63 - 1, None], pa.uint64()), "INTEGER", [2**63 - 1, None]),
        (pa.array([1, 2**64 - 1, None], pa.uint64()), "TEXT", ["1", f"{2**64 - 1}", None]),
        (pa.array([True, None, False]), "INTEGER", [1, None, 0]),
        (pa.array([0.1, float("nan"), float("inf")]), "REAL", [0.1, None, float("inf")]),
        (pa.array([0.5, None], pa.float32()), "REAL", [0.5, None]),
        (pa.array(np.array([0.5], np.float16)), "REAL", [0.5]),
        (pa.array([Decimal("1.10"), None]), "REAL", [1.1, None]),
        (pa.array([Decimal(5), None], pa.decimal128(38, 0)), "INTEGER", [5, None]),
        (pa.array([Decimal(5), Decimal(10**20)], pa.decimal128(38, 0)), "TEXT", ["5", f"{10**20}"]),
        (pa.array(["00123", "", None]), "TEXT", ["00123", "", None]),
        (pa.array(["x", "y", "x", None]).dictionary_encode(), "TEXT", ["x", "y", "x", None]),
        (pa.array([1, 2]).dictionary_encode(), "INTEGER", [1, 2]),
        (pa.nulls(2), "TEXT", [None, None]),
        (pa.array([b"\xff\x00", None]), "BLOB", [b"\xff\x00", None]),
        (pa.array([MOMENT.date(), None]), "TEXT", ["2020-01-31", None]),
        (pa.array([MOMENT, None], pa.timestamp("s")), "TEXT", ["2020-01-31 10:00:00", None]),
        (
            pa.array([MOMENT, MOMENT.replace(microsecond=500_000)], pa.timestamp("us")),
            "TEXT",
            ["2020-01-31 10:00:00", "2020-01-31 10:00:00.5"],
        ),
        (
            pa.array([MOMENT, None], pa.timestamp("us", "Europe/Prague")),
            "TEXT",
            ["2020-01-31 10:00:00+00:00", None],
        ),
        (pa.array([dt.time(9, 30), None]), "TEXT", ["09:30:00", None]),
        (pa.array([1500, None], pa.duration("ms")), "REAL", [1.5, None]),
        (pa.array([[1, None], [], None]), "TEXT", ["[1, null]", "[]", None]),
        (pa.array([[float("nan"), 1.5]]), "TEXT", ["[null, 1.5]"]),
        (
            pa.array([{"day": MOMENT.date(), "sum": Decimal("1.10"), "raw": b"\xff", "ü": "ß"}]),
            "TEXT",
            ['{"day": "2020-01-31", "sum": "1.10", "raw": "ff", "ü": "ß"}'],
        ),
    ],
    ids=lambda value: str(value.type) if isinstance(value, pa.Array) else "",
)
def test_the_values_of_a_type(array: pa.Array, type_: str, values: list[object]) -> None:
    types, rows = loaded(pa.table({"a": array}))
    assert (types, [row[0] for row in rows]) == ([type_], values)
    assert [type(row[0]) for row in rows] == [type(value) for value in values]


def test_an_extension_type_is_its_storage() -> None:
    pytest.importorskip("pyarrow", minversion="19")
    array = pa.array(["[1, 2]", None]).cast(pa.string())
    extended = pa.ExtensionArray.from_storage(pa.json_(pa.string()), array)
    assert loaded(pa.table({"a": extended})) == (["TEXT"], [("[1, 2]",), (None,)])


def test_moments_sort_as_text() -> None:
    moments = [MOMENT + dt.timedelta(microseconds=n) for n in (0, 1, 500_000, 510_000, 10**6)]
    for type_ in (pa.timestamp("us"), pa.timestamp("us", "UTC")):
        texts = [row[0] for row in loaded(pa.table({"a": pa.array(moments, type_)}))[1]]
        assert texts == sorted(texts)


def test_no_rows_and_no_columns() -> None:
    assert loaded(pa.table({"a": pa.array([], pa.int64())})) == (["INTEGER"], [])


def test_columns_of_one_name() -> None:
    table = pa.table([pa.array([1]), pa.array(["x"])], names=["a", "a"])
    assert loaded(table) == (["INTEGER", "TEXT"], [(1, "x")])


def test_batches_and_row_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_tables, "BATCH_ROWS", 7)
    table = pa.table({"a": range(100), "u": pa.array([*range(99), 2**64 - 1], pa.uint64())})
    types, rows = loaded(table, row_group_size=10)
    assert types == ["INTEGER", "TEXT"]
    assert rows == [*((n, str(n)) for n in range(99)), (99, str(2**64 - 1))]


@pytest.mark.parametrize("n_bytes", [0, 4, 30, -20, -4])
def test_a_damaged_file(tmp_path: Path, n_bytes: int) -> None:
    pq.write_table(pa.table({"a": range(100)}), tmp_path / "whole.parquet")
    content = (tmp_path / "whole.parquet").read_bytes()
    (tmp_path / "t.parquet").write_bytes(content[:n_bytes])
    with pytest.raises(DataError, match=r"t\.parquet cannot be read as Parquet .*write it again"):
        sqlite_of(tmp_path / "t.parquet", tmp_path / "made.sqlite")


def test_a_file_damaged_in_its_data(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": range(1000)}), tmp_path / "t.parquet", compression="zstd")
    content = bytearray((tmp_path / "t.parquet").read_bytes())
    content[10:200] = bytes(190)
    (tmp_path / "t.parquet").write_bytes(content)
    with pytest.raises(DataError, match=r"t\.parquet cannot be read as Parquet"):
        sqlite_of(tmp_path / "t.parquet", tmp_path / "made.sqlite")


VALUES = {
    "i": st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1)),
    "f": st.one_of(st.none(), st.floats(allow_nan=False)),
    "s": st.one_of(st.none(), st.text(st.characters(codec="utf-8"), max_size=8)),
    "b": st.one_of(st.none(), st.binary(max_size=4)),
}


@given(st.lists(st.tuples(*VALUES.values()), max_size=20))
@settings(max_examples=60, deadline=None)
def test_what_pyarrow_writes_comes_back(rows: list[tuple[Any, ...]]) -> None:
    types = (pa.int64(), pa.float64(), pa.string(), pa.binary())
    arrays = [pa.array([row[n] for row in rows], type_) for n, type_ in enumerate(types)]
    assert loaded(pa.table(arrays, names=list(VALUES)))[1] == rows
