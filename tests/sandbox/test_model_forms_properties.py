"""Whatever a result holds: never longer than asked, and what was left out adds up."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from claimdb_sandbox import STATUSES, Result

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.text(
    '|"\\\n\r\t NULa🦸é名\0\u2028', max_size=12
)
LONG_TEXTS = st.builds(lambda unit, n: unit * n, st.sampled_from("a🦸\n|é"), st.integers(0, 3000))
VALUES = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    TEXTS,
    LONG_TEXTS,
)
NAMES = TEXTS | LONG_TEXTS
MAX_BYTES = st.integers(200, 400) | st.integers(200, 20_000)
FLAGS = st.lists(st.sampled_from(["blob", "infinite", "replaced_text"]), unique=True)
MESSAGES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=300)
COUNT_LINE = re.compile(r"\((?:([\d,]+) of )?([\d,]+) rows?\b")
CELL = re.compile(r'("(?:[^"\\]|\\.)*"|[^"|][^|]*?)(?: \| |$)', re.DOTALL)


@st.composite
def tables(draw: st.DrawFn) -> tuple[tuple[str, ...], tuple[tuple[Any, ...], ...]]:
    """Columns and rows: a few of each with values of their own, or 200 columns of few values."""
    if draw(st.integers(0, 3)) == 0:
        stem, values = draw(NAMES), draw(st.lists(VALUES, max_size=3))
        return tuple(f"{stem}{n}" for n in range(200)), tuple((value,) * 200 for value in values)
    columns = draw(st.lists(NAMES, min_size=1, max_size=5))
    rows = draw(st.lists(st.tuples(*[VALUES] * len(columns)), max_size=8))
    return tuple(columns), tuple(rows * draw(st.sampled_from([1, 1, 40])))


@st.composite
def results(draw: st.DrawFn) -> Result:
    """A result of each status, as the sandbox makes them."""
    status = draw(st.sampled_from(STATUSES))
    notes, message = tuple(draw(st.lists(MESSAGES, max_size=4))), draw(MESSAGES)
    if status not in ("ok", "truncated"):
        limit = draw(st.sampled_from([None, "time_limit_s"]))
        return Result(status, message=message, limit=limit, notes=notes)
    columns, rows = draw(tables())
    result = Result(status, columns, rows, flags=tuple(draw(FLAGS)), notes=notes)
    if status == "ok":
        return result
    return replace(result, truncated=True, message=message, limit="max_rows")


def cut(value: Any) -> Any:
    """A value as it is shown: of a long text, 1,000 characters."""
    if isinstance(value, str) and len(value) > 1000:
        return f"{value[:1000]}…(+{len(value) - 1000:,} characters)"
    return value


def number(digits: str) -> int:
    return int(digits.replace(",", ""))


def strict_json(text: str) -> dict[str, Any]:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    document: dict[str, Any] = json.loads(text, parse_constant=refuse)
    return document


@settings(deadline=None)
@given(results(), MAX_BYTES)
def test_no_form_is_longer_than_asked(result: Result, max_bytes: int) -> None:
    assert len(result.to_text(max_bytes).encode()) <= max_bytes
    assert len(result.to_json(max_bytes).encode()) <= max_bytes


@settings(deadline=None)
@given(results(), MAX_BYTES)
def test_json_is_strict_and_its_rows_are_the_first_and_add_up(
    result: Result, max_bytes: int
) -> None:
    document = strict_json(result.to_json(max_bytes))
    assert document["status"] == result.status
    shown = document.get("rows", [])
    assert len(shown) + document.get("rows_left_out", 0) == len(result)
    assert shown == [[cut(value) for value in row] for row in result.rows[: len(shown)]]
    assert document.get("columns", []) in ([], [cut(name) for name in result.columns])


@settings(deadline=None)
@given(results().filter(bool), MAX_BYTES)
def test_the_text_says_how_many_rows_it_shows_of_how_many(result: Result, max_bytes: int) -> None:
    lines = result.to_text(max_bytes).split("\n")
    found = []
    for place, line in enumerate(lines):
        if counts := COUNT_LINE.match(line):
            n = number(counts[2])
            found.append((place, number(counts[1]) if counts[1] else n, n))
    # Columns, rows, count: a line each, whatever is in them.
    assert any(place == n_shown + 1 and n == len(result) for place, n_shown, n in found)


@settings(deadline=None)
@given(results())
def test_with_room_for_all_of_it_nothing_is_left_out(result: Result) -> None:
    document = strict_json(result.to_json(10**8))
    assert "rows_left_out" not in document
    assert document.get("message") == result.message
    assert len(document.get("notes", [])) == len(result.notes) + len(result.flags)
    lines = result.to_text(10**8).split("\n")
    if result.ok:
        n = len(result)
        assert lines[n + 1].startswith(f"({n:,} row{'' if n == 1 else 's'}")


@settings(deadline=None)
@given(results().filter(bool))
def test_each_cell_can_be_told_from_the_next_and_read_back(result: Result) -> None:
    lines = result.to_text(10**8).split("\n")
    for line, row in zip(lines, [result.columns, *result.rows], strict=False):
        cells = CELL.findall(line)
        assert len(cells) == len(row)
        for cell, value in zip(cells, row, strict=True):
            is_quoted = cell.startswith('"')
            assert (json.loads(cell) if is_quoted else cell) == (
                "NULL" if value is None else str(cut(value))
            )
            assert is_quoted or value is None or cell != "NULL"


@settings(deadline=None)
@given(results(), MAX_BYTES, st.floats(0, 1e6), st.integers(0, 10**6))
def test_time_and_ticks_are_not_in_it(
    result: Result, max_bytes: int, elapsed_ms: float, ticks: int
) -> None:
    later = replace(result, elapsed_ms=elapsed_ms, ticks=ticks)
    assert later.to_text(max_bytes) == result.to_text(max_bytes)
    assert later.to_json(max_bytes) == result.to_json(max_bytes)
