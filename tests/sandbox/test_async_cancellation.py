"""A task that is cancelled ends its query at once, and nobody else's."""

from __future__ import annotations

import asyncio
import random
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from claimdb_sandbox import AsyncExecutor, Result, lane
from claimdb_sandbox.answers import result_of
from tests.sandbox.long_queries import ENDLESS, PATIENT, STUCK
from tests.sandbox.processes import ends_within

COUNT = "SELECT count(*) FROM heroes"
LONG_ANSWER = "SELECT a.id, b.id, a.name FROM heroes a, heroes b"
"""1,000 rows, which take a while to be read on this side too."""

both_ways = pytest.mark.parametrize("retry_once", [False, True], ids=["once", "retry_once"])
both_queries = pytest.mark.parametrize("long_sql", [ENDLESS, STUCK], ids=["ticks", "stuck in C"])


async def answers_soon(pool: AsyncExecutor, database: Path) -> None:
    """A query that would wait for minutes if a cancelled one still had the lane."""
    result = await asyncio.wait_for(pool.run(database, COUNT), 30)
    assert (result.status, result.rows) == ("ok", ((2000,),))


async def has_workers(pool: AsyncExecutor, number: int) -> None:
    """Wait until so many workers have started."""
    while len(pool.worker_pids) != number:
        await asyncio.sleep(0.005)


@both_ways
@both_queries
def test_a_timeout_of_asyncio_kills_the_query_at_once(
    database: Path, long_sql: str, retry_once: bool
) -> None:
    async def ask() -> None:
        async with AsyncExecutor(PATIENT, lanes=1, retry_once=retry_once) as pool:
            await answers_soon(pool, database)
            (pid,) = pool.worker_pids
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(pool.run(database, long_sql), 0.2)
            assert ends_within(pid, 10)
            await answers_soon(pool, database)

    asyncio.run(ask())


@both_ways
@both_queries
def test_a_cancelled_task_kills_its_own_query_only(
    database: Path, long_sql: str, retry_once: bool
) -> None:
    async def ask() -> None:
        async with AsyncExecutor(PATIENT, lanes=2, retry_once=retry_once) as pool:
            other = asyncio.create_task(pool.run(database, ENDLESS))
            await has_workers(pool, 1)
            (other_pid,) = pool.worker_pids
            task = asyncio.create_task(pool.run(database, long_sql))
            await has_workers(pool, 2)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await answers_soon(pool, database)
            assert not other.done()
            assert other_pid in pool.worker_pids
            other.cancel()

    asyncio.run(ask())


@both_ways
@pytest.mark.parametrize("after_ms", [0, 1, 5, 10, 20, 30, 40, 60, 80])
def test_a_query_can_be_cancelled_while_its_worker_starts(
    database: Path, retry_once: bool, after_ms: int
) -> None:
    async def ask() -> None:
        async with AsyncExecutor(PATIENT, lanes=1, retry_once=retry_once) as pool:
            task = asyncio.create_task(pool.run(database, ENDLESS))
            await asyncio.sleep(after_ms / 1000)
            task.cancel()
            await answers_soon(pool, database)

    asyncio.run(ask())


def test_a_cancelled_query_that_was_still_waiting_never_runs(database: Path) -> None:
    async def ask() -> None:
        async with AsyncExecutor(PATIENT, lanes=1) as pool:
            await answers_soon(pool, database)
            running, *waiting = (asyncio.create_task(pool.run(database, ENDLESS)) for _ in range(5))
            await asyncio.sleep(0.2)
            pids = pool.worker_pids
            for task in waiting:
                task.cancel()
            await asyncio.wait(waiting)
            assert not running.done()
            assert pool.worker_pids == pids
            running.cancel()
            await answers_soon(pool, database)

    asyncio.run(ask())


def test_a_group_of_tasks_that_fails_stops_its_queries(database: Path) -> None:
    queries: list[asyncio.Task[Result]] = []

    async def fail() -> None:
        await asyncio.sleep(0.2)
        raise KeyError

    async def ask_and_fail(pool: AsyncExecutor) -> None:
        async with asyncio.TaskGroup() as group:
            queries.extend(group.create_task(pool.run(database, ENDLESS)) for _ in range(3))
            group.create_task(fail())

    async def ask() -> None:
        async with AsyncExecutor(PATIENT, lanes=2) as pool:
            with pytest.raises(ExceptionGroup):
                await ask_and_fail(pool)
            assert [query.cancelled() for query in queries] == [True] * 3
            await answers_soon(pool, database)

    asyncio.run(ask())


def test_a_query_that_is_cancelled_as_its_answer_comes_costs_the_next_one_nothing(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next one must not be sent to the worker that is being killed."""
    answer_is_here, go_on = threading.Event(), threading.Event()

    def late_result_of(answer: dict[str, Any]) -> Result:
        answer_is_here.set()
        assert go_on.wait(30)
        return result_of(answer)

    async def ask(pool: AsyncExecutor) -> Result:
        answer_is_here.clear()
        go_on.clear()
        cancelled = asyncio.create_task(pool.run(database, COUNT))
        following = asyncio.create_task(pool.run(database, COUNT))
        assert await asyncio.to_thread(answer_is_here.wait, 30)
        cancelled.cancel()
        await asyncio.wait([cancelled])
        go_on.set()
        return await following

    async def ask_often() -> list[Result]:
        async with AsyncExecutor(PATIENT, lanes=1) as pool:
            return [await ask(pool) for _ in range(20)]

    monkeypatch.setattr(lane, "result_of", late_result_of)
    answers = [(result.status, result.rows) for result in asyncio.run(ask_often())]
    assert answers == [("ok", ((2000,),))] * 20


@both_ways
def test_the_others_are_right_while_many_are_cancelled(database: Path, retry_once: bool) -> None:
    rng = random.Random(1)

    async def cancelled(pool: AsyncExecutor) -> None:
        with suppress(TimeoutError):
            sql = rng.choice([ENDLESS, LONG_ANSWER, COUNT, STUCK])
            await asyncio.wait_for(pool.run(database, sql), rng.uniform(0, 0.1))

    async def wanted(pool: AsyncExecutor, number: int) -> Result:
        await asyncio.sleep(rng.uniform(0, 1))
        return await pool.run(database, f"SELECT name FROM heroes WHERE id = {number}")

    async def ask() -> list[Result]:
        async with AsyncExecutor(PATIENT, lanes=3, retry_once=retry_once) as pool:
            storm = [asyncio.create_task(cancelled(pool)) for _ in range(40)]
            results = await asyncio.gather(*(wanted(pool, n) for n in range(1, 101)))
            await asyncio.gather(*storm)
            return results

    answers = [(result.status, result.rows) for result in asyncio.run(ask())]
    assert answers == [("ok", ((f"Hero {n}",),)) for n in range(1, 101)]
