"""Read-only handles to the databases that claims are about."""

from __future__ import annotations

import os
import sqlite3
import sys
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Final

from claimdb_loader import database_files
from claimdb_loader.read_only import connect_read_only
from claimdb_loader.sqlite_file import MEND, TABLES_SQL, check_file, check_has_tables
from claimdb_metric.errors import DatabaseFileError, DataError
from claimdb_sandbox.database_file import has_log

DEFAULT_MAX_ROWS: Final = 1000
MAX_OPEN: Final = 64
"""How many databases stay open in a process; a closed one opens again at its next query."""

SIGNAL_CHECK_STEPS: Final = 100_000
"""After so many steps of SQLite's machine, about a millisecond, a Ctrl-C is looked for."""


@dataclass(frozen=True)
class QueryResult:
    """The answer to one query; iterating over it gives its rows.

    Args:
        columns: the names of the columns as SQLite gives them.
        rows: at most `max_rows` rows.
        truncated: whether there were more.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    truncated: bool

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


@dataclass
class _Opened:
    """The connection of one process, and the lock by which its threads take turns."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    connection: sqlite3.Connection | None = None
    stamp: object = None
    release: Callable[[], object] = lambda: None

    def close(self) -> None:
        self.release()
        self.connection = None


class Database:
    """A read-only handle to one SQLite database.

    The connection is opened at the first use in each process, so a handle may be pickled, sent to
    a worker or inherited by a fork; a file that has changed is opened anew. Queries from several
    threads take turns. Give it SQL that you trust; SQL that a model wrote needs limits on time and
    memory too: `claimdb_sandbox.Executor(database.path)`.

    >>> with open_database("ferry_lines") as db:
    ...     db.query("SELECT count(*) > 0 FROM sqlite_master").rows
    ((1,),)
    """

    def __init__(self, db_name: str, path: Path) -> None:
        self.db_name = db_name
        self.path = path
        self._by_process: dict[int, _Opened] = {}

    def tables(self) -> list[str]:
        """Return the names of the tables, sorted; SQLite's own are left out."""
        return [name for (name,) in self.query(TABLES_SQL, max_rows=None)]

    def schema(self) -> str:
        """Return the DDL of tables, then views, each sorted by name, as SQL text."""
        rows = self.query(
            "SELECT sql FROM sqlite_master WHERE type IN ('table', 'view') AND sql IS NOT NULL "
            "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type, name",
            max_rows=None,
        )
        return "\n\n".join(f"{ddl};" for (ddl,) in rows)

    def query(
        self,
        sql: str,
        params: Sequence[object] | Mapping[str, object] = (),
        max_rows: int | None = DEFAULT_MAX_ROWS,
    ) -> QueryResult:
        """Return the answer to one SQL statement.

        Args:
            sql: one statement that reads; what would write is refused by SQLite.
            params: values for `?` or `:name` in the statement.
            max_rows: how many rows to return at most; None returns all of them.

        Raises:
            sqlite3.Error: SQLite refuses the statement.
            DatabaseFileError: the file is not a readable SQLite database.
        """
        if max_rows is not None and (type(max_rows) is not int or max_rows < 0):
            raise DataError(f"max_rows={max_rows!r} must be an integer of 0 or more, or None")
        opened = self._opened()
        with opened.lock:
            connection = self._connect(opened)
            try:
                return _run(connection, sql, params, max_rows)
            except sqlite3.Warning as warning:  # Python 3.11, for two statements at once
                raise sqlite3.ProgrammingError(str(warning)) from None
            except sqlite3.DatabaseError as error:
                if str(error) == "interrupted":
                    raise KeyboardInterrupt from None
                if "malformed" in str(error):
                    raise DatabaseFileError(f"{self.path} is damaged: {error}; {MEND}") from error
                raise

    def _opened(self) -> _Opened:
        # A fork inherits its parent's connection, and perhaps its held lock: it uses neither.
        return self._by_process.setdefault(os.getpid(), _Opened())

    def _connect(self, opened: _Opened) -> sqlite3.Connection:
        stamp = self._stamp()
        if opened.connection is not None and opened.stamp == stamp:
            return opened.connection
        opened.close()
        check_file(self.path)
        connection = connect_read_only(self.path)
        connection.set_progress_handler(_look_for_ctrl_c, SIGNAL_CHECK_STEPS)
        opened.release = weakref.finalize(self, connection.close)
        try:
            check_has_tables(connection, self.path)
        except DataError:
            opened.close()
            raise
        opened.connection, opened.stamp = connection, stamp
        return connection

    def _stamp(self) -> object:
        """Tell one state of the file from another; None where there is no file."""
        try:
            state = self.path.stat()
        except OSError:
            return None
        return state.st_ino, state.st_size, state.st_mtime_ns, has_log(self.path)

    def close(self) -> None:
        """Let the connection go; a later query opens a new one."""
        opened = self._opened()
        with opened.lock:
            opened.close()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[type[Database], tuple[str, Path]]:
        return Database, (self.db_name, self.path)

    def __repr__(self) -> str:
        return f"Database({self.db_name!r}, path={str(self.path)!r})"


def _look_for_ctrl_c() -> int:
    """Go on; Python raises KeyboardInterrupt as it enters here, and SQLite then stops the query.

    SQLite's C code gives it no other chance to: a long query would not end before its own end.
    """
    return 0


def _run(
    connection: sqlite3.Connection,
    sql: str,
    params: Sequence[object] | Mapping[str, object],
    max_rows: int | None,
) -> QueryResult:
    with closing(connection.execute(sql, params)) as cursor:
        columns = tuple(column[0] for column in cursor.description or ())
        rows = tuple(cursor if max_rows is None else islice(cursor, min(max_rows, sys.maxsize)))
        truncated = max_rows is not None and next(cursor, None) is not None
    return QueryResult(columns, rows, truncated)


_handles: dict[Path, Database] = {}


def open_database(
    db_name: str,
    *,
    data_dir: str | os.PathLike[str] | None = None,
    repo_id: str | None = None,
    revision: str | None = None,
) -> Database:
    """Return a read-only handle to a database; the same handle for the same file in a process.

    Looks in `data_dir` (else the folder in CLAIMDB_DATA_DIR), the embedded sample, the local
    database cache, then the Hub, from which only this one database is transferred.

    Args:
        db_name: the name in a claim's `db_name` column.
        data_dir: a folder with `<db_name>/<db_name>.sqlite` or `<db_name>.sqlite`.
        repo_id: the Hub dataset repository to fetch from; default is upstream's.
        revision: branch, tag or commit of that repository.

    Raises:
        UnknownDatabaseError: no database of that name; lists the nearest names.
        UnavailableError: it is not here and could not be fetched.
        DatabaseFileError: the file is not the database that it should be.

    >>> open_database("ferry_lines").db_name
    'ferry_lines'
    """
    path = database_files.locate(db_name, data_dir, repo_id, revision)
    check_file(path)
    handle = _handles.setdefault(path, Database(db_name, path))
    while len(_handles) > MAX_OPEN:
        oldest = next(iter(_handles))
        _handles.pop(oldest).close()
    return handle
