"""The databases of a build: found before anything runs, hashed before and after it is read."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from claimdb_builder.pipeline.executors import ordered_map
from claimdb_builder.pipeline.stage import DatabasePaths
from claimdb_builder.pipeline.stage_folder import as_json
from claimdb_builder.schemas.description_files import description_paths
from claimdb_builder.schemas.descriptions import read_descriptions
from claimdb_builder.schemas.tables import Table, read_tables
from claimdb_loader.read_only import connect_read_only
from claimdb_loader.sqlite_file import check_file, check_has_tables
from claimdb_loader.storage import replace_atomically
from claimdb_metric.errors import DataError, UnknownDatabaseError
from claimdb_sandbox import Fingerprint, assert_unchanged, fingerprint

LAYOUTS: Final = ("{name}/{name}.sqlite", "{name}.sqlite")
DESCRIPTIONS: Final = "database_description"
N_AHEAD: Final = 4


@dataclass(frozen=True)
class SurveyedDatabase:
    """One database of a build.

    Args:
        paths: where it is.
        content: its fingerprint before anything was run on it.
        n_tables: its tables.
        unmatched: description files that fit none of its tables.
        notes: what was found in its description files.
    """

    paths: DatabasePaths
    content: Fingerprint
    n_tables: int
    unmatched: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Survey:
    """The databases of a build by name, and those that are not there."""

    databases: Mapping[str, SurveyedDatabase]
    missing: tuple[str, ...]

    def paths(self, names: Iterable[str]) -> dict[str, DatabasePaths]:
        """Return where the databases of some names are, of those that are there."""
        wanted = sorted({*names} & self.databases.keys())
        return {name: self.databases[name].paths for name in wanted}

    def hashes(self) -> dict[str, str]:
        """Return the sha256 of each database with its descriptions."""
        return {name: one.paths.sha256 for name, one in sorted(self.databases.items())}

    def assert_unchanged(self) -> None:
        """Raise ChangedDatabaseError unless each database is what it was at the start."""
        assert_unchanged({str(one.paths.path): one.content for one in self.databases.values()})


def survey(
    names: Iterable[str],
    roots: Sequence[Path],
    run: Path,
    executor: Executor,
    allow_missing: bool = False,
) -> Survey:
    """Return what is known of databases, after a look at each of them.

    A file is hashed again only where its size or one of its times is not as it was at the last
    look, of which databases.json in the run's folder tells.

    Args:
        names: of the databases.
        roots: folders with `<name>/<name>.sqlite` or `<name>.sqlite`.
        run: the run's folder.
        executor: what hashes the files.
        allow_missing: whether a database may be missing.

    Raises:
        UnknownDatabaseError: some are missing; lists them all.
        DatabaseFileError: one is no database that can be read.
    """
    found, missing = _find(sorted(set(names)), roots)
    if missing and not allow_missing:
        raise UnknownDatabaseError(_missing(missing, roots))
    known = _read_known(run / "databases.json")
    looked_at = {name: _look(path) for name, path in found.items()}
    stale = [name for name in found if known.get(name, {}).get("stamp") != looked_at[name]["stamp"]]
    prints = ordered_map(executor, fingerprint, [str(found[name]) for name in stale], N_AHEAD)
    contents = {name: Fingerprint(**known[name]["content"]) for name in found if name not in stale}
    contents |= dict(zip(stale, prints, strict=True))
    for name, content in contents.items():
        looked_at[name]["content"] = asdict(content)
    run.mkdir(parents=True, exist_ok=True)
    replace_atomically(run / "databases.json", as_json(looked_at))
    surveyed = {name: _surveyed(path, contents[name]) for name, path in found.items()}
    return Survey(surveyed, tuple(missing))


def _find(names: Sequence[str], roots: Sequence[Path]) -> tuple[dict[str, Path], list[str]]:
    for root in roots:
        if not root.is_dir():
            raise DataError(f"{root} is not a folder; --databases names one with NAME/NAME.sqlite")
    found: dict[str, Path] = {}
    missing = []
    for name in names:
        places = [root / layout.format(name=name) for root in roots for layout in LAYOUTS]
        paths = [path.absolute() for path in places if path.is_file()]
        if len(paths) > 1:
            listed = ", ".join(map(str, paths))
            raise DataError(f"database {name} is there {len(paths)} times: {listed}; leave one")
        if paths:
            found[name] = paths[0]
        else:
            missing.append(name)
    return found, missing


def _missing(missing: Sequence[str], roots: Sequence[Path]) -> str:
    from claimdb_loader.database_files import local_names

    there = sorted({name for root in roots for name in local_names(root)})
    told = []
    for name in missing:
        near = difflib.get_close_matches(name, there, n=1)
        told.append(f"{name} (there is {near[0]})" if near else name)
    where = ", ".join(map(str, roots)) or "no folder given"
    return (
        f"{len(missing)} databases are missing in {where}: {', '.join(told)}; put them there as "
        "NAME/NAME.sqlite, name a further folder with --databases, or give --allow-missing-dbs "
        "to leave their questions out"
    )


def _look(path: Path) -> dict[str, Any]:
    """What of a file changes when it does: read without its content."""
    check_file(path)
    logs = [log for end in ("-wal", "-journal") if (log := Path(f"{path}{end}")).exists()]
    states = [file.stat() for file in (path, *logs)]
    stamp = [[s.st_ino, s.st_size, s.st_mtime_ns, s.st_ctime_ns] for s in states]
    return {"path": str(path), "stamp": stamp}


def _read_known(path: Path) -> dict[str, Any]:
    with suppress(OSError, ValueError):
        known = json.loads(path.read_bytes())
        if isinstance(known, dict):
            return known
    return {}


def _surveyed(path: Path, content: Fingerprint) -> SurveyedDatabase:
    tables = _tables(path)
    folder = path.parent / DESCRIPTIONS
    # In the flat layout, a folder beside the files cannot be told to be of one of them.
    descriptions = folder if folder.is_dir() and path.parent.name == path.stem else None
    digest = sha256((content.sha256 + content.log_sha256).encode())
    if descriptions is None:
        paths = DatabasePaths(path, None, digest.hexdigest())
        return SurveyedDatabase(paths, content, len(tables), (), ())
    for file in description_paths(descriptions):
        digest.update(file.name.encode() + sha256(file.read_bytes()).digest())
    read = read_descriptions(descriptions, [table.name for table in tables])
    columns = {table.name: [column.name for column in table.columns] for table in tables}
    matched = [note for table in read.tables for note in table.match(columns[table.table]).notes]
    paths = DatabasePaths(path, descriptions, digest.hexdigest())
    return SurveyedDatabase(paths, content, len(tables), read.unmatched, (*read.notes, *matched))


def _tables(path: Path) -> tuple[Table, ...]:
    with closing(connect_read_only(path)) as connection:
        check_has_tables(connection, path)
    return read_tables(path)
