"""What became of a query: its status, and its rows as a sequence and as JSON."""

from __future__ import annotations

import json
import pickle
from dataclasses import FrozenInstanceError, fields
from typing import Any

import pytest

from claimdb_sandbox import STATUSES, Result, Status
from claimdb_sandbox.results import FLAG_NOTES

WITH_ANSWER = ("ok", "truncated")
FULL = Result(
    "truncated",
    columns=("name", "n"),
    rows=(("naïve 名 🦸", -(2**63)), (None, 1.5)),
    truncated=True,
    elapsed_ms=1.25,
    ticks=3,
    message="there are more than 2 rows",
    limit="max_rows",
    flags=("blob",),
    notes=("a", "b"),
)


def test_there_are_eight_statuses() -> None:
    assert (
        *("ok", "truncated", "timeout", "memory", "denied", "sql_error"),
        *("not_a_query", "worker_died"),
    ) == STATUSES


@pytest.mark.parametrize("status", STATUSES)
def test_only_ok_and_truncated_are_an_answer(status: Status) -> None:
    result = Result(status)
    assert result.ok is (status in WITH_ANSWER)
    assert bool(result) is (status in WITH_ANSWER)


def test_an_answer_without_rows_is_true_though_its_length_is_0() -> None:
    empty = Result("ok", ("n",))
    assert empty
    assert len(empty) == 0
    assert list(empty) == []


def test_iterating_gives_the_rows_as_often_as_one_likes() -> None:
    assert list(FULL) == list(FULL) == [("naïve 名 🦸", -(2**63)), (None, 1.5)]
    assert len(FULL) == 2
    assert [name for name, _ in FULL] == ["naïve 名 🦸", None]


@pytest.mark.parametrize("result", [FULL, Result("ok"), Result("denied", message="no")])
def test_all_fields_come_back_from_json(result: Result) -> None:
    values = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert [*values] == [field.name for field in fields(Result)]
    values["rows"] = tuple(tuple(row) for row in values["rows"])
    tuples: dict[str, Any] = {name: tuple(values[name]) for name in ("columns", "flags", "notes")}
    assert Result(**values | tuples) == result


def test_a_dict_holds_lists_of_its_own() -> None:
    values = FULL.to_dict()
    assert values == {
        "status": "truncated",
        "columns": ["name", "n"],
        "rows": [["naïve 名 🦸", -(2**63)], [None, 1.5]],
        "truncated": True,
        "elapsed_ms": 1.25,
        "ticks": 3,
        "message": "there are more than 2 rows",
        "limit": "max_rows",
        "flags": ["blob"],
        "notes": ["a", "b"],
    }
    values["rows"][0].clear()
    assert FULL.rows[0] == ("naïve 名 🦸", -(2**63))


def test_a_result_cannot_be_changed_and_survives_a_pickle() -> None:
    with pytest.raises(FrozenInstanceError):
        FULL.status = "ok"  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(FULL)) == FULL


def test_results_are_equal_where_all_of_their_fields_are() -> None:
    assert Result("ok", ("n",), ((1,),)) == Result("ok", ("n",), ((1,),))
    assert Result("ok", ("n",), ((1,),)) != Result("ok", ("n",), ((2,),))
    assert hash(FULL) == hash(pickle.loads(pickle.dumps(FULL)))


def test_each_flag_has_words_for_a_model() -> None:
    assert set(FLAG_NOTES) == {"blob", "infinite", "replaced_text"}
    assert all(FLAG_NOTES.values())
