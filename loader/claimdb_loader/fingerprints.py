"""What is known of databases: of the published ones, and of those that a repository lists."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Final

from claimdb_loader.published import DATABASE_MANIFEST
from claimdb_metric.errors import DatabaseFileError

_SHA256: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Fingerprint:
    """Size and hash of one release of a database file; n_bytes is None where it is not known."""

    release: str
    n_bytes: int | None
    sha256: str


@dataclass(frozen=True)
class KnownDatabase:
    """One row of the manifest: counts without the tables that evaluated agents left behind."""

    db_name: str
    split: str
    n_tables: int
    n_rows: int
    fingerprints: tuple[Fingerprint, ...]


@cache
def known_databases() -> Mapping[str, KnownDatabase]:
    """Return the manifest of the 80 published databases by name.

    >>> known_databases()["superhero"].n_tables
    10
    """
    text = (resources.files("claimdb_loader") / "manifest.json").read_text("utf-8")
    return {
        row["db_name"]: KnownDatabase(
            **row | {"fingerprints": tuple(Fingerprint(**mark) for mark in row["fingerprints"])}
        )
        for row in json.loads(text)
    }


def listed_fingerprint(manifest: Path, repo_id: str, db_name: str) -> Fingerprint:
    """Return what the manifest of a repository says of one of its databases.

    Args:
        manifest: the file on this disk.
        repo_id: the repository that it is from, for messages.

    Raises:
        DatabaseFileError: it is no such list, or does not hold the database.
    """
    where = f"{DATABASE_MANIFEST} of {repo_id}"
    rows = manifest_rows(manifest.read_bytes(), where)
    marks = [Fingerprint(where, x["n_bytes"], x["sha256"]) for x in rows if x["db_name"] == db_name]
    if len(marks) != 1:
        raise DatabaseFileError(f"{where} lists {db_name} {len(marks)} times; {_PUSH_AGAIN}")
    return marks[0]


def manifest_rows(manifest: bytes, where: str) -> list[dict[str, Any]]:
    """Return the rows of the manifest of a repository or tree, one for each database in it.

    Args:
        manifest: the content of the file.
        where: the words for it, for messages.

    Raises:
        DatabaseFileError: it is no such list.
    """
    try:
        rows = json.loads(manifest)
    except (ValueError, RecursionError) as error:
        raise DatabaseFileError(f"{where} is not JSON ({error}); {_PUSH_AGAIN}") from None
    if not isinstance(rows, list):
        raise DatabaseFileError(f"{where} is not a list of databases; {_PUSH_AGAIN}")
    for number, row in enumerate(rows, 1):
        if not _is_listed(row):
            raise DatabaseFileError(f"{where}: item {number} lacks {_NEEDED}; {_PUSH_AGAIN}")
    return rows


_NEEDED: Final = "db_name (text), n_bytes (integer) or sha256 (64 hex digits)"
_PUSH_AGAIN: Final = (
    "publish the repository again with `claimdb push`, or give an older commit as revision="
)


def _is_listed(row: object) -> bool:
    return (
        isinstance(row, dict)
        and isinstance(row.get("db_name"), str)
        and type(row.get("n_bytes")) is int
        and all(type(row.get(key, 0)) is int for key in ("n_tables", "n_rows"))
        and isinstance(row.get("sha256"), str)
        and _SHA256.fullmatch(row["sha256"]) is not None
    )


def file_sha256(path: Path) -> str:
    """Return the sha256 of a file's content as 64 hex digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
