"""Proves that a database is what it was: its hash and size before, the same after."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from claimdb_sandbox.database_file import LOG_SUFFIXES, kind_fault
from claimdb_sandbox.errors import ChangedDatabaseError, UnusableDatabaseError

READ_BYTES: Final = 2**20


@dataclass(frozen=True)
class Fingerprint:
    """The content of a database file.

    Args:
        sha256: of the file, 64 hex digits.
        n_bytes: length of the file.
        log_bytes: length of the -wal and -journal beside it; what they hold is not in the file yet.
        log_sha256: of both, one after the other; the same for no log and an empty one.
    """

    sha256: str
    n_bytes: int
    log_bytes: int = 0
    log_sha256: str = hashlib.sha256().hexdigest()


def fingerprint(path: str | os.PathLike[str]) -> Fingerprint:
    """Return the hash and size of a file, read once from beginning to end.

    Not while this program itself writes to the file: to close it again ends the program's locks on
    it (https://sqlite.org/howtocorrupt.html, section 2.2).

    Raises:
        UnusableDatabaseError: the file cannot be read.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as empty:
    ...     fingerprint(empty.name).n_bytes
    0
    """
    fault = kind_fault(Path(path))
    if fault is not None:
        raise UnusableDatabaseError(f"{path} {fault}")
    try:
        digest, n_bytes = _hash_of([Path(path)])
    except OSError as error:
        raise UnusableDatabaseError(f"{path} cannot be read: {error.strerror}") from error
    logs = [log for suffix in LOG_SUFFIXES if (log := Path(f"{os.fspath(path)}{suffix}")).is_file()]
    log_digest, log_bytes = _hash_of(logs)
    return Fingerprint(digest, n_bytes, log_bytes, log_digest)


def _hash_of(paths: Iterable[Path]) -> tuple[str, int]:
    """The sha256 and length of some files, one after the other."""
    digest, n_bytes = hashlib.sha256(), 0
    for path in paths:
        with path.open("rb") as file:
            while part := file.read(READ_BYTES):
                digest.update(part)
                n_bytes += len(part)
    return digest.hexdigest(), n_bytes


def fingerprints(
    paths: Iterable[str | os.PathLike[str]],
) -> dict[str, Fingerprint]:
    """Return the fingerprint of each file, by its path as given; for `assert_unchanged`.

    >>> fingerprints([])
    {}
    """
    return {os.fspath(path): fingerprint(path) for path in paths}


def assert_unchanged(before: Mapping[str, Fingerprint]) -> None:
    """Raise unless each file is what it was; to be called where a run or a build ends.

    Args:
        before: what `fingerprints` returned at the start.

    Raises:
        ChangedDatabaseError: names every file that is another one now, or gone.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     before = fingerprints([file.name])
    ...     assert_unchanged(before)
    """
    changes = [change for path, old in before.items() if (change := _change(path, old))]
    if changes:
        raise ChangedDatabaseError(
            f"{len(changes)} of {len(before)} databases changed since the start: "
            + "; ".join(changes)
            + ". Results of this run may not be of one state of the data: restore the files"
        )


def _change(path: str, old: Fingerprint) -> str | None:
    try:
        new = fingerprint(path)
    except UnusableDatabaseError as error:
        return str(error)
    if new == old:
        return None
    if (new.sha256, new.n_bytes) == (old.sha256, old.n_bytes):
        written = ", written to since" if new.log_bytes == old.log_bytes else ""
        return (
            f"{path} has {new.log_bytes:,} bytes of log beside it, had {old.log_bytes:,}{written}"
        )
    return (
        f"{path} has {new.n_bytes:,} bytes and sha256 {new.sha256[:12]}…, "
        f"had {old.n_bytes:,} and {old.sha256[:12]}…"
    )
