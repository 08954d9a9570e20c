"""Claims in Parquet: every row as strictly checked as in JSON Lines, every fault named."""

from __future__ import annotations

import io
from pathlib import Path

import pyarrow as pa
import pytest

import claimdb
from claimdb_loader import claim_parquet
from claimdb_loader.claim_rows import COLUMNS, check_row
from claimdb_loader.claim_tables import CLAIM_SCHEMA, ClaimFileReader
from claimdb_metric.errors import ClaimFileError
from tests.conftest import Load
from tests.loader.claim_files import Row, claim, ids, jsonl, read
from tests.loader.parquet_files import PATH, faults, parquet, parquet_of

SHAPES = [claim(0, 0), claim(1, 1), claim(2, 2), claim(3, None)]
EXPECTED = [check_row(row)[0] for row in SHAPES]
BAD_TEXT = pa.Array.from_buffers(pa.string(), 2, pa.array([b"a", b"b\xff"]).buffers())


def coded(row: Row) -> Row:
    """The row with integers in place of label and category."""
    good, _ = check_row(row)
    return row | {"label": good["label"], "category": good["category"]}


def as_dictionaries(rows: list[Row]) -> bytes:
    """As pandas writes what it calls categoricals."""
    keys = ("db_name", "label", "category")
    return parquet(rows, dict.fromkeys(keys, pa.dictionary(pa.int8(), pa.string())))


@pytest.mark.parametrize(
    "content",
    [
        parquet(SHAPES),
        parquet(map(coded, SHAPES)),
        parquet(SHAPES, {"claim_id": pa.int16(), "bird_id": pa.uint32()}),
        parquet(SHAPES, {"claim": pa.large_string(), "label": pa.large_string()}),
        parquet(SHAPES, {"claim": pa.string_view()}),
        parquet_of(pa.Table.from_pylist(EXPECTED, schema=CLAIM_SCHEMA), compression="zstd"),
        parquet_of(pa.Table.from_pylist(EXPECTED, schema=CLAIM_SCHEMA), row_group_size=1),
        as_dictionaries(SHAPES),
    ],
    ids=[
        *("names", "codes", "widths", "large texts", "views"),
        *("as published", "row groups", "dictionaries"),
    ],
)
def test_what_can_be_read_has_one_schema(content: bytes) -> None:
    table = read(content, PATH)
    assert table.schema.equals(CLAIM_SCHEMA)
    assert table.to_pylist() == EXPECTED


def test_columns_that_may_be_left_out() -> None:
    rows = [{"claim_id": 7, "db_name": "zoo", "claim": "It has 3 owls."}]
    assert read(parquet(rows), PATH).to_pylist() == [check_row(rows[0])[0]]
    nothing = dict.fromkeys(COLUMNS) | rows[0]
    assert read(parquet([nothing]), PATH).to_pylist() == [check_row(rows[0])[0]]


def test_a_file_without_rows() -> None:
    assert read(parquet([]), PATH).num_rows == 0
    assert read(parquet_of(CLAIM_SCHEMA.empty_table()), PATH).num_rows == 0


@pytest.mark.parametrize(
    ("row", "reasons"),
    [
        (claim(-1), ["claim_id must be an integer of at least 0, got -1"]),
        (claim(1, bird_id=-2), ["bird_id must be an integer of at least -1, got -2"]),
        (claim(1, claim=" \u00a0"), ['claim must be a text that is not empty, got " \\u00a0"']),
        (claim(1, label=None) | {"label": "TRUE"}, ['unknown label "TRUE"; it must be one of']),
        (claim(1, 0, category="SUBJECTIVE"), ["a category is given, but the label is not NOT"]),
        (claim(1, 2) | {"category": "VAGUE"}, ['unknown category "VAGUE"; it must be one of']),
        (claim(9), ["claim_id 9 stands already at folder/train.parquet:1"]),
        (
            claim(1) | {"claim_id": None, "db_name": None, "claim": ""},
            ["claim_id is missing", "db_name must be a text", "claim must be a text"],
        ),
    ],
    ids=lambda value: None if isinstance(value, dict) else value[0][:30],
)
def test_a_faulty_row_is_named_with_its_number(row: Row, reasons: list[str]) -> None:
    said = faults(parquet([claim(9, 2), row, claim(10, 2)]))
    assert len(said) == len(reasons)
    for line, reason in zip(said, reasons, strict=True):
        assert line.startswith(f"{PATH}:2: {reason}")


@pytest.mark.parametrize(("key", "code"), [("label", 3), ("label", -2), ("category", 3)])
def test_an_integer_that_is_no_class(key: str, code: int) -> None:
    rows = [coded(claim(1, 2)), coded(claim(2, 2)) | {key: code}]
    assert faults(parquet(rows))[0].startswith(f"{PATH}:2: unknown {key} {code}; it must be one")


def test_an_integer_beyond_64_bits_with_sign() -> None:
    content = parquet([claim(1), claim(2**63)], {"claim_id": pa.uint64()})
    assert faults(content) == [
        f"{PATH}:2: claim_id must be an integer of at least 0, got 9223372036854775808"
    ]


