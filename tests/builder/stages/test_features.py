"""What a query is made of: the same by its text, by its shape and by what SQLite accepts."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from claimdb_builder.stages.features import FEATURES, Features, features, features_of_tree
from claimdb_builder.stages.syntax_trees import Unusable, select_of
from tests.builder.stages.random_sql import Writer, accepted
from tests.sandbox.mutated_sql import FRAGMENTS, OWN_QUERIES, VALUES

MADE_OF = [
    ("SELECT a FROM t", "", 0, 1),
    ("SELECT 1", "", 0, 0),
    ("(SELECT a FROM t)", "", 0, 1),
    ("SELECT a FROM t;", "", 0, 1),
    ("SELECT a FROM t; -- done", "", 0, 1),
    ("SELECT a FROM t /* left open", "", 0, 1),
    ("SELECT count(*) FROM t", "aggregate", 0, 1),
    ("SELECT COUNT ( DISTINCT a ) FROM t", "aggregate", 0, 1),
    ("SELECT max(a) FROM t", "aggregate", 0, 1),
    ("SELECT max(a, b), min(a, b, c) FROM t", "", 0, 1),
    ("SELECT max(a, b), min(a) FROM t", "aggregate", 0, 1),
    ("SELECT max(min(a), 1) FROM t", "aggregate", 0, 1),
    ("SELECT group_concat(a) FROM t", "aggregate", 0, 1),
    ("SELECT total(a) FROM t", "sqlite_aggregate", 0, 1),
    ("SELECT TOTAL ( a ) FROM t", "sqlite_aggregate", 0, 1),
    ("SELECT total, a AS total FROM t", "", 0, 1),
    ("SELECT 'total (x)' FROM t -- total(\n", "", 0, 1),
    ("SELECT a FROM t ORDER BY a", "order", 0, 1),
    ("SELECT a FROM t LIMIT 1", "limit", 0, 1),
    ("SELECT a FROM t LIMIT 1, 2", "limit", 0, 1),
    ("SELECT a FROM t GROUP BY a HAVING b", "group_by having", 0, 1),
    ("SELECT DISTINCT a FROM t", "distinct", 0, 1),
    ("SELECT a FROM t, u", "", 1, 2),
    ("SELECT a FROM t, u, v", "joins", 2, 3),
    ("SELECT a FROM t JOIN u ON t.a = u.a CROSS JOIN t", "joins", 2, 3),
    ("SELECT a FROM t NATURAL LEFT OUTER JOIN u", "", 1, 2),
    ("SELECT a FROM t UNION SELECT b FROM u", "set_operation", 0, 2),
    ("SELECT a FROM t WHERE a IN (SELECT a FROM u)", "subquery", 0, 2),
    ("SELECT a FROM t WHERE a IN (SELECT a FROM u, v)", "subquery_joins subquery", 1, 3),
    ("SELECT a FROM (SELECT a FROM t) AS s", "subquery", 0, 1),
    ("SELECT (SELECT a FROM t)", "subquery", 0, 1),
    ("WITH c AS (SELECT a FROM t) SELECT a FROM c", "subquery common_table", 0, 1),
    ("SELECT CASE WHEN a THEN 1 END, IIF(a, 1, 2) FROM t", "conditional", 0, 1),
    ("SELECT sum(a) OVER (PARTITION BY b) FROM t", "aggregate window", 0, 1),
    ("SELECT row_number() OVER (PARTITION BY b) FROM t", "window", 0, 1),
    ("SELECT row_number() OVER (ORDER BY b) FROM t", "order window", 0, 1),
    ("SELECT sum(a) OVER w FROM t WINDOW w AS (ORDER BY b)", "aggregate order window", 0, 1),
    ("SELECT 'ORDER BY', \"LIMIT\", [GROUP BY], `JOIN` FROM t", "", 0, 1),
    ("SELECT T2.END FROM t AS T2", "", 0, 1),
    ("SELECT /* a */ count(*) FROM /* b */ (SELECT a FROM t)", "aggregate subquery", 0, 1),
    ("SELECT a -- count(*)\n, b -- (\nFROM t -- total (\n", "", 0, 1),
    ("SELECT a FROM t WHERE x = 1 AND y = 2 IS NULL", "", 0, 1),
    ("SELECT a FROM t JOIN u ON x = 1 AND y = 2 + count LIMIT 1", "limit", 1, 2),
]
FAULTY = [
    ("", "empty"),
    (" ;; ", "empty"),
    ("-- only a comment", "empty"),
    ("/* open", "empty"),
    ("SELECT 1; SELECT 2", "several_statements"),
    ("SELECT 1; DROP TABLE t", "several_statements"),
    ("SELECT count( FROM t", "unparsable"),
    ("SELECT 'open FROM t", "unparsable"),
    ("how many pets are there?", "unparsable"),
    ("SELECT a FROM t INDEXED BY", "unparsable"),
    ("DROP TABLE t", "not_a_select"),
    ("INSERT INTO t SELECT a FROM u", "not_a_select"),
    ("WITH c AS (SELECT 1) DELETE FROM t", "not_a_select"),
    ("CREATE TABLE c AS SELECT a FROM t", "not_a_select"),
    ("UPDATE t SET a = 1", "not_a_select"),
    ("PRAGMA table_info(t)", "not_a_select"),
    ("ATTACH 'other.db' AS other", "not_a_select"),
    ("vacuum;", "not_a_select"),
    ("EXPLAIN QUERY PLAN SELECT a FROM t", "not_a_select"),
    ("-- all\n REINDEX t", "not_a_select"),
    ("REPLACE INTO t VALUES ('open", "not_a_select"),
    ("VALUES (1)", "not_a_select"),
    ("t", "not_a_select"),
]

mixed = st.lists(
    st.sampled_from([*OWN_QUERIES, *FRAGMENTS, *VALUES]) | st.text("aT1 ,.()'\"`[]-/*\n;<>=|x0"),
    max_size=4,
).map(" ".join)


@st.composite
def random_queries(draw: st.DrawFn) -> str:
    """SELECTs; when one fails, hypothesis looks for the plainest."""
    return Writer(lambda n: draw(st.integers(0, n - 1))).query(draw(st.integers(0, 2)))


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """sqlglot warns of statements that it knows by their first word only."""
    logging.getLogger("sqlglot").setLevel(logging.ERROR)
    yield
    logging.getLogger("sqlglot").setLevel(logging.NOTSET)


def fault_of(sql: str) -> str:
    with pytest.raises(Unusable) as caught:
        features(sql)
    assert caught.value.message == str(caught.value) != ""
    assert "\n" not in caught.value.message
    return caught.value.fault


def by_text(sql: str) -> Features | str:
    try:
        return features_of_tree(select_of(sql), sql)
    except Unusable as unusable:
        return unusable.fault


def by_shape(sql: str) -> Features | str:
    try:
        return features(sql)
    except Unusable as unusable:
        return unusable.fault


@pytest.mark.parametrize(("sql", "names", "n_joins", "n_tables"), MADE_OF)
def test_a_query_has_its_features(sql: str, names: str, n_joins: int, n_tables: int) -> None:
    found = features(sql)
    assert found.names == tuple(name for name in FEATURES if name in names.split())
    assert (found.n_joins, found.n_tables) == (n_joins, n_tables)
    assert len(found.names) == len(names.split())


@pytest.mark.parametrize(("sql", "fault"), FAULTY)
def test_what_is_not_one_select_has_a_fault(sql: str, fault: str) -> None:
    assert fault_of(sql) == fault


def test_a_message_names_the_place_in_the_text_itself() -> None:
    with pytest.raises(Unusable, match="line 2, column"):
        features("SELECT a\nFROM t WHERE WHERE a = 1")


def test_several_statements_are_counted() -> None:
    with pytest.raises(Unusable, match="3 statements; write one"):
        features("SELECT 1; SELECT 2; SELECT 3;")


@pytest.mark.parametrize(
    ("sql", "may_be"),
    [
        ("SELECT a FROM t WHERE id = 1", True),
        ("SELECT count(*) FROM t WHERE id = 1 ORDER BY a", True),
        ("SELECT a FROM t", False),
        ("SELECT a FROM t, u WHERE id = 1", False),
        ("SELECT a FROM t WHERE id = (SELECT 1)", False),
        ("SELECT a FROM t WHERE id = 1 GROUP BY a", False),
        ("SELECT a FROM t UNION SELECT a FROM t WHERE id = 1", False),
    ],
)
def test_one_select_from_one_table_may_be_a_lookup(sql: str, may_be: bool) -> None:
    assert features(sql).may_be_lookup is may_be


@pytest.mark.unmeasured
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(random_queries())
def test_a_query_and_its_shape_have_the_same_features(sql: str) -> None:
    text, shape = by_text(sql), by_shape(sql)
    # Where sqlglot cannot parse the text but its shape, the text has to be SQL.
    if text == "unparsable" and isinstance(shape, Features):
        assert accepted(sql), sql
    else:
        assert shape == text, sql


def test_most_random_queries_are_accepted_by_sqlite() -> None:
    """Else the property above would say nothing of SQL that runs."""
    from random import Random

    writers = [Writer(Random(seed).randrange) for seed in range(200)]
    queries = [writer.query(seed % 3) for seed, writer in enumerate(writers)]
    assert sum(map(accepted, queries)) > 190
    found = [by_shape(sql) for sql in queries]
    assert sum(isinstance(one, Features) for one in found) > 180
    names = {name for one in found if isinstance(one, Features) for name in one.names}
    assert names == set(FEATURES)


@pytest.mark.unmeasured
@settings(max_examples=300, deadline=None)
@given(mixed)
@example("\0")
@example("SELECT 1 \ud800")
@example("SELECT 1\0; SELECT 2")
@example("```sql\nSELECT 1\n```")
def test_any_text_has_features_or_a_fault(sql: str) -> None:
    found, text = by_shape(sql), by_text(sql)
    if isinstance(found, Features) and isinstance(text, Features):
        assert (found.n_joins, found.n_tables) == (text.n_joins, text.n_tables)
