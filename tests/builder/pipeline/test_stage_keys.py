"""What the key of a stage's folder is made of."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from claimdb_builder.pipeline.run_stage import made_from
from claimdb_builder.pipeline.stage import Settings, Stage
from claimdb_builder.pipeline.stages import STAGES

KEY_CHANGES: dict[str, tuple[Callable[[Stage], Stage], Settings, set[str]]] = {
    "version": (
        lambda s: replace(s, version=s.version + 1),
        Settings(),
        {stage.name for stage in STAGES},
    ),
    "batch size": (
        lambda s: replace(s, batch_size=3),
        Settings(),
        {stage.name for stage in STAGES},
    ),
    "select": (lambda s: s, Settings(select="paper"), {"select", "deterministic"}),
    "drop": (lambda s: s, Settings(drop=()), {"deterministic"}),
    "schema": (lambda s: s, Settings(schema_style="paper"), {"answers"}),
}


@pytest.mark.parametrize(("change", "settings", "names"), KEY_CHANGES.values(), ids=KEY_CHANGES)
def test_a_setting_is_in_the_key_of_the_stages_that_depend_on_it(
    change: Callable[[Stage], Stage], settings: Settings, names: set[str]
) -> None:
    changed = {
        stage.name
        for stage in STAGES
        if made_from(change(stage), settings, "ab", {}) != made_from(stage, Settings(), "ab", {})
    }
    assert changed == names


def test_only_a_stage_that_reads_databases_has_them_in_its_key() -> None:
    for stage in STAGES:
        made = made_from(stage, Settings(), "ab", {"zoo": "12"})
        assert made["database_hashes"] == ({"zoo": "12"} if stage.reads_databases else None)
        assert json.loads(json.dumps(made))["input"] == "ab"
