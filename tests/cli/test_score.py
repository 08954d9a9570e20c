"""`claimdb score`, called as its users call it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from claimdb_metric import score
from tests.children import child_env, run_claimdb
from tests.cli.conftest import Call
from tests.harness.runs import right_labels, sample, write_run, wrong


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Predictions of which a quarter is wrong, one is missing, one no label, one misspelled."""
    labels = right_labels()
    guesses: dict[int, Any] = {k: wrong(v) if k % 4 == 0 else v for k, v in labels.items()}
    ids = sorted(claim_id for claim_id in labels if claim_id % 4)
    del guesses[ids[0]]
    guesses[ids[1]] = "SUPPORTS"
    guesses[ids[2]] = guesses[ids[2]].title()
    return write_run(tmp_path / "run.jsonl", guesses)


def test_tables_for_people(claimdb_command: Call, run: Path) -> None:
    options = ("--split", "sample", "--by", "db_name", "--by", "label", "--group-by", "bird_id")
    code, out, err = claimdb_command("score", run, *options)
    assert (code, err) == (0, "")
    words = [line.split() for line in out.split("\n")]
    assert out.startswith("run.jsonl on sample: accuracy 0.7")
    assert words[0][-4:] == ["1", "missing,", "1", "invalid"]
    assert ["144", "claims,", "2", "invalid", "answers"] in words
    assert ["By", "db_name"] in words
    assert ["By", "label"] in words
    assert "1 claim has no prediction, counted as wrong: " in out
    assert '1 answer is no label, counted as wrong: "SUPPORTS" (1)' in out
    assert "taken for a label: " in out
    assert out.rstrip().split("\n")[-1].startswith("claimdb_metric|v:1.0|split:sample|n:144|")
    assert "\x1b" not in out


def test_json_for_programs(answer: Callable[..., Any], run: Path) -> None:
    found = answer("score", run, "--split", "sample", "--by", "db_name")
    claims = sample()
    rows = [json.loads(line) for line in run.read_text().split("\n") if line]
    labels = {row["claim_id"]: row["label"] for row in rows}
    guesses = [labels.get(claim_id) for claim_id in claims.claim_ids]
    guesses = [guess.upper() if guess else None for guess in guesses]
    expected = score(
        guesses,
        claims.labels,
        categories=claims.column("category"),
        by={"db_name": claims.column("db_name")},
        split="sample",
    ).to_dict()
    extra = {name: found.pop(name) for name in ("missing", "invalid", "normalised", "notes")}
    assert found == expected
    assert len(extra["missing"]) == len(extra["normalised"]) == 1
    assert list(extra["invalid"].values()) == ['"SUPPORTS"']


def test_a_references_file(answer: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "gold.csv").write_text("claim_id,label,hops\n7,ENTAILED,1\n8,CONTRADICTED,2\n")
    (tmp_path / "run.json").write_text('{"8": "CONTRADICTED", "7": "NOT ENOUGH INFO"}')
    found = answer("score", "run.json", "--references", "gold.csv", "--by", "hops")
    assert found["accuracy"] == 0.5
    assert [row["hops"] for row in found["by_hops"]] == [1, 2]
    assert "|split:gold.csv|" in found["signature"]


