"""Questions are taken by policy; the others have a reason, and none stops the batch."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimdb_builder.pipeline.stage import Context, Policy, Settings
from claimdb_builder.stages.features import FEATURES, features
from claimdb_builder.stages.select import REASONS, SELECT, TAKEN_FOR, select
from claimdb_builder.stages.syntax_trees import Unusable, select_of
from tests.builder.stages.made_questions import question
from tests.sandbox.mutated_sql import OWN_QUERIES, WHOLES

KEPT, NOT, LOOKUP = "kept", "not_compositional", "key_lookup"
POLICIES: tuple[Policy, ...] = ("paper", "strict")
BY_POLICY = [
    # sql, under paper, under strict
    ("SELECT count(*) FROM t", KEPT, KEPT),
    ("SELECT a FROM t ORDER BY a LIMIT 1", KEPT, KEPT),
    ("SELECT a FROM t, u, v", KEPT, KEPT),
    ("SELECT a FROM t JOIN u ON t.id = u.id", NOT, NOT),
    ("SELECT a FROM t WHERE id = 3", NOT, NOT),
    ("SELECT a FROM t", NOT, NOT),
    ("SELECT a FROM t LIMIT 1", NOT, NOT),
    ("SELECT max(a, b) FROM t", NOT, NOT),
    ("SELECT CASE WHEN a THEN 1 ELSE 2 END FROM t", NOT, NOT),
    ("SELECT a FROM t WHERE a IN (SELECT a FROM u)", NOT, NOT),
    ("SELECT a FROM t WHERE a IN (SELECT a FROM u JOIN v ON 1)", NOT, KEPT),
    ("SELECT a FROM t WHERE a IN (SELECT a FROM u WHERE a IN (SELECT a FROM v))", NOT, KEPT),
    ("SELECT a FROM t GROUP BY a", NOT, KEPT),
    ("SELECT a FROM t GROUP BY a HAVING a > 1", NOT, KEPT),
    ("SELECT DISTINCT a FROM t", NOT, KEPT),
    ("SELECT a FROM t UNION SELECT a FROM u", NOT, KEPT),
    ("SELECT a FROM t EXCEPT SELECT a FROM u", NOT, KEPT),
    ("SELECT total(a) FROM t", NOT, KEPT),
    ("SELECT row_number() OVER (PARTITION BY a) FROM t", NOT, KEPT),
    ("SELECT count(*) FROM t WHERE id = 10", KEPT, LOOKUP),
    ("SELECT a FROM t WHERE id = 5 ORDER BY name", KEPT, LOOKUP),
    ("SELECT DISTINCT a FROM t WHERE id = 5", NOT, LOOKUP),
    ("SELECT count(*) FROM t WHERE id > 10", KEPT, KEPT),
    ("SELECT a FROM t WHERE id = 5 ORDER BY name LIMIT 1", KEPT, KEPT),
    ("SELECT count(*) FROM orders WHERE customer_id = 10", KEPT, KEPT),
    ("SELECT count( FROM t", "unparsable", "unparsable"),
    ("SELECT a FROM t INDEXED BY", "unparsable", "unparsable"),
    ("SELECT 1; SELECT count(*) FROM t", "several_statements", "several_statements"),
    ("INSERT INTO t SELECT count(*) FROM u", "not_a_select", "not_a_select"),
    ("  -- nothing\n", "empty", "empty"),
    ("", "empty", "empty"),
    ("SELECT " + "(" * 5000 + "1" + ")" * 5000, "unparsable", "unparsable"),
]
TEXT_ALONE_IS_UNPARSABLE = [
    # its shape, of which the features come, parses: COUNT(*) FROM x WHERE x=0
    "SELECT count(*) FROM t WHERE id = x'0g'",
    "SELECT count(*) FROM t WHERE id = 1 AND b = x'0g'",
    "SELECT count(*) FROM t WHERE id = 3abc",
    "SELECT count(*) FROM t WHERE id = 1_000",
    "SELECT count(*) FROM t WHERE id = 1 /* x",
    "SELECT count(*) FROM t WHERE id = 1 AND select.x = 2",
]
BAD = [sql for sql, paper, _ in BY_POLICY if paper not in (KEPT, NOT)]


def reasons_of(sqls: list[str], policy: Policy) -> list[str]:
    questions = [question(sql, place) for place, sql in enumerate(sqls)]
    kept, dropped = select(questions, Context(Settings(policy)))
    found = {one.bird_id: KEPT for one in kept} | {one.bird_id: one.reason for one in dropped}
    assert len(kept) + len(dropped) == len(found) == len(sqls)
    for outcomes in (kept, dropped):
        assert [one.bird_id for one in outcomes] == sorted(one.bird_id for one in outcomes)
    return [found[place] for place in range(len(sqls))]


@pytest.mark.parametrize(("sql", "paper", "strict"), BY_POLICY)
def test_a_policy_takes_what_it_says(sql: str, paper: str, strict: str) -> None:
    assert [*map(reasons_of, [[sql]] * 2, POLICIES)] == [[paper], [strict]]


@pytest.mark.parametrize("policy", POLICIES)
def test_one_bad_query_stops_no_batch(policy: Policy) -> None:
    expected = [row[1 + POLICIES.index(policy)] for row in BY_POLICY]
    assert reasons_of([row[0] for row in BY_POLICY], policy) == expected


@pytest.mark.parametrize("sql", TEXT_ALONE_IS_UNPARSABLE)
def test_a_query_whose_shape_alone_parses_is_dropped_for_it(sql: str) -> None:
    features(sql)
    with pytest.raises(Unusable):
        select_of(sql)
    good = "SELECT count(*) FROM t"
    assert reasons_of([good, sql, good], "strict") == [KEPT, "unparsable", KEPT]
    assert reasons_of([good, sql, good], "paper")[::2] == [KEPT, KEPT]


@pytest.mark.parametrize("sql", BAD)
def test_a_drop_says_which_question_and_why(sql: str) -> None:
    _, dropped = select([question(sql, 7, "pets")], Context())
    assert [(one.bird_id, one.db_name) for one in dropped] == [(7, "pets")]
    assert dropped[0].message
    assert len(dropped[0].message) < 500


def test_a_drop_by_policy_names_what_would_be_taken() -> None:
    _, dropped = select([question("SELECT a FROM t")], Context(Settings("paper")))
    assert dropped[0].message == "has none of aggregate, joins, order"


def test_what_is_kept_is_what_came_with_its_features() -> None:
    given = question("SELECT DISTINCT a, count(*) FROM t, u WHERE a = 1 GROUP BY a", 3)
    (kept,), _ = select([given], Context())
    assert vars(kept) == vars(given) | {
        "features": ("aggregate", "group_by", "distinct"),
        "n_joins": 1,
        "n_tables": 2,
    }


def test_reasons_and_features_are_those_of_the_stage() -> None:
    assert {row for _, *rows in BY_POLICY for row in rows} == {*REASONS, KEPT}
    assert SELECT.reasons == REASONS
    assert SELECT.choices == {NOT, LOOKUP}
    assert TAKEN_FOR["paper"] < TAKEN_FOR["strict"] < set(FEATURES)


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(OWN_QUERIES) | st.text(max_size=30), max_size=6),
    st.sampled_from(WHOLES),
    st.sampled_from(POLICIES),
)
def test_any_batch_is_sorted_into_kept_and_dropped(
    texts: list[str], whole: str, policy: Policy
) -> None:
    sqls = [whole.format(text, "SELECT 1") for text in texts]
    found = Counter(reasons_of(sqls, policy))
    assert found.keys() <= {*REASONS, KEPT}
    if policy == "strict":
        assert found[KEPT] + found[LOOKUP] >= Counter(reasons_of(sqls, "paper"))[KEPT]
