"""Worker processes: results and errors of calls, and that none is left, however they end."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Future
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NoReturn

import pytest

from claimdb_builder.pipeline.processes import Processes
from claimdb_metric.errors import DataError
from tests.sandbox.processes import ends_within, happens_within, is_alive, needs_proc

LARGE = 2_000_000  # bytes; a pipe holds 64 KiB


@contextmanager
def processes(n_workers: int = 1) -> Iterator[Processes]:
    """Processes that are ended with the block, so that a failing test leaves none."""
    executor = Processes(n_workers)
    try:
        yield executor
    finally:
        executor.end()


def pids_of(executor: Processes) -> list[int]:
    return [process.pid for process, _ in executor._workers if process.pid is not None]


def pid_after(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def doubled(text: bytes) -> bytes:
    return text * 2


def die_while_writing() -> bytes:
    """A result of which the pipe gets the first thousand bytes."""

    def write_some(pipe: Connection, content: bytes) -> None:
        os.write(pipe.fileno(), content[:1000])
        if len(content) > 1000:
            kill_itself()

    Connection._send = write_some  # type: ignore[attr-defined]
    return b"x" * LARGE


def refuse(message: str) -> NoReturn:
    raise DataError(message)


def kill_itself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class Unpicklable(Exception):
    def __reduce__(self) -> NoReturn:
        raise TypeError("not this one")


class OfTwo(Exception):
    """Python pickles it by its message alone, and cannot make it again of that."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(first + second)


def fail_unpicklably() -> NoReturn:
    raise Unpicklable("lost")


def fail_of_two() -> NoReturn:
    raise OfTwo("a", "b")


def a_lock() -> threading.Lock:
    return threading.Lock()


def nested() -> list[Any]:
    found: list[Any] = []
    for _ in range(100_000):
        found = [found]
    return found


def named(first: int, *, second: int) -> tuple[int, int]:
    return first, second


def test_results_and_errors_come_back_in_order() -> None:
    with processes(2) as executor:
        assert list(executor.map(abs, range(-50, 0))) == [*range(50, 0, -1)]
        assert executor.submit(named, 1, second=2).result(30) == (1, 2)
        mixed = [
            executor.submit(refuse, str(n)) if n % 3 else executor.submit(abs, n) for n in range(12)
        ]
        for n, future in enumerate(mixed):
            if n % 3 == 0:
                assert future.result(30) == n
                continue
            with pytest.raises(DataError, match=f"^{n}$"):
                future.result(30)


def test_arguments_and_results_may_be_larger_than_a_pipe() -> None:
    with processes(2) as executor:
        futures = [executor.submit(doubled, bytes([n]) * LARGE) for n in range(8)]
        for n, future in enumerate(futures):
            assert future.result(30) == bytes([n]) * LARGE * 2


@pytest.mark.parametrize(
    ("function", "error", "said"),
    [
        (fail_unpicklably, RuntimeError, "^Unpicklable: lost$"),
        (a_lock, TypeError, "cannot pickle '_thread.lock'"),
        (fail_of_two, RuntimeError, "^OfTwo: ab$"),
        (lambda: 1, Exception, "lambda"),
    ],
    ids=["error", "result", "error that cannot be read", "call"],
)
def test_what_cannot_be_pickled_is_the_error_of_its_call_alone(
    function: Callable[[], object], error: type[Exception], said: str
) -> None:
    with processes() as executor:
        failing = executor.submit(function)
        with pytest.raises(error, match=said):
            failing.result(30)
        assert executor.submit(abs, -1).result(30) == 1
        assert len(executor._workers) == 1


def test_any_error_of_pickling_is_that_of_its_call() -> None:
    with processes() as executor, pytest.raises(RecursionError):
        executor.submit(nested).result(30)


