"""`claimdb score` on runs that cannot be scored, or not as a whole."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Call
from tests.cli.test_predictions import made
from tests.harness.runs import sample

Answer = Callable[..., Any]


@pytest.mark.parametrize(
    "arguments",
    [
        ("score", "run"),
        ("score", "run", "--split", "sample"),
        ("compare", "whole", "run", "--split", "sample"),
        ("predictions", "whole", "run", "--out", "x.jsonl"),
    ],
)
def test_an_incomplete_run_is_refused(
    claimdb_command: Call, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    ids = sample().claim_ids
    made(tmp_path / "run", "1-5", {ids[2]: None})
    made(tmp_path / "whole", "6-144")
    code, out, err = claimdb_command(*arguments)
    assert (code, out) == (2, "")
    assert "run is incomplete: 4 of 5 claims were run" in err


def test_only_what_a_run_got_to(answer: Answer, tmp_path: Path) -> None:
    ids = sample().claim_ids
    made(tmp_path / "run", "1-5", {ids[2]: None})
    found = answer("score", "run", "--allow-partial")
    assert (found["n"], found["accuracy"], found["missing"]) == (4, 1, [])
    whole = answer("score", "run", "--allow-partial", "--split", "sample")
    assert (whole["n"], len(whole["missing"])) == (144, 140)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("folder",), "folder is no folder of a run: no run.json"),
        (("file.eval",), "file.eval is no log that Inspect can read"),
        (("nothing.eval",), "no such file: nothing.eval"),
        (("folder", "--split", "sample"), "folder is no folder of a run: no run.json"),
        (("run", "--split", "sample", "--references", "x"), "not both"),
        (("run", "--by", "mood"), "no column 'mood'"),
        (("run", "--group-by", "mood"), "no column 'mood'"),
    ],
)
def test_wrong_calls(
    claimdb_command: Call, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    made(tmp_path / "run", "1-5")
    (tmp_path / "folder").mkdir()
    (tmp_path / "file.eval").write_text("{}")
    code, out, err = claimdb_command("score", *arguments)
    assert (code, out) == (2, "")
    assert message in " ".join(err.split())
    assert "Traceback" not in err
