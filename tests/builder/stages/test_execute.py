"""Gold SQL is run; each way in which it can have no answer has a reason of its own."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from claimdb_builder.pipeline.records import Dropped, ExecutedQuestion, from_line, to_line
from claimdb_builder.stages import execute as stage
from claimdb_builder.stages.deterministic import deterministic
from claimdb_builder.stages.execute import EXECUTE, REASONS, execute
from claimdb_sandbox import GOLD_LIMITS, STATUSES
from tests.builder.stages.made_questions import context, marked, selected, zoo

COUNT = "SELECT value FROM (WITH RECURSIVE r(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM r"
ENDLESS = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r"
FAILING = [
    ("SELECT COUNT(x) FROM target", "sql_error", "no such table: target"),
    ("SELECT nope FROM pet", "sql_error", "no such column: nope"),
    ("SELECT count( FROM pet", "sql_error", "syntax error"),
    ("SELECT abs(-9223372036854775808)", "sql_error", "integer overflow"),
    ("SELECT TIMESTAMPDIFF(YEAR, age, NOW()) FROM pet", "sql_error", "no such"),
    ("DELETE FROM pet", "denied", ""),
    ("SELECT load_extension('x')", "denied", ""),
    ("ATTACH 'other.db' AS other", "denied", ""),
    ("-- nothing", "not_a_query", ""),
    ("SELECT hex(zeroblob(400000)), hex(zeroblob(400000))", "too_long", ""),
]
VALUES = [
    ("9223372036854775807, -9223372036854775808", (2**63 - 1, -(2**63))),
    ("1, 1.0, '1', NULL", (1, 1.0, "1", None)),
    ("0.1 + 0.2, 1e-320, 1.7976931348623157e308", (0.1 + 0.2, 1e-320, 1.7976931348623157e308)),
    ("'a' || char(8232) || char(10) || 'ü\"\\名'", ('a\u2028\nü"\\名',)),
    ("''", ("",)),
]


@pytest.fixture(scope="module")
def pets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return zoo(tmp_path_factory.mktemp("pets"))


def outcome(path: Path, sql: str) -> ExecutedQuestion | Dropped:
    """What becomes of SQL in this stage and the one before."""
    kept, dropped = deterministic([selected(sql)], context(path))
    assert dropped == []
    done, dropped = execute(kept, context(path))
    assert len(done) + len(dropped) == 1
    result: ExecutedQuestion | Dropped = (done + dropped)[0]
    return result


def reason_of(path: Path, sql: str) -> str:
    found = outcome(path, sql)
    return found.reason if isinstance(found, Dropped) else "kept"


def answer_of(path: Path, sql: str) -> ExecutedQuestion:
    found = outcome(path, sql)
    assert isinstance(found, ExecutedQuestion), found
    return found


def test_each_status_without_an_answer_has_a_reason() -> None:
    others = {"too_many_rows", "too_long", "unstable"}
    assert {*STATUSES} - {"ok", "truncated"} == REASONS.keys() - others
    assert REASONS.keys() == EXECUTE.reasons.keys() >= EXECUTE.choices


@pytest.mark.parametrize(("sql", "reason", "message"), FAILING)
def test_a_query_that_fails_keeps_the_words_of_sqlite(
    pets: Path, sql: str, reason: str, message: str
) -> None:
    found = outcome(pets, sql)
    assert isinstance(found, Dropped)
    assert (found.reason, found.bird_id, found.db_name) == (reason, 0, "zoo")
    assert message in found.message
    assert found.message
    assert str(pets.parent) not in found.message


@pytest.mark.parametrize(("n", "expected"), [(1, "kept"), (10, "kept"), (11, "too_many_rows")])
def test_ten_rows_are_kept(pets: Path, n: int, expected: str) -> None:
    assert reason_of(pets, f"{COUNT} LIMIT {n}) SELECT value FROM r)") == expected
    assert reason_of(pets, f"{COUNT} LIMIT 900000) SELECT value FROM r LIMIT {n})") == expected


def test_no_row_is_an_answer_here(pets: Path) -> None:
    found = answer_of(pets, "SELECT name, age FROM pet WHERE age > 99")
    assert (found.columns, found.rows, found.marks) == (("name", "age"), (), ("empty",))


@pytest.mark.parametrize(
    ("limit", "reason"), [("max_steps", "timeout"), ("time_limit_s", "timeout")]
)
def test_a_query_without_end_is_stopped(
    pets: Path, monkeypatch: pytest.MonkeyPatch, limit: str, reason: str
) -> None:
    few = {
        "max_steps": replace(GOLD_LIMITS, max_steps=100_000),
        "time_limit_s": replace(GOLD_LIMITS, time_limit_s=0.05),
    }[limit]
    monkeypatch.setattr(stage, "GOLD_LIMITS", few)
    done, dropped = execute([marked(ENDLESS), marked("SELECT 1", "x")], context(pets))
    assert done == []
    assert [one.reason for one in dropped] == [reason, "unstable"]


def test_the_limits_are_those_of_gold_sql() -> None:
    """The tests of limits have smaller ones in their place."""
    assert stage.__dict__["GOLD_LIMITS"] is GOLD_LIMITS
    assert "GOLD_LIMITS" in execute.__code__.co_names


def test_too_much_memory_is_a_reason_of_its_own(
    pets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stage, "GOLD_LIMITS", replace(GOLD_LIMITS, max_heap_bytes=8 * 2**20))
    big = f"{COUNT} LIMIT 99) SELECT value FROM r ORDER BY hex(zeroblob(300000)) || value)"
    _, dropped = execute([marked(big)], context(pets))
    assert [one.reason for one in dropped] == ["memory"]


@pytest.mark.parametrize(("marks", "expected"), [((), 0), (("current_time",), 1), (("random",), 1)])
def test_an_answer_has_to_be_the_one_seen_before(
    pets: Path, marks: tuple[str, ...], expected: int
) -> None:
    done, dropped = execute([marked("SELECT 1", "another", marks)], context(pets))
    assert len(done) == expected
    assert [one.reason for one in dropped] == ["unstable"] * (1 - expected)


def test_a_tie_does_not_excuse_another_answer(pets: Path) -> None:
    _, dropped = execute([marked("SELECT 1", "another", ("tie",))], context(pets))
    assert [one.reason for one in dropped] == ["unstable"]


@pytest.mark.parametrize(("expressions", "row"), VALUES)
def test_values_are_exact_and_stay_so_as_json(
    pets: Path, expressions: str, row: tuple[object, ...]
) -> None:
    found = answer_of(pets, f"SELECT {expressions}")
    assert found.rows == (row,)
    assert [type(value) for value in found.rows[0]] == [type(value) for value in row]
    line = to_line(found)
    assert line.count(b"\n") == 1
    assert repr(from_line(ExecutedQuestion, line)) == repr(found)


def test_flags_tell_what_json_cannot_hold(pets: Path) -> None:
    found = answer_of(pets, "SELECT x'00ff', 9e999, -9e999, CAST(x'c3ff41' AS TEXT)")
    assert found.rows == (("X'00FF'", "Infinity", "-Infinity", "\ufffd\ufffdA"),)
    assert set(found.flags) == {"blob", "infinite", "replaced_text"}
    assert b'"Infinity"' in to_line(found)


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("SELECT 1 AS n, 2 AS n, 3 AS n_2", ("n", "n_3", "n_2")),
        (
            "SELECT p.*, q.name FROM pet AS p JOIN pet AS q LIMIT 0",
            ("name", "kind", "age", "weight", "name_2"),
        ),
    ],
)
def test_columns_of_one_name_keep_their_values(
    pets: Path, sql: str, columns: tuple[str, ...]
) -> None:
    found = answer_of(pets, sql)
    assert found.columns == columns
    assert all(len(row) == len(columns) for row in found.rows)


def test_steps_are_counted(pets: Path) -> None:
    found = answer_of(pets, f"{COUNT} LIMIT 50000) SELECT max(value) AS value FROM r)")
    assert found.rows == ((50000,),)
    assert found.ticks > 100


def test_the_order_of_questions_stays_and_none_is_lost(pets: Path) -> None:
    sqls = ["SELECT 1", "SELECT x", "SELECT 2", "DELETE FROM pet", "SELECT 3"]
    kept, _ = deterministic([selected(s, n) for n, s in enumerate(sqls)], context(pets))
    done, dropped = execute(kept, context(pets))
    assert [one.bird_id for one in done] == [0, 2, 4]
    assert [one.bird_id for one in dropped] == [1, 3]


def test_another_state_of_the_database_is_noticed(tmp_path: Path) -> None:
    path = zoo(tmp_path)
    kept, _ = deterministic([selected("SELECT count(*) FROM pet")], context(path))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DELETE FROM pet")
        connection.commit()
    done, dropped = execute(kept, context(path))
    assert (done, [one.reason for one in dropped]) == ([], ["unstable"])
