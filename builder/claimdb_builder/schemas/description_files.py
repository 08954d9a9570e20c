"""The rows of one CSV file of BIRD's `database_description`, whatever bytes it consists of."""

from __future__ import annotations

import csv
import io
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Final

BOM: Final = b"\xef\xbb\xbf"
MAX_LISTED: Final = 10
"""Of the lines or names of one note; how many more there are is said."""

_HEADER: Final = (
    "original_column_name",
    "column_name",
    "column_description",
    "data_format",
    "value_description",
)
_MISSPELT: Final = {"column_desription": "column_description"}
"""As the header of files in BIRD has it."""

_field_limit = threading.Lock()


@dataclass(frozen=True)
class DescriptionRow:
    """The cells of one row under BIRD's own headers, stray spaces and all; "" where one lacks."""

    original_column_name: str
    column_name: str
    column_description: str
    data_format: str
    value_description: str


@dataclass(frozen=True)
class DescriptionFile:
    """One file as it was read.

    Attributes:
        name: the file's name, without its folder.
        rows: those in which something is written, in the file's order.
        notes: what is odd about the file, each with its name.
    """

    name: str
    rows: tuple[DescriptionRow, ...]
    notes: tuple[str, ...]

    @property
    def stem(self) -> str:
        """The name of the table that the file is to describe."""
        return PurePath(self.name).stem


def description_paths(folder: Path) -> list[Path]:
    """Return the CSV files of a folder, sorted by name; none where there is no such folder.

    Files whose name starts with a dot, as macOS leaves them beside others, are no descriptions.

    >>> description_paths(Path("/no/such/folder"))
    []
    """
    if not folder.is_dir():
        return []
    found = [path for path in folder.iterdir() if path.suffix.lower() == ".csv" and path.is_file()]
    return sorted((path for path in found if path.name[0] != "."), key=lambda path: path.name)


def read_description_file(path: Path) -> DescriptionFile:
    r"""Return the rows of a file, and notes on what is odd about it; no content is an error.

    Args:
        path: a CSV file in UTF-8, with or without its mark, or in cp1252, with or without the mark
            of UTF-8; what is neither is read as Latin-1.

    Raises:
        OSError: the file is missing, a folder, or may not be read.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "owl.csv")
    ...     _ = path.write_bytes(b"original_column_name,column_name\nwt,weight \x96 grams\n")
    ...     file = read_description_file(path)
    >>> file.rows[0].column_name, file.notes
    ('weight – grams', ('owl.csv is cp1252, not UTF-8',))
    """
    text, notes = _decoded(path.read_bytes())
    if "\0" in text:
        text = text.replace("\0", "")
        notes.append("holds NUL characters; they are left out")
    records = _records(text)
    rows: list[DescriptionRow] = []
    if not records:
        notes.append("is empty")
    else:
        rows, odd_rows = _rows(records)
        notes += odd_rows
    return DescriptionFile(path.name, tuple(rows), tuple(f"{path.name} {note}" for note in notes))


def _decoded(content: bytes) -> tuple[str, list[str]]:
    """The text without marks of UTF-8, and a note where it is in another encoding."""
    is_marked = content.startswith(BOM)
    content = content.removeprefix(BOM)
    claim = "though it starts as UTF-8" if is_marked else "not UTF-8"
    try:
        return content.decode("utf-8").lstrip("\ufeff"), []
    except UnicodeDecodeError:
        pass
    try:
        return content.decode("cp1252"), [f"is cp1252, {claim}"]
    except UnicodeDecodeError:
        return content.decode("latin-1"), ["is neither UTF-8 nor cp1252; it is read as Latin-1"]


def _records(text: str) -> list[tuple[int, list[str]]]:
    """The records in which something is written, each with the line that it starts on."""
    records: list[tuple[int, list[str]]] = []
    with _field_limit:  # the limit on the length of a cell is one for the whole process
        limit = csv.field_size_limit()
        csv.field_size_limit(max(limit, len(text)))
        try:
            reader = csv.reader(io.StringIO(text, newline=""))
            line = 1
            for cells in reader:
                if any(cell.strip() for cell in cells):
                    records.append((line, cells))
                line = reader.line_num + 1
        finally:
            csv.field_size_limit(limit)
    return records


def _rows(records: Sequence[tuple[int, list[str]]]) -> tuple[list[DescriptionRow], list[str]]:
    """The rows below the header, and notes on those that do not fit it."""
    (_, first), *below = records
    header = ["_".join(cell.casefold().split()) for cell in first]
    header = [_MISSPELT.get(name, name) for name in header]
    if "original_column_name" not in header:
        return [], ["has no header original_column_name; nothing of it is used"]
    places = [header.index(name) if name in header else None for name in _HEADER]
    rows = []
    nameless, overfull = [], []
    for line, cells in below:
        if any(cell.strip() for cell in cells[len(header) :]):
            overfull.append(line)
        row = DescriptionRow(*(_cell(cells, place) for place in places))
        if not row.original_column_name.strip():
            nameless.append(line)
        rows.append(row)
    notes = []
    if nameless:
        notes.append(f"names no column on line {listed(nameless)}")
    if overfull:
        notes.append(f"has more cells than its header on line {listed(overfull)}")
    return rows, notes


def _cell(cells: Sequence[str], place: int | None) -> str:
    return "" if place is None or place >= len(cells) else cells[place]


def listed(items: Sequence[object]) -> str:
    """Return the first items joined by commas, and how many more there are.

    >>> listed([4, 7]), listed(range(100, 117))[-24:]
    ('4, 7', '107, 108, 109 and 7 more')
    """
    shown = ", ".join(map(str, items[:MAX_LISTED]))
    n_more = len(items) - MAX_LISTED
    return f"{shown} and {n_more} more" if n_more > 0 else shown
