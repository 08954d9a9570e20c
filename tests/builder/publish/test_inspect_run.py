"""Inspect runs the task of a pushed benchmark: `inspect eval hf/NAME/claimdb/claimdb_public`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from claimdb_builder.publish.benchmark import read_benchmark
from claimdb_builder.publish.dataset_push import Push, push
from claimdb_builder.publish.eval_task import TASK_ID
from claimdb_loader.hub_head import Repo
from claimdb_metric.labels import LABELS
from tests.children import child_env, run_python
from tests.hub import LocalHub
from tests.loader.claim_files import claim, write_copy
from tests.pushes import OLD_CLIENT

pytest.importorskip("inspect_ai")

pytestmark = [pytest.mark.slow, OLD_CLIENT]

PUBLIC = [0, 2, 0, 1, 0, 1, 0, 2, 0, 1]
FIRST_ID = 30
"""Labels of the public test split: five ENTAILED, three CONTRADICTED, two NOT ENOUGH INFO."""

INSPECT = """
import sys
import tiktoken
from inspect_ai._cli.main import main
from inspect_ai.model._providers.mockllm import MockLLM

class Encoding:
    "Inspect counts tokens with a vocabulary that it would fetch from the network."
    def encode(self, text, **options):
        return text.split()

tiktoken.get_encoding = lambda name: Encoding()
for number, answer in enumerate(ANSWERS):
    MockLLM.default_output = answer
    sys.argv = ["inspect", "eval", TASK, "--model", "mockllm/model", "--log-dir", f"logs/{number}",
                "--log-format", "json", "--display", "none"]
    try:
        main()
    except SystemExit as exit_:
        assert not exit_.code, exit_.code
"""


def published(hub: LocalHub, folder: Path, *, db_name: str = "ferry_lines") -> str:
    """Push a benchmark with a public and a hidden test split; the sha of the commit."""
    copy = write_copy(
        folder,
        test_public=[claim(FIRST_ID + i, n, db_name) for i, n in enumerate(PUBLIC)],
        test_private=[claim(90 + i, None, db_name) for i in range(4)],
    )
    sent = push(read_benchmark(str(copy)), Repo("you/claimdb", token="hf_test"), Push()).sent
    assert sent is not None
    return sent.sha


def runs_of(hub: LocalHub, home: Path, task: str, *answers: str) -> Iterator[dict[str, Any]]:
    """The logs of runs in which the model gives one answer to every claim.

    They share a process, as each takes 4 s to import what Inspect needs.
    """
    env = child_env(home) | hub.env(home / "hf", token=None) | {"HF_HUB_OFFLINE": "0"}
    # Inspect keeps what it loaded, by the name of the repository, for later runs.
    env |= {name: str(home / "inspect") for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME")}
    code = f"TASK = {task!r}\nANSWERS = {answers!r}\n{INSPECT}"
    done = run_python(code, home, env)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    for number in range(len(answers)):
        (path,) = (home / "logs" / str(number)).glob("*.json")
        yield json.loads(path.read_text())


ACCURACIES = {"ANSWER: A": 0.5, "It cannot tell.\n\nANSWER: C": 0.2, "I do not know": 0.0}


def test_a_model_that_always_says_the_same(hub: LocalHub, tmp_path: Path) -> None:
    published(hub, tmp_path / "copy")
    logs = runs_of(hub, tmp_path, f"hf/you/claimdb/{TASK_ID}", *ACCURACIES)
    for log, accuracy in zip(logs, ACCURACIES.values(), strict=True):
        assert_scored(log, accuracy)


def assert_scored(log: dict[str, Any], accuracy: float) -> None:
    assert (log["status"], log["results"]["completed_samples"]) == ("success", len(PUBLIC))
    (scored,) = log["results"]["scores"]
    assert scored["name"] == "choice"
    assert scored["metrics"]["accuracy"]["value"] == pytest.approx(accuracy)
    samples = sorted(log["samples"], key=lambda sample: sample["id"])
    assert [sample["target"] for sample in samples] == ["ABC"[label] for label in PUBLIC]
    assert {tuple(sample["choices"]) for sample in samples} == {LABELS}
    metadata = [sample["metadata"] for sample in samples]
    assert [row["claim_id"] for row in metadata] == [*range(FIRST_ID, FIRST_ID + len(PUBLIC))]
    assert {row["db_name"] for row in metadata} == {"ferry_lines"}
    for sample in samples:
        # The question, then the choices; the schema is shown, and no label is given away.
        asked = sample["messages"][0]["content"]
        assert f"Claim: {sample['metadata']['claim']}" in asked
        assert "CREATE TABLE" in asked
        assert "A) ENTAILED\nB) CONTRADICTED\nC) NOT ENOUGH INFO" in asked


def test_an_older_commit_and_databases_that_are_not_here(hub: LocalHub, tmp_path: Path) -> None:
    sha = published(hub, tmp_path / "copy", db_name="far_away")
    hub.update_repo("you/claimdb", {}, delete=["eval.yaml", "data/inspect"])
    (log,) = runs_of(hub, tmp_path, f"hf/you/claimdb@{sha}", "ANSWER: B")
    assert log["status"] == "success"
    assert log["results"]["scores"][0]["metrics"]["accuracy"]["value"] == pytest.approx(0.3)
    assert not [s for s in log["samples"] if "schema" in s["messages"][0]["content"].lower()]
