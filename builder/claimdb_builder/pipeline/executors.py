"""Where work is done: processes of this machine, or the workers of a Dask cluster."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, wait
from contextlib import contextmanager
from typing import Final, TypeVar

from claimdb_builder.pipeline.processes import Processes
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


@contextmanager
def _processes(n_workers: int) -> Iterator[Executor]:
    executor = Processes(n_workers)
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
    executor.shutdown()


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
