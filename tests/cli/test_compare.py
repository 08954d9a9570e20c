"""`claimdb compare`, called as its users call it."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import subprocess
import sys
import termios
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.children import child_env
from tests.cli.conftest import Call
from tests.harness.runs import right_labels, write_run, wrong


@pytest.fixture
def runs(tmp_path: Path) -> list[str]:
    """Three runs: all right, every fourth claim wrong, every second claim wrong."""
    labels = right_labels()
    made = {"best": 10**9, "good": 4, "poor": 2}
    for name, step in made.items():
        guesses = {k: wrong(v) if k % step == step - 1 else v for k, v in labels.items()}
        write_run(tmp_path / f"{name}.jsonl", guesses)
    return [f"{name}.jsonl" for name in made]


def test_tables_for_people(claimdb_command: Call, runs: list[str]) -> None:
    code, out, err = claimdb_command("compare", *runs, "--split", "sample", "--group-by", "db_name")
    assert (code, err) == (0, "")
    assert "3 systems on 144 claims of sample" in out
    assert "3 pairs on 144 claims: paired bootstrap" in out
    assert "Exact McNemar test of accuracy" in out
    assert "best - good" in out
    assert out.count("p (Holm)") == 2
    assert "|ci:boot10000|seed:12345|groups:db_name/3-" in out


@pytest.mark.parametrize(
    ("n_groups", "note"),
    [
        (2, "only 2 groups: intervals are too narrow, and no p-value can be under 0.05"),
        (6, "only 6 groups: intervals are too narrow, and p-values too small"),
    ],
)
def test_few_groups_are_pointed_out(
    claimdb_command: Call, tmp_path: Path, n_groups: int, note: str
) -> None:
    rows = [f"{claim_id},ENTAILED,{claim_id % n_groups}" for claim_id in range(60)]
    (tmp_path / "gold.csv").write_text("\n".join(["claim_id,label,topic", *rows]))
    write_run(tmp_path / "a.jsonl", dict.fromkeys(range(60), 0))
    write_run(tmp_path / "b.jsonl", {n: int(n % 7 == 0) for n in range(60)})
    runs = ("a.jsonl", "b.jsonl", "--references", "gold.csv", "--group-by", "topic")
    assert f"{note}\n" in claimdb_command("compare", *runs)[1]


def test_one_pair_needs_no_correction(claimdb_command: Call, runs: list[str]) -> None:
    code, out, _ = claimdb_command("compare", *runs[:2], "--split", "sample")
    assert code == 0
    assert "best and good on 144 claims: paired bootstrap" in out
    assert "Holm" not in out


def test_json_for_programs(answer: Callable[..., Any], runs: list[str]) -> None:
    found = answer("compare", *runs, "--split", "sample", "--baseline", "good")
    assert list(found["systems"]) == ["best", "good", "poor"]
    assert found["systems"]["best"]["accuracy"] == 1.0
    assert [(pair["a"], pair["b"]) for pair in found["pairs"]] == [
        ("best", "good"),
        ("poor", "good"),
    ]
    best, poor = found["pairs"]
    assert best["accuracy_effect"] > 0 > poor["accuracy_effect"]
    assert best["accuracy_p_holm"] >= best["accuracy_p_value"]
    assert best["only_b_right"] == 0


def test_what_is_missing_in_a_run_is_said(
    claimdb_command: Call, runs: list[str], tmp_path: Path
) -> None:
    labels: dict[int, str] = right_labels()
    labels.popitem()
    labels[next(iter(labels))] = "?"
    write_run(tmp_path / "poor.jsonl", labels)
    out = claimdb_command("compare", *runs, "--split", "sample")[1]
    lines = [line.split() for line in out.split("\n")]
    assert [line[-2:] for line in lines if line[:1] == ["poor"]] == [["1", "1"]]
    assert "poor: 1 claim has no prediction, counted as wrong: " in out


def test_no_number_is_ever_cut(runs: list[str], tmp_path: Path) -> None:
    """On a terminal too, however narrow."""
    name = "a-model-with-a-rather-long-name"
    (tmp_path / "good.jsonl").rename(tmp_path / f"{name}.jsonl")
    command = f"claimdb compare best.jsonl {name}.jsonl --split sample"
    program = [sys.executable, "-P", "-m", "claimdb_cli", *command.split()[1:]]
    piped = subprocess.run(
        program, cwd=tmp_path, env=child_env(tmp_path), capture_output=True, text=True, check=True
    ).stdout
    assert f"best - {name}  accuracy" in piped
    numbers = set(re.findall(r"[\d.]{5,}", piped)) - {"0.3.2"}
    for columns in (40, 300):
        shown = on_a_terminal(program, tmp_path, columns)
        assert {number for number in numbers if number not in shown} == set()


def on_a_terminal(program: list[str], folder: Path, columns: int) -> str:
    parent, child = pty.openpty()
    termios.tcsetwinsize(child, (50, columns))
    env = {name: value for name, value in child_env(folder).items() if name != "COLUMNS"}
    with subprocess.Popen(program, cwd=folder, env=env, stdout=child, stderr=child) as running:
        os.close(child)
        text = b""
        with contextlib.suppress(OSError):  # the terminal closes with the process
            while part := os.read(parent, 65536):
                text += part
        assert running.wait() == 0
    os.close(parent)
    return text.decode()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["best.jsonl"], "at least two systems, got 1"),
        (["best.jsonl", "./best.jsonl"], "the same file twice"),
        (["best.jsonl", "good.jsonl", "--baseline", "worst"], "there are best, good"),
        (["best.jsonl", "nothing.jsonl", "no.csv"], "no such file: nothing.jsonl, no.csv"),
        ([], "Missing argument"),
    ],
)
def test_wrong_input_is_one_message_and_exit_code_2(
    claimdb_command: Call, runs: list[str], arguments: list[str], message: str
) -> None:
    code, out, err = claimdb_command("compare", *arguments, "--split", "sample")
    assert (code, out) == (2, "")
    assert message in " ".join(err.split())
    assert "Traceback" not in err
