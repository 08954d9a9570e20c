"""A query that looks up one row by its key is told from one that counts or sorts many."""

from __future__ import annotations

import pytest

from claimdb_builder.stages.key_lookups import is_key_lookup
from claimdb_builder.stages.syntax_trees import Unusable

LOOKUPS = [
    "SELECT count(*) FROM t WHERE id = 10",
    "SELECT name FROM t WHERE id = 5 ORDER BY name",
    "SELECT count(*) FROM t WHERE 10 = ID",
    "SELECT count(*) FROM t WHERE (id) = ('10')",
    "SELECT count(*) FROM t AS x WHERE x.`Id` = -3",
    'SELECT count(*) FROM t WHERE ((age > 3 AND "id" = 10) AND b)',
    "SELECT count(*) FROM t WHERE rowid = 1",
    "SELECT DISTINCT name FROM t WHERE rowid = '7'",
    "SELECT count(*) FROM customers AS c WHERE c.CustomerID = 10",
    "SELECT count(*) FROM customer WHERE customer_id = 10",
    "SELECT count(*) FROM `Country Codes` WHERE [country code id] = 10",
    "SELECT count(*) FROM countries WHERE CountryID = 10",
    "SELECT count(*) FROM boxes WHERE box_id = 10",
]
OTHERS = [
    "SELECT count(*) FROM t",
    "SELECT count(*) FROM t WHERE id > 10",
    "SELECT count(*) FROM t WHERE id = 10 OR id = 11",
    "SELECT count(*) FROM t WHERE NOT id = 10",
    "SELECT count(*) FROM t WHERE id = other",
    "SELECT count(*) FROM t WHERE id = 5 + 5",
    "SELECT count(*) FROM t WHERE name = 'id'",
    "SELECT count(*) FROM orders WHERE customer_id = 10",
    "SELECT count(*) FROM t JOIN u ON t.id = u.id WHERE t.id = 10",
    "SELECT count(*) FROM t WHERE id = 10 AND a IN (SELECT a FROM u)",
    "SELECT count(*) FROM t WHERE id = 1 UNION SELECT 2",
    "SELECT sum(a) FROM t WHERE id = 10",
    "SELECT max(a) FROM t WHERE id = 10",
    "SELECT a FROM t WHERE id = 10 ORDER BY a LIMIT 1",
    "SELECT count(*) FROM t WHERE paid = 10",
    "SELECT count(*) FROM cards WHERE uuid = 'a-b'",
    "SELECT DISTINCT name FROM t WHERE guid = 'a-b'",
    "SELECT count(*) FROM cards WHERE card_uuid = 'a-b'",
    "SELECT 1 WHERE 1 = 1",
]


@pytest.mark.parametrize("sql", LOOKUPS)
def test_a_key_that_is_set_makes_a_lookup(sql: str) -> None:
    assert is_key_lookup(sql)


@pytest.mark.parametrize("sql", OTHERS)
def test_what_may_see_many_rows_is_none(sql: str) -> None:
    assert not is_key_lookup(sql)


def test_what_cannot_be_parsed_has_its_fault() -> None:
    with pytest.raises(Unusable):
        is_key_lookup("SELECT count( FROM t WHERE id = 1")
