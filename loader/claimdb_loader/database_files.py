"""Finds the file of a database: a local copy, the embedded sample, the cache, then the Hub."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from claimdb_loader import database_transfer, hub, sample_files, sources
from claimdb_loader.cache_folder import database_folder
from claimdb_loader.fingerprints import known_databases
from claimdb_loader.hub import UPSTREAM_REPO
from claimdb_loader.published import database_name
from claimdb_metric.errors import DataError, UnavailableError, UnknownDatabaseError

_SAFE_NAME: Final = re.compile(r"[^./\\:\0-\x1f][^/\\:\0-\x1f]{,99}")
_LAYOUTS: Final = ("{name}/{name}.sqlite", "{name}.sqlite", database_name("{name}"))
"""BIRD's layout, the flat one, and the one of a published repository."""

Folder = str | os.PathLike[str] | None


def locate(db_name: str, data_dir: Folder, repo_id: str | None, revision: str | None) -> Path:
    """Return the path of a database's file on this disk, fetched where necessary.

    Arguments and errors are those of `open_database`.
    """
    found = find_local(db_name, data_dir, repo_id, revision)
    if found is not None:
        return found
    check_name(db_name, data_dir, repo_id, revision)
    repo = repo_id or UPSTREAM_REPO
    try:
        fetched = database_transfer.fetch(db_name, repo, revision)
        if fetched is not None:
            return fetched
        names = database_transfer.names_on_hub(repo, revision)
    except UnavailableError as error:
        raise UnavailableError(f"{error}. {_manual_help(db_name)}") from error
    at = f" at revision {revision}" if revision else ""
    raise _unknown(db_name, names, f" in the Hub repository {repo}{at}")


def check_name(db_name: str, data_dir: Folder, repo_id: str | None, revision: str | None) -> None:
    """Raise UnknownDatabaseError where it is known, without a network, that no such database is.

    What another repository or revision than the published one holds, only the Hub knows.
    """
    if repo_id not in (None, UPSTREAM_REPO) or revision or db_name in known_databases():
        return
    folder = local_folder(data_dir, repo_id, revision)
    names = {*known_databases(), *sample_files.DATABASES}
    if folder is not None:
        names.update(local_names(folder), database_transfer.names_in_folder(folder))
    where = f" in {folder}, nor among the published ones" if folder else ""
    raise _unknown(db_name, names, where)


def find_local(
    db_name: str, data_dir: Folder, repo_id: str | None, revision: str | None
) -> Path | None:
    """Return the path of a database that is already on this machine, None where it is not.

    A zip that lies unopened in the local copy counts as here: the one database is unpacked.

    Raises:
        UnknownDatabaseError: the text can be no database's name.
        DataError: the local copy is not a folder.
    """
    if not isinstance(db_name, str) or not _SAFE_NAME.fullmatch(db_name):
        raise UnknownDatabaseError(
            f"{db_name!r} cannot be the name of a database: give the name only; the folder that "
            "its file is in goes to data_dir= or CLAIMDB_DATA_DIR"
        )
    folder = local_folder(data_dir, repo_id, revision)
    if folder is not None:
        for layout in _LAYOUTS:
            path = folder / layout.format(name=db_name)
            if path.is_file():
                return path.absolute()
        unpacked = database_transfer.unpack_from_folder(db_name, folder)
        if unpacked is not None:
            return unpacked
    if repo_id is None and db_name in sample_files.DATABASES:
        return sample_files.unpacked(db_name)
    return cached(db_name, repo_id, revision)


def cached(db_name: str, repo_id: str | None, revision: str | None) -> Path | None:
    """Return the path of a database that was fetched earlier, None where it was not."""
    repo = repo_id or UPSTREAM_REPO
    path = database_folder(repo, revision) / db_name / f"{db_name}.sqlite"
    if path.is_file():
        return path
    direct = hub.cached_file(repo, database_name(db_name), revision)
    return Path(direct) if direct else None


def local_folder(data_dir: Folder, repo_id: str | None, revision: str | None) -> Path | None:
    """Return the folder of the local copy to look in, None where there is none.

    A repository or revision that is asked for wins over CLAIMDB_DATA_DIR, as when loading claims.

    Raises:
        DataError: it is not a folder.
    """
    if data_dir is None and (repo_id or revision):
        return None
    chosen = sources.chosen_data_dir(data_dir)
    if chosen is not None and not Path(chosen).is_dir():
        raise DataError(
            f"{chosen} is not a folder; data_dir= or CLAIMDB_DATA_DIR is to be the one that holds "
            "NAME/NAME.sqlite or NAME.sqlite"
        )
    return Path(chosen) if chosen else None


def local_names(folder: Path) -> Iterator[str]:
    """Yield the name of each database that lies in a local copy, in any of the layouts.

    Not what cannot be a name, such as `._zoo.sqlite`, which macOS leaves beside `zoo.sqlite`.
    """
    flat = [path.stem for path in sorted(folder.glob("*.sqlite"))]
    nested = [
        path.stem
        for root in (folder, folder / "databases")
        for path in sorted(root.glob("*/*.sqlite"))
        if path.stem == path.parent.name
    ]
    yield from filter(_SAFE_NAME.fullmatch, dict.fromkeys(flat + nested))


def _unknown(db_name: str, names: Iterable[str], where: str) -> UnknownDatabaseError:
    others = {name.lower(): name for name in sorted(names) if name != db_name}
    nearest = [others[name] for name in difflib.get_close_matches(db_name.lower(), others, n=3)]
    hint = (
        f"did you mean {' or '.join(nearest)}?" if nearest else "`claimdb databases list` names all"
    )
    return UnknownDatabaseError(f"no database {db_name!r}{where}; {hint}")


def _manual_help(db_name: str) -> str:
    return (
        f"To use a copy of your own, put it at DIR/{db_name}/{db_name}.sqlite and give that DIR "
        "as data_dir= or CLAIMDB_DATA_DIR"
    )
