"""`claimdb run`, called as its users call it, with models that play a script."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import read_eval_log

from claimdb_harness.labelled_claims import from_split
from claimdb_metric.labels import HIDDEN_NAME, LABELS
from tests.children import child_env, run_python
from tests.cli.conftest import Call
from tests.harness.agents.scripts import collected
from tests.sandbox.made_databases import heroes_database

DEMO = ("--model", "claimdb-scripted/demo")
SAMPLE = ("--split", "sample")
KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "LOCAL_API_KEY", "LOCAL_BASE_URL")


@pytest.fixture(scope="module", autouse=True)
def _sample_is_prepared() -> None:
    from_split("sample")  # the first time, datasets shows its progress on stderr


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)


def one_line(text: str) -> str:
    return " ".join(text.replace("│", " ").split())


def claims_file(path: Path, db_names: list[str], label: str = LABELS[0]) -> Path:
    """A references file with a claim about each database."""
    rows = [
        {"claim_id": n, "claim": f"Claim {n}.", "db_name": name, "label": label}
        for n, name in enumerate(db_names)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


MODELS: list[tuple[list[str], list[str]]] = [
    ([], ["name a model: --model provider/model"]),
    (["--model", "gpt-5-mini"], ["names no provider: write openai/gpt-5-mini"]),
    (["--model", "claude-x"], ["write anthropic/claude-x"]),
    (["--model", "llama"], ["openai-api/<name>/<model> with --base-url"]),
    (["--model", "nobody/x"], ["no provider 'nobody': there are ", " openai,", " ollama,"]),
    (["--model", "anthropic/x"], ["pip install anthropic"]),
    (["--model", "openai/gpt-5-mini"], ["openai/gpt-5-mini cannot be used", "OPENAI_API_KEY"]),
    (["--model", "openai-api/local/x"], ["cannot be used", "LOCAL_"]),
    ([*DEMO, "-M", "script=gone.json"], ["script gone.json", "No such file"]),
    ([*DEMO, "-M", "script=words.txt"], ["script words.txt", "Expecting value"]),
    ([*DEMO, "-M", "script=list.json"], ['script list.json: no object with "default" or "claims"']),
    ([*DEMO, "-M", "script"], ["--model-arg script is not NAME=VALUE"]),
    ([*DEMO, "-M", "=x"], ["is not NAME=VALUE"]),
]

ASKED: list[tuple[list[str], list[str]]] = [
    (["--prompt", "maximal"], ["no prompt 'maximal': there are minimal, taxonomy, schema-first"]),
    (["--prompt", "latin1.txt"], ["latin1.txt is not UTF-8"]),
    (["--protocol", "xml"], ["protocol 'xml' is none of tools, json, constrained"]),
    (["--final", "maybe"], ["final 'maybe' is none of forced, none"]),
    (["--task", "guess"], ["task 'guess' is none of verify, closed_book, schema_only"]),
    (["--max-turns", "0"], ["max_turns=0 must be an integer from 1 to"]),
    (["--max-output-bytes", "100"], ["max_output_bytes=100 must be an integer from 200 to 32,768"]),
    (["--max-turns", "few"], ["Invalid value for '--max-turns'"]),
    (["--temperature", "-1"], ["--temperature"]),
    (["--max-connections", "0"], ["--max-connections"]),
    (["--limit", "0"], ["limit 0 is out of range: sample has the claims 1-144"]),
    (["--limit", "140-145"], ["limit 140-145 is out of range"]),
    (["--limit", "5-3"], ["limit 5-3 is out of range"]),
    (["--limit", "some"], ["limit 'some' is neither N nor A-B"]),
    (["--limit", "-3"], ["limit '-3' is neither N nor A-B"]),
    (["--references", "claims.jsonl"], ["give --split or --references, not both"]),
    (["--command", "agent"], ["{mcp_config}"]),
    (["--command", "agent {mcp_config}", "--task", "closed_book"], ["takes no command"]),
    (["--resume"], ["--resume needs --out"]),
    (["--resume", "--out", "gone"], ["gone holds no run to go on with"]),
    (["--out", "words.txt"], ["words.txt"]),
    (["--out", "words.txt/run"], ["words.txt"]),
    (["--out", "full"], ["full holds other files"]),
]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [*MODELS, *(([*DEMO, *arguments], told) for arguments, told in ASKED)],
)
def test_wrong_input_is_one_message_and_exit_code_2(
    claimdb_command: Call, tmp_path: Path, arguments: list[str], told: list[str]
) -> None:
    (tmp_path / "words.txt").write_text("words")
    (tmp_path / "latin1.txt").write_bytes(b"\xe9")
    (tmp_path / "list.json").write_text("[]")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("")
    claims_file(tmp_path / "claims.jsonl", ["ferry_lines"])
    before = sorted(tmp_path.rglob("*"))
    code, out, err = claimdb_command("run", *SAMPLE, *arguments)
    assert (code, out) == (2, "")
    for part in told:
        assert part in one_line(err)
    assert "Traceback" not in err
    assert "[bold" not in err
    assert sorted(tmp_path.rglob("*")) == before


def test_all_missing_databases_are_listed_and_nothing_is_asked(
    claimdb_command: Call, tmp_path: Path
) -> None:
    claims = claims_file(tmp_path / "claims.jsonl", ["ferry_lines", "nowhere", "gone", "gone"])
    code, out, err = claimdb_command("run", *DEMO, "--references", claims, "--out", "run")
    assert (code, out) == (2, "")
    assert "2 of 3 databases are missing, and nothing was asked yet" in err
    assert "gone (2 claims)" in err
    assert "nowhere (1 claims)" in err
    assert not (tmp_path / "run").exists()


def test_a_database_that_is_none(claimdb_command: Call, tmp_path: Path) -> None:
    heroes_database(tmp_path / "databases" / "heroes.sqlite", n_rows=1)
    (tmp_path / "databases" / "page.sqlite").write_text("<!DOCTYPE html>")
    claims = claims_file(tmp_path / "claims.jsonl", ["heroes", "page"])
    arguments = ("--references", claims, "--data-dir", "databases", "--out", "run")
    code, _, err = claimdb_command("run", *DEMO, *arguments)
    assert (code, "page (1 claims)" in err) == (2, True)


def test_no_packages_for_agents(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "class Absent:\n"
        "    def find_spec(name, *_):\n"
        "        if name == 'inspect_ai':\n"
        "            raise ModuleNotFoundError(f'No module named {name!r}', name=name)\n"
        "sys.meta_path.insert(0, Absent)\n"
        "sys.argv = ['claimdb', 'run', '--model', 'claimdb-scripted/demo', '--split', 'sample']\n"
        "from claimdb_cli import main; main.run()"
    )
    done = run_python(code, tmp_path, child_env(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "claimdb: this needs inspect_ai: pip install 'claimdb[agents]'\n"


@pytest.fixture
def run(claimdb_command: Call) -> Call:
    def call(*arguments: object) -> tuple[int, str, str]:
        with collected():
            return claimdb_command("run", *arguments)

    return call


def scripted(folder: Path, script: Any) -> tuple[str, ...]:
    (folder / "script.json").write_text(json.dumps(script))
    return ("--model", "claimdb-scripted/test", "-M", "script=script.json")


def test_a_run_its_resume_and_what_it_says(run: Call, tmp_path: Path) -> None:
    answer, failure = {"verdict": LABELS[0]}, {"error": 401}
    script = {"default": [answer], "claims": {"2": [failure], "3": []}}
    arguments = (*SAMPLE, "--limit", 5, "--out", "run", "--max-turns", 3)
    code, out, err = run(*scripted(tmp_path, script), *arguments, "-M", "token=secret-7")
    assert (code, err) == (1, "")
    assert "run: 4 of 5 claims, 3 verdicts" in out
    assert "without a verdict, because of: turns (1)" in out
    assert "not run (1): ScriptedError: the script says 401" in out
    assert "incomplete: claimdb run --out run --resume asks the others again" in out
    settings = json.loads((tmp_path / "run" / "run.json").read_bytes())
    assert (settings["limit"], settings["budget"]["max_turns"]) == ("1-5", 3)
    # What may be a secret is recorded nowhere, Inspect's log included.
    (log,) = (tmp_path / "run" / "logs").glob("*.eval")
    assert "secret-7" not in read_eval_log(str(log)).model_dump_json()
    assert b"secret-7" not in b"".join(f.read_bytes() for f in (tmp_path / "run").glob("*.json*"))

    model = scripted(tmp_path, {"default": [answer]})
    code, _, err = run(*model, *arguments)
    assert code == 2
    assert err == "claimdb: run holds a run already: go on with --resume, or give another --out\n"
    code, out, err = run("--out", "run", "--resume", "-M", "script=script.json", "--json")
    document = json.loads(out)
    assert (code, err) == (0, "")
    assert (document["n"], document["n_done"], document["complete"]) == (5, 5, True)
    assert document["outcomes"] == {"answered": 4, "no_verdict": 1}
    assert document["stops"] == {"turns": 1}


def test_a_run_goes_on_with_the_same_settings_only(run: Call, tmp_path: Path) -> None:
    model = scripted(tmp_path, {"default": [{"verdict": LABELS[0]}]})
    (tmp_path / "own.txt").write_text("Say what is so.")
    assert run(*model, *SAMPLE, "--limit", 1, "--out", "run")[0] == 0
    changes = {
        "--limit": ("1-2", "limit was '1-1' and is '1-2'"),
        "--split": ("test_public", "split was 'sample' and is 'test_public'"),
        "--model": ("claimdb-scripted/other", "model was 'claimdb-scripted/test' and is"),
        "--protocol": ("json", "protocol was 'tools' and is 'json'"),
        "--final": ("none", "final was 'forced' and is 'none'"),
        "--prompt": ("own.txt", "prompt was 'minimal' and is 'own.txt'"),
        "--max-turns": (7, "max_turns was 20 and is 7"),
        "--temperature": (0.5, "generation was {} and is {'temperature': 0.5}"),
    }
    for option, (value, told) in changes.items():
        code, out, err = run(*model, "--out", "run", "--resume", option, value)
        assert (code, out) == (2, ""), option
        assert err.startswith("claimdb: run is the folder of another run: "), option
        assert told in err, option
    _, _, err = run(*model, "--out", "run", "--resume", "--protocol", "json", "--max-turns", 7)
    assert "protocol was 'tools' and is 'json'; " in err
    assert "max_turns was 20 and is 7" in err


def test_hidden_labels_become_a_submission(
    run: Call, claimdb_command: Call, tmp_path: Path
) -> None:
    names = [str(name) for name in from_split("sample").column("db_name")[:4]]
    claims = claims_file(tmp_path / "hidden.jsonl", names, HIDDEN_NAME)
    arguments = ("--references", "hidden.jsonl", "--out", "run")
    code, out, err = run(*DEMO, *arguments)
    assert (code, err, " right" in out) == (0, "", False)
    assert "next: claimdb predictions run --out predictions.jsonl" in out
    assert claimdb_command("predictions", "run", "--out", "predictions.jsonl")[0] == 0
    code, _, err = claimdb_command("validate", "predictions.jsonl", "--references", claims)
    assert (code, err) == (0, "")
    code, _, err = claimdb_command("score", "run")
    assert (code, "hidden" in err) == (2, True)


def test_own_prompt_and_a_command_line(run: Call, tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text("Say what is so.", encoding="utf-8")
    answer = json.dumps({"verdict": LABELS[1]})
    (tmp_path / "agent.py").write_text(
        "import sys\ntext = sys.stdin.read()\n"
        f"assert 'Say what is so.' in text and 'Claim: ' in text\nprint({answer!r})"
    )
    command = f"{sys.executable} {tmp_path / 'agent.py'} {{mcp_config}}"
    arguments = (*SAMPLE, "--limit", 2, "--out", "run", "--prompt", "own.txt")
    code, out, err = run("--command", command, *arguments)
    assert (code, err) == (0, "")
    assert "run: 2 of 2 claims, 2 verdicts" in out
    assert "|prompt:own.txt-" in out
    _, _, err = run("--out", "run", "--resume")
    assert "2 of 2" in out
