"""The shape of a query keeps what its features come from, and nothing else."""

from __future__ import annotations

import re

import pytest

from claimdb_builder.stages.shapes import shape_of

SHAPES = [
    ("SELECT name FROM pet", "SELECT x FROM x"),
    ("select  name\nfrom pet ;", "SELECT x FROM x"),
    ("SELECT 'a', 1.5, x'00' FROM pet", "SELECT 0,0,0 FROM x"),
    ("SELECT a -- why\nFROM b /* what */", "SELECT x FROM x"),
    ('SELECT T1.`a b`, [c], "d" FROM t', "SELECT x FROM x"),
    ("SELECT count(*), total(a) FROM t", "SELECT COUNT(*),TOTAL(x)FROM x"),
    ("SELECT count (a) FROM t", "SELECT COUNT(x)FROM x"),
    ("SELECT max(a, b), max(a) FROM t", "SELECT MAX(x,x),MAX(x)FROM x"),
    ("SELECT a FROM t WHERE b = 'c' AND d LIKE '%' OR e IS NOT NULL", "SELECT x FROM x WHERE x=0"),
    ("SELECT a FROM t WHERE b IN (1, 2, 3)", "SELECT x FROM x WHERE x=0"),
    ("SELECT a FROM t WHERE b BETWEEN 1 AND 2 LIMIT 1", "SELECT x FROM x WHERE x=0 LIMIT 0"),
    ("SELECT a FROM t INNER JOIN u ON t.a = u.a", "SELECT x FROM x JOIN x ON x=0"),
    ("SELECT a FROM t AS T1 LEFT JOIN u AS T2 ON b = 1", "SELECT x FROM x LEFT JOIN x ON x=0"),
    ("SELECT a, b FROM t ORDER BY a, b LIMIT 3", "SELECT x FROM x ORDER BY x LIMIT 0"),
    ("SELECT DISTINCT a, b FROM t GROUP BY a, b", "SELECT DISTINCT x FROM x GROUP BY x"),
    ("SELECT a <> b, a <= 1, a == 2 FROM t", "SELECT x=x,x=0,x=0 FROM x"),
    ("SELECT '-- SELECT', \"FROM\" FROM t", "SELECT 0,x FROM x"),
    ("", ""),
    (" ; ; ", ""),
    ("-- nothing", ""),
]
KEPT = [
    # An operator that binds closer than AND follows, so the condition is not a plain one.
    "SELECT x FROM x WHERE x=0 AND x=0 IS NULL",
    "SELECT x FROM x WHERE x=0 AND x=0 + 0",
    "SELECT x FROM x WHERE x=0 AND x=0 COLLATE x",
    "SELECT x FROM x WHERE x IS NULL=0",
    "SELECT x,x + 0 FROM x",
    "SELECT x,MAX(x)FROM x",
    "SELECT x FROM x ORDER BY x,x DESC",
]


@pytest.mark.parametrize(("sql", "shape"), SHAPES)
def test_a_shape_is_sql_without_names_and_values(sql: str, shape: str) -> None:
    assert shape_of(sql) == shape


@pytest.mark.parametrize("shape", KEPT)
def test_what_is_not_plain_is_kept(shape: str) -> None:
    assert shape_of(shape) == shape


def test_a_query_with_common_tables_keeps_its_names() -> None:
    """Only they tell common tables from tables."""
    shape = shape_of("with Old AS (SELECT 'total (a)' FROM t) SELECT a FROM Old -- total (a)")
    assert re.findall(r"\bFROM (\w+)", shape) == ["t", "Old"]
    assert "total" not in shape.lower()


def test_with_in_quotes_is_no_common_table() -> None:
    assert shape_of("SELECT 'WITH', \"WITH\" FROM t -- WITH") == "SELECT 0,x FROM x"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SELECT a FROM t WHERE b = 1", "SELECT \"a b\" FROM [t] WHERE T1.c >= 'x'"),
        ("SELECT count(a) FROM t", "select COUNT ( `b` ) from u ;"),
        ("SELECT a FROM t ORDER BY b DESC LIMIT 1", "SELECT c FROM d ORDER BY e DESC LIMIT 50"),
    ],
)
def test_queries_that_differ_in_names_and_values_have_one_shape(one: str, other: str) -> None:
    assert shape_of(one) == shape_of(other)
