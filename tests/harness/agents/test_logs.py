"""A log of Inspect's as a run: what is not claimdb's, or damaged, is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample

from claimdb_harness.agents.run import evaluate
from claimdb_harness.runs.runs import read_run
from claimdb_metric.errors import DataError
from tests.harness.agents.scripts import YES, Recorder, collected, play, recording


def test_a_log_of_another_task(tmp_path: Path) -> None:
    with collected():
        task = Task(name="sums", dataset=[Sample(input="1 + 1", target="2")], solver=[])
        evaluate(task, recording({"default": []}, Recorder()), tmp_path)
    (log,) = tmp_path.glob("*.eval")
    with pytest.raises(DataError, match="is a log of task sums, not of a task of claimdb's"):
        read_run(log)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"{}", b"\x00" * 1000])
def test_a_file_that_is_no_log(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.eval").write_bytes(content)
    with pytest.raises(DataError, match=r"a\.eval is no log that Inspect can read"):
        read_run(tmp_path / "a.eval")


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such log"):
        read_run(tmp_path / "a.eval")


def test_a_log_cut_short(tmp_path: Path) -> None:
    played = play(tmp_path, {"one": [{"verdict": YES}], "two": [{"verdict": YES}]})
    content = played.log.read_bytes()
    played.log.write_bytes(content[: len(content) // 2])
    with pytest.raises(DataError, match="is no log that Inspect can read"):
        read_run(played.log)


def test_claims_that_the_provider_failed_were_not_run(tmp_path: Path) -> None:
    played = play(tmp_path, {"failed": [{"error": 401}], "answered": [{"verdict": YES}]})
    run = read_run(played.log)
    assert [run.traces[1].outcome, run.traces[2].outcome] == ["not_run", "answered"]
    assert run.traces[1].error == "ScriptedError: the script says 401"
    assert (run.pending, run.not_begun) == ([1], ())
