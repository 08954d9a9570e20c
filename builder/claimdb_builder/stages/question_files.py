"""Reads question files row by row: JSONL, a JSON list, CSV or TSV, Parquet."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

from claimdb_loader.strict_json import Entry, StrictJson, first_repeated, json_list
from claimdb_metric.errors import DataError

BATCH_ROWS: Final = 1000
START_BYTES: Final = 2**16
"""So much is looked at to tell the format."""
_TABLE_SUFFIXES: Final = (".csv", ".tsv")
_DELIMITERS: Final = (",", "\t", ";")
"""Excel writes semicolons where the comma stands in numbers."""
MAX_CELL_CHARS: Final = 2**24
"""Python's csv module takes 131,072 by default."""


class QuestionRows(NamedTuple):
    """The rows of a file, and what their 1-based places are: "line" or "row"."""

    place_name: str
    entries: Iterable[Entry]


def check_is_file(path: Path) -> None:
    """Raise DataError unless a path is that of a regular file, which can be read twice."""
    if path.is_file():
        return
    if path.is_dir():
        raise DataError(f"{path} is a folder; give the files in it")
    if path.exists():
        raise DataError(f"{path} is no regular file; write its content to one")
    raise DataError(f"{path}: no such file")


def read_rows(path: Path) -> QuestionRows:
    """Return the rows of a question file, each with its place, or with its fault.

    The format is told from the content (JSON, Parquet) and, for CSV and TSV, from the suffix. But
    for a JSON list, whose text is held, the file is read as its rows are asked for.

    Raises:
        DataError: the file holds no rows that could be read at all.
        OSError: it is missing or may not be read.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "dev.jsonl")
    ...     _ = path.write_text('{"db_id": "zoo"}\\n{"db_id": ')
    ...     [(entry.place, entry.fault is None) for entry in read_rows(path).entries]
    [(1, True), (2, False)]
    """
    check_is_file(path)
    with path.open("rb") as file:
        start = file.read(START_BYTES)
    if start.startswith(b"PAR1"):
        return QuestionRows("row", _parquet_rows(path))
    first = start.removeprefix(codecs.BOM_UTF8).lstrip()[:1]
    if path.suffix.lower() in _TABLE_SUFFIXES:
        return QuestionRows("line", _delimited_rows(path))
    if first == b"[":
        return QuestionRows("row", _json_list(path))
    if first == b"{":
        return QuestionRows("line", _json_lines(path))
    raise DataError(
        f"{path} is no question file: it must hold JSON objects, one a line or in a list, or be "
        "CSV (.csv, .tsv) or Parquet"
    )


def _open(path: Path) -> IO[bytes]:
    """Open a file behind its byte order mark."""
    file = path.open("rb")
    file.seek(len(codecs.BOM_UTF8) if file.read(3) == codecs.BOM_UTF8 else 0)
    return file


def _json_lines(path: Path) -> Iterator[Entry]:
    reader = StrictJson()
    with _open(path) as file:
        for number, line in enumerate(file, 1):
            if line.isspace():
                continue
            try:
                value, fault = reader.whole(line.rstrip(b"\n").decode())
            except UnicodeDecodeError as error:
                value, fault = None, f"byte {error.start + 1} is not UTF-8 text; save it as UTF-8"
            if fault and not line.endswith(b"\n"):
                fault += "; the last line has no line break, so the file may be cut short"
            yield Entry(number, value, fault)


def _json_list(path: Path) -> Iterator[Entry]:
    try:
        with _open(path) as file:
            text = file.read().decode()
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: byte {error.start + 1} is not UTF-8; save it as UTF-8") from None
    return json_list(text)


def _delimited_rows(path: Path) -> Iterator[Entry]:
    with _open(path) as file:
        start = file.tell()
        header = file.readline()
        file.seek(start)
        delimiter = max(_DELIMITERS, key=lambda mark: header.count(mark.encode()))
        # Line by line, so that text in another encoding is found in its line.
        yield from _cells((line.decode() for line in file), delimiter)


def _cells(lines: Iterable[str], delimiter: str) -> Iterator[Entry]:
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    header: list[str] = []
    line = 1
    while True:
        try:
            cells = _next_row(reader)
        except (csv.Error, UnicodeDecodeError) as error:
            place = line if isinstance(error, csv.Error) else reader.line_num + 1
            yield Entry(place, None, f"not CSV in UTF-8 ({error}); save it as such")
            return
        if cells is None:
            return
        if not header:
            header = [name.strip() for name in cells]
            twice = first_repeated(header)
            if twice is not None:
                yield Entry(line, None, f"column {twice!r} stands twice in the header; rename one")
                return
        elif cells:
            fault = None if len(cells) == len(header) else _wrong_length(cells, header)
            yield Entry(line, dict(zip(header, cells, strict=False)), fault)
        line = reader.line_num + 1


def _next_row(reader: Any) -> list[str] | None:
    """The next row, None behind the last; the limit of a cell's length is the whole program's."""
    limit = csv.field_size_limit(MAX_CELL_CHARS)
    try:
        row: list[str] | None = next(reader, None)
    finally:
        csv.field_size_limit(limit)
    return row


def _wrong_length(cells: list[str], header: list[str]) -> str:
    return f"{len(cells)} cells, and the header has {len(header)}"


def _parquet_rows(path: Path) -> Iterator[Entry]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    place = 0
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(BATCH_ROWS):
                for row in batch.to_pylist():
                    place += 1
                    yield Entry(place, row, None)
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = str(error).split("\n", 1)[0]
        raise DataError(f"{path} is not a readable Parquet file: {reason}") from error


def values(entry: Entry) -> tuple[Mapping[str, Any], str | None]:
    """Return the values of a row by column, and its fault.

    >>> values(Entry(1, [1], None))
    ({}, 'not a JSON object but list')
    """
    if entry.fault is not None:
        return {}, entry.fault
    if not isinstance(entry.value, dict):
        return {}, f"not a JSON object but {type(entry.value).__name__}"
    return entry.value, None
