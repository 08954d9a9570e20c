"""Makes one SQLite file of a folder of tables (CSV, TSV, Parquet), or of a single such file."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from claimdb_harness.own_data.delimited_tables import read_delimited
from claimdb_harness.own_data.parquet_tables import read_parquet
from claimdb_harness.own_data.typed_tables import TypedTable
from claimdb_metric.errors import DataError, UnavailableError
from claimdb_sandbox.database_file import kind_fault

READERS: Final[Mapping[str, Callable[[Path], TypedTable]]] = {
    ".csv": read_delimited,
    ".csv.gz": read_delimited,
    ".tsv": read_delimited,
    ".tsv.gz": read_delimited,
    ".parquet": read_parquet,
}
KINDS: Final = "CSV, TSV (also .gz) or Parquet"
MAX_COLUMNS: Final = 2000
"""Of a table in SQLite (https://sqlite.org/limits.html); the sandbox's is built with it, too."""

_MAX_FOUND: Final = 5


@dataclass(frozen=True)
class LoadedTable:
    """A table that was loaded.

    Args:
        name: of the table, which is the file's without its suffix.
        path: the file.
        columns: name and SQLite type (INTEGER, REAL, TEXT, BLOB) of each.
        n_rows: how many rows it has.
    """

    name: str
    path: Path
    columns: tuple[tuple[str, str], ...]
    n_rows: int


def is_table_file(path: Path) -> bool:
    """Return whether a file's name is that of a table which `sqlite_of` reads.

    >>> is_table_file(Path("zip codes.CSV.gz")), is_table_file(Path("bank.sqlite"))
    (True, False)
    """
    return _suffix(path) is not None


def sqlite_of(source: Path, target: Path) -> tuple[LoadedTable, ...]:
    r"""Return the tables of a folder (or file) after they were written to a SQLite file.

    Numbers become INTEGER or REAL, booleans 0 and 1, dates ISO text; empty cells and NaN are NULL.
    What a number would change stays TEXT as a whole column: codes such as 00123, integers beyond 64
    bits. Column names are trimmed; an empty one is `column_3`, a second `name` is `name_2`.

    Args:
        source: a folder, whose files with a suffix of `READERS` are read and hidden ones are not;
            or one such file.
        target: the SQLite file to make; it must not exist yet.

    Raises:
        DataError: there is no table, or one cannot be read; says which file, and what to do.
        UnavailableError: the disk of the target is full.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "shops.csv").write_text("zip;sales\n00123;7\n60200;\n")
    ...     sqlite_of(Path(folder), Path(folder, "made.sqlite"))[0].columns
    (('zip', 'TEXT'), ('sales', 'INTEGER'))
    """
    files = _table_files(source)
    if target.exists():
        raise DataError(f"{target} exists already: give the name of a new file")
    with _told(source, target), closing(sqlite3.connect(target, isolation_level=None)) as made:
        # Whoever is interrupted throws the file away, so nothing has to be made safe.
        made.execute("PRAGMA journal_mode = OFF")
        made.execute("PRAGMA synchronous = OFF")
        made.execute("BEGIN")
        loaded = tuple(_load(made, name, path) for name, path in files.items())
        made.execute("COMMIT")
    return loaded


def _table_files(source: Path) -> dict[str, Path]:
    """The files to load, by the names of their tables."""
    if not source.is_dir():
        if not is_table_file(source):
            raise DataError(f"{source} is no {KINDS} file: give one, or a folder that holds some")
        return {_table_name(source): source}
    visible = [path for path in sorted(source.iterdir()) if not path.name.startswith(".")]
    paths = [path for path in visible if is_table_file(path)]
    if not paths:
        raise DataError(f"{source} holds no {KINDS} file; {_found(visible)}")
    files: dict[str, Path] = {}
    seen: dict[str, Path] = {}
    for path in paths:
        name = _table_name(path)
        # SQLite takes `Shops` and `shops` for one name.
        other = seen.setdefault(name.lower(), path)
        if other is not path:
            raise DataError(
                f"{other} and {path.name} would both be table {name!r}: rename or move one"
            )
        files[name] = path
    return files


def _found(visible: Sequence[Path]) -> str:
    if not visible:
        return "it is empty"
    databases = [path for path in visible if path.suffix in (".sqlite", ".db", ".sqlite3")]
    if databases:
        return f"it holds {databases[0].name}: give that file itself"
    names = [path.name + "/" * path.is_dir() for path in visible[:_MAX_FOUND]]
    more = len(visible) - len(names)
    return f"it holds {', '.join(names)}" + (f" and {more:,} more" if more else "")


def _suffix(path: Path) -> str | None:
    name = path.name.lower()
    return next((suffix for suffix in READERS if name.endswith(suffix) and name != suffix), None)


def _table_name(path: Path) -> str:
    name = path.name[: -len(_suffix(path) or "")]
    printable = os.fsencode(path).decode("utf-8", "replace")
    if printable != str(path):
        raise DataError(f"{printable} cannot be loaded: its name is not UTF-8; rename it")
    if name.lower().startswith("sqlite_"):
        raise DataError(f"{path} cannot be loaded: SQLite keeps names with sqlite_ for itself")
    return name


def _load(connection: sqlite3.Connection, name: str, path: Path) -> LoadedTable:
    fault = kind_fault(path)
    if fault is not None:
        raise DataError(f"{path} {fault}; a table must be one file that may be read")
    table = READERS[_suffix(path) or ""](path)
    if len(table.columns) > MAX_COLUMNS:
        raise DataError(
            f"{path} has {len(table.columns):,} columns and a SQLite table at most "
            f"{MAX_COLUMNS:,}: leave out some, or split it into several files"
        )
    columns = tuple(zip(column_names(table.columns), table.types, strict=True))
    n_rows = _write(connection, name, columns, table.batches())
    return LoadedTable(name, path, columns, n_rows)


def _write(
    connection: sqlite3.Connection,
    name: str,
    columns: Sequence[tuple[str, str]],
    batches: Iterator[Sequence[Sequence[object]]],
) -> int:
    declared = ", ".join(f"{_quoted(column)} {type_}" for column, type_ in columns)
    connection.execute(f"CREATE TABLE {_quoted(name)} ({declared})")
    places = ", ".join("?" * len(columns))
    n_rows = 0
    for batch in batches:
        rows = zip(*batch, strict=True)
        written = connection.executemany(f"INSERT INTO {_quoted(name)} VALUES ({places})", rows)
        n_rows += written.rowcount
    return n_rows


@contextmanager
def _told(source: Path, target: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        # A limit on the size of files (ulimit -f) is no SQLITE_FULL.
        if getattr(error, "sqlite_errorname", "").startswith(("SQLITE_FULL", "SQLITE_IOERR")):
            raise UnavailableError(
                f"no space left in {target.parent} for {source} as SQLite ({error}): free some, "
                "or set TMPDIR to a folder on a larger disk"
            ) from error
        raise DataError(f"{source} cannot be written to SQLite: {error}") from error


def column_names(names: Sequence[str]) -> list[str]:
    """Return names that a table can have: trimmed, on one line, none empty, none twice.

    SQLite takes `Name` and `name` for one name.

    >>> column_names([" name ", "", "Name", "two words"])
    ['name', 'column_2', 'Name_2', 'two words']
    """
    # A name that stands in the file is left to the column which has it there.
    given = [" ".join(name.replace("\0", "").split()) for name in names]
    taken: set[str] = set()
    reserved = {name.lower() for name in given}
    made: list[str] = []
    for place, name in enumerate(given, 1):
        start = name or f"column_{place}"
        unique, n = start, 1
        while unique.lower() in taken or (unique != name and unique.lower() in reserved):
            n += 1
            unique = f"{start}_{n}"
        taken.add(unique.lower())
        made.append(unique)
    return made


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
