"""Whoever changes what a stage makes of the same input raises its version.

Run as a script (`.venv/bin/python -m tests.builder.test_stage_versions`), this notes what the
stages make now.
"""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from benchmarks.made_databases import make_database
from benchmarks.made_questions import write_questions
from claimdb_builder.pipeline.build import Build, build
from claimdb_builder.pipeline.stages import NAMES

NOTED = Path(__file__).parents[1] / "data" / "stage_outputs.json"
COMPARED = ("version", "libraries", "kept_sha256", "dropped_sha256")


def made(folder: Path) -> dict[str, Any]:
    """What the stages make of 300 questions on a made database."""
    path = folder / "databases" / "railway.sqlite"
    path.parent.mkdir()
    make_database(path, 5_000)
    write_questions(folder / "made.jsonl", 300, ["railway"])
    wanted = Build((folder / "made.jsonl",), folder / "run", (path.parent,), waived=("railway",))
    with ThreadPoolExecutor(2) as executor:
        built = build(wanted, executor)
    summaries = {
        name: json.loads(file.with_name("stage.json").read_bytes())
        for name, file in built.files.items()
    }
    return {name: {key: summaries[name][key] for key in COMPARED} for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_another_output_has_another_version(name: str, made_now: dict[str, Any]) -> None:
    noted = json.loads(NOTED.read_bytes())
    before = NAMES[: NAMES.index(name)]
    for stage in (*before, name):
        if noted[stage]["libraries"] != made_now[stage]["libraries"]:
            pytest.skip(f"noted with {noted[stage]['libraries']}")
    if any(noted[stage] != made_now[stage] for stage in before):
        pytest.skip("a stage before it makes something else")
    if noted[name]["version"] == made_now[name]["version"]:
        assert noted[name] == made_now[name], f"raise the version of stage {name}"
    assert noted[name] == made_now[name], "run this file as a script"


@pytest.fixture(scope="module")
def made_now(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return made(tmp_path_factory.mktemp("made"))


if __name__ == "__main__":
    with TemporaryDirectory() as name:
        NOTED.write_text(json.dumps(made(Path(name)), indent=2) + "\n")
