"""Whether a path is a SQLite database that can be read, and a connection that can only read it."""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
import struct
import sys
from pathlib import Path
from typing import IO, Final

from claimdb_sandbox.errors import UnusableDatabaseError

if sys.platform != "win32":
    import fcntl

HEADER: Final = b"SQLite format 3\x00"
HEADER_BYTES: Final = 100
LOG_SUFFIXES: Final = ("-wal", "-journal")
FAR_BYTE: Final = 2**62
"""Behind the longest database that there can be (281 TB)."""

LOCK_WAIT_S: Final = 2.0
"""How long a query waits for a program that is just writing."""

_LOCK_ERRORS: Final = ("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_PROTOCOL")
_FILE_ERRORS: Final = (
    *_LOCK_ERRORS,
    *("SQLITE_CANTOPEN", "SQLITE_CORRUPT", "SQLITE_IOERR", "SQLITE_NOTADB"),
)
_LOG_HELP: Final = (
    "a log of changes lies beside it that only a writer can merge: close the program that writes "
    'it, or once: sqlite3 FILE "SELECT count(*) FROM sqlite_master"'
)


def usable_path(path: str | os.PathLike[str], root: str | os.PathLike[str] | None = None) -> Path:
    """Return the absolute path of a file that may be opened; whether it is SQLite, a worker tells.

    Nothing is read: to close a file again would end all locks that this program holds on it, also
    those of its own SQLite connections (https://sqlite.org/howtocorrupt.html, section 2.2).

    Args:
        path: a file.
        root: a folder; links followed, the file must lie in it. None allows every place.

    Raises:
        UnusableDatabaseError: the path leads out of the root, or to no file.
    """
    absolute = Path(os.path.abspath(path))  # noqa: PTH100 - Path.resolve would follow links
    if root is not None and not _is_below(absolute, Path(root)):
        raise UnusableDatabaseError(f"{path} leads out of {root}, the only folder that is allowed")
    fault = kind_fault(absolute)
    if fault is not None:
        raise UnusableDatabaseError(f"{path} {fault}")
    return absolute


def _is_below(path: Path, root: Path) -> bool:
    try:
        return path.resolve().is_relative_to(root.resolve())
    except (OSError, ValueError, RuntimeError):  # no file can have this path; or links in a circle
        return False


def kind_fault(path: Path) -> str | None:
    """Return what keeps a path from being a file, None if nothing; opens nothing."""
    try:
        state = path.stat()
    except (OSError, ValueError) as error:
        return f"cannot be read: {getattr(error, 'strerror', None) or error}"
    if stat.S_ISDIR(state.st_mode):
        return "is a folder"
    if not stat.S_ISREG(state.st_mode):
        # Opening a pipe would wait for somebody to write to it.
        return "is not a regular file"
    return None


def file_fault(path: Path) -> str | None:
    """Return what keeps a file from being a SQLite database of its full length, None if nothing.

    Reads 100 bytes: the header, and the page count in it (https://sqlite.org/fileformat.html#1.3).

    >>> file_fault(Path("/no/such/file.sqlite"))
    'cannot be read: No such file or directory'
    """
    fault = kind_fault(path)
    if fault is not None:
        return fault
    try:
        with path.open("rb") as file:
            head = file.read(HEADER_BYTES)
            actual = os.fstat(file.fileno()).st_size
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    return _head_fault(head) or _length_fault(head, actual, path)


def _head_fault(head: bytes) -> str | None:
    if not head:
        return "is empty"
    if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"<":
        return "is an HTML page, not SQLite: the download was a web page (a login or a warning)"
    if head.startswith(b"version https://git-lfs"):
        return "is a Git LFS pointer, not SQLite: `git lfs pull` brings the file itself"
    if not head.startswith(HEADER):
        return "is not a SQLite database"
    return None


def _length_fault(head: bytes, actual: int, path: Path) -> str | None:
    """A file that is shorter than its header states; one with a log may grow by it."""
    expected = _declared_bytes(head)
    if expected is None or actual >= expected or has_log(path):
        return None
    return f"is cut short: {actual:,} of {expected:,} bytes"


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


def has_log(path: Path) -> bool:
    """Whether a log of changes that are not yet in the file lies beside it."""
    return log_bytes(path) > 0


def log_bytes(path: Path) -> int:
    """Return the length of the logs of changes beside a database, 0 where there are none."""
    total = 0
    for suffix in LOG_SUFFIXES:
        try:
            total += os.stat(f"{path}{suffix}").st_size  # noqa: PTH116 - twice as fast, per query
        except OSError:
            continue
    return total


def connect_read_only(
    path: Path,
    *,
    timeout: float = LOCK_WAIT_S,
    check_same_thread: bool = True,
    cached_statements: int = 128,
) -> sqlite3.Connection:
    """Return a connection that writes nothing: not to the file, not beside it.

    The arguments but the path are those of `sqlite3.connect`; `timeout` is in seconds.

    Raises:
        UnusableDatabaseError: SQLite cannot read the file, or a log that it needs.
    """
    try:
        mode = _open_mode(path)
    except OSError as error:
        raise UnusableDatabaseError(f"{path} cannot be read: {error.strerror}") from error
    connection = sqlite3.connect(
        f"{path.as_uri()}?mode=ro{mode}",
        timeout=timeout,
        uri=True,
        isolation_level=None,
        check_same_thread=check_same_thread,
        cached_statements=cached_statements,
    )
    try:
        connection.execute("PRAGMA query_only = 1")
        connection.execute("SELECT count(*) FROM sqlite_master").close()
    except sqlite3.DatabaseError as error:
        connection.close()
        raise unusable(error, path) from error
    return connection


def is_of_the_file(error: Exception) -> bool:
    """Whether what SQLite raised is the fault of the file or of who holds it, not of the SQL."""
    return getattr(error, "sqlite_errorname", "").startswith(_FILE_ERRORS)


def unusable(error: Exception, path: Path) -> UnusableDatabaseError:
    """Return the error that says what is wrong with a file, and what to do."""
    if getattr(error, "sqlite_errorname", "").startswith(_LOCK_ERRORS):
        what = "another program is writing it: try again later"
    elif has_log(path):
        what = _LOG_HELP
    else:
        what = "it is damaged: replace it with a whole copy"
    return UnusableDatabaseError(f"{path} cannot be read as SQLite: {error}; {what}")


def _open_mode(path: Path) -> str:
    """How to open a file so that SQLite makes no file beside it.

    - With a log: `readonly_shm` reads through the -shm file of the program that writes, and makes
      none; `immutable` would hide the newest rows.
    - In WAL mode without a log: `immutable`, else SQLite makes a log even to read
      (https://sqlite.org/wal.html#read_only_databases). So too on a network disk that has no locks.
    - Else with locks, so that a row is never read half written.
    """
    if has_log(path):
        return "&readonly_shm=1"
    with path.open("rb") as file:
        is_wal = b"\x02" in file.read(20)[18:]
        return "&immutable=1" if is_wal or not _has_locks(file) else ""


def _has_locks(file: IO[bytes]) -> bool:
    """Whether the disk knows locks; tried on a byte that nobody else locks.

    Of ENOLCK, SQLite says that the database is locked, as if by another program.
    """
    if sys.platform == "win32":
        return True
    try:
        fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB, 1, FAR_BYTE)
    except OSError as error:
        return error.errno in (errno.EACCES, errno.EAGAIN)  # somebody has locked the whole file
    return True
