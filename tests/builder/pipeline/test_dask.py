"""Builds on a Dask cluster: a real scheduler and real workers, on this machine."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from claimdb_builder.pipeline import dask_executor
from claimdb_builder.pipeline.executors import open_executor
from claimdb_metric.errors import DataError, UnavailableError
from tests.builder.pipeline.commands import command, ended
from tests.builder.pipeline.dask_clusters import cluster
from tests.builder.pipeline.made_runs import (
    SLOW_SQL,
    WRONG_SQLS,
    built,
    files_of,
    question_file,
    row,
    rows,
    zoo,
)
from tests.conftest import _free_port
from tests.sandbox.long_queries import ENDLESS
from tests.sandbox.processes import happens_within

pytestmark = pytest.mark.slow
ARGUMENTS = ("build", "--questions", "questions.jsonl", "--databases", "dbs", "--out")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for name in ("zoo", "farm"):
        zoo(tmp_path / "dbs", name)
    wrong = [row(sql, "farm") for sql in WRONG_SQLS.values()]
    question_file(tmp_path / "questions.jsonl", rows(150, ("zoo", "farm")) + wrong)
    return tmp_path


def test_two_workers_give_the_same_bytes_as_processes(home: Path) -> None:
    with cluster(home, 2) as (url, _):
        code, out, err = ended(home, *ARGUMENTS, "dask", "--executor", url)
        assert (code, err) == (0, "")
        assert "after stage answers" in out
    built(home / "inline", home / "questions.jsonl", home / "dbs")
    assert files_of(home / "dask") == files_of(home / "inline")


def test_a_dask_build_resumes_and_workers_may_die(home: Path) -> None:
    """Its work goes to the other worker."""
    slow = [row(SLOW_SQL.format(steps=50_000 + n)) for n in range(32)]
    question_file(home / "questions.jsonl", slow)
    with cluster(home, 2) as (url, workers):
        with command(home, *ARGUMENTS, "dask", "--executor", url) as running:
            running.wait_for(lambda: any((home / "dask").glob("stages/deterministic-*/part.jsonl")))
            workers[0].kill()
            code, _, err, _ = running.ending()
            assert (code, err) == (0, "")
        with command(home, *ARGUMENTS, "stopped", "--executor", url) as running:
            running.wait_for(lambda: any((home / "stopped").glob("stages/execute-*/part.jsonl")))
            running.kill()
            running.wait()
        code, _, err = ended(home, *ARGUMENTS, "stopped", "--executor", url)
        assert (code, err) == (0, "")
    built(home / "inline", home / "questions.jsonl", home / "dbs")
    for run in ("dask", "stopped"):
        assert files_of(home / run) == files_of(home / "inline")


IMPATIENT = """
from claimdb_builder.pipeline import dask_executor, executors
dask_executor.WITHOUT_WORKERS_S = executors.LOOK_S = 0.5
from claimdb_cli.main import run
run()
"""


def test_a_cluster_that_loses_all_its_workers_is_a_clear_error(home: Path) -> None:
    slow = [row(SLOW_SQL.format(steps=400_000 + n)) for n in range(24)]
    question_file(home / "questions.jsonl", slow)
    start = [sys.executable, "-P", "-c", IMPATIENT]
    with (
        cluster(home, 1) as (url, workers),
        command(home, *ARGUMENTS, "dask", "--executor", url, start=start) as running,
    ):
        running.wait_for(lambda: any((home / "dask").glob("stages/deterministic-*/part.jsonl")))
        workers[0].kill()
        assert happens_within(lambda: running.poll() is not None, 10)
        code, out, err, _ = running.ending()
        assert (code, out, len(err.splitlines())) == (2, "", 1)
        assert err.startswith(f"claimdb: the Dask cluster at {url.removeprefix('dask://')} has had")
        assert "give the same command again" in err


class Client:
    """What is asked of Dask's client."""

    status = "running"
    workers: tuple[str, ...] = ("tcp://a:1",)

    def scheduler_info(self, n_workers: int) -> dict[str, object]:
        return {"workers": dict.fromkeys(self.workers)}


@pytest.mark.parametrize("lost", [{"workers": ()}, {"status": "connecting"}], ids=str)
def test_a_cluster_may_be_without_workers_for_a_while(
    monkeypatch: pytest.MonkeyPatch, lost: dict[str, object]
) -> None:
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    client = Client()
    watch = dask_executor._Watch(client, "a:1")
    for now in (150.0, 220.0):
        watch()
        vars(client).update(lost)
        now += dask_executor.WITHOUT_WORKERS_S
        watch()
        vars(client).clear()
    vars(client).update(lost)
    now += 1
    with pytest.raises(UnavailableError, match="a:1 has had no worker for 10 s"):
        watch()


def test_ctrl_c_does_not_wait_for_the_cluster(home: Path) -> None:
    sql = ENDLESS.replace("count(*)", "count(*) + (SELECT count(*) FROM pet)")
    question_file(home / "questions.jsonl", [row(sql)] * 8)
    with (
        cluster(home, 1) as (url, _),
        command(home, *ARGUMENTS, "dask", "--executor", url) as running,
    ):
        running.wait_for(lambda: any((home / "dask").glob("stages/deterministic-*/part.jsonl")))
        time.sleep(1)
        running.ctrl_c()
        assert happens_within(lambda: running.poll() is not None, 5)
        code, _, err, _ = running.ending()
        assert (code, err) == (130, "")


def test_a_scheduler_without_workers_is_a_clear_error(home: Path) -> None:
    with cluster(home, 0) as (url, _):
        code, out, err = ended(home, *ARGUMENTS, "run", "--executor", url)
    address = url.removeprefix("dask://")
    assert (code, out) == (2, "")
    assert err == (
        f"claimdb: the Dask scheduler at {address} has no workers; start some: "
        f"`dask worker {address}`\n"
    )
    assert not (home / "run").exists()


@pytest.mark.parametrize("port", [None, 0, 99999])
def test_no_scheduler_there_is_a_clear_error(
    port: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_executor, "TIMEOUT_S", 0.5)
    address = f"127.0.0.1:{_free_port() if port is None else port}"
    with pytest.raises(
        UnavailableError, match=rf"no Dask scheduler answers at {address}.*start one"
    ):
        open_executor(url=f"dask://{address}").__enter__()


URLS = (
    *("", "dask:", "dask://", "127.0.0.1:8786", "tcp://127.0.0.1:8786", "http://127.0.0.1:8786"),
    *("dask://127.0.0.1:port", "dask://a b:1", "dask://a:", "dask://a:-1", "dask://a:123456"),
    *("dask://a:1/", "dask://[::1]", "dask://::1:1", "dask://a:1\n", "DASK://a:1"),
)


@pytest.mark.parametrize("url", URLS)
def test_a_url_of_another_kind_is_a_clear_error_at_once(url: str) -> None:
    with pytest.raises(DataError) as caught:
        open_executor(url=url).__enter__()
    assert str(caught.value) == f"no executor {url!r}; it must be dask://HOST:PORT"


WITHOUT_DASK = """
import sys
sys.modules["distributed"] = None
from claimdb_cli.main import run
run()
"""


def test_without_dask_it_is_said_what_to_install(home: Path) -> None:
    start = [sys.executable, "-P", "-c", WITHOUT_DASK]
    options = ("--executor", "dask://127.0.0.1:8786")
    with command(home, *ARGUMENTS, "run", *options, start=start) as running:
        code, out, err, _ = running.ending()
    assert (code, out) == (2, "")
    assert err.startswith("claimdb: dask://127.0.0.1:8786 needs Dask: pip install 'claimdb[dask]'")
