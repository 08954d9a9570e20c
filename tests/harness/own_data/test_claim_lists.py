"""A user's own claims in a file: three formats, and each fault with its line."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimdb_harness.own_data.claim_lists import OwnClaim, read_claims
from claimdb_metric.errors import ClaimFileError, DataError


def claims_in(folder: Path, name: str, content: str | bytes) -> list[tuple[str, str]]:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return [(claim.claim, claim.extra_info) for claim in read_claims(path)]


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("c.txt", "A.\n\n# no\n  # no\n B. \n", [("A.", ""), ("B.", "")]),
        ("c.TXT", "A.\r\nB.", [("A.", ""), ("B.", "")]),
        ("c.txt", '\ufeffA, "b": #1.\n', [('A, "b": #1.', "")]),
        ("c.txt", "A\u2028b\x85c\x0cd.\n", [("A\u2028b\x85c\x0cd.", "")]),
        ("c.jsonl", '"A."\n\n{"claim": "B.", "extra_info": " x "}\n', [("A.", ""), ("B.", "x")]),
        ("c.jsonl", '{"claim": "A.", "info": "x", "label": 1}', [("A.", "x")]),
        ("c.jsonl", '{"claim": "A.", "info": null, "extra_info": ""}', [("A.", "")]),
        ("c.jsonl", '"A\u2028b."\n', [("A\u2028b.", "")]),
        ("c.csv", "claim\nA.\n\nB.\n", [("A.", ""), ("B.", "")]),
        ("c.csv", "id,claim,extra_info\n1,A.,x\n2,B.,\n", [("A.", "x"), ("B.", "")]),
        ("c.csv", '\ufeffinfo;claim\r\nx;"A; ""b"",\r\nc."\r\n', [('A; "b",\r\nc.', "x")]),
        ("c.csv", "claim\n12\ntrue\n", [("12", ""), ("true", "")]),
        ("c.csv", "claim\nA\u2028b\n", [("A\u2028b", "")]),
        ("c.tsv", "claim\tinfo\nA, b.\tx\n", [("A, b.", "x")]),
    ],
)
def test_claims(tmp_path: Path, name: str, content: str, found: list[tuple[str, str]]) -> None:
    assert claims_in(tmp_path, name, content) == found


@pytest.mark.parametrize(
    ("name", "content", "faults"),
    [
        ("c.txt", b"A.\nB\xe9.\n", ["c.txt:2: not UTF-8 text; save"]),
        ("c.jsonl", '"A."\n{"claim": 7}\n', ["c.jsonl:2: the claim must be text, not int"]),
        (
            "c.jsonl",
            '{"text": "A."}\n\n{"claim": " "}\n',
            [":1: no claim", ":3: the claim is blan"],
        ),
        (
            "c.jsonl",
            '["A."]\n7\n',
            [":1: neither a JSON object nor a string but list", ":2: neither"],
        ),
        ("c.jsonl", '"A."\n{"claim": "B', [":2: not JSON", "the file may be cut short"]),
        ("c.jsonl", '{"claim": "A.", "claim": "B."}\n', [":1: key 'claim' stands twice"]),
        ("c.jsonl", '{"claim": "A.", "info": ["x"]}\n', [":1: info must be text, not list"]),
        (
            "c.jsonl",
            '{"claim": "A.", "info": "x", "extra_info": "y"}\n',
            [":1: both extra_info and"],
        ),
        ("c.csv", "text\nA.\n", ["c.csv:1: the header has no column `claim`"]),
        ("c.csv", "claim,info\n\nA.,\nB, c.,x\n", [":4: 3 cells where the header has 2; put"]),
        ("c.csv", 'claim,info\n"a\nb",x\n,x\n', [":4: no claim"]),
        ("c.csv", 'claim\n"A.\n', [":2: not CSV"]),
    ],
)
def test_each_fault_with_its_line(
    tmp_path: Path, name: str, content: str | bytes, faults: list[str]
) -> None:
    with pytest.raises(ClaimFileError) as caught:
        claims_in(tmp_path, name, content)
    assert [fault for fault in faults if fault not in str(caught.value)] == []


def test_twenty_faults_are_listed(tmp_path: Path) -> None:
    with pytest.raises(ClaimFileError) as caught:
        claims_in(tmp_path, "c.jsonl", "7\n" * 23)
    first, *listed, last = str(caught.value).split("\n")
    assert (first, len(listed)) == ("23 problems in a file of claims:", 20)
    assert last == "  and 3 more"


@pytest.mark.parametrize("content", ["", "\n\n", "# A.\n"])
def test_no_claims(tmp_path: Path, content: str) -> None:
    with pytest.raises(DataError, match=r"c\.txt holds no claim: write one a line"):
        claims_in(tmp_path, "c.txt", content)


def test_an_empty_csv_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no column `claim`"):
        claims_in(tmp_path, "c.csv", "")


def test_another_kind_of_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=re.escape("must end with .txt, .jsonl, .csv, .tsv")):
        claims_in(tmp_path, "claims.docx", "A.")


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_claims(tmp_path / "c.txt")


@pytest.mark.parametrize("claim", ["", " \n"])
def test_a_claim_is_not_blank(claim: str) -> None:
    with pytest.raises(DataError, match="the claim is blank"):
        OwnClaim(claim)


TEXTS = st.text(st.characters(codec="utf-8"), max_size=12).map(str.strip)
PAIRS = st.lists(st.tuples(TEXTS.filter(bool), TEXTS), min_size=1, max_size=6)


@given(PAIRS)
def test_jsonl_comes_back(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]]
) -> None:
    lines = [
        json.dumps({"claim": claim, "extra_info": info}, ensure_ascii=False)
        for claim, info in pairs
    ]
    folder = tmp_path_factory.getbasetemp()
    assert claims_in(folder, "property.jsonl", "\n".join(lines) + "\n") == pairs


@given(PAIRS)
def test_csv_comes_back(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]]
) -> None:
    text = io.StringIO()
    csv.writer(text).writerows([("claim", "extra_info"), *pairs])
    folder = tmp_path_factory.getbasetemp()
    assert claims_in(folder, "property.csv", text.getvalue()) == pairs
