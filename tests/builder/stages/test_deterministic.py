"""Questions are marked, and dropped for the marks that the settings or the policy name."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from claimdb_builder.pipeline.records import to_line
from claimdb_builder.pipeline.stage import Context, Policy, Settings
from claimdb_builder.stages.deterministic import DETERMINISTIC, DROPPED_FOR, deterministic
from claimdb_builder.stages.marks import MARKS
from claimdb_sandbox import UnusableDatabaseError, fingerprint
from tests.builder.stages.made_questions import context, marks_of, selected, zoo

ONE_EACH = {
    "current_time": "SELECT date('now')",
    "random": "SELECT random()",
    "tie": "SELECT name FROM pet ORDER BY age DESC LIMIT 1",
    "unordered_limit": "SELECT name FROM pet LIMIT 1",
    "empty": "SELECT name FROM pet WHERE age > 99",
    "only_nulls": "SELECT weight FROM pet WHERE weight IS NULL",
    "blob": "SELECT x'00ff'",
    "infinite": "SELECT 9e999",
}
PLAIN = "SELECT count(*) FROM pet"
SEVERAL = [
    ("SELECT NULL WHERE date('now') IS NULL", ("current_time", "empty")),
    ("SELECT x'00', -9e999, NULL", ("blob", "infinite")),
    ("SELECT max(weight) FROM pet WHERE age > 99", ("only_nulls",)),
    ("SELECT name, date('now') FROM pet ORDER BY age DESC LIMIT 1", ("current_time", "tie")),
    ("SELECT name FROM pet ORDER BY random() LIMIT 1", ("random",)),
    ("SELECT NULL, 0", ()),
    ("SELECT ''", ()),
]
FAILING = [
    "SELECT nope FROM pet",
    "SELECT a FROM gone",
    "SELECT abs(-9223372036854775808)",
    "SELECT load_extension('x')",
    "SELECT 1; SELECT 2",
    "SELECT '\ud800'",
    "SELECT 1\0",
]


@pytest.fixture(scope="module")
def pets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return zoo(tmp_path_factory.mktemp("pets"))


def test_there_is_a_query_for_each_mark() -> None:
    assert ONE_EACH.keys() == MARKS.keys()
    assert DETERMINISTIC.reasons.keys() == {*MARKS, "database_missing"}


@pytest.mark.parametrize(("mark", "sql"), ONE_EACH.items())
def test_a_query_gets_its_mark(pets: Path, mark: str, sql: str) -> None:
    assert marks_of(pets, sql) == (mark,)


@pytest.mark.parametrize(("sql", "marks"), SEVERAL)
def test_marks_add_up(pets: Path, sql: str, marks: tuple[str, ...]) -> None:
    assert marks_of(pets, sql) == marks


@pytest.mark.parametrize("sql", FAILING)
def test_sql_that_fails_is_left_to_the_next_stage(pets: Path, sql: str) -> None:
    kept, dropped = deterministic([selected(sql)], context(pets, drop=None))
    assert dropped == []
    assert [(one.marks, one.answer_sha256) for one in kept] == [((), "")]


def test_sql_that_fails_is_marked_by_its_text(pets: Path) -> None:
    assert marks_of(pets, "SELECT date('now') FROM gone") == ("current_time",)


@pytest.mark.parametrize(
    ("policy", "drop", "expected"),
    [
        ("strict", None, set(MARKS)),
        ("paper", None, set()),
        ("strict", (), set()),
        ("paper", ("tie", "blob"), {"tie", "blob"}),
        ("strict", ("empty",), {"empty"}),
        ("paper", tuple(MARKS), set(MARKS)),
    ],
)
def test_settings_say_for_what_a_question_is_dropped(
    pets: Path, policy: Policy, drop: tuple[str, ...] | None, expected: set[str]
) -> None:
    questions = [selected(sql, place) for place, sql in enumerate([*ONE_EACH.values(), PLAIN])]
    kept, dropped = deterministic(questions, context(pets, policy=policy, drop=drop))
    assert {one.reason for one in dropped} == expected
    assert Counter(one.bird_id for one in kept + dropped) == Counter(range(len(questions)))
    assert {mark for one in kept for mark in one.marks} == set(MARKS) - expected
    assert all(one.message == MARKS[one.reason] for one in dropped)
    assert all(len(one.answer_sha256) == 64 for one in kept)


def test_policies_are_those_of_select() -> None:
    assert [DROPPED_FOR["paper"], DROPPED_FOR["strict"]] == [(), tuple(MARKS)]


def test_the_first_mark_is_the_reason_and_all_are_in_the_message(pets: Path) -> None:
    questions = [selected("SELECT x'00', 9e999")]
    _, dropped = deterministic(questions, context(pets, drop=("infinite", "blob")))
    assert [one.reason for one in dropped] == ["blob"]
    assert dropped[0].message == f"{MARKS['blob']}; {MARKS['infinite']}"
    _, dropped = deterministic(questions, context(pets, drop=("infinite",)))
    assert [(one.reason, one.message) for one in dropped] == [("infinite", MARKS["infinite"])]


def test_a_missing_database_drops_its_questions_only(pets: Path) -> None:
    questions = [selected(PLAIN, 0), selected(PLAIN, 1, "gone"), selected(PLAIN, 2)]
    kept, dropped = deterministic(questions, context(pets))
    assert [one.bird_id for one in kept] == [0, 2]
    assert [(one.bird_id, one.db_name, one.reason) for one in dropped] == [
        (1, "gone", "database_missing")
    ]


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"", "is empty"), (b"<!DOCTYPE html>" * 99, "HTML page"), (b"SQLite format 3\0" * 99, "zoo")],
)
def test_a_damaged_database_stops_the_build_by_name(
    tmp_path: Path, content: bytes, words: str
) -> None:
    path = tmp_path / "zoo.sqlite"
    path.write_bytes(content)
    with pytest.raises(UnusableDatabaseError, match=words):
        deterministic([selected(PLAIN)], context(path))


def test_no_database_is_needed_for_no_question() -> None:
    assert deterministic([], Context(Settings())) == ([], [])


def test_what_is_kept_is_what_came_with_more_in_it(pets: Path) -> None:
    question = selected(PLAIN, 7)
    kept, _ = deterministic([question], context(pets))
    assert vars(kept[0]) | vars(question) == vars(kept[0])
    assert to_line(kept[0]) == to_line(deterministic([question], context(pets))[0][0])


def test_databases_are_not_written_to(pets: Path) -> None:
    before = fingerprint(pets)
    sqls = ["DELETE FROM pet", "DROP TABLE pet", "SELECT 1; DELETE FROM pet", PLAIN]
    deterministic([selected(sql) for sql in sqls], context(pets))
    assert fingerprint(pets) == before
    assert [path.name for path in pets.parent.iterdir()] == ["zoo.sqlite"]