def test_known_issues(answer: Callable[..., Any], copy: str, tmp_path: Path) -> None:
    local = Path(copy)
    rows = [json.loads(line) for line in (local / "test-public.jsonl").read_text().split("\n")[:-1]]
    issue = {"claim_id": rows[0]["claim_id"], "db_name": rows[0]["db_name"]}
    (local / "known_issues.jsonl").write_text(json.dumps(issue) + "\n")
    path = write_run(tmp_path / "run.jsonl", {row["claim_id"]: row["label"] for row in rows})
    whole = answer("score", path, "--data-dir", local)
    without = answer("score", path, "--data-dir", local, "--exclude-known-issues")
    assert (whole["n"], without["n"]) == (len(rows), len(rows) - 1)
    assert "|ki:none|" in whole["signature"]
    assert "|ki:1-" in without["signature"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.jsonl", "--split", "sample"], "no such file: nothing.jsonl"),
        (["run.jsonl", "--split", "dev"], "no split 'dev'; there are train, test_public"),
        (["run.jsonl", "--split", "sampel"], "no split 'sampel'; did you mean sample?"),
        (["run.jsonl", "--split", "test_private"], "labels of test_private are hidden"),
        (["run.jsonl", "--split", "sample", "--by", "hops"], "no column 'hops'"),
        (["run.jsonl", "--split", "sample", "--group-by", "hops"], "no column 'hops'"),
        (["run.jsonl", "--split", "sample", "--references", "x"], "not both"),
        (["run.jsonl", "--references", "nothing.csv"], "nothing.csv"),
        (["run.jsonl", "--split", "test_public"], "rows are of none of the 6 claims"),
        ([], "Missing argument"),
    ],
)
def test_wrong_input_is_one_message_and_exit_code_2(
    claimdb_command: Call,
    run: Path,
    copy: str,
    arguments: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CLAIMDB_DATA_DIR", copy)
    code, out, err = claimdb_command("score", *arguments)
    assert (code, out) == (2, "")
    assert message in " ".join(err.split())
    assert "Traceback" not in err


def test_json_where_stdout_is_not_utf8(run: Path, tmp_path: Path) -> None:
    row = {"claim_id": 7, "label": "ENTAILED", "city": "Zürich 東"}
    (tmp_path / "gold.jsonl").write_text(json.dumps(row))
    (tmp_path / "one.json").write_text('{"7": "ENTAILED"}')
    for encoding in ("latin-1", "ascii", "utf-8"):
        done = run_claimdb(
            *("score", "one.json", "--references", "gold.jsonl", "--by", "city", "--json"),
            cwd=tmp_path,
            env=child_env(tmp_path, PYTHONIOENCODING=encoding),
        )
        assert json.loads(done.stdout)["by_city"][0]["city"] == "Zürich 東"


def test_values_that_command_a_terminal_are_not_printed(
    claimdb_command: Call, tmp_path: Path
) -> None:
    rows = [{"claim_id": 7, "label": "ENTAILED", "city": "\x1b[31m[bold]x\n"}]
    (tmp_path / "gold.json").write_text(json.dumps(rows))
    (tmp_path / "one.json").write_text('{"7": "ENTAILED"}')
    out = claimdb_command("score", "one.json", "--references", "gold.json", "--by", "city")[1]
    assert "\N{REPLACEMENT CHARACTER}[31m[bold]x\N{REPLACEMENT CHARACTER}" in out


@pytest.mark.parametrize(
    ("column", "options", "code", "said"),
    [
        ("category", [], 0, "accuracy 1.000"),
        ("bird_id", [], 0, "accuracy 1.000"),
        ("db_name", ["--exclude-known-issues"], 0, "|ki:0-"),
        ("db_name", ["--by", "db_name"], 2, "by 'db_name': values must be text or numbers"),
        ("topic", ["--group-by", "topic"], 2, "groups 'topic': values must be text or numbers"),
    ],
)
def test_columns_of_lists_are_no_traceback(
    claimdb_command: Call, tmp_path: Path, column: str, options: list[str], code: int, said: str
) -> None:
    rows = [{"claim_id": 7, "label": 0, column: ["a"]}, {"claim_id": 8, "label": 2, column: {}}]
    (tmp_path / "gold.json").write_text(json.dumps(rows))
    (tmp_path / "run.json").write_text('{"7": 0, "8": 2}')
    found = claimdb_command("score", "run.json", "--references", "gold.json", *options)
    assert found[0] == code
    assert said in found[1] + found[2]


def test_few_groups_are_pointed_out(claimdb_command: Call, run: Path) -> None:
    out = claimdb_command("score", run, "--split", "sample", "--group-by", "db_name")[1]
    assert "only 3 groups: intervals are too narrow\n" in out


def test_claims_on_shared_questions_are_pointed_out(claimdb_command: Call, run: Path) -> None:
    note = "144 claims on 46 questions are not independent: consider --group-by bird_id\n"
    assert note in claimdb_command("score", run, "--split", "sample")[1]
    grouped = claimdb_command("score", run, "--split", "sample", "--group-by", "db_name")[1]
    assert "consider" not in grouped


def test_spellings_are_counted_and_one_that_is_near_is_named(
    claimdb_command: Call, tmp_path: Path
) -> None:
    write_run(tmp_path / "run.jsonl", dict.fromkeys(right_labels(), "not_enough_info"))
    out = claimdb_command("score", "run.jsonl", "--split", "sample")[1]
    assert '"not_enough_info" (144, did you mean NOT ENOUGH INFO?)' in out


def test_without_a_network_the_options_are_named(run: Path, tmp_path: Path) -> None:
    done = run_claimdb("score", str(run), cwd=tmp_path, env=child_env(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert "or give --data-dir DIR or --split sample" in done.stderr


def test_what_stdout_cannot_show_is_no_traceback(run: Path, tmp_path: Path) -> None:
    done = run_claimdb(
        *("score", str(run), "--split", "sample", "--by", "category"),
        cwd=tmp_path,
        env=child_env(tmp_path, PYTHONIOENCODING="latin-1"),
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "  macro-F1  abstains\n-----" in done.stdout


def test_predictions_from_a_pipe(run: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        f"cat {run} | {sys.executable} -P -m claimdb_cli score /dev/stdin --split sample",
        shell=True,
        cwd=tmp_path,
        env=child_env(tmp_path),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("stdin on sample: accuracy 0.7")
    assert done.stderr == ""


def test_the_command_says_nothing_but_the_score_in_a_pipe(run: Path, tmp_path: Path) -> None:
    done = run_claimdb(
        "score", str(run), "--split", "sample", "--json", cwd=tmp_path, env=child_env(tmp_path)
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["n"] == 144


def test_the_real_run(answer: Callable[..., Any], shared: Path) -> None:
    """870 of 1,000, as the user who made the run counted it."""
    data = shared / "data"
    path = data / "reference" / "run_minimal_prompt" / "predictions.jsonl"
    found = answer("score", path, "--data-dir", data / "claimdb", "--group-by", "bird_id")
    assert (found["n"], found["accuracy"], found["missing"]) == (1000, 0.870, [])
    recalls = [found[f"recall_{slug}"] for slug in ("entailed", "contradicted", "not_enough_info")]
    assert [round(recall, 3) for recall in recalls] == [0.841, 0.961, 0.810]
