"""What users install: `make demo` in a fresh clone, and the wheel in a clean environment."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import claimdb
from tests.children import child_env
from tests.conftest import REPO_ROOT
from tests.readme import assert_shown, commands
from tests.repository import copy_tracked_files, tracked_files

BUILD_TIMEOUT_S = 300
PACKAGE_FOLDERS = {"builder", "cli", "harness", "loader", "metrics", "sandbox"}

EVERY_PUBLIC_NAME = """
import claimdb, claimdb_metric, claimdb_sandbox, json
import claimdb_cli.main, claimdb_harness.baselines
for module in (claimdb, claimdb_metric, claimdb_sandbox):
    for name in module.__all__:
        getattr(module, name)
from datasets import load_dataset
import evaluate
from claimdb_loader.exclusions import read_known_issues
sample = load_dataset("claimdb", "sample", split="test")
with claimdb.open_database(sample[0]["db_name"]) as db:
    assert db.tables()
score = evaluate.load("claimdb_metric").compute(predictions=[0], references=[0])
print(json.dumps([len(sample), score["accuracy"], len(read_known_issues(None)), claimdb.__file__]))
"""


def run(*command: str, cwd: Path, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        command,
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        timeout=BUILD_TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy of what git would clone."""
    source = copy_tracked_files(tmp_path_factory.mktemp("source"))
    out = tmp_path_factory.mktemp("dist")
    # By way of the sdist: what a user's pip would do with the released archive.
    run(sys.executable, "-m", "build", "--no-isolation", "-o", str(out), str(source), cwd=source)
    (built,) = out.glob("*.whl")
    return built


def test_the_wheel_holds_our_packages_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    tops = {name.split("/")[0] for name in names if ".dist-info" not in name}
    assert tops == {
        "claimdb.py",
        "claimdb-stubs",
        "claimdb_builder",
        "claimdb_card",
        "claimdb_cli",
        "claimdb_harness",
        "claimdb_loader",
        "claimdb_metric",
        "claimdb_sandbox",
    }
    expected = {
        "claimdb-stubs/__init__.pyi",
        "claimdb_builder/py.typed",
        "claimdb_card/CITATION.cff",
        "claimdb_card/card.md",
        "claimdb_card/known_issues.jsonl",
        "claimdb_loader/manifest.json",
        "claimdb_loader/py.typed",
        "claimdb_loader/sample/claims.jsonl",
        "claimdb_loader/sample/ferry_lines.sqlite.xz",
        "claimdb_metric/README.md",
        "claimdb_metric/py.typed",
        "claimdb_sandbox/py.typed",
    }
    assert expected <= set(names)
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert wheel.stat().st_size < 1_000_000