@pytest.mark.parametrize("key", ["db_name", "claim", "label"])
def test_invalid_utf8_is_named_with_its_row(key: str) -> None:
    columns = {
        "claim_id": pa.array([1, 2]),
        **dict.fromkeys(["db_name", "claim"], pa.array(["a", "b"])),
        "label": pa.array(["ENTAILED", None]),
        key: BAD_TEXT,
    }
    said = faults(parquet_of(pa.table(columns)))
    assert said[-1] == f"{PATH}:2: {key} holds invalid UTF-8 at byte 2"


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ({"claim_id": None}, "there is no column claim_id; the columns are db_name, claim"),
        ({"claim_id": pa.array([1.0])}, "column claim_id is of type double, but must hold integ"),
        ({"claim_id": pa.array(["1"])}, "column claim_id is of type string, but must hold integ"),
        ({"claim": pa.array([b"x"])}, "column claim is of type binary, but must hold texts"),
        ({"claim": pa.array([["x"]])}, "column claim is of type list<element: string>, but must"),
        ({"db_name": pa.array([1])}, "column db_name is of type int64, but must hold texts (str"),
        ({"extra_info": pa.array([True])}, "column extra_info is of type bool, but must hold"),
        ({"bird_id": pa.array([float("nan")])}, "column bird_id is of type double, but must"),
        ({"label": pa.array([1.0])}, "column label is of type double, but must hold texts (ENT"),
        ({"category": pa.array([{"a": 1}])}, "column category is of type struct<a: int64>, but"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_column_that_is_missing_or_of_another_type(columns: Row, reason: str) -> None:
    good = {"claim_id": pa.array([1]), "db_name": pa.array(["a"]), "claim": pa.array(["b"])}
    table = pa.table({key: value for key, value in (good | columns).items() if value is not None})
    (said,) = faults(parquet_of(table))
    assert said.startswith(f"{PATH}:1: {reason}")


def test_all_wrong_columns_are_named_at_once() -> None:
    table = pa.table([[1.0], ["a"], ["b"]], names=["claim_id", "claim", "claim"])
    assert [line.partition(":1: ")[2][:35] for line in faults(parquet_of(table))] == [
        "column claim_id is of type double, ",
        "there is no column db_name; the col",
        "column claim stands 2 times",
    ]


def test_an_unknown_column_is_left_out_and_named(caplog: pytest.LogCaptureFixture) -> None:
    # "claim.x" too: Parquet writes the fields of a struct like that.
    rows = [claim(1) | {"claim.x": 2.5}, claim(2) | {"claim.x": None}]
    assert read(parquet(rows), PATH).to_pylist() == read(jsonl(rows)).to_pylist()
    said = 'key "claim.x" is not part of a claim row; its values are left out'
    assert [r.getMessage() for r in caplog.records if r.name == "claimdb"] == [said, said]


def test_twenty_problems_are_listed_and_called_rows() -> None:
    with pytest.raises(ClaimFileError) as caught:
        read(parquet(claim(-1) for _ in range(50)), PATH)
    assert str(caught.value).startswith(
        "20 problems, and perhaps more in claims files; mend these rows and load again "
        f"(a Parquet file holds one claim a row):\n  {PATH}:1: claim_id must be"
    )


def test_faults_in_files_of_both_kinds_are_called_by_both_names() -> None:
    reader = ClaimFileReader()
    with pytest.raises(ClaimFileError, match=r"1 problem in .* mend these rows and load"):
        list(reader.tables(io.BytesIO(parquet([claim(-1)])), PATH))
    with pytest.raises(ClaimFileError, match=r"2 problems in .* mend these lines and rows and lo"):
        list(reader.tables(io.BytesIO(jsonl([claim(-1)])), "test-public.jsonl"))


@pytest.mark.parametrize("batch_rows", [1, 7, 1000])
def test_the_size_of_a_batch_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, batch_rows: int
) -> None:
    monkeypatch.setattr(claim_parquet, "BATCH_ROWS", batch_rows)
    rows = [claim(i, i % 3) for i in range(50)]
    assert read(parquet(rows), PATH).to_pylist() == read(jsonl(rows)).to_pylist()
    rows[3] |= {"claim": ""}
    rows[47] |= {"claim_id": 40}
    assert [line.split(" ")[0] for line in faults(parquet(rows))] == [f"{PATH}:4:", f"{PATH}:48:"]


@pytest.mark.matrix
@pytest.mark.parametrize("streaming", [False, True])
def test_data_files_in_parquet(load: Load, tmp_path: Path, streaming: bool) -> None:
    (tmp_path / "x.parquet").write_bytes(parquet(SHAPES))
    (tmp_path / "y.jsonl").write_bytes(jsonl([claim(4)]))
    x, y = str(tmp_path / "x.parquet"), str(tmp_path / "y.jsonl")
    assert list(load(data_files=x, split="train", streaming=streaming)) == EXPECTED
    both = load(data_files={"dev": [x, y]}, split="dev", streaming=streaming)
    assert ids(both) == [0, 1, 2, 3, 4]


@pytest.mark.matrix
@pytest.mark.parametrize("streaming", [False, True])
def test_a_faulty_data_file_in_parquet(load: Load, tmp_path: Path, streaming: bool) -> None:
    path = tmp_path / "x.parquet"
    for content, words in [
        (parquet([claim(1), claim(2, claim="")]), r"x\.parquet:2: claim must be a text"),
        (parquet(SHAPES)[:-1], r"x\.parquet:1: this is a Parquet file that cannot be read"),
        (b"", r"x\.parquet:1: this is an empty file, not Parquet"),
    ]:
        path.write_bytes(content)
        with pytest.raises(claimdb.ClaimFileError, match=words):
            list(load(data_files=str(path), split="train", streaming=streaming))


@pytest.mark.matrix
def test_gzipped_parquet_is_known_by_its_content(load: Load, tmp_path: Path) -> None:
    import gzip

    path = tmp_path / "x.parquet.gz"
    path.write_bytes(gzip.compress(parquet(SHAPES)))
    for streaming in (False, True):
        assert list(load(data_files=str(path), split="train", streaming=streaming)) == EXPECTED
