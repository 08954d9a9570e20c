"""Gold SQL runs in a worker that is kept, and an answer is known by its sha256."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimdb_builder.stages.gold_runs import (
    MAX_ANSWER_ROWS,
    PROBE_LIMITS,
    answer_sha256,
    gold_runner,
)
from claimdb_sandbox import GOLD_LIMITS, STATUSES, Result
from tests.builder.stages.made_questions import zoo

ONE = Result("ok", ("a", "b"), ((1, "x"), (None, 2.5)))
OTHERS = [
    replace(ONE, columns=("a", "c")),
    replace(ONE, rows=((1, "x"),)),
    replace(ONE, rows=((1.0, "x"), (None, 2.5))),
    replace(ONE, rows=(("1", "x"), (None, 2.5))),
    replace(ONE, rows=((1, "x"), ("None", 2.5))),
    replace(ONE, rows=((None, 2.5), (1, "x"))),
    replace(ONE, columns=(), rows=()),
]
values = st.none() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text()
rows = st.lists(st.tuples(values, values), max_size=3).map(tuple)


def test_ten_rows_are_kept_and_one_more_is_read() -> None:
    assert (MAX_ANSWER_ROWS, GOLD_LIMITS.max_rows, PROBE_LIMITS.max_rows) == (10, 11, 1000)
    assert replace(PROBE_LIMITS, max_rows=11) == GOLD_LIMITS


@pytest.mark.parametrize("other", OTHERS)
def test_another_answer_has_another_sha256(other: Result) -> None:
    assert answer_sha256(other) != answer_sha256(ONE)


def test_time_steps_and_notes_are_no_part_of_an_answer() -> None:
    same = replace(ONE, elapsed_ms=9.0, ticks=7, notes=("why",), status="truncated")
    assert answer_sha256(same) == answer_sha256(ONE)
    assert len(answer_sha256(ONE)) == 64


@pytest.mark.parametrize("status", [one for one in STATUSES if one not in ("ok", "truncated")])
def test_without_an_answer_there_is_no_sha256(status: str) -> None:
    assert answer_sha256(replace(ONE, status=status)) == ""  # type: ignore[arg-type]


@settings(deadline=None)
@given(rows, rows)
def test_two_answers_have_one_sha256_only_if_they_are_one(
    some: tuple[tuple[str | int | float | None, ...], ...],
    others: tuple[tuple[str | int | float | None, ...], ...],
) -> None:
    digests = [answer_sha256(replace(ONE, rows=each)) for each in (some, others)]
    assert (digests[0] == digests[1]) is (repr(some) == repr(others))


def test_a_runner_keeps_its_worker(tmp_path: Path) -> None:
    path = zoo(tmp_path)
    run = gold_runner(GOLD_LIMITS)
    assert run == gold_runner(GOLD_LIMITS)
    assert run != gold_runner(PROBE_LIMITS)
    assert run(path, "SELECT count(*) FROM pet").rows == ((5,),)


def test_a_database_written_anew_is_seen(tmp_path: Path) -> None:
    run = gold_runner(GOLD_LIMITS)
    assert run(zoo(tmp_path), "SELECT count(*) FROM pet").rows == ((5,),)
    again = zoo(tmp_path, "CREATE TABLE pet (a); INSERT INTO pet VALUES (1);")
    assert run(again, "SELECT count(*) FROM pet").rows == ((1,),)
