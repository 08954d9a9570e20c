"""`claimdb check`, called as its users call it, with a model that plays a script."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from claimdb_metric.labels import LABELS
from tests.children import child_env
from tests.cli.conftest import Call
from tests.sandbox.made_databases import heroes_database
from tests.sandbox.processes import happens_within

MODEL = ("--model", "claimdb-scripted/demo")
SCRIPTED = ("--model", "claimdb-scripted/test", "-M")


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


COUNT = "SELECT count(*) AS n FROM heroes"
STEPS = [[{"sql": COUNT}, {"verdict": verdict, "why": "There are 3 heroes."}] for verdict in LABELS]
SCRIPTS: dict[str, list[object]] = {
    "entailed": [STEPS[0]],
    "contradicted": [STEPS[1]],
    "unknown": [STEPS[2]],
    "silent": [],
    "all": [*STEPS],
    "first": [STEPS[0]],
}
ONE = ["There are 3.", "--db", "heroes.sqlite"]
MANY = ["--claims", "claims.txt", "--db", "heroes.sqlite"]
CALLS = {
    "entailed": ONE,
    "contradicted": ONE,
    "unknown": ONE,
    "silent": ONE,
    "all": MANY,
    "first": [*MANY, "--json"],
    "tables": ["There are 3.", "--db", "data", "--json"],
}

# In a process of its own: Inspect leaves streams open that Python warns of. One for all calls: it
# takes 3 s to import.
PROGRAM = """
import contextlib, io, json, sys
from claimdb_cli.main import run
found = {}
for name, arguments in json.loads(sys.argv.pop()).items():
    sys.argv[1:] = ["check", *arguments]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = run()
        except SystemExit as exit_:
            code = exit_.code
    found[name] = code, out.getvalue(), err.getvalue()
sys.stdout.write(json.dumps(found))
"""


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str, str]]:
    """Exit code, stdout and stderr of each of CALLS."""
    folder = tmp_path_factory.mktemp("calls")
    heroes_database(folder / "heroes.sqlite", n_rows=3)
    for name in ("data", "temporary"):
        (folder / name).mkdir()
    (folder / "data" / "heroes.csv").write_text("name\nA\nB\nC\n")
    (folder / "claims.txt").write_text("A.\nB.\nC.\n")
    arguments = {}
    for name, given in CALLS.items():
        steps = {str(place): step for place, step in enumerate(SCRIPTS.get(name, [STEPS[0]]))}
        (folder / f"{name}.json").write_text(json.dumps({"default": [], "claims": steps}))
        arguments[name] = [*given, *SCRIPTED, f"script={name}.json"]
    done = subprocess.run(
        [sys.executable, "-P", "-c", PROGRAM, json.dumps(arguments)],
        cwd=folder,
        env=child_env(folder, TMPDIR=str(folder / "temporary")),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert [*(folder / "temporary").glob("claimdb-check-*")] == []
    return {name: tuple(call) for name, call in json.loads(done.stdout).items()}


@pytest.mark.parametrize(
    ("name", "code", "verdict"),
    [("entailed", 0, LABELS[0]), ("contradicted", 1, LABELS[1]), ("unknown", 3, LABELS[2])],
)
def test_one_verdict_is_the_exit_code(
    calls: dict[str, tuple[int, str, str]], name: str, code: int, verdict: str
) -> None:
    found, out, err = calls[name]
    assert (found, err, out.split("\n")[0]) == (code, "", f"{verdict}  There are 3.")
    assert COUNT in out


def test_no_verdict_is_exit_code_2(calls: dict[str, tuple[int, str, str]]) -> None:
    code, out, err = calls["silent"]
    assert (code, out.split("\n")[0]) == (2, "NO VERDICT  There are 3.")
    assert err.startswith("claimdb: no verdict: the model ")


def test_a_folder_of_tables(calls: dict[str, tuple[int, str, str]]) -> None:
    code, out, err = calls["tables"]
    document = json.loads(out)
    (result,) = document["results"]
    assert (code, err, document["model"]) == (0, "", SCRIPTED[1])
    assert (result["verdict"], result["claim"]) == (LABELS[0], "There are 3.")
    assert result["proof"] == [{"sql": COUNT, "output": "n\n3\n(1 row)"}]


def test_many_claims_are_a_table(calls: dict[str, tuple[int, str, str]]) -> None:
    code, out, err = calls["all"]
    assert (code, err, out.split("\n")[0]) == (1, "", "3 claims")
    assert "\n1 entailed, 1 contradicted, 1 not enough info; 3 queries, " in out


def test_of_many_claims_the_worst_counts(calls: dict[str, tuple[int, str, str]]) -> None:
    code, out, err = calls["first"]
    assert code == 2
    assert [row["verdict"] for row in json.loads(out)["results"]] == [LABELS[0], None, None]
    assert err.startswith("claimdb: no verdict on 2 of 3 claims; the first: the model ")


@pytest.mark.slow
def test_ctrl_c_leaves_no_file(tmp_path: Path, temporary: Path) -> None:
    (tmp_path / "heroes.csv").write_text("name\nA\n")
    arguments = ["check", "A.", "--db", "heroes.csv", *SCRIPTED, "script=script.json"]
    (tmp_path / "script.json").write_text('{"default": [{"sql": "SELECT 1", "wait_s": 60}]}')
    running = subprocess.Popen(
        [sys.executable, "-P", "-m", "claimdb_cli", *arguments],
        cwd=tmp_path,
        env=child_env(tmp_path, TMPDIR=str(temporary)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert happens_within(lambda: any(temporary.glob("claimdb-check-*/heroes.sqlite")), 30)
    time.sleep(3)  # until the model is asked
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=30)
    assert running.returncode == 130
    assert [*temporary.glob("claimdb-check-*")] == []
