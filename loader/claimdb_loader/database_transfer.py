"""Brings one database to the local cache: out of a zip on the Hub, or out of a local zip."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from functools import partial
from pathlib import Path
from typing import Final

from filelock import FileLock
from tqdm import tqdm

from claimdb_loader import hub, zip_member
from claimdb_loader.cache_folder import database_folder
from claimdb_loader.fingerprints import (
    Fingerprint,
    known_databases,
    listed_fingerprint,
    manifest_rows,
)
from claimdb_loader.hub_file import HubFile
from claimdb_loader.published import DATABASE_MANIFEST, database_name
from claimdb_loader.read_only import connect_read_only
from claimdb_loader.sqlite_file import check_has_tables, find_release
from claimdb_loader.storage import require_space, storage_errors
from claimdb_loader.zip_member import Member, Readable
from claimdb_metric.errors import DatabaseFileError
from claimdb_sandbox.database_file import file_fault

DISCARDED: Final = (
    "what was fetched is discarded. A file that you trust can be used from a folder given as "
    "data_dir= or CLAIMDB_DATA_DIR"
)
ZIPS: Final = {"train": "train_databases.zip", "test": "test_databases.zip"}
"""Upstream's two zips by split of the manifest."""

OpenZip = Callable[[str], AbstractContextManager[Readable]]


def fetch(db_name: str, repo_id: str, revision: str | None) -> Path | None:
    """Return the path of a database after fetching it from a Hub repository, None if not there.

    Only the one member of the zip is transferred. Eight processes that ask at once fetch it once.

    Raises:
        UnavailableError: no network, refused by the Hub, or no room on this disk.
        DatabaseFileError: what came is not the database that it should be; it is discarded.
    """
    direct = database_name(db_name)
    snapshot = hub.look_up(repo_id, revision, None, [direct])
    known = known_databases().get(db_name) if repo_id == hub.UPSTREAM_REPO else None
    fingerprints = known.fingerprints if known else ()
    if direct in snapshot.names:
        return _fetch_direct(snapshot, db_name, fingerprints or _listed(snapshot, db_name))
    zips = [name for name in _zip_order(known.split if known else "test") if name in snapshot.names]
    target = database_folder(repo_id, revision) / db_name / f"{db_name}.sqlite"
    return _from_zips(zips, partial(HubFile, snapshot), target, fingerprints)


def _fetch_direct(
    snapshot: hub.Snapshot, db_name: str, fingerprints: tuple[Fingerprint, ...]
) -> Path:
    direct = database_name(db_name)
    path = Path(hub.fetch(snapshot, direct, None))
    fault = _fault_of(path, fingerprints)
    if fault:
        path.resolve().unlink()
        path.unlink(missing_ok=True)
        raise DatabaseFileError(f"{direct} of {snapshot.repo_id} {fault}; {DISCARDED}")
    return path


def _listed(snapshot: hub.Snapshot, db_name: str) -> tuple[Fingerprint, ...]:
    """What the manifest of a repository says of a database; nothing where there is no manifest."""
    if DATABASE_MANIFEST not in snapshot.names:
        return ()
    manifest = Path(hub.fetch(snapshot, DATABASE_MANIFEST, None))
    return (listed_fingerprint(manifest, snapshot.repo_id, db_name),)


def names_on_hub(repo_id: str, revision: str | None) -> list[str]:
    """Return the names of the databases in a Hub repository, sorted.

    Raises:
        UnavailableError: no network, or refused by the Hub.
    """
    snapshot = hub.look_up(repo_id, revision, None, [])
    names = {Path(name).stem for name in snapshot.names if name == database_name(Path(name).stem)}
    for zip_name in snapshot.names.intersection(ZIPS.values()):
        with HubFile(snapshot, zip_name) as file:
            names.update(zip_member.database_names(file, zip_name))
    return sorted(names)


def listed_on_hub(repo_id: str, revision: str | None) -> dict[str, tuple[int | None, int | None]]:
    """Return tables and rows of the databases that the manifest of a Hub repository lists.

    Raises:
        UnavailableError: no network, or refused by the Hub.
        DatabaseFileError: the manifest is damaged.
    """
    snapshot = hub.look_up(repo_id, revision, None, [DATABASE_MANIFEST])
    if DATABASE_MANIFEST not in snapshot.names:
        return {}
    content = Path(hub.fetch(snapshot, DATABASE_MANIFEST, None)).read_bytes()
    rows = manifest_rows(content, f"{DATABASE_MANIFEST} of {repo_id}")
    return {
        row["db_name"]: (_known(row.get("n_tables")), _known(row.get("n_rows"))) for row in rows
    }


def _known(count: int | None) -> int | None:
    return None if count is None or count < 0 else count


