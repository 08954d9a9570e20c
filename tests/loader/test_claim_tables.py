"""Claims files to tables: the fast road, the slow road, and that they agree."""

from __future__ import annotations

import io
import json
import logging
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimdb_loader import claim_tables
from claimdb_loader.claim_rows import BadLineError, check_row, parse_line
from claimdb_loader.claim_tables import CLAIM_SCHEMA, ClaimFileReader
from claimdb_metric.errors import ClaimFileError
from tests.loader.claim_files import claim, jsonl, read


def test_upstreams_three_shapes_have_one_schema() -> None:
    table = read(jsonl([claim(0, 0), claim(1, 1), claim(2, 2), claim(3, None)]))
    assert table.schema.equals(CLAIM_SCHEMA)
    assert table["label"].to_pylist() == [0, 1, 2, -1]
    assert table["category"].to_pylist() == [-1, -1, 2, -1]
    assert table["bird_id"].to_pylist() == [0, 0, 0, -1]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n\n",
        jsonl([claim(1)]) + b"\n" + jsonl([claim(2)]),
        jsonl([claim(1)]).rstrip(b"\n"),
        jsonl([claim(1), claim(2)]).replace(b"\n", b"\r\n"),
        b" " + jsonl([claim(1)]),
        jsonl([claim(1, extra_info="a\u2028b\u2029c\u0085d")]),
        jsonl([claim(1, claim='set {a} null, "}null" and {b} null.')]),
        jsonl([claim(1, claim="x" * 3_000_000), claim(2)]),
        jsonl([claim(1, label=None) | {"label": None, "category": None}]),
        jsonl([claim(1) | {"label": 0, "category": -1}, claim(2, 2) | {"label": 2, "category": 1}]),
    ],
    ids=lambda content: repr(content[:40]),
)
def test_what_a_row_at_a_time_reads_is_read(content: bytes) -> None:
    expected = [check_row(parse_line(x))[0] for x in content.split(b"\n") if x.strip()]
    assert read(content).to_pylist() == expected


@pytest.mark.parametrize(
    ("lines", "problems"),
    [
        ([b"null"], ["2: not a JSON object but NoneType"]),
        ([b"null null"], ["2: not JSON (Extra data"]),
        ([jsonl([claim(5)]).strip() + b" null"], ["2: not JSON (Extra data"]),
        ([b"{}"], ["2: claim_id is missing", "2: db_name must", "2: claim must"]),
        ([b'{"claim_id": 1'], ["2: not JSON"]),
        ([b"", b"oops"], ["3: not JSON"]),
        ([b"\xff"], ["2: invalid UTF-8 at byte 1"]),
        ([jsonl([claim(1)]).strip()], ["2: claim_id 1 stands already at b/train.jsonl:1"]),
        (
            [jsonl([claim(4, label=None, label_x=1) | {"label": "TRUE"}]).strip()],
            ['2: unknown label "TRUE"'],
        ),
    ],
)
def test_faults_are_named_with_file_and_line(lines: list[bytes], problems: list[str]) -> None:
    content = b"\n".join([jsonl([claim(1)]).strip(), *lines, jsonl([claim(9)])])
    with pytest.raises(ClaimFileError) as caught:
        read(content, "a/b/train.jsonl")
    listed = str(caught.value).split("\n  ")[1:]
    assert len(listed) == len(problems)
    for line, problem in zip(listed, problems, strict=True):
        assert line.startswith(f"b/train.jsonl:{problem}")


def test_up_to_twenty_problems_are_listed_at_once() -> None:
    with pytest.raises(ClaimFileError) as caught:
        read(b"oops\n" * 50)
    assert str(caught.value).count("not JSON") == 20
    assert "20 problems, and perhaps more" in str(caught.value)


def test_bad_rows_and_a_duplicate_are_listed_together() -> None:
    with pytest.raises(ClaimFileError, match="2 problems") as caught:
        read(jsonl([claim(1), claim(1)]) + b"oops\n")
    assert "train.jsonl:2: claim_id 1 stands already" in str(caught.value)


def test_problems_are_looked_for_in_later_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claim_tables, "BLOCK_BYTES", 100)
    rows = jsonl([claim(i) for i in range(20)]).split(b"\n")
    rows[3] = rows[17] = b"oops"
    reader = ClaimFileReader()
    tables = reader.tables(io.BytesIO(b"\n".join(rows)), "train.jsonl")
    with pytest.raises(ClaimFileError, match=r"(?s)train\.jsonl:4: .*train\.jsonl:18: "):
        list(tables)


