"""The databases of a build: found before anything runs, hashed before and after it is read."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from claimdb_builder.pipeline.executors import ordered_map
from claimdb_builder.pipeline.stage import DatabasePaths
from claimdb_builder.pipeline.stage_folder import as_json, write_if_other
from claimdb_builder.schemas.description_files import description_paths
from claimdb_builder.schemas.descriptions import read_descriptions
from claimdb_builder.schemas.tables import Table, read_tables
from claimdb_loader.read_only import connect_read_only
from claimdb_loader.sqlite_file import check_has_tables
from claimdb_metric.errors import DatabaseFileError, DataError, UnknownDatabaseError
from claimdb_sandbox import ChangedDatabaseError, Fingerprint, assert_unchanged, fingerprint
from claimdb_sandbox.database_file import file_fault

LAYOUTS: Final = ("{name}/{name}.sqlite", "{name}.sqlite")
DESCRIPTIONS: Final = "database_description"

Stamp = list[list[int]]
"""What of a file and its logs changes when they do, read without their content."""


@dataclass(frozen=True)
class SurveyedDatabase:
    """One database of a build.

    Args:
        paths: where it is.
        content: its fingerprint before anything was run on it.
        stamp: of the time of the fingerprint.
        unmatched: description files that fit none of its tables.
        notes: what was found in its description files.
    """

    paths: DatabasePaths
    content: Fingerprint
    stamp: Stamp
    unmatched: tuple[str, ...]
    notes: tuple[str, ...]


class Survey:
    """The databases of a build by name, and those that are not there."""

    def __init__(
        self, databases: Mapping[str, SurveyedDatabase], missing: Sequence[str] = ()
    ) -> None:
        self.databases = dict(databases)
        self.missing = tuple(missing)

    def paths(self, names: Iterable[str]) -> dict[str, DatabasePaths]:
        """Return where the databases of some names are, of those that are there."""
        wanted = sorted({*names} & self.databases.keys())
        return {name: self.databases[name].paths for name in wanted}

    def hashes(self) -> dict[str, str]:
        """Return the sha256 of each database with its descriptions."""
        return {name: one.paths.sha256 for name, one in sorted(self.databases.items())}

    def assert_untouched(self, names: Iterable[str]) -> None:
        """Raise ChangedDatabaseError where a file of these was written to since it was hashed.

        Where it is as it was by its content, what was read in between may not be.
        """
        for name in names:
            one = self.databases.get(name)
            if one is None or (stamp := _stamp(one.paths.path)) == one.stamp:
                continue
            assert_unchanged({str(one.paths.path): one.content})
            if _written(stamp) != _written(one.stamp):
                raise ChangedDatabaseError(
                    f"{one.paths.path} was written to while it was read; give the same command "
                    "again"
                )
            self.databases[name] = replace(one, stamp=stamp)

    def assert_unchanged(self, executor: Executor) -> None:
        """Raise ChangedDatabaseError unless each database, and its descriptions, are as before."""
        paths = {str(one.paths.path): one.content for one in self.databases.values()}
        prints = ordered_map(executor, fingerprint, paths)
        changed = [path for path, now in zip(paths, prints, strict=True) if now != paths[path]]
        assert_unchanged({path: paths[path] for path in changed})
        for name, one in self.databases.items():
            if _digest(one.content, one.paths.descriptions) != one.paths.sha256:
                raise ChangedDatabaseError(
                    f"{one.paths.descriptions} was changed while database {name} was read; "
                    "give the same command again"
                )


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
    faults = [f"{path} {fault}" for path in found.values() if (fault := file_fault(path))]
    if faults:
        raise DatabaseFileError(f"{'; '.join(faults)}; replace each with a whole copy")
    stamps = {name: _stamp(path) for name, path in found.items()}
    contents = _known(run / "databases.json", stamps)
    stale = [name for name in found if name not in contents]
    prints = ordered_map(executor, fingerprint, [str(found[name]) for name in stale])
    contents |= dict(zip(stale, prints, strict=True))
    surveyed = {name: _surveyed(path, contents[name], stamps[name]) for name, path in found.items()}
    noted = {name: _noted(one) for name, one in surveyed.items()}
    run.mkdir(parents=True, exist_ok=True)
    write_if_other(run / "databases.json", as_json(noted))
    return Survey(surveyed, missing)


def _noted(one: SurveyedDatabase) -> dict[str, Any]:
    """What databases.json says of a database."""
    return {
        "path": str(one.paths.path),
        "stamp": one.stamp,
        "content": asdict(one.content),
        "unmatched_descriptions": one.unmatched,
        "notes": one.notes,
    }


def _find(names: Sequence[str], roots: Sequence[Path]) -> tuple[dict[str, Path], list[str]]:
    for root in roots:
        if not root.is_dir():
            raise DataError(f"{root} is not a folder; --databases names one with NAME/NAME.sqlite")
    found: dict[str, Path] = {}
    missing = []
    for name in names:
        places = [root / layout.format(name=name) for root in roots for layout in LAYOUTS]
        paths = {path.resolve(): path.absolute() for path in places if path.is_file()}
        if len(paths) > 1:
            listed = ", ".join(map(str, paths.values()))
            raise DataError(f"database {name} is there {len(paths)} times: {listed}; leave one")
        if paths:
            found[name] = next(iter(paths.values()))
        else:
            missing.append(name)
    return found, missing


def _missing(missing: Sequence[str], roots: Sequence[Path]) -> str:
    from claimdb_loader.database_files import local_names

    there = {name.lower(): name for root in roots for name in local_names(root)}
    told = []
    for name in missing:
        near = difflib.get_close_matches(name.lower(), sorted(there), n=1)
        told.append(f"{name} (there is {there[near[0]]})" if near else name)
    where = f"in {', '.join(map(str, roots))}" if roots else "(no --databases given)"
    are = "databases are" if len(missing) > 1 else "database is"
    return (
        f"{len(missing)} {are} missing {where}: {', '.join(told)}; put them there as "
        "NAME/NAME.sqlite, name a further folder with --databases, or give --allow-missing-dbs "
        "to leave their questions out"
    )


def _stamp(path: Path) -> Stamp:
    logs = [log for end in ("-wal", "-journal") if (log := Path(f"{path}{end}")).exists()]
    with suppress(FileNotFoundError):
        states = [file.stat() for file in (path, *logs)]
        return [[s.st_ino, s.st_size, s.st_mtime_ns, s.st_ctime_ns] for s in states]
    return []


def _written(stamp: Stamp) -> Stamp:
    """Without the time of other changes: SQLite, run by root, sets the owner of logs."""
    return [state[:3] for state in stamp]


def _known(path: Path, stamps: Mapping[str, Stamp]) -> dict[str, Fingerprint]:
    """The fingerprints of the files that are as they were when databases.json was written."""
    found: dict[str, Fingerprint] = {}
    with suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
        noted: dict[str, Any] = json.loads(path.read_bytes())
        for name, stamp in stamps.items():
            if name in noted and noted[name]["stamp"] == stamp:
                found[name] = Fingerprint(**noted[name]["content"])
    return found


def _surveyed(path: Path, content: Fingerprint, stamp: Stamp) -> SurveyedDatabase:
    tables = _tables(path)
    folder = path.parent / DESCRIPTIONS
    # In the flat layout, a folder beside the files cannot be told to be of one of them.
    descriptions = folder if folder.is_dir() and path.parent.name == path.stem else None
    paths = DatabasePaths(path, descriptions, _digest(content, descriptions))
    if descriptions is None:
        return SurveyedDatabase(paths, content, stamp, (), ())
    read = read_descriptions(descriptions, [table.name for table in tables])
    columns = {table.name: [column.name for column in table.columns] for table in tables}
    matched = [note for table in read.tables for note in table.match(columns[table.table]).notes]
    return SurveyedDatabase(paths, content, stamp, read.unmatched, (*read.notes, *matched))


def _digest(content: Fingerprint, descriptions: Path | None) -> str:
    """The sha256 of a database, its logs and its descriptions."""
    digest = sha256((content.sha256 + content.log_sha256).encode())
    for file in description_paths(descriptions) if descriptions else ():
        digest.update(bytes(file.name, "utf-8", "surrogateescape"))
        digest.update(sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _tables(path: Path) -> tuple[Table, ...]:
    with closing(connect_read_only(path)) as connection:
        check_has_tables(connection, path)
    return read_tables(path)
