"""Every gold query of two real databases has the answer that plain sqlite3 gives."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from claimdb_sandbox import GOLD_LIMITS, Executor, Limits

WIDE = Limits(time_limit_s=60, max_rows=10**7, max_bytes=2**28)
STRICT = replace(WIDE, strict_names=True)


class Gold(NamedTuple):
    """A database of BIRD, and its gold queries."""

    path: Path
    queries: list[str]


@pytest.fixture(
    scope="module",
    params=[("superhero", "dev", 129), ("beer_factory", "train", 131)],
    ids=lambda param: param[0],
)
def gold(request: pytest.FixtureRequest, shared: Path) -> Gold:
    name, split, n_queries = request.param
    bird = shared / "data" / "bird"
    rows = json.loads((bird / f"{split}.json").read_text("utf-8"))
    queries = [row["SQL"] for row in rows if row["db_id"] == name]
    assert len(queries) == n_queries
    return Gold(bird / "databases" / name / f"{name}.sqlite", queries)


def plain_answer(path: Path, sql: str) -> tuple[list[str], tuple[Any, ...]]:
    uri = f"{path.as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True)) as connection:
        cursor = connection.execute(sql)
        return [column[0] for column in cursor.description], tuple(cursor.fetchall())


def types(rows: tuple[Any, ...]) -> list[type]:
    return [type(value) for row in rows for value in row]


def same_but_for_numbers(unique: Sequence[str], names: list[str]) -> bool:
    """Whether names are SQLite's own, but for _2, _3, … where one is there for a second time."""
    seen = Counter[str]()
    for ours, name in zip(unique, names, strict=True):
        seen[name] += 1
        if ours != (name if seen[name] == 1 else f"{name}_{seen[name]}"):
            return False
    return len(set(unique)) == len(unique)


def test_each_gold_query_has_the_answer_that_plain_sqlite_gives(gold: Gold) -> None:
    before = {path: path.stat().st_mtime_ns for path in gold.path.parent.iterdir()}
    n_rows = 0
    with Executor(gold.path, WIDE) as sandbox:
        for sql in gold.queries:
            columns, rows = plain_answer(gold.path, sql)
            result = sandbox.run(sql)
            assert (result.status, result.message) == ("ok", None), sql
            assert result.rows == rows, sql
            assert types(result.rows) == types(rows), sql  # 1 == 1.0 to Python
            assert same_but_for_numbers(result.columns, columns), sql
            assert result.flags == (), sql
            n_rows += len(rows)
    assert n_rows > len(gold.queries)
    assert before == {path: path.stat().st_mtime_ns for path in gold.path.parent.iterdir()}


def test_strict_names_change_no_answer_to_gold_sql(gold: Gold) -> None:
    """None of it holds text in double quotes, though many other queries of BIRD do."""
    with Executor(gold.path, WIDE) as lenient, Executor(gold.path, STRICT) as strict:
        for sql in gold.queries:
            result, checked = lenient.run(sql), strict.run(sql)
            assert (checked.status, checked.notes) == ("ok", ()), sql
            assert checked.rows == result.rows, sql


def test_limits_for_gold_sql_let_each_gold_query_end(gold: Gold) -> None:
    with Executor(gold.path, GOLD_LIMITS) as sandbox:
        for sql in gold.queries:
            _, rows = plain_answer(gold.path, sql)
            result = sandbox.run(sql)
            assert result.status == ("ok" if len(rows) <= 11 else "truncated"), sql
            assert result.rows == rows[:11], sql
