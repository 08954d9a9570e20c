"""What work is mapped over: in order, bounded, ended with the build, the same bytes from all."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from claimdb_builder.pipeline.executors import open_executor, ordered_map
from claimdb_metric.errors import DataError, UnavailableError
from tests.builder.pipeline.made_runs import (
    WRONG_SQLS,
    Inline,
    built,
    files_of,
    question_file,
    row,
    rows,
    zoo,
)
from tests.sandbox.processes import ends_within, is_alive, needs_proc

EXECUTORS = {
    "threads": partial(ThreadPoolExecutor, 3),
    **{f"{n} processes": partial(open_executor, n) for n in (1, 2, 4)},
}


@pytest.mark.parametrize("opened", EXECUTORS.values(), ids=EXECUTORS)
def test_the_same_bytes_whatever_does_the_work(tmp_path: Path, opened: Any) -> None:
    for name in ("zoo", "farm"):
        zoo(tmp_path / "dbs", name)
    given = rows(150, ("zoo", "farm")) + [row(sql, "farm") for sql in WRONG_SQLS.values()]
    path = question_file(tmp_path / "questions.jsonl", given)
    built(tmp_path / "inline", path, tmp_path / "dbs")
    executor: Executor
    with opened() as executor:
        built(tmp_path / "other", path, tmp_path / "dbs", executor=executor)
    assert files_of(tmp_path / "other") == files_of(tmp_path / "inline")


class Backwards(Executor):
    """Does the work when it is asked for the last result that it was given work for."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Future[Any], Any]] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.waiting.append((future, partial(fn, *args, **kwargs)))
        if len(self.waiting) == 4:
            for one, work in reversed(self.waiting):
                one.set_result(work())
            self.waiting.clear()
        return future


def test_results_come_in_the_order_of_the_work() -> None:
    assert list(ordered_map(Backwards(), abs, range(-8, 0), 4)) == [8, 7, 6, 5, 4, 3, 2, 1]


@pytest.mark.parametrize("n_ahead", [1, 2, 5, 100])
def test_no_more_is_under_way_than_was_said(n_ahead: int) -> None:
    asked = done = 0

    def given() -> Iterator[int]:
        nonlocal asked
        for number in range(20):
            asked += 1
            assert asked - done <= n_ahead
            yield number

    for done, result in enumerate(ordered_map(Inline(), abs, given(), n_ahead), 1):
        assert result == done - 1
    assert (asked, done) == (20, 20)


def test_work_that_nobody_waits_for_is_cancelled() -> None:
    with ThreadPoolExecutor(1) as executor:
        started: list[float] = []

        def work(seconds: float) -> float:
            started.append(seconds)
            time.sleep(seconds)
            return seconds

        results = ordered_map(executor, work, [0.0, 0.2, 30.0, 30.0], 4)
        assert next(results) == 0.0
        results.close()  # type: ignore[attr-defined]
    assert 30.0 not in started


def fail(number: int) -> int:
    if number == 3:
        raise DataError(f"number {number}")
    return number


def test_an_error_of_a_worker_is_raised_in_its_turn() -> None:
    with open_executor(2) as executor:
        results = ordered_map(executor, fail, range(9), 4)
        assert [next(results) for _ in range(3)] == [0, 1, 2]
        with pytest.raises(DataError, match="number 3"):
            next(results)


@pytest.mark.parametrize("n_workers", [0, -1])
def test_a_number_of_workers_is_at_least_one(n_workers: int) -> None:
    with pytest.raises(DataError, match=f"workers is {n_workers}; it must be at least 1"):
        open_executor(n_workers).__enter__()


def pid_and_sigint(_: object) -> tuple[int, bool]:
    return os.getpid(), signal.getsignal(signal.SIGINT) is signal.SIG_IGN


@needs_proc
def test_workers_are_other_processes_that_leave_ctrl_c_to_the_build() -> None:
    with open_executor(1) as executor:
        ((pid, ignored),) = ordered_map(executor, pid_and_sigint, [0], 1)
        assert (pid != os.getpid(), ignored, is_alive(pid)) == (True, True, True)
    assert ends_within(pid, 1)


@needs_proc
def test_an_error_waits_for_no_worker() -> None:
    started = time.monotonic()
    with pytest.raises(KeyError), open_executor(1) as executor:  # noqa: PT012
        ((pid, _),) = ordered_map(executor, pid_and_sigint, [0], 1)
        executor.submit(time.sleep, 60)
        raise KeyError
    assert time.monotonic() - started < 20
    assert ends_within(pid, 2)


def fail_or_sleep(number: int) -> None:
    if number == 0:
        raise KeyboardInterrupt
    time.sleep(60)


@pytest.mark.xfail(strict=True, reason="the pool ends before its cancelled futures are let go")
def test_the_end_of_a_pool_is_silent_where_work_was_cancelled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A traceback at Ctrl-C, where the workers are gone before the pool is shut down."""
    said: list[object] = []
    monkeypatch.setattr(threading, "excepthook", said.append)
    with pytest.raises(KeyboardInterrupt), open_executor(1) as executor:  # noqa: PT012
        shutdown = executor.shutdown

        def late(**options: bool) -> None:
            time.sleep(0.5)
            shutdown(**options)

        monkeypatch.setattr(executor, "shutdown", late)
        list(ordered_map(executor, fail_or_sleep, range(16), 16))
    assert said == []


def kill_itself(_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_worker_that_is_killed_is_a_clear_error() -> None:
    with (
        pytest.raises(UnavailableError, match=r"a worker process ended.*same command again"),
        open_executor(2) as executor,
    ):
        list(ordered_map(executor, kill_itself, range(9), 4))
    with (
        pytest.raises(BrokenExecutor),
        ThreadPoolExecutor(1, initializer=fail, initargs=(3,)) as own,
    ):
        list(ordered_map(own, abs, [1], 1))


@pytest.mark.xfail(strict=True, reason="16 batches are under way, whatever the number of workers")
def test_a_cluster_of_a_hundred_workers_has_work(tmp_path: Path) -> None:
    waiting: list[int] = []
    most = 0

    class Counting(ThreadPoolExecutor):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            nonlocal most
            waiting.append(1)
            most = max(most, len(waiting))
            future = super().submit(fn, *args, **kwargs)
            future.add_done_callback(lambda _: waiting.pop())
            return future

    path = question_file(tmp_path / "questions.jsonl", rows(40 * 64))
    with Counting(100) as executor:
        built(tmp_path / "run", path, until="select", executor=executor)
    assert most > 16
