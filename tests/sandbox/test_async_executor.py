"""Many databases, N queries at a time: right answers, and nobody waits for a stuck lane."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from claimdb_sandbox import (
    AsyncExecutor,
    ClosedError,
    Limits,
    Result,
    UnusableDatabaseError,
    async_executor,
)
from claimdb_sandbox.worker import MAX_OPEN
from tests.sandbox.long_queries import ENDLESS, PATIENT, STUCK
from tests.sandbox.made_databases import heroes_database
from tests.sandbox.parents import is_busy
from tests.sandbox.processes import is_alive, needs_proc

COUNT = "SELECT count(*) FROM heroes"


def databases(folder: Path, number: int) -> list[Path]:
    """Make databases, the first with 1 row, the second with 2, …"""
    return [heroes_database(folder / f"{n}.sqlite", n_rows=n) for n in range(1, number + 1)]


def test_64_queries_on_8_lanes_give_64_right_answers(database: Path) -> None:
    async def ask() -> tuple[list[Result], int]:
        async with AsyncExecutor(PATIENT, lanes=8) as pool:
            sql = "SELECT name, (SELECT sum(power) FROM heroes) FROM heroes WHERE id = {}"
            asked = [pool.run(database, sql.format(n)) for n in range(1, 65)]
            return await asyncio.gather(*asked), len(pool.worker_pids)

    results, n_workers = asyncio.run(ask())
    total = sum(n % 7 for n in range(1, 2001))
    assert [result.rows for result in results] == [((f"Hero {n}", total),) for n in range(1, 65)]
    assert n_workers == 8


def test_databases_share_lanes(tmp_path: Path) -> None:
    paths = databases(tmp_path, 5)

    async def ask() -> list[Result]:
        async with AsyncExecutor(PATIENT, lanes=2) as pool:
            results = await asyncio.gather(*(pool.run(path, COUNT) for path in paths * 8))
            assert len(pool.worker_pids) == 2
            return results

    assert [result.rows for result in asyncio.run(ask())] == [((n,),) for n in range(1, 6)] * 8


@needs_proc
def test_one_lane_serves_more_databases_than_it_keeps_open(tmp_path: Path) -> None:
    paths = databases(tmp_path, 2 * MAX_OPEN + 3)
    again = [*paths, *reversed(paths), *paths[::3]]

    async def ask() -> list[Result]:
        async with AsyncExecutor(PATIENT, lanes=1) as pool:
            results = [await pool.run(path, COUNT) for path in again]
            (pid,) = pool.worker_pids
            links = [link.resolve() for link in Path(f"/proc/{pid}/fd").iterdir()]
            assert len(set(links) & set(paths)) == MAX_OPEN
            return results

    results = asyncio.run(ask())
    assert [result.rows for result in results] == [((int(path.stem),),) for path in again]


@pytest.mark.parametrize("long_sql", [ENDLESS, STUCK], ids=["ticks", "stuck in C"])
def test_a_stuck_lane_delays_nobody_else(database: Path, long_sql: str) -> None:
    async def ask() -> None:
        async with AsyncExecutor(PATIENT, lanes=2) as pool:
            stuck = asyncio.create_task(pool.run(database, long_sql))
            await asyncio.sleep(0)  # it takes the first lane
            quick = await asyncio.gather(*(pool.run(database, COUNT) for _ in range(50)))
            assert [result.rows for result in quick] == [((2000,),)] * 50
            assert not stuck.done()
            stuck.cancel()

    asyncio.run(ask())


def test_a_stuck_lane_serves_again_after_its_worker_was_killed(database: Path) -> None:
    limits = Limits(time_limit_s=1, grace_s=0.3)

    async def ask() -> list[Result]:
        async with AsyncExecutor(limits, lanes=1) as pool:
            return [await pool.run(database, sql) for sql in (COUNT, STUCK, COUNT)]

    first, stuck, last = asyncio.run(ask())
    assert (stuck.status, stuck.limit) == ("timeout", "grace_s")
    assert first.rows == last.rows == ((2000,),)


@needs_proc
@pytest.mark.parametrize("retry_once", [False, True])
def test_close_ends_queries_that_run_and_those_that_wait(database: Path, retry_once: bool) -> None:
    """None of them may look like a task that somebody cancelled: nobody did."""

    async def ask() -> tuple[list[Result | BaseException], tuple[int, ...]]:
        pool = AsyncExecutor(PATIENT, lanes=2, retry_once=retry_once)
        await asyncio.gather(*(pool.run(database, COUNT) for _ in range(2)))
        pids = pool.worker_pids
        asked = [asyncio.create_task(pool.run(database, ENDLESS)) for _ in range(5)]
        for pid in pids:
            assert await asyncio.to_thread(is_busy, pid)
        await asyncio.to_thread(pool.close)
        return await asyncio.gather(*asked, return_exceptions=True), pids

    answers, pids = asyncio.run(ask())
    assert not any(is_alive(pid) for pid in pids)
    running = [answer for answer in answers if isinstance(answer, Result)]
    assert [result.status for result in running[:2]] == ["worker_died"] * 2
    assert {type(answer) for answer in answers} <= {Result, ClosedError}


def test_close_does_not_wait_for_a_query_whose_worker_just_starts(database: Path) -> None:
    async def ask() -> None:
        pool = AsyncExecutor(PATIENT, lanes=1)
        task = asyncio.create_task(pool.run(database, ENDLESS))
        await asyncio.sleep(0.005)
        try:
            await asyncio.wait_for(asyncio.to_thread(pool.close), 20)
        finally:
            pool.close()  # where the first one waits, this one ends the worker
            await asyncio.gather(task, return_exceptions=True)

    asyncio.run(ask())


def test_after_its_end_a_pool_says_so(database: Path) -> None:
    async def ask() -> None:
        async with AsyncExecutor(lanes=1) as pool:
            await pool.run(database, COUNT)
        with pytest.raises(ClosedError, match="make a new one"):
            await pool.run(database, COUNT)
        pool.close()

    asyncio.run(ask())


def test_a_pool_that_another_thread_closes_as_a_query_comes_says_so(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = AsyncExecutor(lanes=1)

    def path_that_closes(path: Path, root: None) -> Path:
        pool.close()
        return path

    monkeypatch.setattr(async_executor, "usable_path", path_that_closes)
    with pytest.raises(ClosedError, match="make a new one"):
        asyncio.run(pool.run(database, COUNT))


@pytest.mark.parametrize("lanes", [0, -1, True, 1.5, "2"])
def test_lanes_are_a_number_of_at_least_one(lanes: int) -> None:
    with pytest.raises(ValueError, match=r"lanes=.* must be an integer of 1 or more"):
        AsyncExecutor(lanes=lanes)


def test_a_wrong_path_is_refused_before_any_worker_starts(tmp_path: Path, database: Path) -> None:
    root = tmp_path / "allowed"
    root.mkdir()
    (root / "out.sqlite").symlink_to(database)
    inside = heroes_database(root / "in.sqlite", n_rows=3)
    wrong = {
        root / "gone.sqlite": "No such file",
        root / "out.sqlite": "leads out of",
        root / ".." / "db" / "heroes.sqlite": "leads out of",
        database: "leads out of",
        root: "is a folder",
    }

    async def ask() -> None:
        async with AsyncExecutor(lanes=1, root=root) as pool:
            for path, message in wrong.items():
                with pytest.raises(UnusableDatabaseError, match=message):
                    await pool.run(path, COUNT)
            assert pool.worker_pids == ()
            assert (await pool.run(inside, COUNT)).rows == ((3,),)

    asyncio.run(ask())


def test_sql_that_is_no_text_is_a_mistake_of_the_program(database: Path) -> None:
    async def ask() -> None:
        async with AsyncExecutor(lanes=1) as pool:
            with pytest.raises(TypeError, match="sql must be text"):
                await pool.run(database, None)  # type: ignore[arg-type]
            assert (await pool.run(database, COUNT)).ok

    asyncio.run(ask())


def test_a_pool_serves_one_event_loop_after_another(database: Path) -> None:
    pool = AsyncExecutor(lanes=2)

    async def ask() -> tuple[list[Result], set[int]]:
        results = await asyncio.gather(*(pool.run(database, COUNT) for _ in range(4)))
        return results, set(pool.worker_pids)

    first, pids = asyncio.run(ask())
    second, same_pids = asyncio.run(ask())
    pool.close()
    assert [result.rows for result in first + second] == [((2000,),)] * 8
    assert pids == same_pids
