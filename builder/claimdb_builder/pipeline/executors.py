"""Where work is done: processes of this machine, or the workers of a Dask cluster."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any, Final, TypeVar

from claimdb_metric.errors import DataError, UnavailableError

DASK: Final = "dask://"
DASK_TIMEOUT_S: Final = 10
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
        with _dask(url) as executor:
            yield executor
        return
    if n_workers is not None and n_workers < 1:
        raise DataError(f"the number of workers is {n_workers}; it must be at least 1")
    with _processes(n_workers or DEFAULT_WORKERS) as executor:
        yield executor


@contextmanager
def _processes(n_workers: int) -> Iterator[Executor]:
    # spawn: a fork would inherit threads' locks, and is what Python itself is moving away from.
    context = multiprocessing.get_context("spawn")
    ends_with, alive = context.Pipe(duplex=False)
    executor = ProcessPoolExecutor(n_workers, context, _watch_parent, (ends_with,))
    try:
        yield executor
    except BaseException:
        # A worker may be in a query of 30 s, or in many: none is waited for.
        alive.close()
        raise
    finally:
        executor.shutdown(cancel_futures=True)
        alive.close()
        ends_with.close()


def _watch_parent(ends_with: Connection) -> None:
    """End this worker when the pipe's other end is closed: by the build, or by its death.

    Ctrl-C reaches each process of a terminal; the build alone decides what it ends.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def wait() -> None:
        ends_with.poll(None)
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


@contextmanager
def _dask(url: str) -> Iterator[Executor]:
    address = url.removeprefix(DASK)
    if not url.startswith(DASK) or not address:
        raise DataError(f"no executor {url!r}; it must be {DASK}HOST:PORT")
    try:
        from distributed import Client
    except ImportError as error:
        raise UnavailableError(
            f"{url} needs Dask: pip install 'claimdb[dask]' here and on the workers"
        ) from error
    try:
        client: Any = Client(f"tcp://{address}", timeout=DASK_TIMEOUT_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UnavailableError(
            f"no Dask scheduler answers at {address}: {error}; start one with `dask scheduler`"
        ) from error
    with client:
        if not client.scheduler_info(n_workers=-1)["workers"]:
            raise UnavailableError(
                f"the Dask scheduler at {address} has no workers; "
                f"start some with `dask worker {address}`"
            )
        with client.get_executor() as executor:
            yield executor


def ordered_map(
    executor: Executor, function: Callable[[Given], Item], given: Iterable[Given], n_ahead: int
) -> Iterator[Item]:
    """Yield the results of a function in the order of what it is given.

    Args:
        n_ahead: how many are under way at once, and so in memory, whatever the length.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(2) as executor:
    ...     list(ordered_map(executor, abs, [-1, 2, -3], n_ahead=2))
    [1, 2, 3]
    """
    under_way: deque[Future[Item]] = deque()
    try:
        for item in given:
            under_way.append(executor.submit(function, item))
            if len(under_way) >= n_ahead:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
    finally:
        for future in under_way:
            future.cancel()
