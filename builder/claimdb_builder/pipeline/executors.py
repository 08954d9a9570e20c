"""Where work is done: processes of this machine, or the workers of a Dask cluster."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnContext, SpawnProcess
from types import ModuleType
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
    context = _Context()
    ends_with, alive = context.Pipe(duplex=False)
    executor = ProcessPoolExecutor(n_workers, context, _watch_parent, (ends_with,))
    try:
        yield executor
    except BaseException as error:
        # A worker may be in a query of 30 s, or in many: none is waited for.
        alive.close()
        if isinstance(error, BrokenExecutor):
            raise UnavailableError(
                "a worker process ended, perhaps for want of memory; what was done is kept: give "
                "the same command again, perhaps with fewer --workers"
            ) from error
        raise
    finally:
        executor.shutdown(cancel_futures=True)
        alive.close()
        ends_with.close()


class _Worker(SpawnProcess):
    """A process that does not import the program's main module, as Python's own would.

    What a worker runs is imported by its name. So a script needs no `if __name__ == "__main__"`,
    the workers of a notebook work, and those of the command start 0.2 s sooner.
    """

    def start(self) -> None:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            super().start()
        finally:
            sys.modules["__main__"] = main


class _Context(SpawnContext):
    """spawn: a fork would inherit the locks of threads, and Python itself moves away from it."""

    Process = _Worker


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
        from distributed import Client, KilledWorker
        from distributed.comm import CommClosedError
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
        _check_workers(client, address)
        try:
            with client.get_executor() as executor:
                yield executor
        except (CancelledError, CommClosedError, KilledWorker) as error:
            raise UnavailableError(
                f"the Dask cluster at {address} lost workers or its scheduler ({error!r}); what "
                "was done is kept: give the same command again when it is there"
            ) from error


def _check_workers(client: Any, address: str) -> None:
    """Raise UnavailableError unless there are workers, and each has this version of ClaimDB."""
    try:
        found = set(client.run(version, "claimdb").values())
    except PackageNotFoundError:
        found = {"none"}
    if not found:
        raise UnavailableError(
            f"the Dask scheduler at {address} has no workers; start some: `dask worker {address}`"
        )
    if found != {version("claimdb")}:
        raise UnavailableError(
            f"the Dask workers at {address} have ClaimDB {', '.join(sorted(found))}, here it is "
            f"{version('claimdb')}; install the same there"
        )


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
