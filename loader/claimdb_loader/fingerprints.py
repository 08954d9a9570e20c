"""What is known of the published databases: their split, tables, rows, and the hashes of some."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path


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


def file_sha256(path: Path) -> str:
    """Return the sha256 of a file's content as 64 hex digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
