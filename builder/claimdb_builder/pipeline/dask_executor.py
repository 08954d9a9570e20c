"""The workers of a Dask cluster as an executor; needs the extra `claimdb[dask]`."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError, Executor
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any, Final

from claimdb_metric.errors import DataError, UnavailableError

TIMEOUT_S: Final = 10
WITHOUT_WORKERS_S: Final = 10
"""So long a cluster may have no worker: one that a cluster replaces takes a while to start."""

_URL: Final = re.compile(r"dask://((?:[\w.-]+|\[[0-9a-fA-F:]+\]):[0-9]{1,5})")


@contextmanager
def open_dask(url: str) -> Iterator[Executor]:
    """Yield the executor of a Dask cluster.

    Args:
        url: `dask://host:port` of its scheduler.

    Raises:
        DataError: the URL is none of these.
        UnavailableError: Dask is not installed, no scheduler answers, it has no workers or other
            ones than here, or they are lost on the way.
    """
    match = _URL.fullmatch(url)
    if match is None:
        raise DataError(f"no executor {url!r}; it must be dask://HOST:PORT")
    address = match[1]
    try:
        from distributed import Client, KilledWorker
        from distributed.comm import CommClosedError
    except ImportError as error:
        raise UnavailableError(
            f"{url} needs Dask: pip install 'claimdb[dask]' here and on the workers"
        ) from error
    try:
        client: Any = Client(f"tcp://{address}", timeout=TIMEOUT_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UnavailableError(
            f"no Dask scheduler answers at {address}: {error}; start one with `dask scheduler`"
        ) from error
    executor = client.get_executor()
    executor.n_workers = len(_check_workers(client, address))
    executor.assert_alive = _Watch(client, address)
    try:
        yield executor
    except (CancelledError, CommClosedError, KilledWorker) as error:
        raise UnavailableError(
            f"the Dask cluster at {address} lost workers or its scheduler ({error!r}); what was "
            "done is kept: give the same command again when it is there"
        ) from error
    finally:
        executor.shutdown(wait=False)  # cancels what is under way; there is none after a whole run
        client.close()


def _check_workers(client: Any, address: str) -> dict[str, dict[str, str]]:
    """Return the versions of each worker.

    Raises:
        UnavailableError: there is no worker, or one with another version than here.
    """
    try:
        found: dict[str, dict[str, str]] = client.run(versions)
    except ImportError as error:
        raise UnavailableError(
            f"the Dask workers at {address} cannot import ClaimDB ({error}); install it there"
        ) from error
    if not found:
        raise UnavailableError(
            f"the Dask scheduler at {address} has no workers; start some: `dask worker {address}`"
        )
    for worker, there in found.items():
        if there != versions():
            raise UnavailableError(
                f"Dask worker {worker} has {there}, here it is {versions()}; install the same there"
            )
    return found


def versions() -> dict[str, str]:
    """Return the versions that the bytes of a build depend on, where this is called."""
    packages = {name: version(name) for name in ("claimdb", "sqlglot")}
    return packages | {"sqlite": sqlite3.sqlite_version}


class _Watch:
    """Raises UnavailableError, when called, where a cluster has had no worker for a while."""

    def __init__(self, client: Any, address: str) -> None:
        self._client = client
        self._address = address
        self._seen_s = time.monotonic()

    def __call__(self) -> None:
        now_s = time.monotonic()
        if self._client.status == "running" and self._client.scheduler_info(n_workers=1)["workers"]:
            self._seen_s = now_s
        if now_s - self._seen_s > WITHOUT_WORKERS_S:
            raise UnavailableError(
                f"the Dask cluster at {self._address} has had no worker for "
                f"{WITHOUT_WORKERS_S} s; what was done is kept: give the same command again when "
                "it has some"
            )
