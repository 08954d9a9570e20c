"""Runs SQL that nobody trusts on many databases, N queries at a time, for asyncio."""

from __future__ import annotations

import asyncio
import os
import queue
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from claimdb_sandbox.database_file import usable_path
from claimdb_sandbox.errors import ClosedError
from claimdb_sandbox.executor import DEFAULT_LIMITS
from claimdb_sandbox.lane import Lane
from claimdb_sandbox.limits import Limits
from claimdb_sandbox.results import Result

CLOSED: Final = "this pool is closed, or of another process; make a new one"


class AsyncExecutor:
    """N lanes that many databases share: a query takes the first lane that is free.

    Each lane has a worker process, which starts at its first query. A query that is stuck holds up
    its own lane only, until it is killed. A task that is cancelled stops its query at once.

    Args:
        limits: what a query may cost at most.
        lanes: how many queries run at the same time, at least 1; None is one for each processor.
        root: a folder in which all files must lie, links followed; None allows every place.
        retry_once: whether a query whose worker died is run once more.

    Raises:
        ValueError: fewer than one lane.

    >>> import asyncio, sqlite3, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = f"{folder.name}/ferries.sqlite"
    >>> db = sqlite3.connect(path)
    >>> _ = db.executescript("CREATE TABLE vessel (name); INSERT INTO vessel VALUES ('Vita')")
    >>> db.close()
    >>> async def count():
    ...     async with AsyncExecutor(lanes=2) as pool:
    ...         return await pool.run(path, "SELECT count(*) FROM vessel")
    >>> asyncio.run(count()).rows
    ((1,),)
    >>> folder.cleanup()
    """

    def __init__(
        self,
        limits: Limits = DEFAULT_LIMITS,
        *,
        lanes: int | None = None,
        root: str | os.PathLike[str] | None = None,
        retry_once: bool = False,
    ) -> None:
        n_lanes = (os.cpu_count() or 1) if lanes is None else lanes
        if type(n_lanes) is not int or n_lanes < 1:
            raise ValueError(f"lanes={lanes!r} must be an integer of 1 or more")
        self.limits = limits
        self._root = root
        self._owner = os.getpid()
        self._lanes = [Lane(limits, retry_once) for _ in range(n_lanes)]
        self._free: queue.SimpleQueue[Lane] = queue.SimpleQueue()
        for lane in self._lanes:
            self._free.put(lane)
        self._threads = ThreadPoolExecutor(n_lanes, thread_name_prefix="claimdb-sandbox")
        self._closed = False

    @property
    def worker_pids(self) -> tuple[int, ...]:
        """The ids of the worker processes that are running."""
        return tuple(pid for lane in self._lanes if (pid := lane.worker_pid) is not None)

    async def run(self, db_path: str | os.PathLike[str], sql: str) -> Result:
        """Return what became of one SQL statement on a database, as `Executor.run` does.

        Raises:
            UnusableDatabaseError: the path leads out of the root, or to no SQLite database.
            WorkerStartError: the process that runs the SQL cannot be started.
            ClosedError: the pool is closed, or was made before a fork.
        """
        if self._closed or self._owner != os.getpid():
            raise ClosedError(CLOSED)
        job = _Job(usable_path(db_path, self._root), sql)
        try:
            running = self._threads.submit(self._run, job)
        except RuntimeError:  # another thread has closed the pool meanwhile
            raise ClosedError(CLOSED) from None
        try:
            return await asyncio.wrap_future(running)
        except asyncio.CancelledError:
            job.cancel()
            task = asyncio.current_task()
            if running.cancelled() and task is not None and not task.cancelling():
                raise ClosedError(CLOSED) from None  # by `close`, not by who waits
            raise

    def _run(self, job: _Job) -> Result:
        lane = self._free.get()
        try:
            return job.run(lane)
        finally:
            self._free.put(lane)

    def close(self) -> None:
        """End all workers; a query that runs gets `worker_died`, one that waits ClosedError."""
        self._closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        for lane in self._lanes:
            lane.close()
        self._threads.shutdown()

    async def __aenter__(self) -> AsyncExecutor:
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self.close)


class _Job:
    """One query, and the lane that it is in while it runs."""

    def __init__(self, path: Path, sql: str) -> None:
        self._path, self._sql = path, sql
        self._lock = threading.Lock()
        self._lane: Lane | None = None
        self.cancelled = False

    def run(self, lane: Lane) -> Result:
        with self._lock:
            self._lane = lane
        try:
            return lane.run(self._path, self._sql, lambda: not self.cancelled)
        finally:
            with self._lock:
                self._lane = None

    def cancel(self) -> None:
        with self._lock:
            self.cancelled = True
            if self._lane is not None:
                self._lane.stop()
