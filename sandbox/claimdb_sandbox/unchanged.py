"""Proves that a database is what it was: its hash and size before, the same after."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from claimdb_sandbox.database_file import log_bytes
from claimdb_sandbox.errors import ChangedDatabaseError, UnusableDatabaseError


@dataclass(frozen=True)
class Fingerprint:
    """The content of a database file.

    Args:
        sha256: of the file, 64 hex digits.
        n_bytes: length of the file.
        log_bytes: length of the -wal and -journal beside it; what they hold is not in the file yet.
    """

    sha256: str
    n_bytes: int
    log_bytes: int = 0


def fingerprint(path: str | os.PathLike[str]) -> Fingerprint:
    """Return the hash and size of a file, read once from beginning to end.

    Raises:
        UnusableDatabaseError: the file cannot be read.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as empty:
    ...     fingerprint(empty.name).n_bytes
    0
    """
    try:
        with Path(path).open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            n_bytes = os.fstat(file.fileno()).st_size
    except OSError as error:
        raise UnusableDatabaseError(f"{path} cannot be read: {error.strerror}") from error
    return Fingerprint(digest, n_bytes, log_bytes(Path(path)))


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
        return f"{path} has {new.log_bytes:,} bytes of log beside it, had {old.log_bytes:,}"
    return (
        f"{path} has {new.n_bytes:,} bytes and sha256 {new.sha256[:12]}…, "
        f"had {old.n_bytes:,} and {old.sha256[:12]}…"
    )
