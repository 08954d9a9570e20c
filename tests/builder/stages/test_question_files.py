"""Question files row by row, each with its place, whatever the format."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from claimdb_builder.stages.question_files import read_rows, values
from claimdb_loader.strict_json import Entry
from claimdb_metric.errors import DataError

ROWS = [
    {"db_id": "zoo", "question": "How\nmany?", "SQL": 'SELECT "a", 1'},
    {"db_id": "farm", "question": "Où ça – ‘là’?", "SQL": "SELECT 2\u2028-- x"},
]
CSV = (
    'db_id,question,SQL\nzoo,"How\nmany?","SELECT ""a"", 1"\n'
    "farm,Où ça – ‘là’?,SELECT 2\u2028-- x\n"
)


def lines(rows: list[Any]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def parquet(path: Path, rows: list[Any] = ROWS) -> None:
    pq.write_table(pa.Table.from_pylist(rows), path)


Make = Callable[[Path], object]


def _marked_by(delimiter: str) -> Make:
    """Writes CSV as programs do, with any mark between the cells."""

    def write(path: Path) -> None:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
            writer.writerows([ROWS[0].keys(), *(row.values() for row in ROWS)])

    return write


FILES: dict[str, tuple[str, Make, str, list[int]]] = {
    "JSONL": ("a.jsonl", lambda p: p.write_text(lines(ROWS), "utf-8"), "line", [1, 2]),
    "JSON list": ("a.json", lambda p: p.write_text(json.dumps(ROWS, indent=2)), "row", [1, 2]),
    "JSONL in .json": ("a.json", lambda p: p.write_text(lines(ROWS), "utf-8"), "line", [1, 2]),
    "no suffix": ("questions", lambda p: p.write_text(lines(ROWS), "utf-8"), "line", [1, 2]),
    "BOM": ("a.jsonl", lambda p: p.write_text(lines(ROWS), "utf-8-sig"), "line", [1, 2]),
    "BOM, list": ("a.json", lambda p: p.write_text(json.dumps(ROWS), "utf-8-sig"), "row", [1, 2]),
    "CRLF": (
        "a.jsonl",
        lambda p: p.write_bytes(lines(ROWS).replace("\n", "\r\n").encode()),
        "line",
        [1, 2],
    ),
    "blank lines": (
        "a.jsonl",
        lambda p: p.write_text("\n \t\n" + lines(ROWS[:1]) + "\n\r\n" + lines(ROWS[1:]), "utf-8"),
        "line",
        [3, 6],
    ),
    "no last line break": (
        "a.jsonl",
        lambda p: p.write_text(lines(ROWS)[:-1], "utf-8"),
        "line",
        [1, 2],
    ),
    "CSV": ("a.csv", lambda p: p.write_text(CSV, "utf-8"), "line", [2, 4]),
    "CSV, BOM": ("a.CSV", lambda p: p.write_text(CSV, "utf-8-sig"), "line", [2, 4]),
    "TSV": (
        "a.tsv",
        lambda p: p.write_text(CSV.replace(",", "\t").replace('"a""\t', '"a"",'), "utf-8"),
        "line",
        [2, 4],
    ),
    **{
        f"delimiter {mark!r} in {name}": (name, _marked_by(mark), "line", [2, 4])
        for mark in "\t;,"
        for name in ("a.csv", "a.tsv")
    },
    "Parquet": ("a.parquet", parquet, "row", [1, 2]),
    "Parquet by another name": ("a.data", parquet, "row", [1, 2]),
}


@pytest.mark.parametrize(("name", "make", "what", "places"), FILES.values(), ids=FILES)
def test_rows_and_their_places(
    tmp_path: Path, name: str, make: Make, what: str, places: list[int]
) -> None:
    make(tmp_path / name)
    place_name, entries = read_rows(tmp_path / name)
    found = list(entries)
    assert place_name == what
    assert [entry.place for entry in found] == places
    assert [values(entry) for entry in found] == [(row, None) for row in ROWS]


def test_many_blank_lines_before_the_first_row(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("\n" * 64 + lines(ROWS[:1]))
    assert [entry.place for entry in read_rows(path).entries] == [65]


NO_ROWS = {
    "empty": b"",
    "blank": b" \n\n",
    "BOM alone": b"\xef\xbb\xbf",
    "text": b"SELECT 1\n",
    "UTF-16": lines(ROWS).encode("utf-16"),
    "gzip": b"\x1f\x8b\x08\0\0\0",
    "a number": b"1\n",
    "a string": b'"db_id"\n',
}


@pytest.mark.parametrize("content", NO_ROWS.values(), ids=NO_ROWS)
def test_what_is_no_question_file(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)
    with pytest.raises(DataError, match="is no question file: it must hold JSON") as caught:
        read_rows(path)
    assert str(caught.value).startswith(str(path))


def test_what_is_there_and_no_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is a folder; give the files in it"):
        read_rows(tmp_path)
    with pytest.raises(DataError, match=r"absent\.jsonl: no such file"):
        read_rows(tmp_path / "absent.jsonl")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DataError, match="pipe is no regular file; write its content to one"):
        read_rows(tmp_path / "pipe")


FAULTS: dict[str, tuple[str, bytes, int, str]] = {
    "cut line": ("a.jsonl", b'{"a": 1}\n{"a": ', 2, "the file may be cut short"),
    "two on a line": ("a.jsonl", b'{"a": 1} {"a": 2}\n', 1, "Extra data"),
    "not UTF-8": ("a.jsonl", b'{"a": 1}\n{"a": "\xe4"}\n', 2, "byte 8 is not UTF-8"),
    "key twice": ("a.jsonl", b'{"a": 1, "a": 2}\n', 1, "stands twice"),
    "NaN": ("a.jsonl", b'{"a": NaN}\n', 1, "NaN is no JSON value"),
    "half a pair": ("a.jsonl", b'{"a": "\\ud800"}\n', 1, "lone surrogate"),
    "huge integer": ("a.jsonl", b'{"a": ' + b"9" * 5000 + b"}\n", 1, "more than 4,300 digits"),
    "deep": ("a.jsonl", b'{"a": ' + b"[" * 5000 + b"]" * 5000 + b"}\n", 1, "nested deeper"),
    "no object": ("a.jsonl", b'{"a": 1}\n[1]\n', 2, "not a JSON object but list"),
    "null": ("a.json", b"[null]", 1, "not a JSON object but NoneType"),
    "list cut short": ("a.json", b'[{"a": 1},\n{"a": 2', 2, "line 2, character"),
    "list without its end": ("a.json", b'[{"a": 1}\n', 2, "Expecting ',' or ']'"),
    "list, then more": ("a.json", b'[{"a": 1}]]', 2, "Extra data"),
    "CSV not UTF-8": ("a.csv", b"a,b\n1,\xe4\n", 2, "not CSV in UTF-8"),
    "header not UTF-8": ("a.csv", b"a,\xe4\n1,2\n", 1, "not CSV in UTF-8"),
    "far behind": ("a.csv", b"a,b\n" + b"1,2\n" * 9999 + b"1,\xe4\n", 10001, "save it as such"),
    "in a cell of two lines": ("a.csv", b'a,b\n"1\n\xe4",2\n', 3, "; save it as such"),
    "UTF-16": ("a.csv", "a,b\n1,2\n".encode("utf-16"), 1, "; save it as such"),
    "cells too few": ("a.csv", b"a,b\n1\n", 2, "1 cells, and the header has 2"),
    "cells too many": ("a.csv", b"a,b\n1,2,3\n", 2, "3 cells, and the header has 2"),
}


@pytest.mark.parametrize(("name", "content", "place", "said"), FAULTS.values(), ids=FAULTS)
def test_a_row_with_a_fault_has_its_place(
    tmp_path: Path, name: str, content: bytes, place: int, said: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    faults = [
        (entry.place, fault) for entry in read_rows(path).entries if (fault := values(entry)[1])
    ]
    assert faults[0][0] == place
    assert said in faults[0][1]


QUOTES = {"not closed": (b'a,b\n1,2\n"3,4\n5,6\n', 3), "within": (b'a,b\n"1" x,2\n3,4\n', 2)}


@pytest.mark.parametrize(("content", "place"), QUOTES.values(), ids=QUOTES)
def test_a_wrong_quote_is_told_of_its_row(tmp_path: Path, content: bytes, place: int) -> None:
    (tmp_path / "a.csv").write_bytes(content)
    *_, last = read_rows(tmp_path / "a.csv").entries
    assert "not CSV in UTF-8" in str(last.fault)
    assert last.place == place


@pytest.mark.parametrize("content", [b'a,b\n1,2\n"3,4\n5,6\n', b'a,b\n1,2\n"1" x,2\n'])
def test_a_wrong_quote_ends_the_rows(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.csv").write_bytes(content)
    first, last = read_rows(tmp_path / "a.csv").entries
    assert values(first) == ({"a": "1", "b": "2"}, None)
    assert str(last.fault).startswith("not CSV in UTF-8 (")
    assert str(last.fault).endswith("); save it as such")


def test_rows_behind_a_fault_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a": 1}\n{"a"\n\xff\n{"a": 4}\n')
    found = [entry.fault is None for entry in read_rows(path).entries]
    assert found == [True, False, False, True]


def test_a_list_that_is_not_utf8_and_parquet_that_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b'[{"a": "\xe4"}]')
    with pytest.raises(DataError, match=r"a\.json: byte 9 is not UTF-8"):
        list(read_rows(path).entries)
    parquet(path)
    content = path.read_bytes()
    for end in (4, 100, len(content) - 1):
        path.write_bytes(content[:end])
        with pytest.raises(DataError, match=r"a\.json is not a readable Parquet file"):
            list(read_rows(path).entries)


def test_a_long_cell_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("sql\n" + "x" * 1_000_000 + "\n")
    (entry,) = read_rows(path).entries
    assert len(values(entry)[0]["sql"]) == 1_000_000


def test_reading_changes_nothing_for_other_users_of_csv(tmp_path: Path) -> None:
    before = csv.field_size_limit(12345)
    try:
        (tmp_path / "a.csv").write_text("a\n1\n")
        list(read_rows(tmp_path / "a.csv").entries)
        assert csv.field_size_limit() == 12345
    finally:
        csv.field_size_limit(before)


def test_a_column_that_stands_twice_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,b,a\n1,2,3\n")
    (entry,) = read_rows(tmp_path / "a.csv").entries
    assert entry.fault is not None


def test_a_value_that_is_no_object() -> None:
    assert values(Entry(1, {"a": 1}, None)) == ({"a": 1}, None)
    assert values(Entry(1, {"a": 1}, "a fault")) == ({}, "a fault")