@pytest.mark.parametrize("block_bytes", [1, 100, 1 << 20])
def test_the_block_size_changes_nothing(monkeypatch: pytest.MonkeyPatch, block_bytes: int) -> None:
    rows = [claim(i, i % 3) for i in range(50)]
    expected = read(jsonl(rows)).to_pylist()
    monkeypatch.setattr(claim_tables, "BLOCK_BYTES", block_bytes)
    assert read(jsonl(rows)).to_pylist() == expected


@pytest.mark.parametrize("first", [b"", b"\n"], ids=["fast", "slow"])
def test_an_unknown_key_is_left_out_and_named_once(
    caplog: pytest.LogCaptureFixture, first: bytes
) -> None:
    rows = [claim(1, zürich=[1]), claim(2, zürich=None), claim(3, other={"a": 1})]
    with caplog.at_level(logging.WARNING, "claimdb"):
        table = read(first + jsonl(rows))
    assert table.schema.equals(CLAIM_SCHEMA)
    assert sorted(caplog.messages) == [
        'key "other" is not part of a claim row; its values are left out',
        'key "zürich" is not part of a claim row; its values are left out',
    ]


def test_a_claim_id_in_two_splits_is_named_with_both_places() -> None:
    train, test = ClaimFileReader(), ClaimFileReader()
    list(train.tables(io.BytesIO(jsonl([claim(1), claim(2)])), "train.jsonl"))
    list(test.tables(io.BytesIO(jsonl([claim(3), claim(2)])), "test-public.jsonl"))
    train.check_ids()
    with pytest.raises(ClaimFileError) as caught:
        test.check_ids([train.ids])
    assert "test-public.jsonl:2: claim_id 2 stands already at train.jsonl:2" in str(caught.value)


def test_a_claim_id_in_two_files_of_a_split_is_found() -> None:
    reader = ClaimFileReader()
    list(reader.tables(io.BytesIO(jsonl([claim(1), claim(2)])), "a.jsonl"))
    list(reader.tables(io.BytesIO(b"\n" + jsonl([claim(2)])), "b.jsonl"))
    with pytest.raises(ClaimFileError, match=r"b\.jsonl:2: claim_id 2 .*at a\.jsonl:2"):
        reader.check_ids()


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 5),
    st.sampled_from([2**62, 2**63, 1.5, float("inf"), "", " ", "\u00a0", "\x1c", "ENTAILED"]),
    st.sampled_from(["NOT ENOUGH INFO", "SUBJECTIVE", "null", "}null", [], {}, ["x"], {"a": None}]),
    st.text(max_size=5),
)
KEYS = ["claim_id", "bird_id", "db_name", "claim", "extra_info", "label", "category", "zz"]
GOOD = st.builds(claim, st.integers(0, 99), st.sampled_from([0, 1, 2, None]))
ROWS = st.one_of(
    GOOD,
    st.builds(lambda row, key, value: row | {key: value}, GOOD, st.sampled_from(KEYS), VALUES),
    st.dictionaries(st.sampled_from(KEYS), VALUES),
)
ODD_LINES = st.sampled_from(
    [b"", b" ", b"null", b"1", b'"x"', b"[]", b"{}", b"{", b"}", b'{"claim_id": 1} null', b"\xff"]
)
LINES = st.one_of(ROWS.map(lambda row: json.dumps(row, ensure_ascii=False).encode()), ODD_LINES)


def row_at_a_time(content: bytes) -> tuple[list[dict[str, Any]], bool]:
    """What the definition says: the rows of a file, and whether anything is wrong with it."""
    rows, is_faulty = [], False
    for line in content.split(b"\n"):
        if not line.strip():
            continue
        try:
            row, faults = check_row(parse_line(line))
        except BadLineError:
            return [], True
        is_faulty |= bool(faults)
        rows.append(row)
    return rows, is_faulty


@settings(max_examples=400, deadline=None)
@given(st.lists(LINES, max_size=6), st.sampled_from([b"\n", b"\r\n"]))
def test_fast_and_slow_road_agree(lines: list[bytes], end: bytes) -> None:
    content = end.join(lines)
    rows, is_faulty = row_at_a_time(content)
    reader = ClaimFileReader()
    if is_faulty:
        with pytest.raises(ClaimFileError):
            list(reader.tables(io.BytesIO(content), "x.jsonl"))
        return
    tables = list(reader.tables(io.BytesIO(content), "x.jsonl"))
    assert [row for table in tables for row in table.to_pylist()] == rows
