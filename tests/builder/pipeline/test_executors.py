"""What work is mapped over: in order, bounded, ended with the build, the same bytes from all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from claimdb_builder.pipeline import executors
from claimdb_builder.pipeline.executors import LEAST_AHEAD, open_executor, ordered_map
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
from tests.children import child_env
from tests.sandbox.processes import ends_within, is_alive, needs_proc

EXECUTORS = {
    "threads": partial(ThreadPoolExecutor, 3),
    **{f"{n} processes": partial(open_executor, n) for n in (1, 3)},
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
        if len(self.waiting) == LEAST_AHEAD:
            for one, work in reversed(self.waiting):
                one.set_result(work())
            self.waiting.clear()
        return future


def test_results_come_in_the_order_of_the_work() -> None:
    given = range(-3 * LEAST_AHEAD, 0)
    assert list(ordered_map(Backwards(), abs, given)) == [*range(3 * LEAST_AHEAD, 0, -1)]


@pytest.mark.parametrize(("n_workers", "n_ahead"), [(0, 16), (1, 16), (5, 20), (100, 400)])
def test_each_worker_has_work_and_no_more_is_under_way(n_workers: int, n_ahead: int) -> None:
    executor = Inline()
    executor.n_workers = n_workers  # type: ignore[attr-defined]
    asked = done = 0

    def given() -> Iterator[int]:
        nonlocal asked
        for number in range(500):
            asked += 1
            assert asked - done <= n_ahead
            yield number

    for done, result in enumerate(ordered_map(executor, abs, given()), 1):
        assert result == done - 1
        assert executor.n_given == min(500, done + n_ahead - 1)
    assert (asked, done) == (500, 500)


def test_work_that_nobody_waits_for_is_cancelled() -> None:
    with ThreadPoolExecutor(1) as executor:
        started: list[float] = []

        def work(seconds: float) -> float:
            started.append(seconds)
            time.sleep(seconds)
            return seconds

        results = ordered_map(executor, work, [0.0, 0.2, 30.0, 30.0])
        assert next(results) == 0.0
        results.close()  # type: ignore[attr-defined]
    assert 30.0 not in started


class Watched(ThreadPoolExecutor):
    """Lets go its first work after it was asked three times whether it lives."""

    def __init__(self, ends: bool) -> None:
        super().__init__(2)
        self.ends = ends
        self.n_asked = 0
        self.go_on = threading.Event()

    def assert_alive(self) -> None:
        self.n_asked += 1
        if self.n_asked == 3:
            self.go_on.set()
            if self.ends:
                raise UnavailableError("the cluster ended")


@pytest.mark.parametrize("ends", [False, True])
def test_an_executor_is_asked_now_and_then_whether_it_lives(
    monkeypatch: pytest.MonkeyPatch, ends: bool
) -> None:
    monkeypatch.setattr(executors, "LOOK_S", 0.02)
    with Watched(ends) as executor:
        results = ordered_map(executor, lambda event: event.wait(30), [executor.go_on] * 3)
        with pytest.raises(UnavailableError) if ends else nullcontext():
            assert list(results) == [True] * 3
        assert executor.n_asked == 3


def fail(number: int) -> int:
    if number == 3:
        raise DataError(f"number {number}")
    return number


def test_an_error_of_a_worker_is_raised_in_its_turn() -> None:
    with open_executor(2) as executor:
        results = ordered_map(executor, fail, range(9))
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
        ((pid, ignored),) = ordered_map(executor, pid_and_sigint, [0])
        assert (pid != os.getpid(), ignored, is_alive(pid)) == (True, True, True)
    assert ends_within(pid, 1)


@needs_proc
def test_an_error_waits_for_no_worker() -> None:
    started = time.monotonic()
    with pytest.raises(KeyError), open_executor(1) as executor:  # noqa: PT012
        ((pid, _),) = ordered_map(executor, pid_and_sigint, [0])
        executor.submit(time.sleep, 60)
        raise KeyError
    assert time.monotonic() - started < 20
    assert ends_within(pid, 2)


def fail_or_sleep(number: int) -> None:
    if number == 0:
        raise KeyError
    time.sleep(60)


def test_an_error_in_the_midst_of_work_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[object] = []
    monkeypatch.setattr(threading, "excepthook", said.append)
    started = time.monotonic()
    with pytest.raises(KeyError), open_executor(2) as executor:
        list(ordered_map(executor, fail_or_sleep, range(16)))
    assert time.monotonic() - started < 20
    assert said == []


STOPPED = """
import sys, time
from claimdb_builder.pipeline.executors import open_executor, ordered_map

def given():
    yield from [60] * 10
    time.sleep(float(sys.argv[1]))
    raise KeyboardInterrupt

try:
    with open_executor(2) as executor:
        list(ordered_map(executor, time.sleep, given()))
except KeyboardInterrupt:
    sys.exit(130)
"""


def test_workers_that_are_stopped_as_they_start_are_silent(tmp_path: Path) -> None:
    for delay_s in (0.0, 0.05, 0.1):
        line = [sys.executable, "-P", "-c", STOPPED, str(delay_s)]
        ended = subprocess.run(
            line, cwd=tmp_path, env=child_env(tmp_path), capture_output=True, text=True, timeout=60
        )
        assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")


def kill_itself(_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_worker_that_is_killed_is_a_clear_error() -> None:
    with (
        pytest.raises(UnavailableError, match=r"a worker process ended.*same command again"),
        open_executor(2) as executor,
    ):
        list(ordered_map(executor, kill_itself, range(9)))
    with (
        pytest.raises(BrokenExecutor),
        ThreadPoolExecutor(1, initializer=fail, initargs=(3,)) as own,
    ):
        list(ordered_map(own, abs, [1]))
