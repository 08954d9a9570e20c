"""Reads CSV and TSV as typed columns: all of a column decides its type, not its first rows.

pyarrow reads every cell as text; its own guess looks at the first block only and fails at a later
one that differs, and takes 00123 for 123 and 0x1F for 31. So there are two passes: one finds
the types, one converts.
"""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from claimdb_harness.own_data.cell_types import TEXT, CellKind, ColumnSurvey, converted
from claimdb_harness.own_data.typed_tables import BATCH_ROWS, TypedTable, reading
from claimdb_metric.errors import DataError

DELIMITERS: Final = (",", ";", "\t", "|")
BLOCK_BYTES: Final = 16 * 2**20
"""pyarrow reads so much at once; a row cannot be longer."""

_SAMPLE_BYTES: Final = 2**16
_SAMPLE_ROWS: Final = 20
_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_ADVICE: Final = (
    (
        "Expected",
        "give each row as many cells as the header, in quotes where they hold a delimiter",
    ),
    ("straddl", f"is a row longer than {BLOCK_BYTES:,} bytes, or a quote not closed?"),
    ("", "write the file again"),
)


class Layout(NamedTuple):
    """How a file is written; `only_line` is the line where there is but one.

    Of a line without a line break at its end pyarrow says that the file is empty.
    """

    encoding: str
    delimiter: str
    only_line: str | None


def read_delimited(path: Path) -> TypedTable:
    """Return a CSV or TSV file (gzip by its suffix) as a table whose first row holds the names.

    The delimiter is the one of `, ; tab |` that splits the first rows most evenly; .tsv has tabs.
    Blank lines are no rows.

    Raises:
        DataError: it is empty, not UTF-8 (or UTF-16 with a mark), or has rows of different length.
    """
    with reading(path, "CSV", _advice):
        layout = _layout(path)
        if layout.only_line is not None:
            header = next(csv.reader([layout.only_line], delimiter=layout.delimiter))
            return TypedTable(tuple(header), (TEXT.sqlite_type,) * len(header), lambda: iter(()))
        names: tuple[str, ...] = ()
        surveys: list[ColumnSurvey] = []
        last: Any = None
        for number, batch in enumerate(_text_batches(path, layout)):
            if number == 0:
                names = tuple(column[0].as_py() for column in batch.columns)
                surveys = [ColumnSurvey() for _ in names]
            for survey, texts in zip(surveys, _below_header(batch, number), strict=True):
                survey.see(texts)
            last = batch
        _check_last_quote(path, layout, last)
    kinds = [survey.kind for survey in surveys]
    types = tuple(kind.sqlite_type for kind in kinds)
    return TypedTable(names, types, partial(_batches, path, layout, kinds))


def _batches(path: Path, layout: Layout, kinds: Sequence[CellKind]) -> Iterator[list[list[object]]]:
    with reading(path, "CSV", _advice):
        for number, batch in enumerate(_text_batches(path, layout)):
            columns = _below_header(batch, number)
            for start in range(0, batch.num_rows, BATCH_ROWS):
                yield [
                    converted(texts.slice(start, BATCH_ROWS), kind)
                    for texts, kind in zip(columns, kinds, strict=True)
                ]


def _below_header(batch: Any, number: int) -> list[Any]:
    return [column.slice(1 if number == 0 else 0) for column in batch.columns]


def _text_batches(path: Path, layout: Layout) -> Iterator[Any]:
    """The rows, the header as the first of them, with every cell as text."""
    import pyarrow as pa

    # The number of columns is known once the first block was read.
    with _open(path, layout, {}) as reader:
        names = reader.schema.names
    try:
        with _open(path, layout, dict.fromkeys(names, pa.string())) as reader:
            yield from (batch for batch in reader if batch.num_rows)
    except pa.ArrowInvalid as error:
        if "invalid UTF8" in str(error):
            raise _encoding_error(path) from None
        raise


def _open(path: Path, layout: Layout, column_types: dict[str, Any]) -> Any:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    return arrow_csv.open_csv(
        pa.input_stream(path),
        read_options=arrow_csv.ReadOptions(
            autogenerate_column_names=True, encoding=layout.encoding, block_size=BLOCK_BYTES
        ),
        parse_options=arrow_csv.ParseOptions(delimiter=layout.delimiter, newlines_in_values=True),
        convert_options=arrow_csv.ConvertOptions(column_types=column_types),
    )


def _layout(path: Path) -> Layout:
    import pyarrow as pa

    with pa.input_stream(path) as stream:
        sample = stream.read(_SAMPLE_BYTES)
    encoding = "utf-16" if sample.startswith(_UTF16) else "utf-8"
    text = sample.decode(encoding, "replace").removeprefix("\ufeff")
    if not text.strip():
        raise DataError(f"{path} is empty: its first line should name the columns")
    if "\0" in text:
        raise DataError(f"{path} is no text, or UTF-16 without its mark: save it as UTF-8")
    is_tsv = path.name.lower().removesuffix(".gz").endswith(".tsv")
    lines = text.strip("\r\n").splitlines() if len(sample) < _SAMPLE_BYTES else []
    only_line = lines[0] if len(lines) == 1 else None
    return Layout(encoding, "\t" if is_tsv else delimiter_of(text), only_line)


def delimiter_of(text: str) -> str:
    r"""Return the delimiter that splits the first rows of a text most evenly, else a comma.

    >>> delimiter_of("name;price\nfork;1,50\nspoon, small;2\n")
    ';'
    """

    def rank(delimiter: str) -> tuple[float, int]:
        widths = _widths(text, delimiter)
        usual = max(set(widths), key=widths.count)
        return (widths.count(usual) / len(widths) if usual > 1 else 0.0), usual

    # Of equals, max() takes the first.
    return max(DELIMITERS, key=rank)


def _widths(text: str, delimiter: str) -> list[int]:
    """How many cells each of the first rows has; a row that the sample cuts off is left out."""
    widths: list[int] = []
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
            widths += [len(row)] if row else []
            if len(widths) > _SAMPLE_ROWS:
                break
    except csv.Error:  # a cell of more than 131,072 characters
        return widths or [1]
    is_cut = not text.endswith("\n") and len(widths) > 1
    return (widths[:-1] if is_cut else widths) or [1]


def _check_last_quote(path: Path, layout: Layout, last: Any) -> None:
    """pyarrow takes what follows a quote that is never closed for one cell, and says nothing."""
    import pyarrow as pa

    if last is None or "\n" not in last.column(last.num_columns - 1)[-1].as_py():
        return
    n_quotes = 0
    with pa.input_stream(path) as stream:
        while block := stream.read(BLOCK_BYTES):
            n_quotes += block.count(b'"')
    if n_quotes % 2:
        raise DataError(f"{path} has a quote that is never closed: close it, or write it twice")


def _encoding_error(path: Path) -> DataError:
    import pyarrow as pa

    decoder = codecs.getincrementaldecoder("utf-8")()
    line = 1
    with pa.input_stream(path) as stream:
        while block := stream.read(BLOCK_BYTES):
            try:
                line += decoder.decode(block).count("\n")
            except UnicodeDecodeError as error:
                bad = error.object[error.start]
                line += error.object.count(b"\n", 0, error.start)
                break
    return DataError(
        f"{path}:{line} is not UTF-8 (byte 0x{bad:02X}): save it as UTF-8; if it came from Excel: "
        f"iconv -f cp1252 -t utf-8 {path.name}"
    )


def _advice(reason: str) -> str:
    return next(advice for fragment, advice in _ADVICE if fragment in reason)
