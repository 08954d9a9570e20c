"""What tells runs apart by the names of their files."""

from __future__ import annotations

from pathlib import Path

import pytest

from claimdb_harness.run_names import run_names
from claimdb_metric.errors import DataError


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["a.jsonl"], ["a"]),
        (["a.jsonl", "b.csv"], ["a", "b"]),
        (["x/p.jsonl", "y/p.jsonl"], ["x", "y"]),
        (["1/x/p.jsonl", "2/x/p.jsonl", "q.json"], ["1/x/p", "2/x/p", "q"]),
        (["1/x/p.jsonl", "2/x/p.jsonl"], ["1", "2"]),
        (["gpt-4.1.jsonl", "gpt-4.2.jsonl"], ["gpt-4.1", "gpt-4.2"]),
        (["p.jsonl", "p.csv"], ["p.jsonl", "p.csv"]),
    ],
)
def test_names(paths: list[str], names: list[str]) -> None:
    assert run_names(paths) == names


@pytest.mark.parametrize("paths", [["p.jsonl", "x/p.jsonl"], ["/p.jsonl", "/x/p.jsonl"]])
def test_a_file_and_one_of_the_same_name_below_it(paths: list[str]) -> None:
    assert len(set(run_names(paths))) == 2


@pytest.mark.parametrize("again", ["./a.jsonl", "x/../a.jsonl", "link.jsonl"])
def test_the_same_run_twice_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, again: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").mkdir()
    (tmp_path / "a.jsonl").touch()
    (tmp_path / "link.jsonl").symlink_to("a.jsonl")
    with pytest.raises(DataError, match="the same file twice"):
        run_names(["a.jsonl", again])
