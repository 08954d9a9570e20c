"""CSV and Parquet: places are real lines, cells get their types, odd values a plain form."""

from __future__ import annotations

import datetime as dt
import decimal
import io
import math
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from claimdb_loader.prediction_files import RowFile, read_rows
from tests.loader.prediction_writers import parquet, written


def csv_file(folder: Path, text: str) -> RowFile:
    return read_rows(written(folder, text, "p.csv"))


def parquet_file(folder: Path, content: bytes) -> RowFile:
    return read_rows(written(folder, content, "p.parquet"))


def test_a_row_of_csv_has_the_line_on_which_it_starts(tmp_path: Path) -> None:
    text = '\nclaim_id,why\r\n7,"one\n\ntwo"\n\n 8 ,"a ""b"", c"\n9,\n'
    file = csv_file(tmp_path, text)
    assert [row.place for row in file.rows] == [3, 7, 8]
    assert [row.values for row in file.rows] == [
        {"claim_id": "7", "why": "one\n\ntwo"},
        {"claim_id": " 8 ", "why": 'a "b", c'},
        {"claim_id": "9", "why": None},
    ]
    assert file.problems == ()


@pytest.mark.parametrize(
    ("text", "kind", "place", "reason"),
    [
        (
            "claim_id,label\n7\n",
            "columns",
            2,
            "the number of cells is 1, the header has 2; mend the row",
        ),
        (
            'claim_id,label\n7,"a\nb",c\n',
            "columns",
            2,
            "the number of cells is 3, the header has 2",
        ),
        ("claim_id,label,label\n7,a,b\n", "columns", 1, "column 'label' stands twice in the head"),
        ('claim_id,label\n7,"a\n8,b\n', "not-csv", 2, "not CSV (unexpected end of data); mend"),
        ('claim_id,label\n7,"a"b\n', "not-csv", 2, "not CSV (',' expected after '\"')"),
        ('"claim_id,label\n', "not-csv", 1, "not CSV (unexpected end of data)"),
        ("claim_id,label\n7," + "x" * 200_000, "not-csv", 2, "not CSV (field larger than field"),
    ],
)
def test_a_bad_row_of_csv(tmp_path: Path, text: str, kind: str, place: int, reason: str) -> None:
    file = csv_file(tmp_path, text)
    (problem,) = file.problems
    assert (file.rows, problem.kind, problem.place) == ((), kind, place)
    assert problem.message.startswith(reason)


def test_the_rows_around_a_bad_row_are_read(tmp_path: Path) -> None:
    file = csv_file(tmp_path, 'claim_id,label\n1,a\n2\n3,"b"x\n4,c\n')
    assert [row.values["claim_id"] for row in file.rows] == ["1", "4"]
    assert [problem.place for problem in file.problems] == [3, 4]


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["0.5", "1", ""], [0.5, 1, None]),
        (["0.5", "nan", "-Infinity"], [0.5, None, None]),
        (["[0.1, 0.9]", "[]", ""], [[0.1, 0.9], [], None]),
        (["1", "2", "three"], ["1", "2", "three"]),
        (["01", "2", "3"], ["01", "2", "3"]),
        (["True", "False", ""], ["True", "False", None]),
        (["9" * 5000, "1", "2"], ["9" * 5000, "1", "2"]),
        (["1e999", "1", "2"], ["1e999", "1", "2"]),
    ],
)
def test_a_column_of_json_values_gets_its_types(
    tmp_path: Path, cells: list[str], values: list[object]
) -> None:
    lines = [f'{number},"{cell}"' for number, cell in enumerate(cells)]
    file = csv_file(tmp_path, "claim_id,given\n" + "\n".join(lines))
    assert [row.values["given"] for row in file.rows] == values


@pytest.mark.parametrize("column", ["claim_id", "label", "verdict"])
def test_the_columns_of_a_prediction_stay_text(tmp_path: Path, column: str) -> None:
    file = csv_file(tmp_path, f"{column},x\n1,\n0,\n,\n")
    assert [row.values[column] for row in file.rows] == ["1", "0", None]


def test_what_pandas_writes_is_read(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {"claim_id": [7.0, 8.0], "label": ["ENTAILED", None], "p": [math.nan, 0.25]}
    )
    frame.to_csv(tmp_path / "p.csv")
    frame.to_parquet(tmp_path / "p.parquet")
    rows = [row.values for row in read_rows(tmp_path / "p.csv").rows]
    assert rows[0] == {"": 0, "claim_id": "7.0", "label": "ENTAILED", "p": None}
    rows = [row.values for row in read_rows(tmp_path / "p.parquet").rows]
    assert rows[0] == {"claim_id": 7.0, "label": "ENTAILED", "p": None}
    assert rows[1] == {"claim_id": 8.0, "label": None, "p": 0.25}


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (math.inf, None),
        ([0.5, math.nan], [0.5, None]),
        ({"a": math.nan, "b": [True]}, {"a": None, "b": [True]}),
        (dt.date(2026, 1, 2), "2026-01-02"),
        (dt.datetime(2026, 1, 2, 3, 4), "2026-01-02T03:04:00"),
        (dt.time(3, 4), "03:04:00"),
        (dt.timedelta(hours=1), "1:00:00"),
        (decimal.Decimal("1.50"), "1.50"),
        (b"ENTAILED", "ENTAILED"),
        (b"\xff\x00", "ff00"),
        (2**60, 2**60),
    ],
)
def test_values_without_a_form_in_json_get_one(tmp_path: Path, value: Any, plain: object) -> None:
    (row,) = parquet_file(tmp_path, parquet([{"claim_id": 7, "given": value}])).rows
    assert row.values["given"] == plain


def test_a_dictionary_column_is_text(tmp_path: Path) -> None:
    table = pa.table({"label": pa.array(["ENTAILED", "ENTAILED"]).dictionary_encode()})
    pq.write_table(table, tmp_path / "p.parquet")
    rows = read_rows(tmp_path / "p.parquet").rows
    assert [row.values["label"] for row in rows] == ["ENTAILED", "ENTAILED"]


def bytes_as_text() -> bytes:
    """A text column that holds no UTF-8."""
    array = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.py_buffer(b"\0\0\0\0\1\0\0\0"), pa.py_buffer(b"\xff")]
    )
    buffer = io.BytesIO()
    pq.write_table(pa.table({"label": array}), buffer)
    return buffer.getvalue()


WHOLE = parquet([{"claim_id": number, "label": "ENTAILED"} for number in range(1000)])


@pytest.mark.parametrize(
    "content",
    [
        b"PAR1",
        b"PAR1 and no more",
        WHOLE[:-20],
        WHOLE[:100] + b"\0" * 2000 + WHOLE[2100:],
        bytes_as_text(),
    ],
)
def test_a_damaged_parquet_file_is_a_problem(tmp_path: Path, content: bytes) -> None:
    file = parquet_file(tmp_path, content)
    (problem,) = file.problems
    assert (file.rows, problem.kind, problem.place) == ((), "not-parquet", None)
    assert problem.message.startswith("not a readable Parquet file (")


def test_parquet_with_a_column_twice_or_none(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    pq.write_table(pa.table([[1], [2]], names=["claim_id", "claim_id"]), buffer)
    (problem,) = parquet_file(tmp_path, buffer.getvalue()).problems
    assert problem.message == "column 'claim_id' stands twice in the header; rename one of them"
    assert [problem.kind for problem in parquet_file(tmp_path, parquet([])).problems] == ["no-rows"]
