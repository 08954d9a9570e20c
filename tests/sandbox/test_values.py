"""Values that JSON can hold, and column names of which none is twice."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimdb_sandbox.values import plain_row, unique_names

SQLITE_VALUES = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),  # SQLite has no NaN: it is NULL
    st.text(st.characters(exclude_categories=["Cs"])),
    st.binary(),
)
# Few letters, and the suffixes themselves, so that names meet.
NAMES = st.lists(st.sampled_from(["a", "b", "a_2", "a_3", "a_2_2", "", "_2", "é", "A"]))


@pytest.mark.parametrize(
    ("value", "plain", "flags"),
    [
        (None, None, []),
        (0, 0, []),
        (2**63 - 1, 2**63 - 1, []),
        (-(2**63), -(2**63), []),
        (1.5, 1.5, []),
        (-0.0, -0.0, []),
        (1.7976931348623157e308, 1.7976931348623157e308, []),
        (math.inf, "Infinity", ["infinite"]),
        (-math.inf, "-Infinity", ["infinite"]),
        ("", "", []),
        ("naïve 名 🦸", "naïve 名 🦸", []),
        ("Infinity", "Infinity", []),
        ("X'00'", "X'00'", []),
        (b"", "X''", ["blob"]),
        (b"\x00\xab\xff", "X'00ABFF'", ["blob"]),
        (b"text", "X'74657874'", ["blob"]),
    ],
)
def test_a_value_that_json_has_not_becomes_text_and_is_flagged(
    value: Any, plain: Any, flags: list[str]
) -> None:
    seen = set[str]()
    (found,) = plain_row((value,), seen)
    assert (type(found), found) == (type(plain), plain)
    assert sorted(seen) == flags


def test_flags_add_up_over_a_row_and_what_was_there_stays() -> None:
    flags = {"replaced_text"}
    row = (b"\x01", 1, math.inf, b"", "x", -math.inf)
    assert plain_row(row, flags) == ["X'01'", 1, "Infinity", "X''", "x", "-Infinity"]
    assert flags == {"replaced_text", "blob", "infinite"}
    assert row[0] == b"\x01"


@given(st.lists(SQLITE_VALUES))
def test_every_row_is_json_and_comes_back_from_it(row: list[Any]) -> None:
    plain = plain_row(row, set())
    text = json.dumps(plain, allow_nan=False)
    assert json.loads(text) == plain
    assert len(plain) == len(row)


@given(st.binary())
def test_hexadecimal_is_a_literal_of_the_bytes(value: bytes) -> None:
    (text,) = plain_row((value,), set())
    assert isinstance(text, str)
    assert bytes.fromhex(text.removeprefix("X'").removesuffix("'")) == value


@pytest.mark.parametrize(
    ("names", "unique"),
    [
        ([], []),
        (["a", "b"], ["a", "b"]),
        (["a", "a"], ["a", "a_2"]),
        (["a", "a", "a"], ["a", "a_2", "a_3"]),
        (["a", "a", "b", "b"], ["a", "a_2", "b", "b_2"]),
        # A name that SQLite gave is kept, and a made one goes round it.
        (["a_2", "a", "a"], ["a_2", "a", "a_3"]),
        (["a", "a", "a_2"], ["a", "a_3", "a_2"]),
        (["a", "a", "a_2", "a_2"], ["a", "a_3", "a_2", "a_2_2"]),
        (["", "", ""], ["", "_2", "_3"]),
        (["a", "A"], ["a", "A"]),
    ],
)
def test_a_name_that_was_there_before_gets_the_first_free_number(
    names: list[str], unique: list[str]
) -> None:
    assert unique_names(names) == unique


@given(NAMES)
def test_names_are_unique_and_the_first_of_each_is_as_it_was(names: list[str]) -> None:
    unique = unique_names(names)
    assert len(set(unique)) == len(unique) == len(names)
    for place, name in enumerate(names):
        if name not in names[:place]:
            assert unique[place] == name
        else:
            stem, _, number = unique[place].rpartition("_")
            assert stem == name
            assert int(number) >= 2


@given(NAMES)
def test_unique_names_stay_as_they_are(names: list[str]) -> None:
    once = unique_names(names)
    assert unique_names(once) == once


def test_names_may_come_from_an_iterator() -> None:
    assert unique_names(iter(["a", "a"])) == ["a", "a_2"]
