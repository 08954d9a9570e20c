"""Every database by name, and where it can be had: this machine, or the Hub."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from claimdb_loader import database_transfer, sample_files
from claimdb_loader.cache_folder import database_folder
from claimdb_loader.database_files import cached, local_folder, local_names
from claimdb_loader.fingerprints import known_databases
from claimdb_loader.hub import UPSTREAM_REPO

Place = Literal["local copy", "local zip", "sample", "cache", "hub"]


@dataclass(frozen=True)
class Entry:
    """One database; what is not known is None."""

    db_name: str
    place: Place
    split: str | None = None
    n_tables: int | None = None
    n_rows: int | None = None


def catalog(
    data_dir: str | None = None, repo_id: str | None = None, revision: str | None = None
) -> list[Entry]:
    """Return the databases of the local copy, the sample and the published benchmark by name.

    Another repository is asked which databases it holds.

    >>> [entry.db_name for entry in catalog() if entry.place == "sample"]
    ['city_library', 'ferry_lines', 'solar_coop']
    """
    repo = repo_id or UPSTREAM_REPO
    is_published = repo == UPSTREAM_REPO
    names = known_databases() if is_published else database_transfer.names_on_hub(repo, revision)
    places: dict[str, Place] = {
        name: "cache" if cached(name, repo_id, revision) else "hub" for name in names
    }
    places |= dict.fromkeys(local_names(database_folder(repo, revision)), "cache")
    if repo_id is None:
        places |= dict.fromkeys(sample_files.DATABASES, "sample")
    folder = local_folder(data_dir, repo_id, revision)
    if folder is not None:
        places |= dict.fromkeys(database_transfer.names_in_folder(folder), "local zip")
        places |= dict.fromkeys(local_names(folder), "local copy")
    if is_published:
        return [_entry(name, place) for name, place in sorted(places.items())]
    listed = database_transfer.listed_on_hub(repo, revision)
    return [
        Entry(name, place, None, *listed.get(name, (None, None)))
        for name, place in sorted(places.items())
    ]


def _entry(db_name: str, place: Place) -> Entry:
    known = known_databases().get(db_name)
    if known is None:
        return Entry(db_name, place)
    return Entry(db_name, place, known.split, known.n_tables, known.n_rows)
