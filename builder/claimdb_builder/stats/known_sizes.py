"""Tables and rows from a file, in place of the databases themselves."""

from __future__ import annotations

from typing import Final

from claimdb_builder.stats.database_stats import DatabaseStats, TableStats
from claimdb_builder.stats.json_files import read_object
from claimdb_loader.claim_rows import shown
from claimdb_metric.errors import DataError

_FORM: Final = '{"databases": {"NAME": {"tables": {"TABLE": ROWS}}}}'


def read_known_sizes(path: str) -> dict[str, DatabaseStats]:
    """Return the databases that a file names, with tables and rows; no more is known of them.

    Args:
        path: JSON, {"databases": {name: {"tables": {table: rows}}}}; other keys are left alone.

    Raises:
        DataError: it holds something else; it names the file and the place in it.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "sizes.json")
    ...     _ = file.write_text('{"databases": {"zoo": {"tables": {"owl": 3, "heron": 4}}}}')
    ...     read_known_sizes(str(file))["zoo"].n_rows
    7
    """
    databases = _object(read_object(path).get("databases"), path, "databases")
    if not databases:
        raise DataError(f"{path} names no database; it is to hold {_FORM}")
    found = {}
    for db_name, value in sorted(databases.items()):
        place = f"databases.{db_name}"
        tables = _object(_object(value, path, place).get("tables"), path, f"{place}.tables")
        found[db_name] = DatabaseStats(
            db_name,
            tuple(
                TableStats(table, _n_rows(n_rows, path, f"{place}.tables.{table}"))
                for table, n_rows in sorted(tables.items())
            ),
        )
    return found


def _object(value: object, path: str, place: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise DataError(
            f"{path}: {place} is to be an object, got {shown(value)}; the form is {_FORM}"
        )
    return value


def _n_rows(value: object, path: str, place: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise DataError(
            f"{path}: {place} is to be a number of rows, an integer of 0 or more, "
            f"got {shown(value)}"
        )
    return value
