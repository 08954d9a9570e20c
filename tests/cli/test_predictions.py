"""`claimdb predictions`: what runs said, as one file that can be checked and submitted."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from claimdb_harness.runs.folder import RunFolder, write_run
from claimdb_harness.runs.plans import plan_run
from claimdb_harness.runs.settings import Settings
from claimdb_harness.runs.traces import Call, Trace
from claimdb_metric.labels import LABELS
from tests.cli.conftest import Call as Command
from tests.harness.runs import sample

Answer = Callable[..., Any]
QUERY = Call("execute_sql", "SELECT 1", "ok", "1")


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]


def right(claim_id: int, label: str) -> Trace:
    return Trace(claim_id, "answered", label, f"because {claim_id}", calls=(QUERY,), seconds=1.5)


def made(path: Path, limit: str, changed: dict[int, Trace | None] | None = None) -> RunFolder:
    """A run on claims of the sample, all right but for those that are changed or left out."""
    plan = plan_run(sample(), limit)
    gold = zip(plan.claims.claim_ids, map(str, plan.claims.labels), strict=True)
    traces = {claim_id: right(claim_id, label) for claim_id, label in gold} | (changed or {})
    settings = Settings("openai/gpt-5-mini", "sample", plan.claims_sha256, limit=plan.limit)
    kept = [trace for trace in traces.values() if trace is not None]
    return write_run(path, settings, plan.claims.columns, kept)


@pytest.fixture
def ids() -> list[int]:
    """The claims of the sample in their order."""
    return sample().claim_ids


def test_a_row_for_each_claim(claimdb_command: Command, tmp_path: Path, ids: list[int]) -> None:
    made(tmp_path / "run", "1-5", {ids[1]: Trace(ids[1], "no_verdict", stop="turns", forced=True)})
    done = claimdb_command("predictions", "run", "--out", "mine.jsonl")
    assert done == (0, "mine.jsonl: 5 claims, 1 of them without a verdict\n", "")
    rows = rows_of(tmp_path / "mine.jsonl")
    assert [row["claim_id"] for row in rows] == ids[:5]
    assert rows[0] == {
        "claim_id": ids[0],
        "label": sample().labels[0],
        "justification": f"because {ids[0]}",
        "stop": "verdict",
        "forced": False,
        "sql_calls": 1,
        "tokens": 0,
        "seconds": 1.5,
    }
    assert (rows[1]["label"], rows[1]["stop"], rows[1]["sql_calls"]) == ("", "turns", 0)


def test_a_claim_without_a_verdict_is_wrong_and_not_missing(
    claimdb_command: Command, answer: Answer, tmp_path: Path, ids: list[int]
) -> None:
    run = made(tmp_path / "run", "1-144", {ids[1]: Trace(ids[1], "no_verdict", stop="turns")})
    assert answer("predictions", run.path, "--out", "mine.jsonl") == {
        "out": "mine.jsonl",
        "rows": 144,
        "without_verdict": 1,
    }
    found = answer("score", "mine.jsonl", "--split", "sample")
    assert (found["n"], found["n_invalid"], found["missing"]) == (144, 1, [])
    assert found["invalid"] == {str(ids[1]): '""'} or found["invalid"] == {ids[1]: '""'}
    assert found["accuracy"] == pytest.approx(143 / 144)
    code, out, err = claimdb_command("validate", "mine.jsonl", "--split", "sample")
    assert (code, err) == (1, "")
    assert "1 problem, 144 rows for 144 claims of sample" in out


def test_validate_has_nothing_to_say_of_a_whole_run(
    claimdb_command: Command, tmp_path: Path
) -> None:
    made(tmp_path / "run", "1-144")
    claimdb_command("predictions", "run", "--out", "mine.jsonl")
    code, out, err = claimdb_command("validate", "mine.jsonl", "--split", "sample")
    assert (code, err) == (0, "")
    assert "0 problems, 144 rows for 144 claims of sample" in out


def test_the_parts_of_a_split(claimdb_command: Command, tmp_path: Path) -> None:
    for name, limit in (("a", "1-20"), ("b", "21-40"), ("c", "1-40")):
        made(tmp_path / name, limit)
    assert claimdb_command("predictions", "a", "b", "--out", "parts.jsonl")[0] == 0
    assert claimdb_command("predictions", "c", "--out", "whole.jsonl")[0] == 0
    parts, whole = ((tmp_path / f"{name}.jsonl").read_bytes() for name in ("parts", "whole"))
    assert parts == whole
    assert whole.count(b"\n") == 40


@pytest.mark.parametrize("runs", [("a", "b"), ("b", "a"), ("a", "a")])
def test_parts_that_overlap(
    claimdb_command: Command, tmp_path: Path, ids: list[int], runs: tuple[str, str]
) -> None:
    made(tmp_path / "a", "1-20")
    made(tmp_path / "b", "20-40")
    code, out, err = claimdb_command("predictions", *runs, "--out", "x.jsonl")
    claim_id = ids[0] if runs == ("a", "a") else ids[19]
    assert (code, out) == (2, "")
    assert err == f"claimdb: claim {claim_id} is in {runs[0]} and in {runs[1]}\n"
    assert not (tmp_path / "x.jsonl").exists()


def test_an_incomplete_run(claimdb_command: Command, tmp_path: Path, ids: list[int]) -> None:
    failed = Trace(ids[1], "not_run", stop="error", error="429: too many\x1b[31m")
    made(tmp_path / "run", "1-5", {ids[0]: None, ids[1]: failed})
    code, out, err = claimdb_command("predictions", "run", "--out", "mine.jsonl")
    assert (code, out) == (2, "")
    assert "run is incomplete: 3 of 5 claims were run; the provider said: 429: too many" in err
    assert "\x1b" not in err
    assert not (tmp_path / "mine.jsonl").exists()
    done = claimdb_command("predictions", "run", "--out", "mine.jsonl", "--allow-partial")
    assert done == (0, "mine.jsonl: 3 claims, 0 of them without a verdict\n", "")
    assert [row["claim_id"] for row in rows_of(tmp_path / "mine.jsonl")] == ids[2:5]


@pytest.mark.parametrize("verb", [("predictions", "run", "--out", "x.jsonl"), ("score", "run")])
def test_a_run_of_which_nothing_is_done(
    claimdb_command: Command, tmp_path: Path, ids: list[int], verb: tuple[str, ...]
) -> None:
    made(tmp_path / "run", "1", {ids[0]: None})
    code, out, err = claimdb_command(*verb, "--allow-partial")
    assert (code, out, err) == (2, "", "claimdb: no claim of run has an outcome yet\n")
    assert not (tmp_path / "x.jsonl").exists()


def test_a_part_of_which_nothing_is_done(
    claimdb_command: Command, tmp_path: Path, ids: list[int]
) -> None:
    made(tmp_path / "a", "1-2")
    made(tmp_path / "b", "3-3", {ids[2]: None})
    options = ("--out", "x.jsonl", "--allow-partial")
    assert claimdb_command("predictions", "a", "b", *options)[0] == 0
    assert len(rows_of(tmp_path / "x.jsonl")) == 2


def test_labels_that_are_hidden(claimdb_command: Command, tmp_path: Path) -> None:
    columns: dict[str, list[Any]] = {
        "claim_id": [1, 2],
        "claim": ["Vita sails."] * 2,
        "db_name": ["ferry_lines"] * 2,
    }
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    (tmp_path / "hidden.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    from claimdb_harness.labelled_claims import from_file

    plan = plan_run(from_file(str(tmp_path / "hidden.jsonl")))
    settings = Settings("m", "hidden.jsonl", plan.claims_sha256)
    traces = [right(claim_id, LABELS[0]) for claim_id in (1, 2)]
    write_run(tmp_path / "run", settings, plan.claims.columns, traces)
    assert claimdb_command("predictions", "run", "--out", "x.jsonl")[0] == 0
    assert [row["label"] for row in rows_of(tmp_path / "x.jsonl")] == [LABELS[0]] * 2
    checked = claimdb_command("validate", "x.jsonl", "--references", "hidden.jsonl")
    assert (checked[0], checked[2]) == (0, "")
    code, out, err = claimdb_command("score", "run")
    assert (code, out) == (2, "")
    assert "2 of 2 labels of hidden.jsonl are hidden" in err


def test_words_that_no_file_can_hold(claimdb_command: Command, tmp_path: Path) -> None:
    claim_id = sample().claim_ids[0]
    said = "half \ud800, \u2028 and \x00"
    made(tmp_path / "run", "1", {claim_id: Trace(claim_id, "answered", LABELS[0], said)})
    assert claimdb_command("predictions", "run", "--out", "x.jsonl")[0] == 0
    assert rows_of(tmp_path / "x.jsonl")[0]["justification"] == said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nothing", "--out", "x.jsonl"), "no such run: nothing"),
        (("folder", "--out", "x.jsonl"), "folder is no folder of a run: no run.json"),
        (("file.jsonl", "--out", "x.jsonl"), "file.jsonl"),
        (("file.eval", "--out", "x.jsonl"), "file.eval is no log that Inspect can read"),
        (("nothing.eval", "--out", "x.jsonl"), "no such log: nothing.eval"),
        (("run", "--out", "x.csv"), "predictions are written as JSONL"),
        (("run", "--out", "no/x.jsonl"), "there is no folder no"),
        (("run", "--out", "folder"), "folder is a folder"),
        (("run",), "Missing option '--out'"),
        (("--out", "x.jsonl"), "Missing argument"),
    ],
)
def test_wrong_calls(
    claimdb_command: Command, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    made(tmp_path / "run", "1")
    (tmp_path / "folder").mkdir()
    for name in ("file.jsonl", "file.eval"):
        (tmp_path / name).write_text('{"claim_id": 1, "label": "ENTAILED"}\n')
    code, out, err = claimdb_command("predictions", *arguments)
    assert (code, out) == (2, "")
    assert message in " ".join(err.split())
    assert "Traceback" not in err
    assert not (tmp_path / "x.jsonl").exists()
