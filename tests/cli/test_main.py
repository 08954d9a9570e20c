"""The command itself: help, version, exit codes, speed of start."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.children import answer_of, child_env, run_claimdb
from tests.cli.conftest import Call

VERBS = {"prepare", "demo", "databases", "score", "compare", "validate", "baseline", "sql", "push"}
VERBS |= {"push-results", "build", "stats", "run", "predictions", "analyze", "import", "check"}
VERBS |= {"mcp"}


def test_help_names_every_verb(tmp_path: Path) -> None:
    for arguments in ([], ["--help"]):
        done = run_claimdb(*arguments, cwd=tmp_path, env=child_env(tmp_path))
        assert {verb for verb in VERBS if f" {verb} " in done.stdout + done.stderr} == VERBS
    assert done.returncode == 0


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_every_verb_has_help_with_its_options(claimdb_command: Call, verb: str) -> None:
    code, out, err = claimdb_command(verb, "--help")
    assert (code, err) == (0, "")
    assert f"Usage: claimdb {verb} " in out
    assert " --help " in out


def test_version(tmp_path: Path) -> None:
    import claimdb

    done = run_claimdb("--version", cwd=tmp_path, env=child_env(tmp_path))
    assert done.stdout == f"claimdb {claimdb.__version__}\n"


@pytest.mark.parametrize(
    "arguments", [["nonsense"], ["prepare", "--nonsense"], ["databases", "fetch"]]
)
def test_a_wrong_command_is_exit_code_2(claimdb_command: Call, arguments: list[str]) -> None:
    code, out, err = claimdb_command(*arguments)
    assert (code, out) == (2, "")
    assert "Usage: claimdb" in err
    assert "Traceback" not in err


def test_help_imports_nothing_heavy(tmp_path: Path) -> None:
    """`claimdb --help` answers in half a second because none of these is imported for it."""
    code = """
import json, sys
import claimdb_cli.main
heavy = {"datasets", "evaluate", "pandas", "pyarrow", "sklearn", "huggingface_hub"}
print(json.dumps(sorted(heavy & set(sys.modules))))
"""
    assert answer_of(code, tmp_path, child_env(tmp_path)) == []


def test_the_console_script_works_beside_folders_of_any_name(tmp_path: Path) -> None:
    for name in ("datasets", "evaluate", "metrics", "builder", "claimdb"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise SystemExit('the wrong one')\n")
    command = [str(Path(sys.executable).with_name("claimdb")), "databases", "path", "ferry_lines"]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env=child_env(tmp_path / "home"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().endswith("ferry_lines.sqlite")


def test_a_reader_that_leaves_early_is_no_error(tmp_path: Path) -> None:
    command = f"{sys.executable} -P -m claimdb_cli databases list | head -1"
    done = subprocess.run(
        command,
        shell=True,
        cwd=tmp_path,
        env=child_env(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr
