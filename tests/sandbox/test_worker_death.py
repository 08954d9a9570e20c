"""A worker that is killed or stopped costs its own query only, and never hangs its parent."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from claimdb_sandbox import AsyncExecutor, Executor, Limits, Result, pipes
from tests.sandbox.long_queries import ENDLESS, PATIENT
from tests.sandbox.processes import happens_within, needs_proc

BRIEF = Limits(time_limit_s=1.0, grace_s=0.3)
SUM = "SELECT sum(a.id) FROM heroes a, heroes b WHERE b.id <= 200"
SUM_ROWS = ((200 * 2000 * 2001 // 2,),)
"""Takes some 20 ms: as long as a kill is aimed at it."""


@pytest.fixture(params=["poll", "timer"])
def waiting(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where a pipe can be waited for; and as on Windows, where a timer kills the worker."""
    monkeypatch.setattr(pipes, "HAS_POLL", request.param == "poll")


@pytest.fixture
def executor(waiting: None, database: Path) -> Iterator[Executor]:
    with Executor(database, BRIEF) as made:
        yield made


def running_worker(executor: Executor) -> int:
    """The id of the worker, which has answered a query."""
    assert executor.run("SELECT 1").status == "ok"
    pid = executor.worker_pid
    assert pid is not None
    return pid


def kill_after(pid: int, delay_s: float) -> None:
    time.sleep(delay_s)
    os.kill(pid, signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.parametrize(("retry_once", "n_kills"), [(False, 80), (True, 30)])
def test_a_kill_costs_at_most_the_query_that_ran(
    database: Path, retry_once: bool, n_kills: int
) -> None:
    """At its start, in its middle, about its end, and while no query runs."""
    rng = random.Random(0)
    n_died = 0
    with (
        Executor(database, PATIENT, retry_once=retry_once) as executor,
        ThreadPoolExecutor(1) as thread,
    ):
        for _ in range(n_kills):
            pid = running_worker(executor)
            killed = thread.submit(kill_after, pid, rng.choice([0, rng.uniform(0, 0.04)]))
            first = executor.run(SUM)
            killed.result()
            second = executor.run("SELECT 2")
            died = [result.status == "worker_died" for result in (first, second)]
            assert sum(died) <= 1
            assert died[0] or (first.status, first.rows) == ("ok", SUM_ROWS)
            assert died[1] or (second.status, second.rows) == ("ok", ((2,),))
            n_died += sum(died)
    assert n_died == 0 if retry_once else n_kills / 10 < n_died <= n_kills


@pytest.mark.slow
def test_kills_beside_many_lanes_cost_at_most_one_query_each(database: Path) -> None:
    rng = random.Random(1)

    async def kill(pool: AsyncExecutor, asked: asyncio.Future[list[Result]]) -> int:
        n_kills = 0
        while not asked.done():
            await asyncio.sleep(rng.uniform(0, 0.1))
            for pid in rng.sample(pool.worker_pids, min(1, len(pool.worker_pids))):
                with suppress(ProcessLookupError):  # just ended by its parent
                    os.kill(pid, signal.SIGKILL)
                    n_kills += 1
        return n_kills

    async def ask() -> tuple[list[Result], int]:
        async with AsyncExecutor(PATIENT, lanes=3) as pool:
            asked = asyncio.gather(*(pool.run(database, SUM) for _ in range(90)))
            n_kills = await kill(pool, asked)
            return await asked, n_kills

    results, n_kills = asyncio.run(ask())
    answers = [(result.status, result.rows) for result in results]
    n_died = answers.count(("worker_died", ()))
    assert 0 < n_died <= n_kills
    assert answers.count(("ok", SUM_ROWS)) == 90 - n_died


def test_a_query_whose_worker_is_killed_says_so(waiting: None, database: Path) -> None:
    with Executor(database, PATIENT) as executor, ThreadPoolExecutor(1) as thread:
        pid = running_worker(executor)
        killed = thread.submit(kill_after, pid, 0.1)
        result = executor.run(ENDLESS)
        killed.result()
        assert running_worker(executor) != pid
    assert result.status == "worker_died"
    assert result.message == "the process that ran this query ended (signal 9)"
    assert result.elapsed_ms > 50


@pytest.mark.skipif(not hasattr(os, "waitid"), reason="this system cannot wait so")
def test_a_worker_that_died_between_two_queries_is_replaced(executor: Executor) -> None:
    """It ran no query when it died, so none is lost."""
    pid = running_worker(executor)
    os.kill(pid, signal.SIGKILL)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)  # all of its threads have ended
    assert running_worker(executor) != pid


def test_a_worker_that_is_stopped_in_a_query_is_killed_after_the_grace(executor: Executor) -> None:
    pid = running_worker(executor)
    with ThreadPoolExecutor(1) as thread:
        running = thread.submit(executor.run, ENDLESS)
        time.sleep(0.1)
        os.kill(pid, signal.SIGSTOP)
        result = running.result()
    assert_killed_after_the_grace(result)
    assert running_worker(executor) != pid


@pytest.mark.parametrize("n_chars", [8, 100_000], ids=["a short text", "more than a pipe holds"])
def test_a_worker_that_reads_nothing_is_killed_after_the_grace(
    executor: Executor, n_chars: int
) -> None:
    pid = running_worker(executor)
    os.kill(pid, signal.SIGSTOP)
    assert_killed_after_the_grace(executor.run("SELECT 1".ljust(n_chars)))
    assert running_worker(executor) != pid


def assert_killed_after_the_grace(result: Result) -> None:
    assert (result.status, result.limit) == ("timeout", "grace_s")
    assert result.message == "killed after 1 s and 0.3 s of grace"
    assert result.elapsed_ms > 1250


def test_a_text_longer_than_a_pipe_reaches_the_worker(executor: Executor) -> None:
    assert executor.run("SELECT 1".ljust(100_000)).rows == ((1,),)


def test_an_answer_longer_than_a_pipe_comes_back(executor: Executor) -> None:
    result = executor.run("SELECT id, name FROM heroes")
    assert result.rows == tuple((n, f"Hero {n}") for n in range(1, 1001))


@needs_proc
def test_no_dead_worker_is_left_uncollected(executor: Executor) -> None:
    """Not even as a zombie: only a process that was waited for has no id any more."""
    pid = running_worker(executor)
    os.kill(pid, signal.SIGSTOP)
    executor.run("SELECT 1")
    executor.close()
    assert happens_within(lambda: not Path(f"/proc/{pid}").exists(), 10)
