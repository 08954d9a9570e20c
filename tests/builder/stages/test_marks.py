"""Marks: answers that change with the clock or by chance, and answers that say nothing."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimdb_builder.stages.marks import (
    MARKS,
    chosen_marks,
    in_order,
    marks_of_answer,
    marks_of_text,
)
from claimdb_metric.errors import DataError

NOW = [
    *("date('now')", "DATE('NOW')", "date( 'Now' )", "date(' now ')", "date/* c */('now')"),
    *("date()", "time()", "datetime ( )", "julianday()", "unixepoch()", "strftime('%Y')"),
    *("strftime('%Y', 'now')", "date('now', '-1 year')", "unixepoch('now')", "timediff('now', a)"),
    *("CURRENT_DATE", "current_time", "Current_Timestamp", "a - CURRENT_DATE + 1"),
    *("datetime(a, 'localtime')", "datetime(a, '+1 day', 'UTC')", "date(date('now'))"),
    *("strftime('%Y', date('now')) - strftime('%Y', born)", "count(date('now') > born)"),
    *("unixepoch('subsec')", "UNIXEPOCH( 'SubSecond' )", "datetime('subsec')"),
]
FIXED = [
    *("'now'", "a = 'now'", "name || 'now()'", "now", '"CURRENT_DATE"', "[current_time]"),
    *("T1.current_date", "'CURRENT_TIMESTAMP'", "date", "time, datetime", "T1.date", "date(a)"),
    *(
        "strftime('%Y', a)",
        "date(a, '+1 month')",
        "julianday('2000-01-01')",
        "date('now or never')",
    ),
    *("replace('now', 'n', 'm')", "ifnull(date(a), 'now')", "a /* date('now') */", "a -- date()\n"),
    *("'date(''now'')'", "unixepoch(a, 'subsec')", "strftime('%Y', a, 'subsecond')", "'subsec'"),
]
RANDOM = [
    *("random()", "RANDOM ( )", "abs(random() % 6)", "hex(randomblob(4))", "changes()"),
    *("total_changes()", "last_insert_rowid()", "sqlite_version()", "random/**/()"),
]
NOT_RANDOM = ["random", "'random()'", '"random"', "T1.random", "a /* random() */", "changes"]

ANSWERS = [
    ([], [], "empty"),
    ([(None,)], [], "only_nulls"),
    ([(None, None), (None, None)], [], "only_nulls"),
    ([(None, 0)], [], ""),
    ([(None,), ("",)], [], ""),
    ([(0,)], [], ""),
    ([("X'00'",)], ["blob"], "blob"),
    ([("Infinity",)], ["infinite"], "infinite"),
    ([(1, "a")], ["blob", "infinite", "replaced_text"], "blob infinite"),
    ([("\ufffd",)], ["replaced_text"], ""),
]


@pytest.mark.parametrize("expression", NOW)
def test_what_asks_for_the_time_is_marked(expression: str) -> None:
    assert marks_of_text(f"SELECT {expression} FROM t") == {"current_time"}


@pytest.mark.parametrize("expression", [*FIXED, *NOT_RANDOM])
def test_what_only_looks_like_it_is_not(expression: str) -> None:
    assert marks_of_text(f"SELECT {expression} FROM t") == set()


@pytest.mark.parametrize("expression", RANDOM)
def test_what_is_left_to_chance_is_marked(expression: str) -> None:
    assert marks_of_text(f"SELECT a FROM t ORDER BY {expression}") == {"random"}


@pytest.mark.parametrize(
    "expression",
    [
        'date("now")',
        "date(('now'))",
        "julianday(ifnull(died, 'now'))",
        "strftime('%Y', coalesce(died, 'now')) - born",
        "date(CASE WHEN died IS NULL THEN 'now' ELSE died END)",
        "\"date\"('now')",
    ],
)
def test_now_is_seen_wherever_it_stands_in_the_argument(expression: str) -> None:
    assert marks_of_text(f"SELECT {expression} FROM t") == {"current_time"}


def test_an_alias_is_no_call() -> None:
    assert marks_of_text("SELECT born AS current_date FROM t") == set()


@pytest.mark.parametrize(("rows", "flags", "expected"), ANSWERS)
def test_an_answer_that_says_nothing_is_marked(
    rows: list[tuple[object, ...]], flags: list[str], expected: str
) -> None:
    assert marks_of_answer(rows, flags) == set(expected.split())


@settings(deadline=None)
@given(st.text("now()'\"`[]-/*\n,.; dateCURRENT_", max_size=60) | st.text(max_size=60))
def test_any_text_can_be_looked_at(sql: str) -> None:
    assert marks_of_text(sql) <= {"current_time", "random"}


@settings(deadline=None)
@given(st.sets(st.sampled_from(sorted(MARKS))))
def test_marks_come_in_one_order(marks: set[str]) -> None:
    listed = in_order(marks)
    assert set(listed) == marks
    assert [*listed] == sorted(listed, key=[*MARKS].index)


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        (None, None),
        ("none", ()),
        (" all ", tuple(MARKS)),
        ("tie", ("tie",)),
        ("empty,tie, tie", ("tie", "empty")),
    ],
)
def test_a_user_names_marks(text: str | None, chosen: tuple[str, ...] | None) -> None:
    assert chosen_marks(text) == chosen


@pytest.mark.parametrize("text", ["ties", "tie,", "", "tie;empty", "none,tie", "TIE"])
def test_a_mark_that_there_is_not_is_an_error_that_lists_them(text: str) -> None:
    with pytest.raises(DataError, match="they are current_time, random, tie,"):
        chosen_marks(text)


def test_seventeen_dev_questions_depend_on_the_time(shared: Path) -> None:
    """Found by a pattern, and the five that the published test has are among them."""
    rows = json.loads((shared / "data" / "bird" / "dev.json").read_text("utf-8"))
    pattern = re.compile(r"'now'|\bcurrent_(date|time)|\b(date|time|datetime)\s*\(\s*\)", re.I)
    expected = {row["question_id"] for row in rows if pattern.search(row["SQL"])}
    marked = {row["question_id"] for row in rows if "current_time" in marks_of_text(row["SQL"])}
    assert marked == expected
    assert len(marked) == 17
    assert marked >= {898, 1161, 1227, 1229, 1239}
    assert not any("random" in marks_of_text(row["SQL"]) for row in rows)