def names_in_folder(folder: Path) -> list[str]:
    """Return the names of the databases in the zips of a local copy, sorted."""
    names = (_names_in_zip(folder, zip_name) for zip_name in _local_zips(folder))
    return sorted({name for in_zip in names for name in in_zip})


def _names_in_zip(folder: Path, zip_name: str) -> list[str]:
    with _open_local(folder, zip_name) as file:
        return zip_member.database_names(file, str(folder / zip_name))


def unpack_from_folder(db_name: str, folder: Path) -> Path | None:
    """Return the path of a database after unpacking it from a zip that lies in a local copy.

    None where there is no such zip, or the database is in none of them.
    """
    zips = [name for name in _local_zips(folder) if db_name in _names_in_zip(folder, name)]
    if not zips:
        return None
    stamps = [f"{folder.absolute()}", *(str((folder / name).stat().st_mtime_ns) for name in zips)]
    key = hashlib.sha256("\n".join(stamps).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    target = database_folder(f"local-{key}", None) / db_name / f"{db_name}.sqlite"
    return _from_zips(zips, partial(_open_local, folder), target, ())


def _local_zips(folder: Path) -> list[str]:
    return [name for name in ZIPS.values() if (folder / name).is_file()]


def _zip_order(split: str) -> list[str]:
    return sorted(ZIPS.values(), key=lambda name: name != ZIPS[split])


def _open_local(folder: Path, name: str) -> AbstractContextManager[Readable]:
    try:
        return (folder / name).open("rb")
    except OSError as error:
        raise DatabaseFileError(f"cannot read {folder / name}: {error.strerror}") from error


def _from_zips(
    zips: list[str], open_zip: OpenZip, target: Path, fingerprints: tuple[Fingerprint, ...]
) -> Path | None:
    """Return the target, unpacked from the first zip that holds it; None if no zip does."""
    if target.is_file():
        return target
    folder = target.parent
    with storage_errors(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_name(folder.name + ".lock")):
            if target.is_file():
                return target
            for name in zips:
                with open_zip(name) as file:
                    member = zip_member.find_member(file, name, target.stem)
                    if member is not None:
                        _check_size(member, fingerprints)
                        folder.mkdir(exist_ok=True)
                        _bring(file, member, target, fingerprints)
                        return target
    return None


def _check_size(member: Member, fingerprints: tuple[Fingerprint, ...]) -> None:
    sizes = {mark.n_bytes for mark in fingerprints}
    if sizes and None not in sizes and member.n_bytes not in sizes:
        raise DatabaseFileError(
            f"{member.name} declares {member.n_bytes:,} bytes; known releases have "
            + " or ".join(f"{size:,}" for size in sizes if size)
        )
    if member.n_bytes > zip_member.MAX_DATABASE_BYTES:
        raise DatabaseFileError(
            f"{member.name} declares {member.n_bytes:,} bytes, over the limit of "
            f"{zip_member.MAX_DATABASE_BYTES:,}: unpack it by hand if you trust it"
        )


def _fault_of(path: Path, fingerprints: tuple[Fingerprint, ...]) -> str | None:
    """What is wrong with a database file that has arrived, None if nothing is."""
    fault = file_fault(path)
    if fault:
        return fault
    release, fault = find_release(path, fingerprints)
    if fault:
        return fault
    n_bytes = path.stat().st_size
    if release and release.n_bytes not in (None, n_bytes):
        return f"has {n_bytes:,} bytes, not {release.n_bytes:,} as {release.release} says"
    try:
        with closing(connect_read_only(path)) as connection:
            check_has_tables(connection, path)
    except DatabaseFileError as error:
        return str(error).removeprefix(f"{path} ").partition(";")[0]
    return None


def _bring(
    file: Readable, member: Member, target: Path, fingerprints: tuple[Fingerprint, ...]
) -> None:
    # Named after the member's identity, so that a part of another revision is never resumed.
    part = target.with_name(f"{target.name}.{member.crc32:08x}-{member.compressed_bytes}.part")
    temporary = target.with_name(target.name + ".new")
    have = part.stat().st_size if part.exists() else 0
    require_space(target.parent, member.compressed_bytes - have + member.n_bytes)
    bar = tqdm(
        total=member.compressed_bytes, unit="B", unit_scale=True, desc=target.stem, disable=None
    )
    with bar:
        zip_member.copy_packed(file, member, part, bar.update)
    try:
        zip_member.unpack(part, member, temporary)
        fault = _fault_of(temporary, fingerprints)
        if fault:
            raise DatabaseFileError(f"{member.name} {fault}; {DISCARDED}")
    except DatabaseFileError:
        part.unlink(missing_ok=True)
        raise
    else:
        temporary.replace(target)
        for leftover in target.parent.glob("*.part"):
            leftover.unlink()
    finally:
        temporary.unlink(missing_ok=True)
