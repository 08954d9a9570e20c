"""`claimdb check`: what is refused before a model is asked."""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path

import pytest

from tests.cli.conftest import Call
from tests.sandbox.made_databases import heroes_database

MODEL = ("--model", "claimdb-scripted/demo")


@pytest.fixture(autouse=True)
def database(tmp_path: Path) -> Path:
    return heroes_database(tmp_path / "heroes.sqlite", n_rows=3)


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which temporary files are made."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--db", "heroes.sqlite"], "give a claim, or --claims FILE instead"),
        (["A.", "--claims", "c.txt", "--db", "heroes.sqlite"], "give a claim, or --claims FILE"),
        (["--claims", "c.txt", "--info", "x", "--db", "heroes.sqlite"], "--info is of one claim"),
        (["A."], "Missing option '--db'"),
        ([" ", "--db", "heroes.sqlite"], "claimdb: the claim is blank"),
        (["--claims", "gone.txt", "--db", "heroes.sqlite"], "No such file or directory: gone.txt"),
        (["--claims", "c.docx", "--db", "heroes.sqlite"], "must end with .txt, .jsonl"),
        (["A.", "--db", "gone.sqlite"], "gone.sqlite cannot be read: No such file"),
        (["A.", "--db", "gone.csv"], "gone.csv cannot be read: No such file"),
        (["A.", "--db", "no_such_database"], "no database 'no_such_database'"),
        (["A.", "--db", "c.txt"], "c.txt is not a SQLite database"),
        (["A.", "--db", "empty"], "empty holds no CSV, TSV (also .gz) or Parquet file"),
        (["A.", "--db", "broken"], "broken/b.csv cannot be read as CSV"),
        (["A.", "--db", "heroes.sqlite", "--max-turns", "0"], "max_turns=0 must be an integer"),
    ],
)
def test_wrong_input_is_one_message_and_exit_code_2(
    claimdb_command: Call, tmp_path: Path, temporary: Path, arguments: list[str], told: str
) -> None:
    (tmp_path / "c.txt").write_text("A.\n")
    (tmp_path / "empty").mkdir()
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "a.csv").write_text("x\n1\n")
    (tmp_path / "broken" / "b.csv").write_text("x,y\n1\n")
    code, out, err = claimdb_command("check", *arguments, *MODEL)
    assert (code, out) == (2, "")
    assert told in " ".join(err.replace("│", " ").split())
    assert [*temporary.iterdir()] == []


def test_a_blank_claim_from_stdin(claimdb_command: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n"))
    code, _, err = claimdb_command("check", "-", "--db", "heroes.sqlite", *MODEL)
    assert (code, "the claim is blank" in err) == (2, True)


def test_help_tells_the_exit_codes(claimdb_command: Call) -> None:
    code, out, _ = claimdb_command("check", "--help")
    text = " ".join(out.split())
    assert code == 0
    assert "Exit code 0: entailed, 1: contradicted, 3: not enough info, 2: an error" in text
    assert "2, then 1, then 3, then 0" in text
