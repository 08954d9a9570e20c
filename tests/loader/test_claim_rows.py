"""One line of a claims file: what becomes a row, and what is refused with which words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from claimdb_loader.claim_rows import BadLineError, check_row, parse_line

MINIMAL: dict[str, Any] = {"claim_id": 7, "db_name": "zoo", "claim": "It has 3 owls."}


@pytest.mark.parametrize(
    ("given", "column", "value"),
    [
        ({}, "label", -1),
        ({}, "category", -1),
        ({}, "bird_id", -1),
        ({}, "extra_info", ""),
        ({"label": None, "category": None, "bird_id": None, "extra_info": None}, "label", -1),
        ({"label": "ENTAILED"}, "label", 0),
        ({"label": "CONTRADICTED"}, "label", 1),
        ({"label": "NOT ENOUGH INFO"}, "label", 2),
        ({"label": 2}, "label", 2),
        ({"label": -1}, "label", -1),
        ({"label": "NOT ENOUGH INFO", "category": "SUBJECTIVE"}, "category", 1),
        ({"label": 2, "category": 2}, "category", 2),
        ({"bird_id": 0}, "bird_id", 0),
        ({"claim_id": 2**63 - 1}, "claim_id", 2**63 - 1),
        ({"extra_info": "a\u2028b\n"}, "extra_info", "a\u2028b\n"),
        ({"claim": "Zoë’s 3 ≥ 2."}, "claim", "Zoë’s 3 ≥ 2."),
    ],
)
def test_upstreams_shapes_become_the_one_row(
    given: dict[str, Any], column: str, value: Any
) -> None:
    row, faults = check_row(MINIMAL | given)
    assert faults == []
    assert row[column] == value
    assert list(row) == [
        "claim_id",
        "bird_id",
        "db_name",
        "claim",
        "extra_info",
        "label",
        "category",
    ]


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"claim_id": None}, "claim_id is missing"),
        ({"claim_id": "7"}, 'claim_id must be an integer of at least 0, got "7"'),
        ({"claim_id": 7.0}, "claim_id must be an integer of at least 0, got 7.0"),
        ({"claim_id": True}, "claim_id must be an integer of at least 0, got true"),
        ({"claim_id": -1}, "claim_id must be an integer of at least 0, got -1"),
        ({"claim_id": 2**63}, "claim_id must be an integer of at least 0, got 9223372036854775808"),
        ({"bird_id": "x"}, 'bird_id must be an integer of at least -1, got "x"'),
        ({"bird_id": -2}, "bird_id must be an integer of at least -1, got -2"),
        ({"db_name": ""}, 'db_name must be a text that is not empty, got ""'),
        ({"db_name": 5}, "db_name must be a text that is not empty, got 5"),
        ({"claim": " \u00a0"}, 'claim must be a text that is not empty, got " \\u00a0"'),
        ({"claim": None}, "claim must be a text that is not empty, got null"),
        ({"claim": "\ud800"}, "claim holds a lone surrogate (\\ud800-\\udfff)"),
        ({"extra_info": ["a"]}, 'extra_info must be a text, got ["a"]'),
        ({"label": "entailed"}, 'unknown label "entailed"; it must be one of ENTAILED'),
        ({"label": "REFUTED"}, 'unknown label "REFUTED"'),
        ({"label": 3}, "unknown label 3"),
        ({"label": -2}, "unknown label -2"),
        ({"label": True}, "unknown label true"),
        ({"label": "NOT ENOUGH INFO", "category": "Subjective"}, 'unknown category "Subjective"'),
        ({"label": "ENTAILED", "category": "SUBJECTIVE"}, "a category is given, but the label is"),
        ({"category": "SUBJECTIVE"}, "a category is given, but the label is not NOT ENOUGH INFO"),
        ({"db_name": "x" * 99, "claim": 1}, "claim must be a text that is not empty, got 1"),
    ],
)
def test_what_is_wrong_is_named(given: dict[str, Any], reason: str) -> None:
    _, faults = check_row(MINIMAL | given)
    assert len(faults) == 1
    assert faults[0].startswith(reason)


def test_every_fault_of_a_row_is_named() -> None:
    _, faults = check_row({"label": "x", "category": "y"})
    assert len(faults) == 5


def test_a_long_value_is_shortened_in_the_message() -> None:
    _, faults = check_row(MINIMAL | {"label": "x" * 500})
    assert len(faults[0]) < 150


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b'{"a": 1} x', "not JSON"),
        (b'{"a": 1}{"a": 2}', "not JSON"),
        (b"{'a': 1}", "not JSON"),
        (b'{"a": NaN}', "not JSON (NaN is no JSON value)"),
        (b'{"a": -Infinity}', "not JSON (-Infinity is no JSON value)"),
        (b'{"a": 1, "a": 2}', "key 'a' stands twice"),
        (b'{"a": "\t"}', "not JSON"),
        (b"\xef\xbb\xbf{}", "not JSON"),
        (b"null", "not a JSON object but NoneType"),
        (b"[1]", "not a JSON object but list"),
        (b'"x"', "not a JSON object but str"),
        (b'{"a": "\xff"}', "invalid UTF-8 at byte 8 of the line"),
        (b'{"a": "\xe2\x28\xa1"}', "invalid UTF-8 at byte 8 of the line"),
        (b'{"a": ' + b"[" * 100_000, "not JSON"),
    ],
)
def test_a_line_that_is_no_strict_json_object_is_refused(line: bytes, reason: str) -> None:
    with pytest.raises(BadLineError) as caught:
        parse_line(line)
    assert str(caught.value).startswith(reason)


def test_a_good_line_is_read_exactly() -> None:
    value = {"claim": "a\u2028b\u0085c", "n": 2**60}
    assert parse_line(json.dumps(value, ensure_ascii=False).encode()) == value
    assert parse_line(json.dumps(value).encode() + b"\r") == value
