"""Claims files that are hostile, huge in number of faults, or of another format."""

from __future__ import annotations

import numpy as np
import pytest

from claimdb_loader.claim_ids import ClaimIds
from claimdb_loader.problems import MAX_LISTED, Problems
from claimdb_metric.errors import ClaimFileError
from tests.loader.claim_files import claim, jsonl, read


@pytest.mark.parametrize("key", [b'"z\xff"', b'"z": {"y\xff": 1}, "x"'])
def test_invalid_utf8_in_a_key_is_found(key: bytes) -> None:
    line = jsonl([claim(1)]).strip()[:-1] + b", " + key + b": 1}\n"
    with pytest.raises(ClaimFileError, match=r"train\.jsonl:1: invalid UTF-8"):
        read(line)


@pytest.mark.parametrize("neighbour", [b"", jsonl([claim(2) | {"label": 0}])])
@pytest.mark.parametrize("value", [b"NaN", b"Infinity", b"-Infinity", b'{"a": NaN}'])
def test_what_is_no_json_is_refused_whatever_stands_beside_it(
    value: bytes, neighbour: bytes
) -> None:
    line = jsonl([claim(1)]).strip()[:-1] + b', "zz": ' + value + b"}\n"
    with pytest.raises(ClaimFileError, match="is no JSON value"):
        read(neighbour + line)


@pytest.mark.parametrize(("start", "end"), [(b"[", b"]"), (b'{"a":', b"}")])
@pytest.mark.parametrize("depth", [500, 100_000])
def test_deep_nesting_does_not_end_the_process(start: bytes, end: bytes, depth: int) -> None:
    value = start * depth + b"1" + end * depth
    line = jsonl([claim(1)]).strip()[:-1] + b', "zz": ' + value + b"}\n"
    if depth > 10_000:
        with pytest.raises(ClaimFileError, match="not JSON"):
            read(line)
    else:
        assert read(line).num_rows == 1


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"PAR1\x00\x00", "a Parquet file"),
        (b"PK\x03\x04", "a zip archive"),
        (b"\n <!DOCTYPE html>", "an HTML page"),
        (b"version https://git-lfs.github.com/spec/v1\n", "a Git LFS pointer"),
        ('{"claim_id": 1}'.encode("utf-16"), "UTF-16 text"),
        (b"\xef\xbb\xbf" + jsonl([claim(1)]), "text with a byte order mark"),
        (b'[\n{"claim_id": 1}\n]', "a JSON list"),
        (b"\x00" * 1000, "a file of zero bytes"),
    ],
)
def test_a_file_of_another_format_is_one_problem(content: bytes, what: str) -> None:
    with pytest.raises(ClaimFileError, match="1 problem in") as caught:
        read(content)
    assert f"folder/train.jsonl:1: this is {what}" in str(caught.value)


def test_many_duplicates_are_found_without_comparing_each_with_all() -> None:
    ids = ClaimIds()
    ids.add("a.jsonl", np.repeat(np.arange(200_000), 2), np.arange(1, 400_001))
    problems = Problems()
    ids.note_duplicates(problems)
    assert len(problems.lines) == MAX_LISTED
    assert problems.lines[0] == "a.jsonl:2: claim_id 0 stands already at a.jsonl:1"