def test_every_module_of_the_tree_is_in_the_wheel(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    for path in tracked_files():
        if path.suffix == ".py" and path.parts[0] in PACKAGE_FOLDERS:
            assert "/".join(path.parts[1:]) in names


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh clone in which `make` has installed what pyproject.toml declares, no more."""
    clone = copy_tracked_files(tmp_path_factory.mktemp("clone") / "claimdb")
    run("make", ".venv/.installed", cwd=clone, env=online_env())
    return clone


def online_env() -> dict[str, str]:
    """For children that may leave this machine: they ask the package index, as a user's pip does.

    Most of what is installed is never imported, so pip need not compile it (12 s of CPU).
    """
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    path = os.pathsep.join([str(Path(sys.executable).parent), env["PATH"]])
    return env | {"PATH": path, "PIP_COMPILE": "0"}


@pytest.mark.slow
def test_make_demo_works_as_the_first_command_in_a_fresh_clone(clone: Path, tmp_path: Path) -> None:
    (shown,) = [command.output for command in commands() if command.line == "make demo"]
    env = child_env(tmp_path, PATH=online_env()["PATH"], COLUMNS="80")
    assert_shown(run("make", "demo", cwd=clone, env=env), shown)
    for target in ("demo", "test"):
        steps = run("make", "--dry-run", target, cwd=clone, env=env)
        assert ("pip install" in steps) == (target == "test")


NEEDS = """
import json
from importlib.metadata import distribution
print(json.dumps(distribution("claimdb").requires))
"""


@pytest.fixture(scope="module")
def clean_python(wheel: Path, clone: Path) -> str:
    """The Python of an environment that holds the wheel and what it declares, no more.

    That of the clone, as installing everything once more takes 30 s of CPU: the wheel takes the
    place of the checkout, pip finds what it declares, and it declares what the checkout did.
    """
    python = str(clone / ".venv" / "bin" / "python")
    declared = json.loads(run(python, "-c", NEEDS, cwd=wheel.parent, env=online_env()))
    run(python, "-m", "pip", "uninstall", "-q", "-y", "claimdb", cwd=wheel.parent)
    constraints = str(REPO_ROOT / "constraints.txt")
    install = ["-m", "pip", "install", "-q", "-c", constraints, str(wheel)]
    run(python, *install, cwd=wheel.parent, env=online_env())
    assert json.loads(run(python, "-c", NEEDS, cwd=wheel.parent, env=online_env())) == declared
    return python


@pytest.mark.slow
def test_the_wheel_works_in_a_clean_environment(clean_python: str, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    env = child_env(tmp_path)
    printed = run(clean_python, "-c", EVERY_PUBLIC_NAME, cwd=empty, env=env)
    assert printed.startswith("[144, 1.0, 8,")
    assert str(REPO_ROOT) + os.sep not in printed
    command = str(Path(clean_python).with_name("claimdb"))
    assert "ferry_lines" in run(command, "databases", "list", cwd=empty, env=env)
    assert list(empty.iterdir()) == []


@pytest.mark.slow
def test_type_checkers_see_the_front_door(clean_python: str, tmp_path: Path) -> None:
    """A single file cannot carry py.typed, so the wheel brings stubs for it."""
    (tmp_path / "user.py").write_text(
        "import claimdb\n"
        "with claimdb.open_database('ferry_lines') as db:\n"
        "    reveal_type(db.query('SELECT 1').rows)\n"
        "reveal_type(claimdb.label_name(-1))\n"
    )
    options = ["--strict", "--no-incremental", "--python-executable", clean_python]
    printed = run(sys.executable, "-m", "mypy", *options, "user.py", cwd=tmp_path)
    revealed = [line.split("note: ")[1] for line in printed.split("\n") if "Revealed" in line]
    assert revealed == [
        'Revealed type is "tuple[tuple[Any, ...], ...]"',
        'Revealed type is "str"',
    ]


def test_the_stubs_name_what_the_front_door_names() -> None:
    text = (REPO_ROOT / "stubs" / "claimdb-stubs" / "__init__.pyi").read_text("utf-8")
    tree = ast.parse(text)
    names = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    names |= {
        node.target.id
        for node in tree.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    names |= {
        alias.asname
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname
    }
    assert names == set(claimdb.__all__)


@pytest.mark.slow
def test_without_the_agents_extra_run_says_what_to_install(
    clean_python: str, tmp_path: Path
) -> None:
    command = str(Path(clean_python).with_name("claimdb"))
    asked = [command, "run", "--model", "claimdb-scripted/demo", "--split", "sample"]
    done = subprocess.run(
        asked, cwd=tmp_path, env=child_env(tmp_path), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "claimdb: this needs inspect_ai: pip install 'claimdb[agents]'\n"


@pytest.mark.slow
def test_inspect_finds_the_tasks_of_a_wheel(wheel: Path, tmp_path: Path) -> None:
    """As of an editable install, for which Inspect would use another name."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    env = child_env(tmp_path) | {"PYTHONPATH": str(tmp_path / "site"), "INSPECT_DISPLAY": "plain"}
    where = "import claimdb_harness; print(claimdb_harness.__file__)"
    assert str(tmp_path) in run(sys.executable, "-c", where, cwd=tmp_path, env=env)
    inspect = str(Path(sys.executable).with_name("inspect"))
    options = ("--model", "claimdb-scripted/demo", "-T", "split=sample", "-T", "limit=2")
    printed = run(inspect, "eval", "claimdb/verify", *options, cwd=tmp_path, env=env)
    assert "verdict_scorer" in printed
    assert len([*(tmp_path / "logs").glob("*.eval")]) == 1
