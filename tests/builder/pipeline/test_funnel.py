"""Counts that tie, and the databases that lose too much."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimdb_builder.pipeline.funnel import check_losses, funnel, through_all_stages
from claimdb_builder.pipeline.stage import Stage
from claimdb_builder.pipeline.stages import STAGES
from claimdb_builder.publish.card_sources import funnel_text
from claimdb_metric.errors import DataError
from tests.builder.publish.made_benchmarks import labelled, of_rows

Counts = dict[str, Any]
FOLDER = Path("run", "stages")
FOLDERS = ("ingest-1a", "select-2b", "deterministic-3c")


def part(kept: int, **dropped: int) -> Counts:
    return {"in": kept + sum(dropped.values()), "kept": kept, "dropped": dropped}


def summary(stage: str, **databases: Counts) -> Counts:
    whole: Counts = {"in": 0, "kept": 0, "dropped": {}}
    for one in databases.values():
        whole["in"] += one["in"]
        whole["kept"] += one["kept"]
        for reason, n in one["dropped"].items():
            whole["dropped"][reason] = whole["dropped"].get(reason, 0) + n
    return {"stage": stage, **whole, "databases": databases}


INGEST = summary("ingest", zoo=part(10), farm=part(5))
SELECT = summary("select", zoo=part(7, key_lookup=3), farm=part(0, not_compositional=4, empty=1))
TIES = summary("deterministic", zoo=part(5, tie=2))


def test_a_funnel_has_all_stages_of_all_and_of_each_database() -> None:
    assert funnel([INGEST, SELECT, TIES], FOLDERS) == {
        "stages": [
            {"stage": "ingest", "in": 15, "kept": 15, "dropped": {}, "folder": "ingest-1a"},
            {
                "stage": "select",
                "in": 15,
                "kept": 7,
                "dropped": {"key_lookup": 3, "not_compositional": 4, "empty": 1},
                "folder": "select-2b",
            },
            {
                "stage": "deterministic",
                "in": 7,
                "kept": 5,
                "dropped": {"tie": 2},
                "folder": "deterministic-3c",
            },
        ],
        "databases": {
            "farm": [
                {"stage": "ingest", **part(5)},
                {"stage": "select", **part(0, not_compositional=4, empty=1)},
            ],
            "zoo": [
                {"stage": "ingest", **part(10)},
                {"stage": "select", **part(7, key_lookup=3)},
                {"stage": "deterministic", **part(5, tie=2)},
            ],
        },
    }


def test_the_card_reads_the_funnel(tmp_path: Path) -> None:
    counts = funnel([INGEST, SELECT, TIES], FOLDERS)
    (tmp_path / "funnel.json").write_text(json.dumps(counts), "utf-8")
    text = funnel_text(of_rows(tmp_path, train=labelled([1])))
    assert text is not None
    for stage in counts["stages"]:
        del stage["folder"]  # of one machine
    assert json.loads(text) == {"stages": counts["stages"]}


UNTIED = {
    "a stage with too many in": [INGEST, {**SELECT, "in": 16}],
    "a stage with one kept too few": [INGEST, {**SELECT, "kept": 6}],
    "a database that does not tie": [summary("ingest", zoo={"in": 3, "kept": 1, "dropped": {}})],
    "databases that are not the whole": [{**INGEST, "databases": {"zoo": part(10)}}],
    "a stage that was not given all": [INGEST, summary("select", zoo=part(9))],
    "a stage that was given more": [summary("ingest", zoo=part(3)), summary("select", zoo=part(4))],
}


@pytest.mark.parametrize("summaries", UNTIED.values(), ids=UNTIED)
def test_counts_that_do_not_tie_are_our_fault(summaries: list[Counts]) -> None:
    with pytest.raises(RuntimeError, match="do not tie"):
        funnel(summaries, FOLDERS[: len(summaries)])


def test_counts_of_a_database_tie_from_stage_to_stage() -> None:
    moved = [summary("ingest", zoo=part(3), farm=part(1)), summary("select", zoo=part(4))]
    with pytest.raises(RuntimeError, match="do not tie"):
        funnel(moved, FOLDERS[:2])


def losing(n_lost: int, n_wanted: int, n_unwanted: int = 0) -> list[Counts]:
    """Summaries of a database with so many wanted questions, some lost."""
    n = n_wanted + n_unwanted
    return [
        summary("ingest", zoo=part(n)),
        summary("select", zoo=part(n_wanted, not_compositional=n_unwanted)),
        summary("deterministic", zoo=part(n_wanted - n_lost, tie=n_lost)),
    ]


def check(summaries: list[Counts], *waived: str, stages: Sequence[Stage] = STAGES) -> None:
    check_losses(stages, summaries, waived, FOLDER)


@given(st.integers(1, 10**6), st.integers(0, 10**6))
def test_a_fifth_may_be_lost_and_not_one_question_more(n_wanted: int, n_unwanted: int) -> None:
    fifth = n_wanted // 5
    check(losing(fifth, n_wanted, n_unwanted))
    with pytest.raises(DataError, match=f"zoo: {fifth + 1} of the {n_wanted} that "):
        check(losing(fifth + 1, n_wanted, n_unwanted))


def test_losses_of_all_stages_count_together() -> None:
    summaries = [
        summary("ingest", zoo=part(10)),
        summary("select", zoo=part(9, unparsable=1)),
        summary("deterministic", zoo=part(8, tie=1)),
        summary("execute", zoo=part(7, timeout=1)),
    ]
    check(summaries[:3])
    with pytest.raises(
        DataError,
        match=r"zoo: 3 of the 10 that the policy takes "
        r"\(deterministic: tie 1, execute: timeout 1, select: unparsable 1\)\n",
    ):
        check(summaries)


CHOICES = {
    "not compositional": summary("select", zoo=part(0, not_compositional=10)),
    "key lookups": summary("select", zoo=part(1, key_lookup=9)),
    "missing databases": summary("deterministic", zoo=part(0, database_missing=10)),
    "too many rows": summary("execute", zoo=part(2, too_many_rows=8)),
}


@pytest.mark.parametrize("chosen", CHOICES.values(), ids=CHOICES)
def test_what_is_not_wanted_is_no_loss(chosen: Counts) -> None:
    check([summary("ingest", zoo=part(10)), chosen])


def test_every_database_that_loses_too_much_is_named_and_each_can_be_waived() -> None:
    lost = summary("select", bad=part(1, empty=9), good=part(10), worse=part(0, unparsable=10))
    summaries = [summary("ingest", bad=part(10), good=part(10), worse=part(10)), lost]
    with pytest.raises(DataError) as caught:
        check(summaries)
    message = str(caught.value)
    assert message.startswith("2 databases lose more than 20% of their questions:\n")
    assert (
        "\n  bad: 9 of the 10 that the policy takes (select: empty 9)"
        "\n  worse: 10 of the 10 that the policy takes (select: unparsable 10)\n"
    ) in message
    assert "--waive NAME" in message
    assert f"\nSee dropped.jsonl of each stage in {FOLDER}; mend " in message
    with pytest.raises(
        DataError, match=r"^1 database loses more than 20% .*\n  worse: 10 of the 10 "
    ):
        check(summaries, "bad")
    check(summaries, "bad", "worse")


def test_a_reason_is_a_choice_only_of_the_stage_that_says_so() -> None:
    stages = [replace(stage, choices=frozenset()) for stage in STAGES]
    with pytest.raises(DataError, match="not_compositional 1"):
        check(losing(0, 1, 1), stages=stages)


def test_one_reason_in_two_stages_is_told_of_each() -> None:
    summaries = [
        summary("ingest", zoo=part(10)),
        summary("select", zoo=part(8, empty=2)),
        summary("deterministic", zoo=part(5, empty=3)),
    ]
    with pytest.raises(
        DataError, match=r"zoo: 5 of .* \(deterministic: empty 3, select: empty 2\)"
    ):
        check(summaries)


def test_a_database_through_all_stages() -> None:
    stages = funnel([INGEST, SELECT, TIES], FOLDERS)["databases"]
    dropped = {"not_compositional": 4, "empty": 1}
    assert through_all_stages(stages["farm"], "deterministic") == part(0, **dropped) | {"in": 5}
    assert through_all_stages(stages["zoo"], "deterministic") == part(5, key_lookup=3, tie=2)
    again = [*stages["zoo"], {"stage": "execute", **part(1, tie=4)}]
    assert through_all_stages(again, "execute") == part(1, key_lookup=3, tie=6)
    assert through_all_stages(stages["zoo"], "execute")["kept"] == 0
