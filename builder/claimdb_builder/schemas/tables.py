"""The tables of a database as SQLite itself knows them: columns, types, keys."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

from claimdb_loader.read_only import connect_read_only
from claimdb_loader.sqlite_file import MEND, check_file, check_has_tables
from claimdb_metric.errors import DatabaseFileError

_COLUMNS_SQL: Final = """
SELECT t.name, c.name, c.type, c.pk, c."notnull"
FROM sqlite_master AS t JOIN pragma_table_xinfo(t.name) AS c
WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
  AND c.hidden <> 1 -- what a virtual table has for its own use; generated columns are 2 and 3
ORDER BY t.name, c.cid
"""
_KEYS_SQL: Final = """
SELECT t.name, k.id, k."table", k."from", k."to"
FROM sqlite_master AS t JOIN pragma_foreign_key_list(t.name) AS k
WHERE t.type = 'table' ORDER BY t.name, k.id, k.seq
"""

_Row = tuple[Any, ...]


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes:
        name: as the database has it.
        type: as it was declared, "" if it was not.
        primary_key: its place in the primary key, from 1; 0 where it is no part of it.
        not_null: whether it was declared NOT NULL.
    """

    name: str
    type: str
    primary_key: int
    not_null: bool


@dataclass(frozen=True)
class ForeignKey:
    """Columns whose values are those of columns of a table, another or the same.

    Attributes:
        columns: of the table that has the key.
        table: the one referred to; the database need not have it.
        references: the columns referred to, as many; where the key names none, the primary key of
            that table, and () where it has none that fits.
    """

    columns: tuple[str, ...]
    table: str
    references: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """One table.

    Attributes:
        name: as the database has it.
        columns: in their order.
        foreign_keys: in the order of their columns.
    """

    name: str
    columns: tuple[Column, ...]
    foreign_keys: tuple[ForeignKey, ...]

    @property
    def primary_key(self) -> tuple[str, ...]:
        """The names of the columns of the primary key, in its order."""
        key = sorted((column.primary_key, column.name) for column in self.columns)
        return tuple(name for place, name in key if place)


def read_tables(path: Path) -> tuple[Table, ...]:
    """Return the tables of a database, sorted by the code points of their names.

    Views and SQLite's own tables are left out. Names are those of the database also where a key
    spells them in another case.

    Args:
        path: a SQLite file; it is not written to.

    Raises:
        DatabaseFileError: it is no database that SQLite can read, or holds no table.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "zoo.sqlite")
    ...     with closing(sqlite3.connect(path)) as made:
    ...         _ = made.execute("CREATE TABLE owl (id INTEGER PRIMARY KEY, cage REFERENCES Cage)")
    ...         _ = made.execute("CREATE TABLE cage (number INTEGER PRIMARY KEY)")
    ...     cage, owl = read_tables(path)
    >>> owl.foreign_keys
    (ForeignKey(columns=('cage',), table='cage', references=('number',)),)
    """
    check_file(path)
    with closing(connect_read_only(path)) as connection:
        check_has_tables(connection, path)
        try:
            column_rows = connection.execute(_COLUMNS_SQL).fetchall()
            key_rows = connection.execute(_KEYS_SQL).fetchall()
        except sqlite3.DatabaseError as error:
            raise DatabaseFileError(f"{path} has an unreadable schema: {error}; {MEND}") from error
    bare = [_bare_table(name, rows) for name, rows in _grouped(column_rows)]
    keys = dict(_grouped(key_rows))
    by_name = {table.name.lower(): table for table in bare}
    tables = (
        Table(table.name, table.columns, _foreign_keys(table, keys.get(table.name, []), by_name))
        for table in bare
    )
    return tuple(sorted(tables, key=lambda table: table.name))


def _grouped(rows: Iterable[_Row]) -> Iterator[tuple[Any, list[_Row]]]:
    """Yield what neighbouring rows have in common as their first value, and what follows it."""
    for first, group in groupby(rows, key=itemgetter(0)):
        yield first, [row[1:] for row in group]


def _bare_table(name: str, rows: Iterable[_Row]) -> Table:
    """The table without its foreign keys, for which the other tables must be known."""
    columns = (Column(column, type_, key, bool(not_null)) for column, type_, key, not_null in rows)
    return Table(name, tuple(columns), ())


def _foreign_keys(
    table: Table, rows: Sequence[_Row], by_name: Mapping[str, Table]
) -> tuple[ForeignKey, ...]:
    """The keys of a table, each once; SQLite lists one as often as it is declared."""
    keys = {_foreign_key(parts, by_name) for _, parts in _grouped(rows)}
    place = {column.name: number for number, column in enumerate(table.columns)}
    return tuple(
        sorted(keys, key=lambda key: ([place[n] for n in key.columns], key.table, key.references))
    )


def _foreign_key(parts: Sequence[_Row], by_name: Mapping[str, Table]) -> ForeignKey:
    """The key of which each part is the table referred to, a column, and the one it refers to."""
    named = parts[0][0]
    columns = tuple(column for _, column, _ in parts)
    references = tuple(reference for *_, reference in parts if reference is not None)
    parent = by_name.get(named.lower())
    if parent is None:
        return ForeignKey(columns, named, references)
    if not references:
        key = parent.primary_key
        return ForeignKey(columns, parent.name, key if len(key) == len(columns) else ())
    real = {column.name.lower(): column.name for column in parent.columns}
    return ForeignKey(columns, parent.name, tuple(real.get(n.lower(), n) for n in references))
