"""Tells whether a file is the SQLite database that it should be, before any query is run."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Final

from claimdb_loader.fingerprints import Fingerprint, file_sha256
from claimdb_loader.read_only import connect_read_only
from claimdb_metric.errors import DatabaseFileError
from claimdb_sandbox.database_file import file_fault

MEND: Final = "replace it with a whole copy; what ClaimDB fetched may be deleted instead"
TABLES_SQL: Final = (
    "SELECT name FROM sqlite_master "
    "WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
)


def check_file(path: Path) -> None:
    """Raise DatabaseFileError unless the file starts as a SQLite database of its full length."""
    fault = file_fault(path)
    if fault is not None:
        raise DatabaseFileError(f"{path} {fault}; {MEND}")


def check_has_tables(connection: sqlite3.Connection, path: Path) -> None:
    """Raise DatabaseFileError when the database is unreadable or holds no table at all."""
    try:
        first = connection.execute(TABLES_SQL).fetchone()
    except sqlite3.DatabaseError as error:
        raise DatabaseFileError(f"{path} cannot be read as SQLite: {error}; {MEND}") from error
    if first is None:
        raise DatabaseFileError(f"{path} holds no table; {MEND}")


def find_release(path: Path, known: Iterable[Fingerprint]) -> tuple[Fingerprint | None, str | None]:
    """Return the known release that a file equals, and what is wrong where it equals none.

    Both are None where no release is known.
    """
    known = tuple(known)
    if not known:
        return None, None
    n_bytes, sha256 = path.stat().st_size, file_sha256(path)
    for fingerprint in known:
        if fingerprint.sha256 == sha256:
            return fingerprint, None
    releases = "; ".join(
        f"{mark.release}: {_bytes(mark.n_bytes)}, sha256 {mark.sha256}" for mark in known
    )
    return None, (
        f"is no known release of this database: it has {_bytes(n_bytes)} and sha256 {sha256}; "
        f"known are {releases}"
    )


def _bytes(n_bytes: int | None) -> str:
    return "an unknown number of bytes" if n_bytes is None else f"{n_bytes:,} bytes"


def quick_check(path: Path) -> None:
    """Raise DatabaseFileError when SQLite's own check finds a fault; reads the whole file."""
    check_file(path)
    with closing(connect_read_only(path)) as connection:
        check_has_tables(connection, path)
        try:
            faults = [row[0] for row in connection.execute("PRAGMA quick_check(3)")]
        except sqlite3.DatabaseError as error:
            faults = [str(error)]
    if faults != ["ok"]:
        raise DatabaseFileError(f"{path} is damaged: {'; '.join(faults)}; {MEND}")
