"""Tokens of a table: exact where all is read, within the stated error where it is sampled."""

from __future__ import annotations

import csv
import io
import random
import sqlite3
import statistics
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimdb_builder.stats.database_stats import measure
from claimdb_builder.stats.table_rows import Table
from claimdb_builder.stats.table_tokens import CsvLines, count_tokens
from claimdb_builder.stats.token_counters import MAX_PIECE_CHARS
from tests.builder.stats.made_tables import counting, estimate, made, opened

N_ROWS = 3000
DDL = {
    "rowid": "CREATE TABLE t (id INTEGER PRIMARY KEY, note TEXT)",
    "without rowid": "CREATE TABLE t (id INTEGER PRIMARY KEY, note TEXT) WITHOUT ROWID",
}


def skewed(ddl: str, gap: int) -> Table:
    """Notes of 0 to 200 words, most of them short, the longer the later."""
    draw = random.Random(7)
    rows = []
    for i in range(N_ROWS):
        n_words = int(200 * (i / N_ROWS) * draw.random() ** 3)
        rows.append((i * gap if i > N_ROWS // 2 else i, "owl " * n_words))
    connection = opened(ddl)
    connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
    return Table(connection, "t")


def exact(table: Table) -> int:
    found = count_tokens(table, N_ROWS, counting(sample_rows=N_ROWS), "t")
    assert (found.error_95, found.n_rows_read) == (0, N_ROWS)
    return found.n_tokens


@pytest.mark.unmeasured
@pytest.mark.parametrize("gap", [1, 3])
@pytest.mark.parametrize("kind", DDL)
@pytest.mark.parametrize("n_sampled", [300, 1000])
def test_the_interval_holds_the_exact_number_in_95_of_100_draws(
    kind: str, gap: int, n_sampled: int
) -> None:
    table = skewed(DDL[kind], gap)
    truth = exact(table)
    estimates = [count_tokens(table, N_ROWS, counting(n_sampled, seed), "t") for seed in range(100)]
    held = sum(abs(found.n_tokens - truth) <= found.error_95 for found in estimates)
    assert 88 <= held <= 100
    # Too wide an interval would hold it too, and so would one that misses by little.
    mean = sum(found.n_tokens for found in estimates) / 100
    widest = max(found.error_95 for found in estimates)
    assert abs(mean - truth) < widest / 2
    assert widest < truth * (0.3 if n_sampled == 300 else 0.15)


def test_the_error_is_that_of_the_rows_drawn() -> None:
    table = skewed(DDL["rowid"], 1)
    rows = table.sample(N_ROWS, 300, random.Random("1/t"))
    tokens = [estimate().count(CsvLines().line(row)) for row in rows]
    found = count_tokens(table, N_ROWS, counting(300, seed=1), "t")
    header = estimate().count("id,note\n")
    variance_of_mean = statistics.variance(tokens) / 300 * (1 - 300 / N_ROWS)
    assert found.n_tokens == header + round(N_ROWS * statistics.mean(tokens))
    assert found.error_95 == pytest.approx(1.96 * N_ROWS * variance_of_mean**0.5)


@given(
    rows=st.lists(
        st.tuples(st.none() | st.text(), st.integers(-(2**63), 2**63 - 1) | st.binary()),
        max_size=20,
    )
)
@settings(max_examples=50, deadline=None)
def test_below_the_limit_it_is_the_sum_of_its_lines(rows: list[tuple[object, object]]) -> None:
    connection = opened("CREATE TABLE t (a, b)")
    rows = [tuple(map(_storable, row)) for row in rows]  # type: ignore[misc]
    connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
    found = count_tokens(Table(connection, "t"), len(rows), counting(sample_rows=20), "t")
    lines = [CsvLines().line(row) for row in [("a", "b"), *rows]]
    assert found.n_tokens == sum(map(estimate().count, lines))
    assert (found.error_95, found.n_rows_read) == (0, len(rows))


def _storable(value: object) -> object:
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1))
@settings(max_examples=100, deadline=None)
def test_a_line_reads_back_as_its_row(row: list[str]) -> None:
    line = CsvLines().line(row)
    assert line.endswith("\n")
    if not any("\0" in value or "\r" in value for value in row):
        assert next(csv.reader(io.StringIO(line, newline=""))) == row


LINES: dict[str, tuple[tuple[object, ...], str]] = {
    "NULL and empty": ((None, "", 1), ",,1\n"),
    "one NULL": ((None,), '""\n'),
    "quotes and breaks": (('a"b', "c\nd"), '"a""b","c\nd"\n'),
    "a blob": ((b"\x00\xff",), "00ff\n"),
    "numbers": ((1, -2.5, 1e300), "1,-2.5,1e+300\n"),
}


@pytest.mark.parametrize("case", LINES)
def test_lines(case: str) -> None:
    row, line = LINES[case]
    lines = CsvLines()
    lines.line(["what was written before"])
    assert lines.line(row) == line


def test_an_empty_table_is_its_header() -> None:
    found = count_tokens(Table(opened("CREATE TABLE t (id, name)"), "t"), 0, counting(), "t")
    assert found.n_tokens == estimate().count("id,name\n")


def test_each_table_has_a_draw_of_its_own() -> None:
    table = skewed(DDL["rowid"], 1)
    found = [count_tokens(table, N_ROWS, counting(100), key).n_tokens for key in ("a", "b", "a")]
    assert found[0] == found[2] != found[1]


def test_hostile_cells(tmp_path: Path) -> None:
    path = made(
        tmp_path / "odd.sqlite",
        "CREATE TABLE t (v)",
        "INSERT INTO t VALUES (CAST(x'ff41fe' AS TEXT)), (NULL), (''), (char(0) || 'a'), (9e999),"
        f" (zeroblob(100)), ('<|endoftext|>'), (hex(zeroblob({5 * MAX_PIECE_CHARS})))",
    )
    (found,) = measure({"odd": path}, counting())
    assert found.n_rows == 8
    # A group of three digits is a token, and each cut may add one.
    n_digits = 10 * MAX_PIECE_CHARS
    assert n_digits // 3 < (found.n_tokens or 0) < n_digits // 3 + 200


def test_a_row_that_differs_in_no_token_leaves_no_error() -> None:
    connection = opened("CREATE TABLE t (v)")
    connection.executemany("INSERT INTO t VALUES (?)", [("owl",)] * 500)
    found = count_tokens(Table(connection, "t"), 500, counting(10), "t")
    assert (found.error_95, found.n_rows_read) == (0, 10)
    assert found.n_tokens == 500 * estimate().count("owl\n") + estimate().count("v\n")


def test_a_table_that_lost_its_rows_since_it_was_counted() -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (v)")
    found = count_tokens(Table(connection, "t"), 500, counting(10), "t")
    assert (found.n_rows_read, found.error_95) == (0, 0)
