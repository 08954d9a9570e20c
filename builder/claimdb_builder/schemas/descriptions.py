"""BIRD's descriptions of tables and columns, matched to the names that the database has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from claimdb_builder.schemas.description_files import (
    DescriptionRow,
    description_paths,
    listed,
    read_description_file,
)


@dataclass(frozen=True)
class ColumnDescription:
    """What a file says of one column, without spaces around it; "" where it says nothing.

    Attributes:
        original_name: the column's name as the file spells it.
        name: a name for people.
        description: what the column holds.
        data_format: "integer", "text", … as the file has it.
        value_description: what its values mean; may be several lines.
    """

    original_name: str
    name: str
    description: str
    data_format: str
    value_description: str


@dataclass(frozen=True)
class ColumnMatch:
    """The descriptions of a table's columns.

    Attributes:
        described: by the name that the column has in the database.
        notes: what of the file fits no column, and which columns it leaves out.
    """

    described: Mapping[str, ColumnDescription]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class TableDescription:
    """What one file says of one table.

    Attributes:
        table: its name in the database.
        file: the name of the CSV file.
        columns: in the file's order; whether the table has them, `match` tells.
    """

    table: str
    file: str
    columns: tuple[ColumnDescription, ...]

    def match(self, column_names: Sequence[str]) -> ColumnMatch:
        """Return the descriptions by the names that the columns have in the database.

        Names match that differ in case and in spaces around them only; of two descriptions of one
        column the one with its exact name counts, else the first.

        Args:
            column_names: the columns of the table in the database.

        >>> weight = ColumnDescription("WT ", "weight", "", "real", "")
        >>> match = TableDescription("owl", "owl.csv", (weight,)).match(["id", "wt"])
        >>> match.described["wt"].name, match.notes
        ('weight', ('owl.csv does not describe id',))
        """
        spelt = [column.original_name for column in self.columns]
        places = _places(spelt, column_names)
        described = {name: self.columns[place] for name, place in places.found.items()}
        missing = [name for name in column_names if name not in described]
        notes = (
            ("describes what table {0} does not have: {1}", [spelt[i] for i in places.unknown]),
            ("describes again, which is left out: {1}", [spelt[i] for i in places.repeated]),
            ("does not describe {1}", missing),
        )
        return ColumnMatch(
            described,
            tuple(
                f"{self.file} {note.format(self.table, listed(names))}"
                for note, names in notes
                if names
            ),
        )


@dataclass(frozen=True)
class Descriptions:
    """What a folder says of a database.

    Attributes:
        tables: those described, in the order in which the tables were given.
        unmatched: the names of files that fit no table.
        notes: what is odd about the files, one sentence each.
    """

    tables: tuple[TableDescription, ...]
    unmatched: tuple[str, ...]
    notes: tuple[str, ...]


def read_descriptions(folder: Path, table_names: Sequence[str]) -> Descriptions:
    """Return the descriptions of tables in a folder; a missing folder has none.

    A file describes the table that it is named after, in any case of letters. A similar name is no
    match: `ruling.csv` is listed as unmatched where the table is `rulings`. Of two files for one
    table the one with its exact name counts, else the first.

    Args:
        folder: a `database_description` folder of BIRD.
        table_names: the tables of the database.

    Raises:
        OSError: a file may not be read.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("OWL.csv", "heron.csv"):
    ...         _ = Path(folder, name).write_text("original_column_name,column_name\\nwt,weight\\n")
    ...     found = read_descriptions(Path(folder), ["owl", "herons"])
    >>> found.tables[0].table, found.tables[0].columns[0].name, found.unmatched
    ('owl', 'weight', ('heron.csv',))
    """
    files = [read_description_file(path) for path in description_paths(folder)]
    places = _places([file.stem for file in files], table_names)
    tables = tuple(
        TableDescription(table, files[place].name, _columns(files[place].rows))
        for table, place in ((name, places.found.get(name)) for name in table_names)
        if place is not None
    )
    notes = [note for file in files for note in file.notes]
    repeated = [files[place].name for place in places.repeated]
    notes += [f"{name} is left out: another file describes that table" for name in repeated]
    unmatched = tuple(files[place].name for place in places.unknown)
    return Descriptions(tables, unmatched, tuple(notes))


def _columns(rows: Sequence[DescriptionRow]) -> tuple[ColumnDescription, ...]:
    return tuple(
        ColumnDescription(
            row.original_column_name.strip(),
            row.column_name.strip(),
            row.column_description.strip(),
            row.data_format.strip(),
            row.value_description.strip(),
        )
        for row in rows
        if row.original_column_name.strip()
    )


@dataclass(frozen=True)
class _Places:
    """Which spelling stands for which name, by its place in the list of spellings."""

    found: Mapping[str, int]
    unknown: Sequence[int]
    repeated: Sequence[int]


def _places(spelt: Sequence[str], names: Sequence[str]) -> _Places:
    folded: dict[str, list[str]] = {}
    for name in names:
        folded.setdefault(_fold(name), []).append(name)
    exact = set(names)
    found: dict[str, int] = {}
    unknown, repeated = [], []
    for place in sorted(range(len(spelt)), key=lambda place: spelt[place] not in exact):
        text = spelt[place]
        candidates = [text] if text in exact else folded.get(_fold(text), [])
        if len(candidates) != 1:  # two names that differ in case only: neither is guessed
            unknown.append(place)
        elif candidates[0] in found:
            repeated.append(place)
        else:
            found[candidates[0]] = place
    return _Places(found, sorted(unknown), sorted(repeated))


def _fold(name: str) -> str:
    return name.strip().casefold()
