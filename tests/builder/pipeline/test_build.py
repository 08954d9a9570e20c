"""A whole build: what it gives, and that each stage is done once."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from claimdb_builder.pipeline.build import Build
from claimdb_builder.pipeline.stage import Settings
from claimdb_builder.pipeline.stages import NAMES
from claimdb_builder.publish.card_sources import funnel_text
from claimdb_sandbox import ChangedDatabaseError
from tests.builder.pipeline.made_runs import (
    SQLS,
    WRONG_SQLS,
    Inline,
    built,
    files_of,
    folder_of,
    ids,
    question_file,
    records,
    row,
    rows,
    states_of,
    sums,
    zoo,
)
from tests.builder.publish.made_benchmarks import labelled, of_rows

WRONG_AT = 60


def given(folder: Path) -> tuple[Path, Path]:
    """Sixty good questions on two databases, and one of each wrong kind."""
    zoo(folder / "dbs")
    zoo(folder / "dbs", "farm", n_pets=12)
    wrong = [row(sql, "farm") for sql in WRONG_SQLS.values()]
    path = question_file(folder / "questions.jsonl", rows(WRONG_AT, ("zoo", "farm")) + wrong)
    return path, folder / "dbs"


def all_of(folder: Path, **more: Any) -> Any:
    return built(folder / "run", *given(folder), waived=("farm",), **more)


def test_every_question_is_kept_or_dropped_for_the_right_reason(tmp_path: Path) -> None:
    done = all_of(tmp_path)
    run = tmp_path / "run"
    dropped = {
        drop["bird_id"]: drop["reason"]
        for stage in NAMES
        for drop in records(folder_of(run, stage) / "dropped.jsonl")
    }
    kept = ids(done.files["answers"])
    assert sorted([*kept, *dropped]) == list(range(WRONG_AT + len(WRONG_SQLS)))
    assert {id_: dropped[id_] for id_ in dropped if id_ >= WRONG_AT} == {
        WRONG_AT + i: reason for i, reason in enumerate(WRONG_SQLS)
    }
    assert {dropped[id_] for id_ in dropped if id_ < WRONG_AT} == {"not_compositional"}
    assert kept == sorted(kept)


def test_the_counts_are_in_the_funnel_and_the_card_reads_it(tmp_path: Path) -> None:
    done = all_of(tmp_path)
    assert sums(done.funnel) == {
        "ingest": (67, 67, {}),
        "select": (
            67,
            54,
            {"not_a_select": 1, "not_compositional": 10, "several_statements": 1, "unparsable": 1},
        ),
        "deterministic": (54, 52, {"empty": 1, "tie": 1}),
        "execute": (52, 50, {"sql_error": 1, "too_many_rows": 1}),
        "answers": (50, 50, {}),
    }
    run = tmp_path / "run"
    assert json.loads((run / "funnel.json").read_bytes()) == done.funnel
    for stage in done.funnel["stages"]:
        folder = folder_of(run, stage["stage"])
        assert folder == run / "stages" / stage.pop("folder")
        assert len(records(folder / "kept.jsonl")) == stage["kept"]
        assert len(records(folder / "dropped.jsonl")) == sum(stage["dropped"].values())
    published = funnel_text(of_rows(run, train=labelled([1])))
    assert json.loads(published or "") == {"stages": done.funnel["stages"]}


def test_an_answered_question_has_all_that_a_claim_needs(tmp_path: Path) -> None:
    path = question_file(
        tmp_path / "q.jsonl", [row(SQLS[1], evidence="A pet.", difficulty="simple")]
    )
    zoo(tmp_path / "dbs")
    (record,) = records(built(tmp_path / "run", path, tmp_path / "dbs").files["answers"])
    assert record["columns"] == ["species", "count(*)"]
    assert record["rows"] == [["cat", 13], ["dog", 14], ["newt", 13]]
    assert record["answer"] == "cat, 13.000; dog, 14.000; newt, 13.000"
    assert record["domain"] == "Zoo"
    assert "pet" in record["schema"]
    assert (record["evidence"], record["difficulty"], record["source"], record["place"]) == (
        *("A pet.", "simple", "q.jsonl"),
        1,
    )


def test_a_second_build_writes_nothing_and_gives_no_work(tmp_path: Path) -> None:
    first = all_of(tmp_path)
    before = states_of(tmp_path / "run")
    executor = Inline()
    second = all_of(tmp_path, executor=executor)
    assert (first.done, second.done, executor.n_given) == (NAMES, (), 0)
    assert (second.funnel, second.files) == (first.funnel, first.files)
    assert states_of(tmp_path / "run") == before


@pytest.mark.parametrize("as_given", [str, Path, lambda path: [str(path)], lambda path: (path,)])
def test_paths_may_be_texts_and_one_needs_no_tuple(tmp_path: Path, as_given: Any) -> None:
    path, dbs = given(tmp_path)
    wanted = Build(as_given(path), str(tmp_path / "run"), as_given(dbs))  # type: ignore[arg-type]
    assert (wanted.questions, wanted.out, wanted.databases) == ((path,), tmp_path / "run", (dbs,))


REDONE: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "policy": ({"settings": Settings(select="paper")}, NAMES[1:]),
    "drops": ({"settings": Settings(drop=("tie",))}, NAMES[2:]),
    "schema": ({"settings": Settings(schema_style="paper")}, NAMES[4:]),
}


@pytest.mark.parametrize(("changed", "redone"), REDONE.values(), ids=REDONE)
def test_a_changed_setting_redoes_what_depends_on_it_and_going_back_nothing(
    tmp_path: Path, changed: dict[str, Any], redone: tuple[str, ...]
) -> None:
    all_of(tmp_path)
    before = files_of(tmp_path / "run")
    assert all_of(tmp_path, **changed).done == redone
    after = files_of(tmp_path / "run")
    assert {name: after[name] for name in before if name != "funnel.json"} == {
        name: before[name] for name in before if name != "funnel.json"
    }
    assert all_of(tmp_path).done == ()
    assert files_of(tmp_path / "run")["funnel.json"] == before["funnel.json"]


def test_a_changed_database_redoes_the_stages_that_read_it(tmp_path: Path) -> None:
    all_of(tmp_path)
    (tmp_path / "dbs" / "zoo" / "zoo.sqlite").unlink()
    zoo(tmp_path / "dbs", n_pets=41)
    again = built(
        tmp_path / "run", tmp_path / "questions.jsonl", tmp_path / "dbs", waived=("farm",)
    )
    assert again.done == NAMES[2:]


def test_changed_questions_redo_what_they_change(tmp_path: Path) -> None:
    path, dbs = given(tmp_path)
    built(tmp_path / "run", path, dbs, waived=("farm",))
    old = path.read_bytes()
    path.write_bytes(old + b"\n")  # a blank line changes no question
    assert built(tmp_path / "run", path, dbs, waived=("farm",)).done == ("ingest",)
    question_file(path, rows(12))
    assert built(tmp_path / "run", path, dbs).done == NAMES
    path.write_bytes(old)
    assert built(tmp_path / "run", path, dbs, waived=("farm",)).done == ()


@pytest.mark.parametrize("until", NAMES)
def test_until_ends_with_a_stage_and_a_longer_build_goes_on(tmp_path: Path, until: str) -> None:
    path, dbs = given(tmp_path)
    until_there = NAMES[: NAMES.index(until) + 1]
    done = built(tmp_path / "run", path, dbs, waived=("farm",), until=until)
    assert done.done == until_there == tuple(sums(done.funnel))
    rest = built(tmp_path / "run", path, dbs, waived=("farm",))
    assert until_there + rest.done == NAMES
    whole = built(tmp_path / "whole", path, dbs, waived=("farm",))
    assert files_of(tmp_path / "run") == files_of(tmp_path / "whole")
    assert whole.done == NAMES


def test_stages_that_read_no_database_need_none(tmp_path: Path) -> None:
    path, _ = given(tmp_path)
    for number, roots in enumerate([(), (tmp_path / "no such folder",)]):
        done = built(tmp_path / str(number), path, *roots, until="select", waived=("farm",))
        assert sums(done.funnel)["select"][1] == 54
        assert not (tmp_path / str(number) / "databases.json").exists()


def test_a_database_that_changes_during_a_stage_leaves_nothing_of_it(tmp_path: Path) -> None:
    path, dbs = given(tmp_path)
    old = (dbs / "farm" / "farm.sqlite").read_bytes()
    built(tmp_path / "run", path, dbs, waived=("farm",), until="deterministic")

    def append(number: int) -> None:
        if number == 1:
            with (dbs / "farm" / "farm.sqlite").open("ab") as file:
                file.write(b"more")

    with pytest.raises(ChangedDatabaseError, match=r"1 of 1 databases changed.*farm\.sqlite"):
        built(tmp_path / "run", path, dbs, waived=("farm",), executor=Inline(append))
    assert not list((tmp_path / "run" / "stages").glob("execute-*"))
    os.truncate(dbs / "farm" / "farm.sqlite", len(old))
    again = built(tmp_path / "run", path, dbs, waived=("farm",))
    assert again.done == NAMES[3:]
    built(tmp_path / "whole", path, dbs, waived=("farm",))
    assert files_of(tmp_path / "run") == files_of(tmp_path / "whole")
