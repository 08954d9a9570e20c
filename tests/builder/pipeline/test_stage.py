"""What every stage of the pipeline declares, and that workers can be given it."""

from __future__ import annotations

import importlib
import pickle
from dataclasses import FrozenInstanceError, fields
from importlib.metadata import version
from itertools import pairwise
from typing import Any

import pytest

from claimdb_builder.pipeline.records import Question
from claimdb_builder.pipeline.stage import BATCH_SIZE, Context, Settings, Stage
from claimdb_builder.pipeline.stages import NAMES, STAGES, stages_until
from claimdb_metric.errors import DataError

each_stage = pytest.mark.parametrize("stage", STAGES, ids=NAMES)


def test_the_stages_stand_in_the_order_of_their_records() -> None:
    assert NAMES == ("ingest", "select", "deterministic", "execute", "answers")
    assert STAGES[0].takes is None
    taken = [stage.takes for stage in STAGES[1:] if stage.takes is not None]
    assert taken[0] is Question
    for before, after in pairwise(taken):
        assert issubclass(after, before)
        assert after is not before


@each_stage
def test_a_stage_names_settings_choices_and_libraries_that_exist(stage: Stage) -> None:
    assert set(stage.settings) <= {one.name for one in fields(Settings)}
    assert stage.choices <= stage.reasons.keys()
    assert all(reason.isidentifier() and said for reason, said in stage.reasons.items())
    for name in set(stage.libraries) - {"sqlite"}:
        assert version(name)
    assert stage.version >= 1


@each_stage
def test_a_worker_can_be_given_a_stage(stage: Stage) -> None:
    assert pickle.loads(pickle.dumps(stage)) == stage
    module = importlib.import_module(stage.function.__module__)
    assert getattr(module, stage.function.__name__) is stage.function


@each_stage
def test_a_stage_is_one_documented_function_of_a_file_with_its_name(stage: Stage) -> None:
    assert stage.function.__name__ == stage.name
    assert stage.function.__module__ == f"claimdb_builder.stages.{stage.name}"
    assert (stage.function.__doc__ or "").startswith("Return the questions")


@each_stage
def test_no_record_gives_none(stage: Stage) -> None:
    assert stage.function([], Context()) == ([], [])


@pytest.mark.parametrize("number", range(len(NAMES)))
def test_until_names_the_last_stage(number: int) -> None:
    assert stages_until(NAMES[number]) == STAGES[: number + 1]


@pytest.mark.parametrize("name", ["", "Select", "select ", "claims", "all"])
def test_an_unknown_stage_is_an_error_with_all_names(name: str) -> None:
    with pytest.raises(DataError, match=", ".join(NAMES)):
        stages_until(name)
    assert stages_until(None) == STAGES


@pytest.mark.parametrize("made", [Settings(), Context(), STAGES[0]])
def test_what_stages_are_given_is_frozen(made: Any) -> None:
    name = fields(made)[0].name
    with pytest.raises(FrozenInstanceError):
        setattr(made, name, None)


def test_a_batch_does_not_depend_on_the_machine() -> None:
    assert BATCH_SIZE == 64, "another one changes every key: raise nothing, but say so"


WRONG_SETTINGS: dict[str, tuple[dict[str, Any], str]] = {
    "policy": ({"select": "papers"}, "no select 'papers'; there is paper, strict"),
    "schema": ({"schema_style": "short"}, "no schema_style 'short'; there is full, paper"),
    "mark": ({"drop": ("tie", "ties")}, "no drop 'ties'; there is current_time, random, tie, "),
    "text": ({"drop": "tie"}, "no drop 't'; there is "),
}


@pytest.mark.parametrize(("given", "said"), WRONG_SETTINGS.values(), ids=WRONG_SETTINGS)
def test_settings_that_there_are_not_are_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(DataError) as caught:
        Settings(**given)
    assert str(caught.value).startswith(said)


def test_settings_may_be_given_by_place_and_none_dropped() -> None:
    with pytest.raises(DataError, match="no select 'papers'"):
        Settings("papers")  # type: ignore[arg-type]
    for drop in (None, (), ("tie", "empty")):
        assert Settings("paper", drop, "paper").drop == drop
