"""Where work is done: processes of this machine, or the workers of a Dask cluster."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnContext, SpawnProcess
from types import ModuleType
from typing import Final, TypeVar

from claimdb_metric.errors import DataError, UnavailableError

LEAST_AHEAD: Final = 16
AHEAD_OF_WORKER: Final = 4
LOOK_S: Final = 2
DEFAULT_WORKERS: Final = os.cpu_count() or 1

Item = TypeVar("Item")
Given = TypeVar("Given")


@contextmanager
def open_executor(n_workers: int | None = None, url: str | None = None) -> Iterator[Executor]:
    """Yield the executor that a user asked for, and end it afterwards.

    Args:
        n_workers: processes on this machine; None takes one for each core.
        url: `dask://host:port` of a Dask scheduler, instead of processes here. Its workers need
            ClaimDB installed, and the databases under the same paths.

    Raises:
        DataError: there is no such executor.
        UnavailableError: no scheduler answers there, or Dask is not installed.
    """
    if url is not None:
        from claimdb_builder.pipeline.dask_executor import open_dask

        with open_dask(url) as executor:
            yield executor
        return
    if n_workers is not None and n_workers < 1:
        raise DataError(f"the number of workers is {n_workers}; it must be at least 1")
    with _processes(n_workers or DEFAULT_WORKERS) as executor:
        yield executor


class _Processes(ProcessPoolExecutor):
    """Processes of this machine, which end when this one does."""

    def __init__(self, n_workers: int) -> None:
        context = _Context()
        ends_with, self._alive = context.Pipe(duplex=False)
        super().__init__(n_workers, context, _watch_parent, (ends_with,))
        self.n_workers = n_workers

    def end(self) -> None:
        """End all workers at once: one may be in a query of 30 s, and none is waited for."""
        # First, or Python 3.11 would set an error on futures that are cancelled already.
        self.shutdown(wait=False, cancel_futures=True)
        self._alive.close()


@contextmanager
def _processes(n_workers: int) -> Iterator[Executor]:
    executor = _Processes(n_workers)
    try:
        yield executor
    except BaseException as error:
        executor.end()
        if isinstance(error, BrokenExecutor):
            raise UnavailableError(
                "a worker process ended, perhaps for want of memory; what was done is kept: give "
                "the same command again, perhaps with fewer --workers"
            ) from error
        raise
    finally:
        executor.shutdown()


class _Worker(SpawnProcess):
    """A process that does not import the program's main module, as Python's own would.

    What a worker runs is imported by its name. So a script needs no `if __name__ == "__main__"`,
    the workers of a notebook work, and those of the command start 0.2 s sooner.
    """

    def start(self) -> None:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            with _ctrl_c_held_back():
                super().start()
        finally:
            sys.modules["__main__"] = main


@contextmanager
def _ctrl_c_held_back() -> Iterator[None]:
    """Let no Ctrl-C meet a worker that has not begun yet: a child inherits what is held back."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Context(SpawnContext):
    """spawn: a fork would inherit the locks of threads, and Python itself moves away from it."""

    Process = _Worker


def _watch_parent(ends_with: Connection) -> None:
    """End this worker when the pipe's other end is closed: by the build, or by its death.

    Ctrl-C reaches each process of a terminal; the build alone decides what it ends.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

    def wait_for_end() -> None:
        ends_with.poll(None)
        os._exit(1)

    threading.Thread(target=wait_for_end, daemon=True).start()


def ordered_map(
    executor: Executor, function: Callable[[Given], Item], given: Iterable[Given]
) -> Iterator[Item]:
    """Yield the results of a function in the order of what it is given.

    A few for each worker are under way at once, and so in memory, whatever the length.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(2) as executor:
    ...     list(ordered_map(executor, abs, [-1, 2, -3]))
    [1, 2, 3]
    """
    n_ahead = max(LEAST_AHEAD, AHEAD_OF_WORKER * int(getattr(executor, "n_workers", 0)))
    under_way: deque[Future[Item]] = deque()
    try:
        for item in given:
            under_way.append(executor.submit(function, item))
            if len(under_way) >= n_ahead:
                yield _result(under_way.popleft(), executor)
        while under_way:
            yield _result(under_way.popleft(), executor)
    finally:
        for future in under_way:
            future.cancel()


def _result(future: Future[Item], executor: Executor) -> Item:
    """The result of a future; an executor that can tell is asked now and then if it still works."""
    assert_alive = getattr(executor, "assert_alive", None)
    while assert_alive is not None and not wait([future], timeout=LOOK_S).done:
        assert_alive()
    return future.result()
