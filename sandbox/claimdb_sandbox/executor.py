"""Runs SQL that nobody trusts on one database, one query at a time."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

from claimdb_sandbox.database_file import usable_path
from claimdb_sandbox.lane import Lane
from claimdb_sandbox.limits import Limits
from claimdb_sandbox.results import Result

DEFAULT_LIMITS: Final = Limits()


class Executor:
    """Runs SQL on one SQLite file: read-only, bounded in time, memory and length of the answer.

    The SQL runs in a process of its own, which is killed if SQLite does not stop in time. It starts
    at the first query and lives until `close`, or the end of this process. Threads take turns;
    after a fork, and where it was pickled to, an executor has a worker of its own.

    Args:
        path: the database.
        limits: what a query may cost at most.
        root: a folder in which the file must lie, links followed; None allows every place.
        retry_once: whether a query whose worker died is run once more.

    Raises:
        UnusableDatabaseError: the path leads out of the root, or to no file. Whether the file is a
            SQLite database, the first query tells.

    >>> import sqlite3, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = f"{folder.name}/ferries.sqlite"
    >>> db = sqlite3.connect(path)
    >>> _ = db.executescript("CREATE TABLE vessel (name); INSERT INTO vessel VALUES ('Vita')")
    >>> db.close()
    >>> with Executor(path) as sandbox:
    ...     sandbox.run("SELECT name FROM vessel").rows
    ...     sandbox.run("DELETE FROM vessel").status
    (('Vita',),)
    'denied'
    >>> folder.cleanup()
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        limits: Limits = DEFAULT_LIMITS,
        *,
        root: str | os.PathLike[str] | None = None,
        retry_once: bool = False,
    ) -> None:
        self.path: Path = usable_path(path, root)
        self.limits = limits
        self._root = root
        self._retry_once = retry_once
        self._lane = Lane(limits, retry_once)

    @property
    def worker_pid(self) -> int | None:
        """The id of the process that runs the SQL, None before the first query."""
        return self._lane.worker_pid

    def run(self, sql: str) -> Result:
        """Return what became of one SQL statement; what is wrong with it is a status, no error.

        Args:
            sql: one statement that reads, perhaps in a code fence.

        Raises:
            UnusableDatabaseError: the file is not a SQLite database that can be read, or no longer
                in the root.
            WorkerStartError: the process that runs the SQL cannot be started.
            ClosedError: the executor is closed.
        """
        if self._root is not None:
            usable_path(self.path, self._root)  # the file may be a link by now
        return self._lane.run(self.path, sql)

    def close(self) -> None:
        """End the worker; a query of another thread that is running gets `worker_died`."""
        self._lane.close()

    def __enter__(self) -> Executor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        return _executor, (str(self.path), self.limits, self._root, self._retry_once)

    def __repr__(self) -> str:
        return f"Executor({str(self.path)!r}, {self.limits!r})"


def _executor(
    path: str, limits: Limits, root: str | os.PathLike[str] | None, retry_once: bool
) -> Executor:
    return Executor(path, limits, root=root, retry_once=retry_once)
