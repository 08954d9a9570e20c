"""`claimdb compare`, called as its users call it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

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
    assert "3 systems on 144 claims" in out
    assert "3 pairs on 144 claims: paired bootstrap" in out
    assert "Exact McNemar test of accuracy" in out
    assert "best - good" in out
    assert out.count("p (Holm)") == 2
    assert "|ci:boot10000|seed:12345|groups:db_name/3|" in out


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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["best.jsonl"], "at least two systems, got 1"),
        (["best.jsonl", "./best.jsonl"], "the same file twice"),
        (["best.jsonl", "good.jsonl", "--baseline", "worst"], "there are best, good"),
        (["best.jsonl", "nothing.jsonl"], "nothing.jsonl"),
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
