"""Records as lines of JSON: exact, frozen, strict."""

from __future__ import annotations

import json
import math
from dataclasses import FrozenInstanceError, fields, replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimdb_builder.pipeline.records import (
    AnsweredQuestion,
    Dropped,
    ExecutedQuestion,
    MarkedQuestion,
    Question,
    SelectedQuestion,
    from_line,
    to_line,
)

CHAIN = (Question, SelectedQuestion, MarkedQuestion, ExecutedQuestion, AnsweredQuestion)
ANSWERED = AnsweredQuestion(
    bird_id=7,
    db_name="zoo",
    question="Wie viele?\nUnd wo?",
    evidence="",
    sql="SELECT 1",
    difficulty="simple",
    source="dev.json",
    place=3,
    features=("aggregate", "order"),
    n_joins=1,
    n_tables=2,
    marks=(),
    answer_sha256="ab",
    columns=("n", "n_2"),
    rows=((1, "a\u2028b"), (2**63 - 1, None), (0.1, "\0")),
    flags=("blob",),
    ticks=12,
    domain="Zoo",
    answer="1.000, a",
    schema="Table: pet",
)

texts = st.text(st.characters(exclude_categories=["Cs"]))
values = st.one_of(
    st.none(),
    texts,
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False).filter(math.isfinite),
)
tuples = st.lists(texts, max_size=3).map(tuple)
answered = st.builds(
    AnsweredQuestion,
    **{
        one.name: {"str": texts, "int": st.integers(0, 2**63 - 1)}.get(str(one.type), tuples)
        for one in fields(AnsweredQuestion)
        if one.name != "rows"
    },
    rows=st.lists(st.lists(values, max_size=3).map(tuple), max_size=3).map(tuple),
)


def part(record_type: type[Question]) -> Question:
    names = [one.name for one in fields(record_type)]
    return record_type(**{name: getattr(ANSWERED, name) for name in names})


@pytest.mark.parametrize("record_type", CHAIN)
def test_a_record_comes_back_from_its_line(record_type: type[Question]) -> None:
    record = part(record_type)
    line = to_line(record)
    assert from_line(record_type, line) == record
    assert to_line(from_line(record_type, line)) == line
    assert (line.count(b"\n"), line[-1:]) == (1, b"\n")


@given(answered)
def test_any_record_comes_back_with_types_and_bytes(record: AnsweredQuestion) -> None:
    line = to_line(record)
    read = from_line(AnsweredQuestion, line)
    assert repr(read) == repr(record)  # 1 == 1.0 and 0.0 == -0.0, but not in their repr
    assert to_line(read) == line
    assert line.count(b"\n") == 1
    json.loads(line, parse_constant=pytest.fail)


@pytest.mark.parametrize(("before", "after"), list(pairwise(CHAIN)))
def test_each_stage_adds_fields_behind_those_it_was_given(
    before: type[Question], after: type[Question]
) -> None:
    names = [one.name for one in fields(before)]
    assert [one.name for one in fields(after)][: len(names)] == names
    assert len(fields(after)) > len(names)
    line = json.loads(to_line(part(after)))
    assert list(line)[: len(names)] == names


@pytest.mark.parametrize("record", [ANSWERED, Dropped(1, "zoo", "tie", "two rows tie")])
def test_a_record_is_frozen_and_hashable(record: Any) -> None:
    with pytest.raises(FrozenInstanceError):
        record.bird_id = 8
    assert len({record, replace(record), replace(record, bird_id=99)}) == 2


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_no_line_holds_what_json_does_not_know(value: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        to_line(replace(ANSWERED, rows=((value,),)))


def test_a_lone_surrogate_is_written_nowhere() -> None:
    with pytest.raises(UnicodeEncodeError):
        to_line(replace(ANSWERED, question="\ud800"))


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b"null\n",
        b"[1]\n",
        b"{}\n",
        to_line(Dropped(1, "zoo", "tie", "")),
        to_line(part(SelectedQuestion)),
        to_line(part(Question))[:-3],
        b"\xff" + to_line(part(Question)),
    ],
    ids=["empty", "cut", "null", "list", "no fields", "other type", "later stage", "torn", "bytes"],
)
def test_a_line_that_is_no_such_record_is_refused(line: bytes) -> None:
    with pytest.raises((ValueError, TypeError, AttributeError)):
        from_line(Question, line)
