"""`claimdb build`, called as its users call it."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.builder.pipeline.made_runs import (
    SQLS,
    WRONG_SQLS,
    files_of,
    folder_of,
    ids,
    question_file,
    row,
    rows,
    zoo,
)
from tests.children import child_env
from tests.cli.conftest import Call

Q = ("--questions", "q.jsonl")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The folder in which the command is called: ten questions on a database of forty pets."""
    zoo(tmp_path / "dbs")
    question_file(tmp_path / "q.jsonl", rows(10))
    return tmp_path


def test_the_sample_as_a_table_in_a_pipe(claimdb_command: Call) -> None:
    code, out, err = claimdb_command("build", "--sample", "--out", "run", "--workers", 1)
    assert (code, err) == (0, "")
    lines = out.split("\n")
    assert lines[0] == "run: 46 of 46 questions after stage answers"
    assert lines[1] == "stage          in  kept  dropped  why"
    assert [line.split()[:4] for line in lines[3:8]] == [
        [name, "46", "46", "0"]
        for name in ("ingest", "select", "deterministic", "execute", "answers")
    ]
    assert lines[9] == "3 databases"
    assert lines[-2].startswith("run/stages/answers-")
    assert max(map(len, lines)) <= 80


def test_the_document_has_counts_that_tie_files_and_what_was_done(
    home: Path, answer: Callable[..., Any]
) -> None:
    wrong = [row(WRONG_SQLS["tie"]), row(WRONG_SQLS["unparsable"])]
    question_file(home / "q.jsonl", [*rows(30), *wrong])
    arguments = ("build", "--questions", "q.jsonl", "--databases", "dbs", "--out", "run")
    built = answer(*arguments)
    assert list(built) == ["stages", "databases", "files", "done", "notes"]
    left = 32
    for stage in built["stages"]:
        assert stage["in"] == left == stage["kept"] + sum(stage["dropped"].values())
        left = stage["kept"]
        assert len(ids(home / built["files"][stage["stage"]])) == left
    assert left == 25
    folders = [{"folder": Path(path).parent.name} for path in built["files"].values()]
    of_zoo = built["databases"]["zoo"]
    assert built["stages"] == [a | b for a, b in zip(of_zoo, folders, strict=True)]
    assert (built["done"], built["notes"]) == ([s["stage"] for s in built["stages"]], [])
    assert answer(*arguments) == {**built, "done": []}
    assert json.loads((home / "run" / "funnel.json").read_bytes())["stages"] == built["stages"]


@pytest.mark.parametrize(
    "given",
    [
        ("--questions", "a.jsonl", "b.jsonl"),
        ("a.jsonl", "b.jsonl"),
        ("--questions", "a.jsonl", "--questions", "b.jsonl"),
    ],
)
def test_files_are_read_in_the_order_in_which_they_are_named(
    home: Path, answer: Callable[..., Any], given: tuple[str, ...]
) -> None:
    question_file(home / "a.jsonl", [row(SQLS[0], question="first")])
    question_file(home / "b.jsonl", [row(SQLS[0], question="second")])
    built = answer("build", *given, "--out", "run", "--until", "ingest")
    texts = (home / built["files"]["ingest"]).read_text().splitlines()
    assert [json.loads(text)["question"] for text in texts] == ["first", "second"]


@pytest.mark.xfail(strict=True, reason="a file before the only --questions is read after its file")
def test_a_file_before_the_option_is_refused_or_read_first(
    claimdb_command: Call, home: Path
) -> None:
    for name in "ab":
        question_file(home / f"{name}.jsonl", [row(SQLS[0], question=name)])
    given = ("a.jsonl", "--questions", "b.jsonl", "--out", "run", "--until", "ingest")
    code, _, _ = claimdb_command("build", *given)
    if code == 0:
        texts = (folder_of(home / "run", "ingest") / "kept.jsonl").read_text().splitlines()
        assert [json.loads(text)["question"] for text in texts] == ["a", "b"]


def test_missing_databases_may_be_allowed_and_are_noted(claimdb_command: Call, home: Path) -> None:
    question_file(home / "q.jsonl", rows(10, ("zoo", "farm")))
    arguments = ("build", *Q, "--databases", "dbs", "--out", "run")
    assert claimdb_command(*arguments)[0] == 2
    code, out, err = claimdb_command(*arguments, "--allow-missing-dbs")
    assert (code, err) == (0, "note: farm: missing, its questions are left out\n")
    assert "database_missing 4" in out


def test_a_database_that_loses_too_much_may_be_waived(claimdb_command: Call, home: Path) -> None:
    question_file(home / "q.jsonl", [row(SQLS[0]), *map(row, WRONG_SQLS.values())])
    arguments = ("build", *Q, "--databases", "dbs", "--out", "run")
    code, out, err = claimdb_command(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("claimdb: 1 database loses more than 20% of their questions:\n")
    why = "select: not_a_select 1, select: several_statements 1, select: unparsable 1"
    assert f"zoo: 3 of the 8 that the policy takes ({why})" in err
    assert "See dropped.jsonl of each stage in run/stages; mend " in err
    code, out, _ = claimdb_command(*arguments, "--waive", "zoo")
    assert code == 0
    assert "run: 1 of 8 questions after stage answers" in out


def on_a_terminal(home: Path, *arguments: str) -> str:
    """What the command writes to a terminal of 80 columns."""
    parent_end, child_end = pty.openpty()
    fcntl.ioctl(child_end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    env = child_env(home, COLUMNS="80", TERM="xterm")
    with subprocess.Popen(
        [sys.executable, "-m", "claimdb_cli", "build", *arguments],
        cwd=home, env=env, stdout=child_end, stderr=child_end,
    ) as running:  # fmt: skip
        os.close(child_end)
        said = b""
        while part := _read(parent_end):
            said += part
        assert running.wait(30) == 0
    os.close(parent_end)
    return said.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # Linux tells so that nobody writes any more
        return b""


def test_on_a_terminal_there_is_a_progress_bar_and_a_table_of_80_columns(home: Path) -> None:
    question_file(home / "q.jsonl", [*rows(70), row(WRONG_SQLS["tie"])])
    said = on_a_terminal(home, *Q, "--databases", "dbs", "--out", "run")
    for stage in ("select", "deterministic", "execute", "answers"):
        assert f"\r{stage}: " in said
    assert "questions/s" in said
    plain = re.sub(r"\x1b\[\d*[a-zA-Z]", "", said).replace("\r\n", "\n")
    shown = [part for line in plain.split("\n") for part in line.split("\r")]
    assert "59 of 71 questions after stage answers" in said
    assert max(map(len, shown)) <= 80
    files = files_of(home / "run")
    assert "questions/s" not in on_a_terminal(home, *Q, "--databases", "dbs", "--out", "run")
    assert files_of(home / "run") == files
