"""Tells whether a database on this machine is whole, and which known release it is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from claimdb_loader import hub
from claimdb_loader.database_files import check_name, find_local
from claimdb_loader.databases import Database
from claimdb_loader.fingerprints import Fingerprint, known_databases, listed_fingerprint
from claimdb_loader.published import DATABASE_MANIFEST
from claimdb_loader.sqlite_file import find_release, quick_check
from claimdb_metric.errors import DatabaseFileError


@dataclass(frozen=True)
class Verdict:
    """What was found: `fault` is None for a whole database."""

    db_name: str
    state: str
    fault: str | None = None
    n_tables: int | None = None
    n_bytes: int | None = None


def verify_database(
    db_name: str,
    data_dir: str | None = None,
    repo_id: str | None = None,
    revision: str | None = None,
) -> Verdict:
    """Return what is known of one database on this machine; nothing is fetched.

    Reads the whole file: the hash where a release is known, and SQLite's quick_check.

    Raises:
        UnknownDatabaseError: it is not here, and no published database has that name.
    """
    path = find_local(db_name, data_dir, repo_id, revision)
    if path is None:
        check_name(db_name, data_dir, repo_id, revision)
        return Verdict(db_name, "missing", "not on this machine; `claimdb databases fetch` it")
    n_bytes = path.stat().st_size
    release, faults = None, []
    try:
        release, fault = find_release(path, _fingerprints(db_name, repo_id, revision))
        faults = [f"{path} {fault}"] if fault else []
    except DatabaseFileError as error:
        faults = [str(error)]
    try:
        quick_check(path)
    except DatabaseFileError as error:
        faults.append(str(error))
    if faults:
        return Verdict(db_name, "faulty", "; ".join(faults), n_bytes=n_bytes)
    with Database(db_name, path) as db:
        n_tables = len(db.tables())
    state = release.release if release else "whole; no hash known"
    return Verdict(db_name, state, None, n_tables, n_bytes)


def _fingerprints(
    db_name: str, repo_id: str | None, revision: str | None
) -> tuple[Fingerprint, ...]:
    """What the manifest of another repository says, if it was fetched; else what is known."""
    if repo_id not in (None, hub.UPSTREAM_REPO):
        manifest = hub.cached_file(str(repo_id), DATABASE_MANIFEST, revision)
        if manifest is not None:
            return (listed_fingerprint(Path(manifest), str(repo_id), db_name),)
    known = known_databases().get(db_name)
    return known.fingerprints if known else ()
