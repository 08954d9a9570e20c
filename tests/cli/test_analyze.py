"""`claimdb analyze`, called as its users call it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from claimdb_harness.runs.traces import Tokens, Trace
from tests.cli.conftest import Call
from tests.harness.analysis.made_runs import C, E, answer, claims_of, failed, made_run

Answer = Callable[..., Any]

COUNT = answer("SELECT COUNT(*) FROM trip", "48")
WRONG = failed("SELECT 1 FROM nowhere", "no such table: nowhere")
TOKENS = Tokens(input=1_000_000)
TRACES = [
    Trace(1, "answered", E, "There are 48.", calls=(COUNT, WRONG), tokens=TOKENS),
    Trace(2, "answered", C, "There are 47.", calls=(COUNT,), tokens=TOKENS),
]


@pytest.fixture(autouse=True)
def runs(tmp_path: Path) -> None:
    """Two runs, one of them incomplete and with hidden labels."""
    made_run(tmp_path / "mine", TRACES, claims_of(2))
    hidden = claims_of(3, label=["HIDDEN"] * 3)
    made_run(tmp_path / "theirs", TRACES[:1], hidden, "lab/new\x1b[2J")


def test_tables(claimdb_command: Call) -> None:
    code, out, err = claimdb_command("analyze", "mine", "theirs")
    assert (code, err) == (0, "")
    lines = out.split("\n")
    assert lines[0] == "Verdicts"
    assert lines[3].split()[:3] == ["openai/gpt-5-mini", "2", "0.500"]
    assert lines[4].split()[:3] == ["lab/new\N{REPLACEMENT CHARACTER}[2J", "1/3", "–"]
    assert "no such table" in out
    said = " ".join(out.split())
    assert "incomplete, 1/3 claims; 2 not run and left out" in said
    assert "labels are hidden" in said
    assert "no price is known, give --prices FILE: lab/new" in said
    assert "dollars are list prices as of 20" in said


def test_one_document(answer: Answer) -> None:
    found = answer("analyze", "mine", "theirs")
    assert [run["model"] for run in found["runs"]] == ["openai/gpt-5-mini", "lab/new\x1b[2J"]
    assert found["runs"][0]["score"]["accuracy"] == 0.5
    assert found["runs"][0]["costs"]["usd"] == 0.25
    assert (found["runs"][1]["score"], found["figures"]) == (None, [])
    assert len(found["prices"]["as_of"]) == 10
    assert len(found["notes"]) == 5


def test_prices_of_ones_own(answer: Answer, tmp_path: Path) -> None:
    models = {"lab/new\x1b[2J": {"input": 7, "cached": 0, "output": 0}}
    prices = {"as_of": "2026-02-01", "source": "us", "usd_per_million_tokens": models}
    (tmp_path / "prices.json").write_text(json.dumps(prices))
    found = answer("analyze", "mine", "theirs", "--prices", "prices.json")
    assert [run["costs"]["usd"] for run in found["runs"]] == [None, 7.0]
    assert found["prices"] == {"as_of": "2026-02-01", "source": "us"}
    assert "dollars are list prices as of 2026-02-01 (us)" in found["notes"]


def test_figures(claimdb_command: Call, answer: Answer, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    code, out, _ = claimdb_command("analyze", "mine", "--figures", "drawn")
    assert (code, out.count("\nwrote drawn/")) == (0, 6)
    before = {path: path.read_bytes() for path in (tmp_path / "drawn").iterdir()}
    found = answer("analyze", "mine", "--figures", "drawn")
    assert sorted(found["figures"]) == sorted(f"drawn/{path.name}" for path in before)
    assert {path: path.read_bytes() for path in before} == before


WRONG_CALLS = {
    ("gone",): "no such run: gone",
    (".",): "is no folder of a run",
    ("mine", "./mine"): "the same run twice",
    ("mine", "--figures", "mine/run.json"): "mine/run.json is a file",
    ("mine", "--prices", "gone.json"): "No such file or directory: gone.json",
    ("mine", "--prices", "mine/run.json"): "run.json: as_of None is no day YYYY-MM-DD",
    ("mine", "--prices", "mine/traces.jsonl"): "traces.jsonl: not JSON",
}


@pytest.mark.parametrize("arguments", WRONG_CALLS)
def test_wrong_calls(claimdb_command: Call, arguments: tuple[str, ...]) -> None:
    code, out, err = claimdb_command("analyze", *arguments)
    assert (code, out) == (2, "")
    assert WRONG_CALLS[arguments] in err
    assert err.count("\n") == 1


def test_without_a_run(claimdb_command: Call) -> None:
    assert claimdb_command("analyze")[0] == 2
