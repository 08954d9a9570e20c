"""`datasets` in a child process, with the local hub as its Hub: push, load, stream."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.hub import LocalHub

PUSH_AND_LOAD = """
import json
from datasets import Dataset, DatasetDict, get_dataset_config_names, load_dataset
from huggingface_hub import HfApi

def corpus(count):
    return DatasetDict({
        "train": Dataset.from_dict({"claim": [f"c{i}" for i in range(count)]}),
        "test": Dataset.from_dict({"claim": ["t"]}),
    })

def commits(revision="main"):
    found = HfApi().list_repo_commits("you/x", repo_type="dataset", revision=revision)
    return [commit.title for commit in found]

said = {}
corpus(3).push_to_hub("you/x", commit_message="easy")
corpus(5).push_to_hub("you/x", "hard", commit_message="hard")
said["commits"] = commits()
corpus(3).push_to_hub("you/x", commit_message="again")
said["commits after the same push"] = commits()
said["pull request"] = corpus(4).push_to_hub("you/x", create_pr=True).pr_num
said["rows in the pull request"] = load_dataset("you/x", revision="refs/pr/1").num_rows
corpus(7).push_to_hub("you/x", revision="next", commit_message="seven")
said["commits on the branch"] = commits("next")
said["rows on the branch"] = load_dataset("you/x", revision="next").num_rows
said["configs"] = get_dataset_config_names("you/x")
said["rows"] = {c: load_dataset("you/x", c).num_rows for c in ("default", "hard")}
stream = load_dataset("you/x", "hard", split="train", streaming=True)
said["streamed"] = [row["claim"] for row in stream]
lines = load_dataset("o/lines", split="train")
said["json lines"] = lines["n"][:]
streamed = load_dataset("o/lines", split="train", streaming=True)
said["json lines streamed"] = [row["n"] for row in streamed.take(2)]
print(json.dumps(said))
"""

LOAD_PRIVATE = """
import json
from datasets import load_dataset
try:
    said = load_dataset("you/private", split="train")["n"][:]
except Exception as error:
    said = type(error).__name__
print(json.dumps(said))
"""


def run(hub: LocalHub, home: Path, code: str, token: str | None = "hf_test") -> Any:
    """What a child process prints last, as JSON."""
    child = subprocess.run(
        [sys.executable, "-c", code],
        env=hub.env(home, token=token),
        cwd=home,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    return json.loads(child.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The findings of one child that pushes and loads: it takes seconds to start."""
    with LocalHub() as hub:
        hub.add_repo("o/lines", {"train.jsonl": b'{"n": 1}\n{"n": 2}\n{"n": 3}\n'})
        found = run(hub, tmp_path_factory.mktemp("home"), PUSH_AND_LOAD)
        assert (hub.unrouted, hub.crashes) == ([], [])
        files = hub.files("you/x")
        assert all(files[f].startswith(b"PAR1") for f in files if f.endswith(".parquet"))
        return {**found, "files": sorted(files)}


SPLITS = ("test-00000-of-00001.parquet", "train-00000-of-00001.parquet")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("commits", ["hard", "easy", "initial commit"]),
        ("commits after the same push", ["hard", "easy", "initial commit"]),
        ("pull request", 1),
        ("rows in the pull request", {"train": 4, "test": 1}),
        ("commits on the branch", ["seven", "hard", "easy", "initial commit"]),
        ("rows on the branch", {"train": 7, "test": 1}),
        ("configs", ["default", "hard"]),
        ("rows", {"default": {"train": 3, "test": 1}, "hard": {"train": 5, "test": 1}}),
        ("streamed", ["c0", "c1", "c2", "c3", "c4"]),
        ("json lines", [1, 2, 3]),
        ("json lines streamed", [1, 2]),
        (
            "files",
            [".gitattributes", "README.md"]
            + [f"{folder}/{name}" for folder in ("data", "hard") for name in SPLITS],
        ),
    ],
)
def test_what_datasets_pushes_it_loads_back(
    said: dict[str, Any], question: str, answer: object
) -> None:
    assert said[question] == answer


@pytest.mark.parametrize(("token", "answer"), [("hf_read", [1]), (None, "DatasetNotFoundError")])
def test_a_private_dataset_needs_a_token(tmp_path: Path, token: str | None, answer: object) -> None:
    with LocalHub() as hub:
        hub.add_repo("you/private", {"train.jsonl": b'{"n": 1}\n'}, private=True)
        assert run(hub, tmp_path, LOAD_PRIVATE, token) == answer
