"""Rows are drawn with the same chance, however a table is stored."""

from __future__ import annotations

import random
import sqlite3
from collections import Counter
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimdb_builder.stats.table_rows import Table
from tests.builder.stats.made_tables import opened

N_ROWS = 400
HALF = N_ROWS // 2
KINDS = {
    "rowids without a gap": "CREATE TABLE t (n INTEGER PRIMARY KEY, v)",
    "a column called rowid": "CREATE TABLE t (n INTEGER PRIMARY KEY, rowid TEXT)",
    "only oid is left": "CREATE TABLE t (n, rowid, _ROWID_, PRIMARY KEY (n))",
    "no name of it is left": "CREATE TABLE t (n, rowid, _rowid_, oid)",
    "no rowid": "CREATE TABLE t (n, v, PRIMARY KEY (n)) WITHOUT ROWID",
}


def filled(ddl: str, numbers: Iterable[int]) -> Table:
    connection = opened(ddl)
    connection.executemany("INSERT INTO t (n) VALUES (?)", ((number,) for number in numbers))
    return Table(connection, "t")


def drawn(table: Table, n_rows: int, n_wanted: int, seed: int) -> list[int]:
    return [row[0] for row in table.sample(n_rows, n_wanted, random.Random(seed))]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_wanted", [10, 300, 400])
def test_as_many_as_wanted_and_none_twice(kind: str, n_wanted: int) -> None:
    found = drawn(filled(KINDS[kind], range(N_ROWS)), N_ROWS, n_wanted, seed=1)
    assert len(found) == len(set(found)) == n_wanted
    assert set(found) <= set(range(N_ROWS))


@pytest.mark.parametrize("kind", KINDS)
def test_gaps_favour_no_row(kind: str) -> None:
    # The first half stands close, the other has a gap after each row.
    numbers = [*range(HALF), *range(HALF, HALF + 2 * HALF, 2)]
    table = filled(KINDS[kind], numbers)
    found = Counter(n for seed in range(400) for n in drawn(table, N_ROWS, 10, seed))
    in_first_half = sum(found[number] for number in range(HALF))
    # Four standard deviations are 0.032; the next row after a drawn rowid would give 0.33.
    assert abs(in_first_half / found.total() - 0.5) < 0.032
    assert found.keys() <= set(numbers)


def test_few_rows_are_looked_up_and_not_scanned() -> None:
    table = filled(KINDS["rowids without a gap"], range(5000))
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    table.connection.set_progress_handler(count, 1)
    drawn(table, 5000, 10, seed=1)
    assert 0 < steps < 5000


@given(
    numbers=st.sets(st.integers(-(2**63), 2**63 - 1) | st.integers(-50, 50), min_size=1),
    seed=st.integers(),
    data=st.data(),
)
@settings(max_examples=60, deadline=None)
def test_any_rowids(numbers: set[int], seed: int, data: st.DataObject) -> None:
    n_wanted = data.draw(st.integers(1, len(numbers)))
    found = drawn(
        filled(KINDS["rowids without a gap"], sorted(numbers)), len(numbers), n_wanted, seed
    )
    assert len(found) == len(set(found)) == n_wanted
    assert set(found) <= numbers


def test_the_same_seed_draws_the_same_rows() -> None:
    table = filled(KINDS["rowids without a gap"], range(N_ROWS))
    assert drawn(table, N_ROWS, 9, seed=1) == drawn(table, N_ROWS, 9, seed=1)
    assert drawn(table, N_ROWS, 9, seed=1) != drawn(table, N_ROWS, 9, seed=2)


def test_a_table_that_lost_its_rows_since_it_was_counted_comes_to_an_end() -> None:
    table = filled(KINDS["rowids without a gap"], [1, N_ROWS])
    assert set(drawn(table, N_ROWS, 10, seed=1)) <= {1, N_ROWS}


@pytest.mark.parametrize("name", ['a "b"', "a b", "größe", "select", "a'b", "x]y", "a\nb"])
def test_any_name_of_a_table(name: str) -> None:
    table = Table(sqlite3.connect(":memory:"), name)
    table.connection.execute(f"CREATE TABLE {table.quoted} (n)")
    table.connection.executemany(f"INSERT INTO {table.quoted} VALUES (?)", [(i,) for i in range(9)])
    assert (table.n_rows(), table.columns()) == (9, ("n",))
    assert len(list(table.sample(9, 1, random.Random(1)))) == 1


def test_generated_columns_are_columns() -> None:
    table = Table(opened("CREATE TABLE t (a, b AS (a + 1), c AS (a + 2) STORED)"), "t")
    assert table.columns() == ("a", "b", "c")


def test_rows_of_a_virtual_table() -> None:
    try:
        connection = opened("CREATE VIRTUAL TABLE t USING fts5(body)")
    except sqlite3.OperationalError:
        pytest.skip("this SQLite has no fts5")
    connection.executemany("INSERT INTO t VALUES (?)", [(f"owl {i}",) for i in range(50)])
    assert len(list(Table(connection, "t").sample(50, 3, random.Random(1)))) == 3
