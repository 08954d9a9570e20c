"""The size of databases: tables, rows, columns, bytes and tokens."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from claimdb_builder.stats.table_rows import Table
from claimdb_builder.stats.table_tokens import count_tokens
from claimdb_builder.stats.token_counters import TokenCounting
from claimdb_loader.databases import SIGNAL_CHECK_STEPS
from claimdb_loader.read_only import connect_read_only
from claimdb_loader.sqlite_file import TABLES_SQL, check_file, check_has_tables
from claimdb_metric.errors import DatabaseFileError


@dataclass(frozen=True)
class TableStats:
    """The size of one table; what is not known is None.

    Attributes:
        n_tokens: as text, by `table_tokens`; an estimate where n_rows_read is less than n_rows.
        tokens_error_95: half the width of its 95 % interval.
        n_rows_read: how many rows the tokens are from.
    """

    name: str
    n_rows: int
    n_columns: int | None = None
    n_tokens: int | None = None
    tokens_error_95: float | None = None
    n_rows_read: int | None = None


@dataclass(frozen=True)
class DatabaseStats:
    """The size of one database; what is not known is None.

    >>> DatabaseStats("zoo", (TableStats("owl", 3), TableStats("heron", 4))).n_rows
    7
    """

    db_name: str
    tables: tuple[TableStats, ...]
    n_bytes: int | None = None

    @property
    def n_tables(self) -> int:
        """How many tables there are; views are none."""
        return len(self.tables)

    @property
    def n_rows(self) -> int:
        """The rows of all tables."""
        return sum(table.n_rows for table in self.tables)

    @property
    def n_columns(self) -> int | None:
        """The columns of all tables."""
        return _sum([table.n_columns for table in self.tables])

    @property
    def n_tokens(self) -> int | None:
        """The tokens of all tables."""
        return _sum([table.n_tokens for table in self.tables])

    @property
    def tokens_error_95(self) -> float | None:
        """Half the width of the 95 % interval; tables are sampled independently."""
        if self.n_tokens is None:
            return None
        return math.hypot(*(table.tokens_error_95 or 0.0 for table in self.tables))


def _sum(values: list[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def measure(
    files: Mapping[str, Path], counting: TokenCounting | None = None
) -> tuple[DatabaseStats, ...]:
    """Return the size of each database, by name; shows a progress bar on a terminal.

    Args:
        files: each database and its file, which is opened read-only.
        counting: how tokens are counted; None counts none, which reads far less.

    Raises:
        DatabaseFileError: files are no readable databases, or hold no table; it lists them all.

    >>> import claimdb
    >>> path = claimdb.open_database("ferry_lines").path
    >>> [(found.n_tables, found.n_rows) for found in measure({"ferry_lines": path})]
    [(7, 17376)]
    """
    tables = _tables_of_all(files)
    n_tables = sum(map(len, tables.values()))
    with tqdm(total=n_tables, desc="databases", unit="table", disable=None) as bar:
        found = []
        for db_name in sorted(files):
            with _opened(files[db_name]) as connection:
                sizes = []
                for name in tables[db_name]:
                    bar.set_description(db_name)
                    sizes.append(_measured(Table(connection, name), db_name, counting))
                    bar.update()
            n_bytes = files[db_name].stat().st_size
            found.append(DatabaseStats(db_name, tuple(sizes), n_bytes))
    return tuple(found)


def _tables_of_all(files: Mapping[str, Path]) -> dict[str, list[str]]:
    """The tables of every database, so that all faults are known before the long work."""
    tables: dict[str, list[str]] = {}
    faults = []
    for db_name, path in files.items():
        try:
            check_file(path)
            with _opened(path) as connection:
                check_has_tables(connection, path)
                tables[db_name] = [name for (name,) in connection.execute(TABLES_SQL)]
        except DatabaseFileError as fault:
            faults.append(str(fault))
    if faults:
        listed = "\n  ".join(["", *faults]) if len(faults) > 1 else faults[0]
        raise DatabaseFileError(f"{len(faults)} databases:{listed}" if len(faults) > 1 else listed)
    return tables


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """A read-only connection whose errors name the file, and that Ctrl-C stops."""
    with closing(connect_read_only(path)) as connection:
        # Python raises KeyboardInterrupt as it enters the handler, and SQLite then stops the query.
        connection.set_progress_handler(lambda: 0, SIGNAL_CHECK_STEPS)
        try:
            yield connection
        except sqlite3.DatabaseError as error:
            if str(error) == "interrupted":
                raise KeyboardInterrupt from None
            raise DatabaseFileError(
                f"{path} cannot be counted: {error}; check it with `PRAGMA integrity_check`"
            ) from error


def _measured(table: Table, db_name: str, counting: TokenCounting | None) -> TableStats:
    n_columns, n_rows = len(table.columns()), table.n_rows()
    if counting is None:
        return TableStats(table.name, n_rows, n_columns)
    count = count_tokens(table, n_rows, counting, f"{db_name}/{table.name}")
    return TableStats(
        table.name, n_rows, n_columns, count.n_tokens, count.error_95, count.n_rows_read
    )
