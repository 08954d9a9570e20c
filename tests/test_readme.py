"""The README is true: every Python block and every console block runs and prints what it shows."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

import claimdb
from benchmarks.reported_numbers import paper_runs
from claimdb_loader.hub import UPSTREAM_REPO
from tests.children import child_env
from tests.conftest import REPO_ROOT
from tests.hub import LocalHub
from tests.loader.claim_files import claim, jsonl, small_copy
from tests.readme import README, assert_shown, blocks, commands

RUN_DOCTEST = """
import doctest, sys
from pathlib import Path
test = doctest.DocTestParser().get_doctest(sys.stdin.read(), {}, "README", "README.md", 0)
runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
print("failed", runner.run(test).failed)
"""


@pytest.fixture
def env(tmp_path: Path, hub: LocalHub) -> dict[str, str]:
    """The environment of a reader whose Hub holds the published repository."""
    hub.add_repo(
        UPSTREAM_REPO,
        {
            "train.jsonl": jsonl([claim(0)]),
            "test-public.jsonl": jsonl([claim(1)]),
            "test-private.jsonl": jsonl([claim(2, None)]),
        },
    )
    hub.add_repo("you/my-model", {"README.md": b"# A model"}, repo_type="model")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    ours = {"PATH": path, "COLUMNS": "80", "PYTHONSAFEPATH": "1", "HF_HUB_OFFLINE": "0"}
    return child_env(tmp_path) | hub.env(tmp_path / "hf") | ours


def test_every_python_block_runs_as_printed(tmp_path: Path, env: dict[str, str]) -> None:
    assert len(blocks("python")) == 7
    done = subprocess.run(
        [sys.executable, "-c", RUN_DOCTEST],
        input="\n".join(blocks("python")),
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip().split("\n")[-1] == "failed 0", done.stdout + done.stderr


def test_every_other_console_block_prints_what_it_shows(
    tmp_path: Path, env: dict[str, str]
) -> None:
    small_copy(tmp_path / "copy")
    others = [command for command in commands() if command.line != "make demo"]
    assert len(others) == 27
    for command in others:
        offline = str(int("you/" not in command.line))
        done = subprocess.run(
            command.line,
            shell=True,
            cwd=tmp_path,
            env=env | {"HF_HUB_OFFLINE": offline, "HF_EVALUATE_OFFLINE": offline},
            capture_output=True,
            text=True,
            check=False,
        )
        is_refused = command.output.startswith("claimdb: ")
        assert (done.returncode != 0) == is_refused, done.stderr
        assert_shown(done.stderr if is_refused else done.stdout, command.output)


@pytest.mark.parametrize(
    ("command", "ratios", "shown"),
    [
        (
            "loader.py --rows 3000",
            ["faster_than_packaged_json", "faster_than_generator"],
            ["packaged `json` builder", "`GeneratorBasedBuilder`"],
        ),
        (
            "metric.py --rows 3000",
            ["faster_than_report", "core_over_bincount"],
            ["`classification_report`", "`numpy.bincount`"],
        ),
        ("sandbox.py", ["pool_faster", "overhead_ms"], ["a connection per query"]),
        (
            "harness.py --claims 20",
            ["ratio"],
            ["Inspect's own loop with a tool that does nothing"],
        ),
        (
            "builder.py --questions 100",
            ["select_faster", "execute_faster"],
            ["one `sqlglot.parse_one` a query, one process", "`sqlite3`, a connection a query"],
        ),
    ],
)
def test_the_speed_table_comes_from_the_benchmarks(
    tmp_path: Path, command: str, ratios: list[str], shown: list[str]
) -> None:
    """Seconds are never asserted: that the script runs, and that its peers are those shown, is."""
    script, *options = command.split()
    program = [sys.executable, "-m", f"benchmarks.{Path(script).stem}", *options]
    done = subprocess.run(
        [*program, "--repeats", "1", "--json"],
        env=child_env(tmp_path),
        cwd=REPO_ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    result = json.loads(done.stdout)
    assert all(result[ratio] > 0 for ratio in ratios)
    for peer in shown:
        assert re.search(rf"{peer} \| [\d.]+ x (as fast|the time)", README)


def table_in(path: str, name: str) -> str:
    page = (REPO_ROOT / path).read_text("utf-8")
    found = re.search(rf"<!-- numbers: {name} -->\n(.*?)\n<!-- end -->", page, re.S)
    assert found, f"{path} has no table {name!r}"
    return found[1]


def test_the_table_of_the_papers_models_comes_from_its_script() -> None:
    assert paper_runs() == table_in("metrics/claimdb_metric/README.md", "paper runs")


@pytest.mark.slow
def test_the_table_of_baselines_comes_from_its_script(tmp_path: Path, shared: Path) -> None:
    script = str(REPO_ROOT / "benchmarks" / "reported_numbers.py")
    done = subprocess.run(
        [sys.executable, script, "--data-dir", str(shared / "data" / "claimdb")],
        env=child_env(tmp_path),
        capture_output=True,
        text=True,
        check=True,
    )
    baselines = done.stdout.strip().split("\n\n")[-1]
    assert baselines == table_in("README.md", "baselines")


GENERAL = {"name", "version", "description", "source_repo"}
OPTIONS = {field.name for field in fields(claimdb.ClaimDBConfig)} - GENERAL | {"repo_id"}


@pytest.mark.parametrize("name", sorted(OPTIONS))
def test_every_option_is_documented(name: str) -> None:
    assert f"`{name}=" in README


def test_links_lead_to_files() -> None:
    headings = {"#" + h.lower().replace(" ", "-") for h in re.findall(r"^#+ (.+)$", README, re.M)}
    for target in re.findall(r"\]\(([^)]+)\)", README):
        if not target.startswith("http"):
            assert target in headings or (REPO_ROOT / target).is_file(), target


@pytest.mark.parametrize("name", ["SECURITY.md", "CONTRIBUTING.md"])
def test_files_that_other_pages_name_are_there(name: str) -> None:
    text = (REPO_ROOT / name).read_text("utf-8")
    named = re.findall(r"`((?:tests|loader|cli|sandbox|builder|dataset_card)/[\w./-]+)`", text)
    assert named
    for target in named:
        assert (REPO_ROOT / target).exists(), target
