"""Ties are found exactly where brute force finds more than one answer."""

from __future__ import annotations

import itertools
import sqlite3
from contextlib import closing

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from claimdb_builder.stages.tie_breaks import TieBreaks, tie_breaks
from tests.builder.stages.random_sql import Writer, accepted

Row = tuple[int, int, int]
Rows = list[Row]

COLUMNS = "abc"
small = st.integers(0, 2)
tables: st.SearchStrategy[Rows] = st.lists(st.tuples(small, small, small), max_size=6)
some_columns = st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=3, unique=True)


@st.composite
def random_queries(draw: st.DrawFn) -> str:
    """SELECTs; when one fails, hypothesis looks for the plainest."""
    return Writer(lambda n: draw(st.integers(0, n - 1))).query(1)


def columns_of(row: Row, names: str | list[str]) -> tuple[int, ...]:
    return tuple(row[COLUMNS.index(name)] for name in names)


def answers(rows: Rows, shown: list[str], keys: list[str], first: int, n: int) -> set[str]:
    """All answers: the rows sorted by their keys, from each order in which they may come."""
    found = set()
    for order in itertools.permutations(rows):
        ranked = sorted(order, key=lambda row: columns_of(row, keys))[first : first + n]
        found.add(str(sorted(columns_of(row, shown) for row in ranked)))
    return found


def is_cut_twice(rows: Rows, keys: list[str], first: int, n: int) -> bool:
    """Whether a tie is cut where the rows taken begin, and one where they end: may be missed."""
    ranked = sorted(columns_of(row, keys) for row in rows)
    if n == 0 or first == 0 or first + n >= len(ranked):
        return False
    return ranked[first - 1] == ranked[first] and ranked[first + n - 1] == ranked[first + n]


def run(rows: Rows, sql: str) -> str:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE t (a INT, b INT, c INT)")
        connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
        return str(sorted(connection.execute(sql).fetchall()))


def forms_of(sql: str) -> TieBreaks:
    forms = tie_breaks(sql)
    assert forms is not None
    return forms


@pytest.mark.unmeasured
@settings(max_examples=300, deadline=None)
@given(tables, some_columns, st.just([]) | some_columns, st.integers(0, 4), st.integers(0, 4))
@example([(0, 0, 0), (0, 1, 0), (0, 2, 0)], ["b"], ["a"], 1, 1)
@example([(0, 1, 0), (1, 0, 0), (1, 2, 0), (2, 0, 0), (2, 2, 0)], ["a"], ["b"], 1, 3)
def test_forms_differ_where_there_is_more_than_one_answer(
    rows: Rows, shown: list[str], keys: list[str], first: int, n: int
) -> None:
    order = f"ORDER BY {', '.join(keys)} " if keys else ""
    sql = f"SELECT {', '.join(shown)} FROM t {order}LIMIT {n} OFFSET {first}"
    forms = forms_of(sql)
    ascending, descending = run(rows, forms.ascending), run(rows, forms.descending)
    expected = answers(rows, shown, keys, first, n)
    assert {run(rows, sql), ascending, descending} <= expected
    if len(expected) == 1:
        assert ascending == descending
    elif not is_cut_twice(rows, keys, first, n):
        assert ascending != descending
    assert forms.is_ordered is bool(keys)


def measured(measure: str, group: Rows) -> int:
    if measure == "count(*)":
        return len(group)
    return sum(row[1] for row in group) if measure == "sum(b)" else max(row[2] for row in group)


@settings(max_examples=200, deadline=None)
@given(tables, st.sampled_from(["count(*)", "sum(b)", "max(c)"]), st.integers(1, 3))
def test_forms_of_groups_differ_where_there_is_more_than_one_answer(
    rows: Rows, measure: str, n: int
) -> None:
    groups = [[row for row in rows if row[0] == key] for key in sorted({row[0] for row in rows})]
    grouped = [(group[0][0], measured(measure, group), 0) for group in groups]
    forms = forms_of(f"SELECT a FROM t GROUP BY a ORDER BY {measure} LIMIT {n}")
    expected = answers(grouped, ["a"], ["b"], 0, n)
    assert (run(rows, forms.ascending) != run(rows, forms.descending)) is (len(expected) > 1)


@pytest.mark.unmeasured
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(random_queries())
def test_forms_of_any_query_are_sql(sql: str) -> None:
    forms = tie_breaks(sql)
    if forms is None or not accepted(sql):
        return
    for form in forms[:2]:
        assert isinstance(form, str)
        assert accepted(form), form


def test_forms_of_a_compound_with_groups_are_sql() -> None:
    """With COLLATE in its ORDER BY, SQLite finds no column of a compound's grouped SELECT."""
    sql = "SELECT a, b FROM t UNION SELECT u.a, u.b FROM u GROUP BY u.a LIMIT 1"
    assert accepted(sql)
    for form in forms_of(sql)[:3]:
        assert accepted(str(form))
        assert "COLLATE" not in str(form)


def test_a_collation_stands_where_it_may() -> None:
    """In the SELECT of a compound alone it may not; the other LIMITs have theirs."""
    sql = "SELECT a FROM (SELECT a FROM t LIMIT 1) UNION SELECT b FROM u ORDER BY 1 LIMIT 2"
    form = forms_of(sql).descending
    assert accepted(form)
    assert form == (
        "SELECT a FROM (SELECT a FROM t ORDER BY 1 COLLATE BINARY DESC LIMIT 1) "
        "UNION SELECT b FROM u ORDER BY 1 , 1 DESC LIMIT 2"
    )


@settings(deadline=None)
@given(st.text("SELECT FROM,LIMIT()ORDER BY'\"-/*\n1x", max_size=80))
def test_any_text_can_be_looked_at(sql: str) -> None:
    forms = tie_breaks(sql)
    assert forms is None or len(forms.ascending) > len(sql)
