"""Tells whether a file is the SQLite database that it should be, before any query is run."""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Final

from claimdb_loader.fingerprints import Fingerprint, file_sha256
from claimdb_loader.read_only import connect_read_only, has_log
from claimdb_metric.errors import DatabaseFileError

HEADER: Final = b"SQLite format 3\x00"
HEADER_BYTES: Final = 100
MEND: Final = "replace it with a whole copy, or delete it to have it fetched again"
TABLES_SQL: Final = (
    "SELECT name FROM sqlite_master "
    "WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
)


def check_file(path: Path) -> None:
    """Raise DatabaseFileError unless the file starts as a SQLite database of its full length."""
    fault = file_fault(path)
    if fault is not None:
        raise DatabaseFileError(f"{path} {fault}; {MEND}")


def file_fault(path: Path) -> str | None:
    """Return what keeps a file from being a SQLite database of its full length, None if nothing.

    Reads 100 bytes: the header, and the page count in it (https://sqlite.org/fileformat.html#1.3).
    """
    try:
        with path.open("rb") as file:
            head = file.read(HEADER_BYTES)
            actual = path.stat().st_size
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if not head:
        return "is empty"
    if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"<":
        return "is an HTML page, not SQLite: the download was a web page (a login or a warning)"
    if head.startswith(b"version https://git-lfs"):
        return "is a Git LFS pointer, not SQLite: `git lfs pull` brings the file itself"
    if not head.startswith(HEADER):
        return "is not a SQLite database"
    expected = _declared_bytes(head)
    if expected is not None and actual < expected and not has_log(path):
        return f"is cut short: {actual:,} of {expected:,} bytes"
    return None


def _declared_bytes(head: bytes) -> int | None:
    """The length that the header states, None where its page count is not valid."""
    if len(head) < HEADER_BYTES:
        return HEADER_BYTES
    (page_bytes,) = struct.unpack_from(">H", head, 16)
    change_counter, n_pages = struct.unpack_from(">II", head, 24)
    (valid_for,) = struct.unpack_from(">I", head, 92)
    if change_counter != valid_for:
        return None
    return int(n_pages * (65536 if page_bytes == 1 else page_bytes))


def check_has_tables(connection: sqlite3.Connection, path: Path) -> None:
    """Raise DatabaseFileError when the database is unreadable or holds no table at all."""
    try:
        first = connection.execute(TABLES_SQL).fetchone()
    except sqlite3.DatabaseError as error:
        hint = MEND
        if has_log(path):
            hint = (
                "a -wal or -journal file beside it holds newer rows, which SQLite can read only in "
                "a folder that it may write to"
            )
        raise DatabaseFileError(f"{path} cannot be read as SQLite: {error}; {hint}") from error
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
