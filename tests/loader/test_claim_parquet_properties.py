"""Rows written as Parquet and as JSON Lines are the same rows, or have the same faults."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from claimdb_loader.claim_rows import COLUMNS
from claimdb_metric.errors import ClaimFileError
from claimdb_metric.labels import CATEGORIES, LABELS
from tests.loader.claim_files import Row, claim, jsonl, read
from tests.loader.parquet_files import PATH, parquet

NAMES = {"label": LABELS, "category": CATEGORIES}
UNSIGNED = [pa.uint64(), pa.uint8()]
INTEGERS = [pa.int64(), pa.int32(), pa.int8(), *UNSIGNED]
TEXTS = [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())]
LARGEST = {pa.int64(): 2**63 - 1, pa.uint64(): 2**63}
TEXT = st.one_of(
    st.none(), st.text(max_size=4), st.sampled_from(["", " ", "\u00a0", "\x1c", "ferry_lines"])
)
NAME = st.sampled_from([None, *LABELS, *CATEGORIES, "TRUE", ""])


def value(key: str, given_type: pa.DataType) -> st.SearchStrategy[Any]:
    """Anything that a column of this type can hold, mostly what it should."""
    if given_type not in INTEGERS:
        return NAME if key in NAMES else TEXT
    least = 0 if given_type in UNSIGNED else -3
    return st.one_of(st.none(), st.integers(least, 5), st.just(LARGEST.get(given_type, 0)))


@st.composite
def typed_rows(draw: st.DrawFn) -> tuple[list[Row], dict[str, pa.DataType]]:
    """Rows, mostly good, and for each column a type that can hold its values."""
    kinds = {"claim_id": INTEGERS, "bird_id": INTEGERS, **dict.fromkeys(NAMES, INTEGERS + TEXTS)}
    types = {key: draw(st.sampled_from(kinds.get(key, TEXTS))) for key in COLUMNS}
    rows = []
    for number in range(draw(st.integers(0, 5))):
        row = dict.fromkeys(COLUMNS) | claim(number, draw(st.sampled_from([0, 1, 2, None])))
        for key, names in NAMES.items():
            if row[key] is not None and types[key] in INTEGERS:
                row[key] = names.index(row[key])
        for key in draw(st.lists(st.sampled_from(list(COLUMNS)), max_size=2)):
            row[key] = draw(value(key, types[key]))
        rows.append(row)
    return rows, types


def outcome(content: bytes, path: str) -> object:
    """The rows of a file, or what is said of it with the file's name taken out."""
    try:
        return read(content, path).to_pylist()
    except ClaimFileError as error:
        return [line.replace(path, "FILE") for line in str(error).split("\n  ")[1:]]


@settings(max_examples=300, deadline=None)
@given(typed_rows())
def test_parquet_and_json_lines_agree(written: tuple[list[Row], dict[str, pa.DataType]]) -> None:
    rows, types = written
    assert outcome(parquet(rows, types), PATH) == outcome(jsonl(rows), "folder/train.jsonl")
