"""`inspect eval claimdb/verify` from any folder, a killed one retried, and its log as a run."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog, read_eval_log

from claimdb_harness.labelled_claims import from_split
from claimdb_harness.prompts import prompt
from claimdb_harness.runs.runs import read_run
from claimdb_metric.errors import DataError
from tests.children import child_env, run_claimdb
from tests.harness.agents.scripts import YES
from tests.sandbox.processes import happens_within

pytestmark = pytest.mark.slow

TASKS = ("verify", "closed_book", "schema_only")
TASK_OPTIONS = ("split=sample", "limit=2-9", "prompt=taxonomy", "protocol=tools", "max_turns=3")


def inspect_command(*arguments: str) -> list[str]:
    return [sys.executable, "-P", "-m", "inspect_ai", *arguments]


def env_of(home: Path) -> dict[str, str]:
    return child_env(home, INSPECT_DISPLAY="none", INSPECT_LOG_DIR="logs")


def run_inspect(folder: Path, *arguments: str) -> None:
    done = subprocess.run(
        inspect_command(*arguments),
        cwd=folder,
        env=env_of(folder),
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]


def logs_in(folder: Path) -> list[Path]:
    return sorted((folder / "logs").glob("*.eval"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the three tasks were run."""
    folder = tmp_path_factory.mktemp("anywhere")
    options = [part for option in TASK_OPTIONS for part in ("-T", option)]
    names = [f"claimdb/{task}" for task in TASKS]
    run_inspect(folder, "eval", *names, "--model", "claimdb-scripted/demo", *options)
    return folder


@pytest.fixture(scope="module")
def logs(folder: Path) -> dict[str, EvalLog]:
    found = {}
    for path in logs_in(folder):
        log = read_eval_log(str(path))
        found[log.eval.task.removeprefix("claimdb/")] = log
    return found


@pytest.mark.parametrize("task", TASKS)
def test_a_log_holds_claims_and_settings(logs: Mapping[str, EvalLog], task: str) -> None:
    log = logs[task]
    assert (log.status, log.error) == ("success", None)
    assert log.eval.dataset.sample_ids == [*range(2, 10)]
    settings = (log.eval.metadata or {})["claimdb"]
    instructions = {
        "verify": prompt("taxonomy", "tools"),
        "closed_book": prompt("closed-book", "tools-verdict"),
        "schema_only": prompt("schema-only", "tools-verdict"),
    }[task]
    assert (settings["task"], settings["split"], settings["limit"]) == (task, "sample", "2-9")
    assert (settings["prompt"], settings["prompt_sha256"]) == (
        instructions.name,
        instructions.sha256,
    )
    assert settings["budget"]["max_turns"] == (3 if task == "verify" else 20)

    claims = from_split("sample").columns
    for sample in log.samples or []:
        at = claims["claim_id"].index(sample.id)
        assert type(sample.id) is int
        assert sample.metadata["claim_id"] == sample.id
        assert sample.metadata["category"] == (claims["category"][at] or "")
        assert sample.target == claims["label"][at]
        for name in ("db_name", "bird_id", "label"):
            assert sample.metadata[name] == claims[name][at]


@pytest.mark.parametrize("task", TASKS)
def test_inspects_scores_are_those_of_claimdb_score(
    folder: Path, logs: Mapping[str, EvalLog], task: str
) -> None:
    path = logs[task].location.removeprefix("file://")
    done = run_claimdb("score", path, "--json", cwd=folder, env=env_of(folder))
    assert done.returncode == 0, done.stderr
    score = json.loads(done.stdout)
    results = logs[task].results
    assert results is not None
    metrics: dict[str, Any] = {}
    for one in results.scores:
        metrics |= {name: metric.value for name, metric in one.metrics.items()}
    assert metrics["accuracy"] == score["accuracy"]
    assert metrics["macro_f1"] == score["macro_f1"]
    assert score["n"] == 8
    for group in ("question", "database"):
        low, high = (metrics[f"accuracy_by_{group}_{end}"] for end in ("low", "high"))
        assert [low, high] == score["intervals_by"][f"{group}s"]["accuracy"]
    for name in ("entailed", "contradicted", "not_enough_info"):
        assert metrics[f"{name}_recall"] == score[f"recall_{name}"]


def test_a_log_is_a_run(logs: Mapping[str, EvalLog]) -> None:
    run = read_run(Path(logs["verify"].location.removeprefix("file://")))
    assert (run.claims.claim_ids, run.pending) == ([*range(2, 10)], [])
    assert run.settings.model == "claimdb-scripted/demo"
    assert {trace.n_sql for trace in run.traces.values()} == {1}


def test_a_killed_evaluation_is_retried(tmp_path: Path) -> None:
    """Its first five claims are done at once, the others hang; a retry asks these again."""
    answer, hang = {"verdict": YES}, {"verdict": YES, "wait_s": 600}
    claims = {str(claim_id): [hang] for claim_id in range(6, 31)}
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"default": [answer], "claims": claims}))
    arguments = ["claimdb/verify", "--model", "claimdb-scripted/test", "-M", f"script={script}"]
    arguments += ["-T", "split=sample", "-T", "limit=30", "--log-buffer", "1"]
    running = subprocess.Popen(
        inspect_command("eval", *arguments),
        cwd=tmp_path,
        env=env_of(tmp_path),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def n_done() -> int:
        try:
            return len(read_run(logs_in(tmp_path)[0]).done)
        except (DataError, IndexError):
            return 0

    try:
        assert happens_within(lambda: n_done() == 5, 60)
    finally:
        running.send_signal(signal.SIGKILL)
        running.wait()
    (killed,) = logs_in(tmp_path)
    run = read_run(killed)
    assert read_eval_log(str(killed), header_only=True).status == "started"
    assert [trace.claim_id for trace in run.done] == [1, 2, 3, 4, 5]
    assert run.pending == [*range(6, 31)]
    done = run_claimdb("score", str(killed), cwd=tmp_path, env=env_of(tmp_path))
    assert done.returncode == 2
    assert "5 of 30 claims were run" in done.stderr

    script.write_text(json.dumps({"default": [answer]}))
    run_inspect(tmp_path, "eval-retry", str(killed))
    (retried,) = set(logs_in(tmp_path)) - {killed}
    run = read_run(retried)
    assert (run.pending, len(run.done)) == ([], 30)
    assert read_eval_log(str(retried), header_only=True).status == "success"


def test_several_answers_to_a_claim_are_no_run(tmp_path: Path) -> None:
    options = ["-T", "split=sample", "-T", "limit=1", "--epochs", "2"]
    run_inspect(tmp_path, "eval", "claimdb/verify", "--model", "claimdb-scripted/demo", *options)
    (log,) = logs_in(tmp_path)
    with pytest.raises(DataError, match="several answers to each claim"):
        read_run(log)
