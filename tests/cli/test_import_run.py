"""`claimdb import`, called as its users call it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Call
from tests.harness.imports.recorded import CLAUDE, CODEX, written
from tests.harness.runs import right_labels, write_run

SAMPLE = ("--split", "sample")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Right predictions for the sample, but for one that is missing and three that are none."""
    labels: dict[int, Any] = right_labels()
    ids = sorted(labels)
    del labels[ids[0]]
    labels |= {ids[1]: "SUPPORTS", ids[2]: "", ids[3]: ""}
    errors = dict.fromkeys(labels) | {ids[2]: "Max turns (20) exceeded", ids[3]: "Error code: 429"}
    return write_run(tmp_path / "run.jsonl", labels, error=errors)


def test_lines_for_people(claimdb_command: Call, run: Path) -> None:
    options = ("--from", "predictions", "--out", "mine", "--model", "a/b\x1b[31m", *SAMPLE)
    code, out, err = claimdb_command("import", run, *options)
    assert (code, err) == (0, "")
    assert out.split("\n") == [
        "mine: a/b\N{REPLACEMENT CHARACTER}[31m on sample, 140 claims answered,"
        " 2 without a verdict (1 wrong_label, 1 no_answer)",
        "SQL calls: 0",
        "not run: 1 where the provider failed, 1 that the run does not name",
        "",
    ]


def test_a_whole_run_says_no_more(claimdb_command: Call, tmp_path: Path) -> None:
    path = write_run(tmp_path / "run.jsonl", right_labels())
    options = ("--from", "predictions", "--out", "mine", *SAMPLE)
    _, out, _ = claimdb_command("import", path, *options)
    assert out == "mine: run on sample, 144 claims answered, 0 without a verdict\nSQL calls: 0\n"


def test_json_for_programs(answer: Callable[..., Any], run: Path) -> None:
    found = answer("import", run, "--from", "predictions", "--out", "mine", *SAMPLE)
    pending = found.pop("pending")
    assert pending == [min(right_labels())]
    assert found == {
        "out": "mine",
        "model": "run",
        "answered": 140,
        "no_verdict": 2,
        "not_run": 1,
        "sql_calls": 0,
        "left_aside": {},
    }


def test_the_other_verbs_take_what_was_imported(
    answer: Callable[..., Any], claimdb_command: Call, run: Path, tmp_path: Path
) -> None:
    answer("import", run, "--from", "predictions", "--out", "mine", *SAMPLE)
    assert answer("predictions", "mine", "--out", "p.jsonl", "--allow-partial")["rows"] == 142
    found = answer("score", "mine", "--allow-partial")
    assert found["n"] == 142
    assert found["accuracy"] == pytest.approx(140 / 142)
    code, out, _ = claimdb_command("analyze", "mine")
    assert code == 0
    assert "run" in out


def test_transcripts(claimdb_command: Call, tmp_path: Path) -> None:
    claims = sorted(right_labels())[:2]
    for claim_id in claims:
        written(tmp_path / "runs" / f"{claim_id}.jsonl", CLAUDE)
    options = ("--from", "claude-code", "--out", "mine", *SAMPLE)
    code, out, err = claimdb_command("import", "runs", *options)
    assert (code, err) == (0, "")
    assert out.split("\n")[:2] == [
        "mine: claude-haiku-4-5 on sample, 2 claims answered, 0 without a verdict",
        "SQL calls: 4",
    ]
    assert "left aside: calls of Bash (2)" in out
    traces = (tmp_path / "mine" / "traces.jsonl").read_text().split("\n")
    assert [json.loads(line)["claim_id"] for line in traces if line] == [
        claim_id for claim_id in right_labels() if claim_id in claims
    ]


def test_a_references_file(answer: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "gold.csv").write_text("claim_id,label\n7,ENTAILED\n")
    written(tmp_path / "runs" / "7.jsonl", CODEX)
    options = ("--from", "codex", "--out", "mine", "--references", "gold.csv")
    assert answer("import", "runs", *options)["answered"] == 1
    assert answer("score", "mine")["accuracy"] == 1.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing", "--from", "codex", "--out", "o"], "no such file: nothing"),
        (["run.jsonl", "--from", "dspy", "--out", "o"], "--from 'dspy' is none of predictions, "),
        (["run.jsonl", "--from", "codex", "--out", "o"], "run.jsonl is a file; give a folder"),
        (["run.jsonl", "--from", "predictions", "--out", "."], "holds other files"),
        (["run.jsonl", "--from", "openai-agents", "--out", "o"], "openai-agents rows have a list"),
        (["other.jsonl", "--from", "predictions", "--out", "o"], "claim_id 999 is none of the 144"),
    ],
)
def test_wrong_input(
    claimdb_command: Call, run: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    write_run(tmp_path / "other.jsonl", {999: "ENTAILED"})
    code, out, err = claimdb_command("import", *arguments, *SAMPLE)
    assert (code, out) == (2, "")
    assert message in err
    assert not (tmp_path / "o").exists()


def test_what_predictions_do_not_say_is_not_shown_as_zero(
    claimdb_command: Call, answer: Callable[..., Any], run: Path
) -> None:
    claimdb_command("import", run, "--from", "predictions", "--out", "mine", *SAMPLE)
    _, out, _ = claimdb_command("analyze", "mine")
    assert "SQL calls" not in out
    assert "what was asked of the databases is not known: run" in out
    (analysis,) = answer("analyze", "mine", "--json")["runs"]
    assert (analysis["calls"], analysis["faithfulness"]) == (None, None)


def test_an_incomplete_import_is_not_told_to_resume(claimdb_command: Call, run: Path) -> None:
    claimdb_command("import", run, "--from", "predictions", "--out", "mine", *SAMPLE)
    code, _, err = claimdb_command("score", "mine")
    assert (code, "--resume" in err, "--allow-partial" in err) == (2, False, True)
