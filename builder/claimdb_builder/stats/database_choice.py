"""Which databases are looked at, and where their files are."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from claimdb_loader import database_files
from claimdb_metric.errors import DataError, UnknownDatabaseError

Found = TypeVar("Found")


@dataclass(frozen=True)
class Place:
    """Where databases are looked for, as in `claimdb.open_database`."""

    folder: str | None = None
    repo_id: str | None = None


def named_files(names: Sequence[str], place: Place) -> dict[str, Path]:
    """Return the file of each database that is named, fetched where necessary.

    Args:
        names: names of databases, or paths of files, which are then called as their file is.

    Raises:
        UnknownDatabaseError: no database of that name; lists the nearest names.
        UnavailableError: one is not here and could not be fetched.
        DataError: two files have the same name.

    >>> list(named_files(["ferry_lines"], Place()))
    ['ferry_lines']
    """
    files: dict[str, Path] = {}
    for name in names:
        path = Path(name)
        is_path = path.is_file() or bool(path.suffix) or "/" in name or os.sep in name
        if not is_path:
            path = database_files.locate(name, place.folder, place.repo_id, None)
        db_name = path.stem if is_path else name
        other = files.setdefault(db_name, path)
        if other.absolute() != path.absolute():
            raise DataError(f"{other} and {path} are both called {db_name}; look at one at a time")
    return files


def files_in_folder(place: Place) -> dict[str, Path]:
    """Return the file of each database in a folder, in any of the layouts.

    Raises:
        DataError: no folder is given, it is none, or no database is in it.
    """
    folder = database_files.local_folder(place.folder, place.repo_id, None)
    if folder is None:
        raise DataError(
            "name databases, or say where they are (--databases DIR), or which claims are about "
            "them (--split SPLIT, --claims FILE), or their sizes (--counts FILE)"
        )
    # Hidden files are none: macOS leaves a ._zoo.sqlite beside each zoo.sqlite.
    names = [name for name in database_files.local_names(folder) if not name.startswith(".")]
    files = files_here(names, Place(str(folder), place.repo_id))
    if not files:
        raise DataError(
            f"{folder} holds no database; give the folder that holds NAME/NAME.sqlite or "
            "NAME.sqlite"
        )
    return files


def files_here(names: Iterable[str], place: Place) -> dict[str, Path]:
    """Return the file of each database that is on this machine; nothing is fetched.

    >>> list(files_here(["ferry_lines", "zoo"], Place()))
    ['ferry_lines']
    """
    files = {}
    for name in dict.fromkeys(names):
        try:
            path = database_files.find_local(name, place.folder, place.repo_id, None)
        except UnknownDatabaseError:  # no file can have this name
            continue
        if path is not None:
            files[name] = path
    return files


def named_entries(names: Sequence[str], entries: Mapping[str, Found], where: str) -> list[Found]:
    """Return the entries of these names, each once.

    Args:
        where: what the entries are from, for messages.

    Raises:
        UnknownDatabaseError: there is no entry of that name; lists the nearest names.

    >>> named_entries(["zoo"], {"zoo": 1, "farm": 2}, "sizes.json")
    [1]
    """
    for name in names:
        if name not in entries:
            near = difflib.get_close_matches(name, entries, n=3)
            hint = f"did you mean {' or '.join(near)}?" if near else f"it names {len(entries):,}"
            raise UnknownDatabaseError(f"no database {name!r} in {where}; {hint}")
    return [entries[name] for name in dict.fromkeys(names)]
