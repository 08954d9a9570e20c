"""`claimdb baseline`, called as its users call it."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Call
from tests.hub import LocalHub
from tests.loader.claim_files import claim, jsonl, write_copy

SAMPLE = ("--split", "sample")


def labels_in(path: Path) -> list[str]:
    return [json.loads(line)["label"] for line in path.read_text().split("\n")[:-1]]


@pytest.mark.parametrize("name", ["majority", "random", "claim-only"])
def test_what_it_writes_can_be_scored(
    claimdb_command: Call, answer: Callable[..., Any], tmp_path: Path, name: str
) -> None:
    code, out, err = claimdb_command("baseline", name, *SAMPLE, "--out", "run.jsonl")
    assert (code, err) == (0, "")
    assert out.startswith(f"{name}: 144 predictions for sample in run.jsonl\nNext: claimdb score")
    found = answer("score", "run.jsonl", *SAMPLE)
    assert (found["n"], found["n_invalid"], found["missing"]) == (144, 0, [])
    assert found["accuracy"] == pytest.approx({"claim-only": 0.52}.get(name, 0.33), abs=0.1)


def test_majority_is_one_label_and_random_is_each_of_them(
    answer: Callable[..., Any], tmp_path: Path
) -> None:
    answer("baseline", "majority", *SAMPLE, "--out", "m.jsonl")
    assert len(Counter(labels_in(tmp_path / "m.jsonl"))) == 1
    for seed, out in ((1, "a.jsonl"), (1, "b.jsonl"), (2, "c.jsonl")):
        answer("baseline", "random", *SAMPLE, "--seed", seed, "--out", out)
    a, b, c = (labels_in(tmp_path / f"{name}.jsonl") for name in "abc")
    assert a == b != c
    assert len(Counter(a)) == 3


def test_claim_only_by_database(answer: Callable[..., Any], tmp_path: Path) -> None:
    for group in ("bird_id", "db_name"):
        found = answer("baseline", "claim-only", *SAMPLE, "--group-by", group, "--out", group)
        assert found == {"baseline": "claim-only", "split": "sample", "n": 144, "out": group}
    assert labels_in(tmp_path / "bird_id") != labels_in(tmp_path / "db_name")


def test_hidden_labels_are_only_guessed_at_random(claimdb_command: Call, copy: str) -> None:
    options = ("--split", "test_private", "--data-dir", copy, "--out", "run.jsonl")
    assert claimdb_command("baseline", "random", *options)[0] == 0
    code, _, err = claimdb_command("baseline", "majority", *options)
    assert code == 2
    assert "labels of test_private are hidden" in err


@pytest.mark.parametrize(
    "arguments",
    [
        ["claim-only"],
        ["best", "--out", "x"],
        ["random", "--out", "no/such/folder/x"],
        ["random", "--seed", "-1", "--out", "x"],
        ["claim-only", "--group-by", "label", "--out", "x"],
    ],
)
def test_wrong_input_is_exit_code_2(claimdb_command: Call, arguments: list[str]) -> None:
    code, _, err = claimdb_command("baseline", *arguments, *SAMPLE)
    assert code == 2
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("split", "verb"), [("test_public", "score"), ("test_private", "validate")]
)
def test_what_comes_next_names_the_same_claims(
    claimdb_command: Call, tmp_path: Path, split: str, verb: str
) -> None:
    """The line can be copied: it is carried out as it stands."""
    folder = tmp_path / "my claims"
    write_copy(folder, test_public=[claim(1)], test_private=[claim(2, None)])
    options = ("--split", split, "--data-dir", "my claims", "--out", "a run.jsonl")
    code, out, _ = claimdb_command("baseline", "random", *options)
    assert code == 0
    line = out.splitlines()[-1]
    assert line == f"Next: claimdb {verb} 'a run.jsonl' --split {split} --data-dir 'my claims'"
    code, _, err = claimdb_command(*shlex.split(line)[2:])
    assert (code, err) == (0, "")


def test_what_comes_next_names_the_repository(
    claimdb_command: Call, hub: LocalHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.add_repo("you/claimdb", {"test-public.jsonl": jsonl([claim(1), claim(2, 1)])})
    options = ("--repo-id", "you/claimdb", "--out", "run.jsonl")
    code, out, _ = claimdb_command("baseline", "random", *options)
    assert code == 0
    line = out.splitlines()[-1]
    assert line == "Next: claimdb score run.jsonl --split test_public --repo-id you/claimdb"
    code, _, err = claimdb_command(*shlex.split(line)[2:])
    assert (code, err) == (0, "")


def test_what_comes_next_without_options(
    claimdb_command: Call, copy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAIMDB_DATA_DIR", copy)
    out = claimdb_command("baseline", "majority", "--out", "run.jsonl")[1]
    assert out.endswith("Next: claimdb score run.jsonl --split test_public\n")
