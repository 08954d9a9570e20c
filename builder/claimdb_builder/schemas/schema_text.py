"""The schema of a database as text for a language model, ours or the paper's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, Literal

from claimdb_builder.schemas.description_files import description_paths, read_description_file
from claimdb_builder.schemas.descriptions import ColumnDescription, read_descriptions
from claimdb_builder.schemas.identifiers import quoted
from claimdb_builder.schemas.tables import Column, ForeignKey, Table, read_tables
from claimdb_metric.errors import DataError

Style = Literal["full", "paper"]

_BREAKS: Final = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")
"""White space and control characters."""


def schema_text(path: Path, descriptions_folder: Path | None, style: Style) -> str:
    """Return the schema of a database, the same bytes for the same database and descriptions.

    "full" gives each table a heading and each column a line with its real name, quoted where SQL
    needs it, its declared type, BIRD's name for it in brackets where that says more, and its keys.

    "paper" is the form that the published benchmark was made with: per file of descriptions, by
    file name, BIRD's names without types or keys, their stray spaces kept; the database is not
    read. Where there are no descriptions, the tables and columns of the database stand in.

    Tables are a blank line apart; the last line ends with a line break too.

    Args:
        path: a SQLite file.
        descriptions_folder: BIRD's `database_description`; None, or a missing folder, for none.
        style: "full" or "paper".

    Raises:
        DatabaseFileError: the file is no database that SQLite can read, or holds no table.
        DataError: there is no such style.

    >>> import sqlite3, tempfile
    >>> from contextlib import closing
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "zoo.sqlite")
    ...     with closing(sqlite3.connect(path)) as made:
    ...         _ = made.execute("CREATE TABLE owl (id INTEGER PRIMARY KEY, mate REFERENCES owl)")
    ...     descriptions = Path(folder, "database_description")
    ...     descriptions.mkdir()
    ...     table = "original_column_name,column_name\\nid,ring number\\nmate,\\n"
    ...     _ = (descriptions / "owl.csv").write_text(table)
    ...     print(schema_text(path, descriptions, "full"), end="")
    ...     print(schema_text(path, descriptions, "paper"), end="")
    Table owl
      id INTEGER (ring number), primary key
      mate → owl(id)
    Table: owl
    Columns:
      - ring number
      - mate
    """
    if style == "full":
        blocks = _full(path, descriptions_folder)
    elif style == "paper":
        blocks = _paper(path, descriptions_folder)
    else:
        raise DataError(f'style={style!r} must be "full" or "paper"')
    return "\n\n".join("\n".join(lines) for lines in blocks) + "\n"


def _full(path: Path, folder: Path | None) -> Iterator[list[str]]:
    tables = read_tables(path)
    described = _described(tables, folder)
    for table in tables:
        columns = described.get(table.name, {})
        lines = [_column_line(table, column, columns.get(column.name)) for column in table.columns]
        yield [f"Table {quoted(table.name)}", *lines, *_wide_keys(table)]


def _described(
    tables: tuple[Table, ...], folder: Path | None
) -> dict[str, Mapping[str, ColumnDescription]]:
    """What is known of each column, by table and column."""
    if folder is None:
        return {}
    column_names = {table.name: [column.name for column in table.columns] for table in tables}
    described = read_descriptions(folder, list(column_names)).tables
    return {entry.table: entry.match(column_names[entry.table]).described for entry in described}


def _column_line(table: Table, column: Column, description: ColumnDescription | None) -> str:
    parts = [f"  {quoted(column.name)}"]
    if declared := _on_one_line(column.type):
        parts.append(declared)
    alias = _on_one_line(description.name) if description else ""
    if _fold(alias) not in ("", _fold(column.name)):
        parts.append(f"({alias})")
    keys = [key for key in table.foreign_keys if key.columns == (column.name,)]
    targets = ", ".join(f"→ {_target(key)}" for key in keys)
    return " ".join(parts) + _primary_mark(table, column) + (f" {targets}" if targets else "")


def _primary_mark(table: Table, column: Column) -> str:
    if not column.primary_key:
        return ""
    n_columns = len(table.primary_key)
    place = f" {column.primary_key} of {n_columns}" if n_columns > 1 else ""
    return f", primary key{place}"


def _wide_keys(table: Table) -> Iterator[str]:
    """The foreign keys of several columns, which no column's line has room for."""
    for key in table.foreign_keys:
        if len(key.columns) > 1:
            yield f"  ({', '.join(map(quoted, key.columns))}) → {_target(key)}"


def _target(key: ForeignKey) -> str:
    columns = ", ".join(map(quoted, key.references))
    return quoted(key.table) + (f"({columns})" if columns else "")


def _on_one_line(text: str) -> str:
    return _BREAKS.sub(" ", text).strip()


def _fold(name: str) -> str:
    """What a name has in common with those that say no more than it does."""
    return re.sub(r"[\s_]", "", name).casefold()


def _paper(path: Path, folder: Path | None) -> Iterator[list[str]]:
    described = list(_paper_names(folder)) if folder is not None else []
    tables = described or [
        (table.name, [column.name for column in table.columns]) for table in read_tables(path)
    ]
    for name, columns in tables:
        yield [f"Table: {name}", "Columns:", *(f"  - {column}" for column in columns)]


def _paper_names(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """The name of each file, and of what its rows describe."""
    for file in map(read_description_file, description_paths(folder)):
        names = (row.column_name or row.original_column_name for row in file.rows)
        yield file.stem, [name for name in names if name]