def test_a_function_that_cannot_be_imported_there_is_the_error_of_its_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "only_here.py").write_text("def f() -> int: return 1\n")
    with processes() as executor:
        assert executor.submit(abs, -1).result(30) == 1
        monkeypatch.syspath_prepend(tmp_path)
        import only_here  # type: ignore[import-not-found]

        monkeypatch.delitem(sys.modules, "only_here")
        monkeypatch.setitem(sys.modules, "only_here", only_here)
        with pytest.raises(ModuleNotFoundError, match="only_here"):
            executor.submit(only_here.f).result(30)
        assert executor.submit(abs, -2).result(30) == 2


@needs_proc
def test_a_worker_that_is_killed_breaks_all_calls_and_later_ones() -> None:
    with processes(2) as executor:
        list(executor.map(pid_after, [0.1] * 4))
        futures: list[Future[Any]] = [executor.submit(kill_itself)]
        futures += (executor.submit(pid_after, 20) for _ in "123")
        for future in futures:
            with pytest.raises(BrokenExecutor, match="a worker process ended"):
                future.result(5)
        with pytest.raises(BrokenExecutor, match="a worker process ended"):
            executor.submit(abs, -1)
        assert all(ends_within(pid, 2) for pid in pids_of(executor))
        executor.shutdown()


def test_a_worker_that_is_killed_while_it_writes_is_told() -> None:
    with processes(2) as executor:
        futures: list[Future[Any]] = [executor.submit(die_while_writing)]
        futures.append(executor.submit(pid_after, 20))
        for future in futures:
            with pytest.raises(BrokenExecutor, match="a worker process ended"):
                future.result(10)


@needs_proc
@pytest.mark.slow
@pytest.mark.parametrize("what", ["sleeping", "writing"])
def test_the_end_is_at_once_whatever_workers_do(what: str) -> None:
    for number in (0, 2, 5):
        executor = Processes(2)
        list(executor.map(pid_after, [0.02] * 2))
        for _ in range(40):
            if what == "sleeping":
                executor.submit(pid_after, 60)
            else:
                executor.submit(doubled, b"x" * (LARGE // 2))
        time.sleep(0.002 * number)
        started = time.monotonic()
        executor.end()
        assert time.monotonic() - started < 2
        assert not any(is_alive(pid) for pid in pids_of(executor))
        assert not any(thread.is_alive() for _, thread in executor._workers)


def test_calls_of_an_executor_that_is_ended_are_cancelled_or_broken() -> None:
    executor = Processes(1)
    futures = [executor.submit(pid_after, 60) for _ in range(4)]
    assert happens_within(futures[0].running, 10)
    executor.end()
    assert isinstance(futures[0].exception(1), BrokenExecutor)
    for future in futures[1:]:
        with pytest.raises((CancelledError, BrokenExecutor)):
            future.result(1)


@needs_proc
def test_shutdown_waits_for_what_was_taken_or_cancels_it() -> None:
    executor = Processes(1)
    futures = [executor.submit(pid_after, 0.1) for _ in range(3)]
    executor.shutdown()
    assert {future.result(0) for future in futures} == {*pids_of(executor)}
    executor = Processes(1)
    futures = [executor.submit(pid_after, 0.5) for _ in range(5)]
    assert happens_within(futures[0].running, 10)
    executor.shutdown(cancel_futures=True)
    assert futures[0].result(0) in pids_of(executor)
    assert all(future.cancelled() for future in futures[1:])
    assert not any(is_alive(pid) for pid in pids_of(executor))
    executor.shutdown()
    with pytest.raises(RuntimeError, match="is shut down"):
        executor.submit(abs, -1)


def test_no_process_before_the_first_call_and_never_too_many() -> None:
    with processes(3) as executor:
        assert pids_of(executor) == []
        executor.submit(abs, -1).result(30)
        assert len(pids_of(executor)) == 1
        assert set(executor.map(pid_after, [0.05] * 30)) <= {*pids_of(executor)}
        assert len(pids_of(executor)) == 3
    Processes(2).shutdown()
