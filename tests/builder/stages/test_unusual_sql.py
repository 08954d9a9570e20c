"""SQL that SQLite accepts and few write, and SQL of a size that nobody writes."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import pytest

from claimdb_builder.pipeline.stage import Context, Settings
from claimdb_builder.stages.features import FEATURES, features
from claimdb_builder.stages.key_lookups import is_key_lookup
from claimdb_builder.stages.marks import marks_of_text
from claimdb_builder.stages.select import select
from claimdb_builder.stages.syntax_trees import Unusable
from claimdb_builder.stages.tie_breaks import tie_breaks
from tests.builder.stages.made_questions import question
from tests.builder.stages.random_sql import accepted

UNUSUAL = [
    ("SELECT sum(a << 2), sum(a >> 2), sum(a || b) FROM t", "aggregate"),
    ("SELECT a FROM t WHERE a BETWEEN 1 << 2 AND 9 >> 1 ORDER BY a", "order"),
    ("SELECT count(a -> '$.b') FROM t", "aggregate"),
    ("SELECT sum(a ->> '$.b') FROM t", "aggregate"),
    ("SELECT count(*) FROM 't'", "aggregate"),
    ("SELECT count(*) 'n' FROM t 'T1'", "aggregate"),
    (r"SELECT count(*) FROM t WHERE a LIKE 'x\%' ESCAPE '\'", "aggregate"),
    ('SELECT "count"(*) FROM t', "aggregate"),
    ("SELECT `max`(a), [min](b) FROM t", "aggregate"),
    ('SELECT "total"(a) FROM t', "sqlite_aggregate"),
    ("SELECT count/* all */(*) FROM t", "aggregate"),
    ("SELECT total -- all\n (a) FROM t", "sqlite_aggregate"),
    ("WITH c AS (SELECT a FROM t) SELECT 'total (a)' FROM c", "subquery common_table"),
    ("WITH c AS (SELECT a FROM t) SELECT a FROM c -- total (a)", "subquery common_table"),
    ("WITH c AS (SELECT a FROM t) SELECT a FROM c; -- x", "subquery common_table"),
    ("WITH c AS (SELECT a FROM t) SELECT a FROM c /* x", "subquery common_table"),
]
BIG = {
    "parentheses": "SELECT " + "(" * 5000 + "1" + ")" * 5000,
    "NOT": "SELECT " + "NOT " * 3000 + "1",
    "minus": "SELECT " + "- " * 5000 + "1",
    "CASE": "SELECT " + "CASE WHEN 1 THEN " * 1000 + "1" + " END" * 1000,
    "subqueries": "SELECT " + "(SELECT " * 500 + "1" + ")" * 500,
    "sums": "SELECT 1" + "+1" * 5000,
    "unions": " UNION ".join(["SELECT 1"] * 800),
    "columns": "SELECT " + ",".join(f"c{n}" for n in range(29_000)) + " FROM t",
    "values": "SELECT a FROM t WHERE a IN (" + "1," * 49_000 + "1)",
    "text": "SELECT '" + "x" * 200_000 + "'",
    "open text": "SELECT " + "'a " * 66_001,
    "quotes": '"' * 200_001,
    "space": "SELECT" + " " * 200_000 + "1",
    "NUL": "SELECT 1\0",
    "NULs": "\0" * 1000,
    "dots": "SELECT a" + ".a" * 5000,
    "comments": "SELECT 1 " + "/**/--\n" * 25_000,
    "comments open": "/*" * 100_000,
}


@contextmanager
def seconds(n: int) -> Iterator[None]:
    """Raise where the work takes longer: a hang, not a slow machine."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"not done after {n} s")

    before = signal.signal(signal.SIGALRM, stop)
    # Again each second: where an object is being deleted, Python ignores exceptions.
    signal.setitimer(signal.ITIMER_REAL, n, 1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def names_of(sql: str) -> set[str] | str:
    try:
        return set(features(sql).names)
    except Unusable as unusable:
        return unusable.fault


@pytest.mark.parametrize(("sql", "names"), UNUSUAL)
def test_sql_that_sqlite_accepts_has_its_features(sql: str, names: str) -> None:
    assert accepted(sql)
    assert set(names.split()) <= set(FEATURES)
    assert names_of(sql) == set(names.split())


@pytest.mark.unmeasured
@pytest.mark.parametrize("name", sorted(BIG))
def test_sql_of_any_size_is_looked_at(name: str) -> None:
    sql = BIG[name]
    with seconds(30):
        if isinstance(names_of(sql), set):
            is_key_lookup(sql)
        assert marks_of_text(sql) == set()
        assert tie_breaks(sql) is None


def test_the_programs_own_depth_is_as_before() -> None:
    before = sys.getrecursionlimit()
    for name in ("parentheses", "sums"):
        names_of(BIG[name])
    assert sys.getrecursionlimit() == before


def test_too_deep_is_a_fault() -> None:
    assert names_of(BIG["parentheses"]) == "unparsable"


def test_common_tables_are_known_in_any_case() -> None:
    sql = "WITH Old AS (SELECT a FROM t) SELECT a FROM OLD, old AS two"
    assert features(sql).n_tables == 1


def test_two_thousand_conditions_stop_no_batch() -> None:
    many = " AND ".join(["age = 1"] * 2000)
    questions = [question(f"SELECT count(*) FROM t WHERE {many}"), question("SELECT count(*)", 1)]
    kept, dropped = select(questions, Context(Settings("strict")))
    assert [one.bird_id for one in kept + dropped].count(1) == 1
    assert len(kept) + len(dropped) == 2


def test_thirty_joins_without_a_condition_are_done_with() -> None:
    with seconds(2):
        names_of("SELECT count(*) FROM t" + " JOIN u" * 30)


def test_sixty_parentheses_are_not_too_deep() -> None:
    sql = f"SELECT count(*) FROM t WHERE {'(' * 60}a = 1{')' * 60}"
    assert accepted(sql)
    assert names_of(sql) == {"aggregate"}


def test_brackets_left_open_take_no_time_that_grows_with_their_square() -> None:
    with seconds(2):
        assert names_of("[" * 190_000) == "unparsable"
