"""The databases that go to a repository, each measured: sha256, size, tables, rows."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import pyarrow as pa
from tqdm import tqdm

from claimdb_builder.publish.benchmark import Benchmark
from claimdb_builder.publish.checks import check_database_names
from claimdb_builder.publish.markdown import counted
from claimdb_loader import database_files
from claimdb_loader.fingerprints import file_sha256, manifest_rows
from claimdb_loader.hub_commit import MAX_FILE_BYTES
from claimdb_loader.plans import UNKNOWN_SIZE
from claimdb_loader.published import DATABASE_MANIFEST
from claimdb_loader.read_only import connect_read_only
from claimdb_loader.sqlite_file import MEND, TABLES_SQL, check_file, check_has_tables
from claimdb_metric.errors import DatabaseFileError, DataError, UnknownDatabaseError
from claimdb_sandbox.database_file import has_log

Choice = Literal["none", "split", "all"]
"""No database, those that the claims of the published splits name, or also the folder's others."""


@dataclass(frozen=True)
class DatabaseEntry:
    """One line of the manifest: what a database file holds."""

    db_name: str
    n_tables: int
    n_rows: int
    n_bytes: int
    sha256: str


def chosen_files(benchmark: Benchmark, choice: Choice) -> dict[str, Path]:
    """Return the file of each database that is asked for, by name.

    Raises:
        DataError: one is not on this machine, or `datasets` would take its folder for a split.
        DatabaseFileError: one is too large, no SQLite file, or has a log beside it.
    """
    if choice == "none":
        return {}
    names = set(benchmark.db_names)
    if choice == "all" and benchmark.folder is not None:
        names.update(database_files.local_names(benchmark.folder))
    check_database_names(sorted(names))
    found = {name: local_file(benchmark, name) for name in sorted(names)}
    missing = [name for name, path in found.items() if path is None]
    if missing:
        raise DataError(
            f"{counted(len(missing), 'database')} not on this machine: {', '.join(missing)}; put "
            "each at NAME/NAME.sqlite of the folder, or bring it with `claimdb databases fetch`"
        )
    files = {name: path for name, path in found.items() if path is not None}
    for path in files.values():
        _check(path)
    return files


def local_file(benchmark: Benchmark, db_name: str) -> Path | None:
    """Return the path of a database that is on this machine already, None if it is not.

    What was fetched from the published benchmark is taken for that benchmark only: another may
    have a database of the same name.
    """
    folder = str(benchmark.folder) if benchmark.folder else None
    try:
        path = database_files.find_local(db_name, folder, None, None)
    except UnknownDatabaseError:
        return None
    is_published = path is not None and path == database_files.cached(db_name, None, None)
    return None if is_published and not benchmark.is_claimdb else path


def _check(path: Path) -> None:
    n_bytes = path.stat().st_size
    if n_bytes > MAX_FILE_BYTES:
        raise DatabaseFileError(
            f"{path} has {n_bytes:,} bytes, over the Hub's limit of {MAX_FILE_BYTES:,} for a file: "
            "publish without it (--databases none), or make it smaller"
        )
    check_file(path)
    if has_log(path):
        raise DatabaseFileError(
            f"{path} has a log beside it that would be left behind: close the programs that write "
            "to it, or merge the log with `PRAGMA wal_checkpoint(TRUNCATE)`"
        )


def measure(files: Mapping[str, Path]) -> list[DatabaseEntry]:
    """Return the manifest line of each file, by name; reads every file twice.

    Raises:
        DatabaseFileError: a file is no readable database.
    """
    bar = tqdm(sorted(files.items()), desc="databases", unit="db", disable=None)
    return [_measured(name, path) for name, path in bar]


def _measured(name: str, path: Path) -> DatabaseEntry:
    with closing(connect_read_only(path)) as connection:
        check_has_tables(connection, path)
        try:
            tables = [table for (table,) in connection.execute(TABLES_SQL)]
            n_rows = sum(_n_rows(connection, table) for table in tables)
        except sqlite3.DatabaseError as error:
            raise DatabaseFileError(f"{path} cannot be counted: {error}; {MEND}") from error
    return DatabaseEntry(name, len(tables), n_rows, path.stat().st_size, file_sha256(path))


def _n_rows(connection: sqlite3.Connection, table: str) -> int:
    quoted = table.replace('"', '""')
    return int(connection.execute(f'SELECT count(*) FROM "{quoted}"').fetchone()[0])


def merged(old: Iterable[DatabaseEntry], new: Iterable[DatabaseEntry]) -> list[DatabaseEntry]:
    """Return the entries of both by name; a push takes no database away, only replaces it."""
    by_name = {entry.db_name: entry for entry in (*old, *new)}
    return [by_name[name] for name in sorted(by_name)]


def manifest_text(entries: Iterable[DatabaseEntry]) -> str:
    """Return the manifest as JSON, one database a line.

    >>> print(manifest_text([DatabaseEntry("zoo", 1, 3, 8192, "0" * 64)]).count("zoo"))
    1
    """
    lines = [json.dumps(asdict(entry), ensure_ascii=False) for entry in entries]
    return "[\n  " + ",\n  ".join(lines) + "\n]\n"


def read_manifest(content: bytes) -> list[DatabaseEntry]:
    """Return the entries of a manifest.

    Raises:
        DatabaseFileError: it is none.
    """
    fields = ("db_name", "n_tables", "n_rows", "n_bytes", "sha256")
    rows = manifest_rows(content, DATABASE_MANIFEST)
    return [DatabaseEntry(**{key: row.get(key, -1) for key in fields}) for row in rows]


def with_measures(
    benchmark: Benchmark, rows: pa.Table, entries: Iterable[DatabaseEntry]
) -> pa.Table:
    """Return the rows of the `databases` config with what was measured.

    Args:
        benchmark: what is known of the published databases holds for that benchmark only.
        rows: with the features of `claimdb_loader.features.DATABASE_FEATURES`.
    """
    measured = {entry.db_name: asdict(entry) for entry in entries}
    unknown = {} if benchmark.is_claimdb else UNKNOWN_SIZE
    filled = [row | unknown | measured.get(row["db_name"], {}) for row in rows.to_pylist()]
    return pa.Table.from_pylist(filled, schema=rows.schema)
