"""Files of known sizes and of domains that users write by hand: what they may be, what is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from claimdb_builder.stats.domains import domain_from_name, read_domains
from claimdb_builder.stats.known_sizes import read_known_sizes
from claimdb_metric.errors import DataError

ANY_FILE: dict[str, tuple[bytes | None, str]] = {
    "no file": (None, "cannot be read: No such file or directory"),
    "no JSON": (b'{"databases": {', "not JSON"),
    "cut short": (b"", "not JSON"),
    "a list": (b"[]", "is to hold one JSON object, not list"),
    "NaN": (b'{"a": NaN}', "NaN is no JSON value"),
    "a key twice": (b'{"a": 1, "a": 2}', "key 'a' stands twice"),
    "no UTF-8": (b'{"\xff": 1}', "is not UTF-8 at byte 3"),
}
SIZES = {
    "nothing": ("{}", "databases is to be an object, got null"),
    "no database": ('{"databases": {}}', "names no database"),
    "a list": ('{"databases": []}', "databases is to be an object, got []"),
    "a number": ('{"databases": {"zoo": 3}}', "databases.zoo is to be an object, got 3"),
    "no tables": ('{"databases": {"zoo": {}}}', "databases.zoo.tables is to be an object"),
    "text": (
        '{"databases": {"zoo": {"tables": {"owl": "3"}}}}',
        'databases.zoo.tables.owl is to be a number of rows, an integer of 0 or more, got "3"',
    ),
    "less than none": ('{"databases": {"zoo": {"tables": {"owl": -1}}}}', "owl is to be a number"),
    "true": ('{"databases": {"zoo": {"tables": {"owl": true}}}}', "owl is to be a number"),
    "a fraction": ('{"databases": {"zoo": {"tables": {"owl": 1.5}}}}', "got 1.5"),
}
DOMAINS = {
    "null": ('{"zoo": null}', "the domain of zoo is to be a text that is not empty, got null"),
    "blank": ('{"zoo": " "}', 'got " "'),
    "a list": ('{"zoo": ["Animals"]}', "the domain of zoo is to be a text"),
}


def assert_refused(read: Callable[[str], Any], path: Path, message: str) -> None:
    with pytest.raises(DataError, match=re.escape(message)) as caught:
        read(str(path))
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize("read", [read_known_sizes, read_domains])
@pytest.mark.parametrize("case", ANY_FILE)
def test_no_such_object(read: Callable[[str], Any], case: str, tmp_path: Path) -> None:
    content, message = ANY_FILE[case]
    path = tmp_path / "mine.json"
    if content is not None:
        path.write_bytes(content)
    assert_refused(read, path, message)


@pytest.mark.parametrize("case", SIZES)
def test_wrong_sizes(case: str, tmp_path: Path) -> None:
    path = tmp_path / "sizes.json"
    path.write_text(SIZES[case][0])
    assert_refused(read_known_sizes, path, SIZES[case][1])


@pytest.mark.parametrize("case", DOMAINS)
def test_wrong_domains(case: str, tmp_path: Path) -> None:
    path = tmp_path / "domains.json"
    path.write_text(DOMAINS[case][0])
    assert_refused(read_domains, path, DOMAINS[case][1])


def test_sizes(tmp_path: Path) -> None:
    path = tmp_path / "sizes.json"
    path.write_bytes(
        b'\xef\xbb\xbf{"source": "me", "databases": {"zoo": {"tables": {"owl": 3, "cage": 0}, "x":'
        b'\n1}, "bare": {"tables": {}}}}'
    )
    found = read_known_sizes(str(path))
    assert list(found) == ["bare", "zoo"]
    assert (found["zoo"].n_tables, found["zoo"].n_rows, found["bare"].n_rows) == (2, 3, 0)
    zoo = found["zoo"]
    assert (zoo.n_bytes, zoo.n_columns, zoo.n_tokens, zoo.tokens_error_95) == (None,) * 4


def test_domains(tmp_path: Path) -> None:
    path = tmp_path / "domains.json"
    path.write_text('{"zoo": "Animals"}')
    assert read_domains(str(path)) == {"zoo": "Animals"}


@pytest.mark.parametrize(
    ("db_name", "domain"),
    [("european_football_2", "European Football 2"), ("zoo", "Zoo"), ("CSV", "Csv")],
)
def test_the_domain_of_a_name(db_name: str, domain: str) -> None:
    assert domain_from_name(db_name) == domain
