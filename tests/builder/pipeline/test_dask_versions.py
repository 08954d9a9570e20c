"""Dask workers with other versions than here, or without ClaimDB, are refused."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from claimdb_builder.pipeline import dask_executor
from claimdb_metric.errors import UnavailableError
from tests.builder.pipeline.commands import ended
from tests.builder.pipeline.dask_clusters import cluster
from tests.builder.pipeline.made_runs import question_file, rows, zoo

HERE = dask_executor.versions()


class Client:
    """What is asked of Dask's client: the result of a function by worker."""

    def __init__(self, *answers: dict[str, str] | Exception) -> None:
        self.answers = answers

    def run(self, function: Callable[[], Any]) -> dict[str, Any]:
        assert function.__name__ == "versions"
        for answer in self.answers:
            if isinstance(answer, Exception):
                raise answer
        return {f"tcp://a:{n}": answer for n, answer in enumerate(self.answers)}


def check(*answers: dict[str, str] | Exception) -> None:
    dask_executor._check_workers(Client(*answers), "a:1")


def test_versions_are_those_that_bytes_depend_on() -> None:
    assert list(HERE) == ["claimdb", "sqlglot", "sqlite"]
    assert [*HERE.values()] == [version("claimdb"), version("sqlglot"), sqlite3.sqlite_version]


@pytest.mark.parametrize("name", HERE)
def test_a_worker_with_another_version_is_named(name: str) -> None:
    check(HERE, HERE)
    other = HERE | {name: "0.0.1"}
    with pytest.raises(UnavailableError) as caught:
        check(HERE, other)
    assert str(caught.value) == (
        f"Dask worker tcp://a:1 has {other}, here it is {HERE}; install the same there"
    )


def test_another_version_here_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def versions() -> dict[str, str]:
        return HERE | {"sqlite": "3.0.0"}

    monkeypatch.setattr(dask_executor, "versions", versions)
    with pytest.raises(UnavailableError, match=r"tcp://a:0 has .*, here it is .*'3\.0\.0'"):
        check(HERE)


def test_workers_without_claimdb_and_no_workers_are_told() -> None:
    with pytest.raises(UnavailableError, match=r"at a:1 cannot import ClaimDB \(no claimdb_b"):
        check(ModuleNotFoundError("no claimdb_builder"))
    with pytest.raises(UnavailableError, match=r"at a:1 has no workers; start some"):
        check()


@pytest.mark.slow
def test_a_real_worker_with_another_sqlite_stops_the_build_before_it_begins(tmp_path: Path) -> None:
    zoo(tmp_path / "dbs")
    question_file(tmp_path / "q.jsonl", rows(6))
    (tmp_path / "older.py").write_text("import sqlite3\nsqlite3.sqlite_version = '3.0.0'\n")
    with cluster(tmp_path, 1, "--preload", "older.py") as (url, _):
        arguments = ("--questions", "q.jsonl", "--databases", "dbs", "--out", "run")
        code, out, err = ended(tmp_path, "build", *arguments, "--executor", url)
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert err.startswith("claimdb: Dask worker tcp://")
    assert "'sqlite': '3.0.0'}, here it is " in err
    assert err.endswith("; install the same there\n")
    assert not (tmp_path / "run").exists()
