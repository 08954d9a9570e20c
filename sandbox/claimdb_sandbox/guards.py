"""A guarded connection: what SQLite itself refuses and stops, before any process is killed.

The order matters: warming up comes before the policy, which would deny it, and so does each PRAGMA.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from claimdb_sandbox.database_file import (
    LOCK_WAIT_S,
    connect_read_only,
    is_of_the_file,
    unusable,
)
from claimdb_sandbox.limits import TICK_STEPS, Limits
from claimdb_sandbox.policy import ALLOWED_VIRTUAL_TABLES, Policy

PRAGMAS: Final[Mapping[str, int]] = {
    "trusted_schema": 0,  # functions in a view or an index must be harmless ones
    "temp_store": 2,  # sorts stay in memory, where the heap limit sees them, and touch no disk
    "cell_size_check": 1,
    "mmap_size": 0,  # a damaged disk is an error, not a signal that ends the process
}
SQLITE_LIMITS: Final[Mapping[int, int]] = {
    sqlite3.SQLITE_LIMIT_LENGTH: 1_000_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 200,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 200,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 50,
    sqlite3.SQLITE_LIMIT_VDBE_OP: 250_000,
    sqlite3.SQLITE_LIMIT_FUNCTION_ARG: 32,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1000,
    sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER: 100,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 10,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
"""Wide enough for BIRD's gold SQL (1,446 characters, expressions 21 deep)."""

BYTES_A_CHARACTER: Final = 4
_EXPLAIN_BYTES: Final = 100
"""Room for the word that is put before SQL to compile it only."""

_CONFIG: Final[Mapping[str, bool]] = {
    "SQLITE_DBCONFIG_DEFENSIVE": True,
    "SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER": False,
    "SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION": False,
    "SQLITE_DBCONFIG_TRUSTED_SCHEMA": False,
    "SQLITE_DBCONFIG_WRITABLE_SCHEMA": False,
}
"""Python sets these from 3.12 on. Double-quoted text is not among them: switched off for the whole
connection it would break views that hold such text; `quoted_names` looks at the query alone."""


class RowTooLong(Exception):
    """The texts of one row are longer than a whole answer may be: the rest of it is not read."""


class Ticks:
    """SQLite's progress handler: counts steps in thousands, and says when to stop."""

    def __init__(self) -> None:
        self.restart(Limits())

    def restart(self, limits: Limits) -> None:
        """Count from 0 for a new query."""
        self.count = 0
        self.reached: str | None = None
        """The name of the limit that stopped the query."""
        self._most = (limits.max_steps or 0) // TICK_STEPS
        self.deadline = time.monotonic() + limits.time_limit_s

    def __call__(self) -> bool:
        self.count += 1
        if self._most and self.count > self._most:
            self.reached = "max_steps"
        elif time.monotonic() > self.deadline:
            self.reached = "time_limit_s"
        return self.reached is not None


class GuardedConnection:
    """A connection that can only read, and what its guards have seen of the current query.

    Args:
        path: an absolute path.

    Raises:
        UnusableDatabaseError: SQLite cannot read the file.
    """

    def __init__(self, path: Path, limits: Limits) -> None:
        self.path = path
        self.limits = limits
        self.policy = Policy()
        self.ticks = Ticks()
        self.flags = set[str]()
        """How the row that was read last differs from what SQLite holds."""
        # No statement is kept: one that is used again would go on counting its steps where it
        # stopped, and the last tick would come one step earlier or later.
        lock_wait_s = min(LOCK_WAIT_S, limits.time_limit_s)
        self.connection = connect_read_only(path, timeout=lock_wait_s, cached_statements=0)
        self.start_row()
        try:
            for name, value in PRAGMAS.items():
                self.connection.execute(f"PRAGMA {name} = {value}")
            self._warm_up()
        except sqlite3.DatabaseError as error:
            self.connection.close()
            raise unusable(error, path) from error
        for category, most in SQLITE_LIMITS.items():
            self.connection.setlimit(category, most)
        max_sql_bytes = limits.max_sql_chars * BYTES_A_CHARACTER + _EXPLAIN_BYTES
        self.connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, max_sql_bytes)
        self._configure()
        self.connection.set_authorizer(self.policy)
        self.connection.set_progress_handler(self.ticks, TICK_STEPS)
        self.connection.text_factory = self._text

    def start(self) -> None:
        """Forget what was seen of the query before; its time begins."""
        self.policy.denied = None
        self.ticks.restart(self.limits)

    def start_row(self) -> None:
        """Forget what was seen of the row before."""
        self.flags.clear()
        self._row_bytes = 0

    def close(self) -> None:
        """Let the file go."""
        self.connection.close()

    def _warm_up(self) -> None:
        """Let SQLite declare the virtual tables that may be read; those of the file are among them.

        What fails is a table of a module that this SQLite does not have: no query can read it.
        """
        own = self.connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage = 0"
        ).fetchall()
        quoted = ('"' + name.replace('"', '""') + '"' for (name,) in own)
        for table in (*ALLOWED_VIRTUAL_TABLES, *quoted):
            try:
                self.connection.execute(f"SELECT 1 FROM {table} LIMIT 0").close()
            except sqlite3.DatabaseError as error:
                if is_of_the_file(error):
                    raise

    def _configure(self) -> None:
        for name, value in _CONFIG.items():
            if hasattr(self.connection, "setconfig") and hasattr(sqlite3, name):
                self.connection.setconfig(getattr(sqlite3, name), value)

    def _text(self, value: bytes) -> str:
        self._row_bytes += len(value)
        if self._row_bytes > self.limits.max_bytes:
            raise RowTooLong
        try:
            return value.decode()
        except UnicodeDecodeError:
            self.flags.add("replaced_text")
            return value.decode(errors="replace")
