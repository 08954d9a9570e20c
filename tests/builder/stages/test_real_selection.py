"""Selection over all 10,962 questions of BIRD has the numbers of the published benchmark."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from claimdb_builder.pipeline.records import Question, SelectedQuestion
from claimdb_builder.pipeline.stage import Context, Policy, Settings
from claimdb_builder.stages.features import FEATURES, features, features_of_tree
from claimdb_builder.stages.ingest import read_questions
from claimdb_builder.stages.key_lookups import is_key_lookup
from claimdb_builder.stages.select import TAKEN_FOR, select
from claimdb_builder.stages.syntax_trees import select_of
from claimdb_builder.stages.tie_breaks import tie_breaks

N_DEV, N_ALL = 1534, 10_962
PUBLISHED = ("aggregate", "order", "joins")
DEV_FEATURES = {
    "aggregate": 663,
    "order": 305,
    "limit": 293,
    "joins": 242,
    "distinct": 179,
    "conditional": 149,
    "subquery": 124,
    "group_by": 120,
    "subquery_joins": 47,
    "having": 21,
    "common_table": 9,
    "window": 5,
    "set_operation": 3,
}
ALL_FEATURES = {
    "aggregate": 5147,
    "joins": 2154,
    "limit": 2097,
    "order": 2027,
    "group_by": 1129,
    "conditional": 1087,
    "distinct": 954,
    "subquery": 847,
    "subquery_joins": 392,
    "having": 160,
    "set_operation": 25,
    "window": 10,
    "common_table": 9,
    "sqlite_aggregate": 5,
}


@pytest.fixture(scope="module")
def questions(shared: Path) -> list[Question]:
    bird = shared / "data" / "bird"
    found = [*read_questions([bird / "dev.json", bird / "train.json"])]
    assert [one.bird_id for one in found] == [*range(N_ALL)]
    assert {one.source for one in found[:N_DEV]} == {"dev.json"}
    return found


def taken(questions: list[Question], policy: Policy) -> dict[int, SelectedQuestion]:
    kept, dropped = select(questions, Context(Settings(policy)))
    assert len(kept) + len(dropped) == len(questions)
    assert {one.reason for one in dropped} <= {"not_compositional", "key_lookup"}
    return {one.bird_id: one for one in kept}


@pytest.fixture(scope="module")
def paper(questions: list[Question]) -> dict[int, SelectedQuestion]:
    return taken(questions, "paper")


@pytest.fixture(scope="module")
def strict(questions: list[Question]) -> dict[int, SelectedQuestion]:
    return taken(questions, "strict")


def counted(kept: list[SelectedQuestion]) -> Counter[str]:
    return Counter(name for one in kept for name in one.features)


def test_the_published_filter_takes_as_many_as_published(
    paper: dict[int, SelectedQuestion],
) -> None:
    assert len(paper) == 7354
    assert sum(bird_id < N_DEV for bird_id in paper) == 987


def test_features_of_dev_are_as_published(paper: dict[int, SelectedQuestion]) -> None:
    dev = [one for bird_id, one in paper.items() if bird_id < N_DEV]
    found = counted(dev)
    assert [found[name] for name in (*PUBLISHED, "window")] == [663, 305, 242, 5]
    sets = Counter(frozenset(one.features) & {*PUBLISHED} for one in dev)
    assert [sets[frozenset({name})] for name in PUBLISHED] == [488, 184, 106]
    assert sum(sets.values()) == 987


def test_every_question_of_the_public_test_is_taken(
    shared: Path, paper: dict[int, SelectedQuestion], strict: dict[int, SelectedQuestion]
) -> None:
    lines = (shared / "data" / "claimdb" / "test-public.jsonl").read_text("utf-8").splitlines()
    public = {json.loads(line)["bird_id"] for line in lines}
    assert len(public) == 609
    assert public <= paper.keys()
    assert public <= strict.keys()


def test_strict_adds_what_the_published_filter_does_not_see(
    questions: list[Question],
    paper: dict[int, SelectedQuestion],
    strict: dict[int, SelectedQuestion],
) -> None:
    assert paper.keys() < strict.keys()  # no gold query of BIRD is a lookup with something in it
    added = [one for bird_id, one in strict.items() if bird_id not in paper]
    dev = [one for one in added if one.bird_id < N_DEV]
    found = counted(dev)
    assert (len(dev), len(added)) == (139, 723)
    assert (found["group_by"], found["distinct"], found["subquery_joins"]) == (8, 127, 6)
    assert all({*one.features} & (TAKEN_FOR["strict"] - {*PUBLISHED}) for one in added)
    rejected = [one for one in questions[:N_DEV] if one.bird_id not in paper]
    assert sum("subquery" in features(one.sql).names for one in rejected) == 22
    assert sum("limit" in features(one.sql).names for one in rejected) == 2


def test_most_lookups_have_nothing_that_a_policy_takes(questions: list[Question]) -> None:
    may_be = [one for one in questions if features(one.sql).may_be_lookup]
    lookups = [one.bird_id for one in may_be if is_key_lookup(one.sql)]
    assert len(lookups) == 49
    plain = [set(features(questions[bird_id].sql).names) for bird_id in lookups]
    assert all(names.isdisjoint(TAKEN_FOR["strict"]) for names in plain)


@pytest.mark.slow
def test_each_query_has_the_features_of_its_shape(questions: list[Question]) -> None:
    """2880 asks for 'Fertility rate, total (births per woman)': no aggregate, but for its text."""
    found = Counter[str]()
    in_dev = Counter[str]()
    for one in questions:
        by_shape = features(one.sql)
        found.update(by_shape.names)
        in_dev.update(by_shape.names if one.bird_id < N_DEV else ())
        # A tree takes 1 ms: those of dev and of every third of train, 2880 among them.
        if one.bird_id >= N_DEV and one.bird_id % 3:
            continue
        by_text = features_of_tree(select_of(one.sql), one.sql)
        assert by_shape == by_text or (one.bird_id, by_shape.names) == (2880, ()), one.sql
        assert (tie_breaks(one.sql) is not None) is ("limit" in by_shape.names), one.sql
    assert found == ALL_FEATURES
    assert in_dev == DEV_FEATURES
    assert found.keys() == FEATURES.keys()
