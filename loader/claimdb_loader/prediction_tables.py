"""The rows of the two tabular formats: delimited text (CSV, TSV) and Parquet."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from claimdb_loader.prediction_problems import Problem
from claimdb_loader.strict_json import StrictJson, first_repeated


class Row(NamedTuple):
    """One row of a file: its 1-based line or number, and its values by column."""

    place: int
    values: dict[str, Any]


Found: TypeAlias = tuple[list[Row], list[Problem]]

RAW_COLUMNS: Final = frozenset({"claim_id", "label", "verdict"})
"""Columns whose cells stay text, because `prediction_rows` says what they mean."""

DELIMITERS: Final = (",", "\t", ";")
_NOT_FINITE: Final = frozenset({"nan", "inf", "+inf", "-inf", "infinity", "-infinity"})
_PLAIN: Final = (str, int, type(None))
_REPEATED: Final = "column {!r} stands twice in the header; rename one of them"


def header_cells(line: str) -> list[str]:
    r"""Return the column names in the header line of delimited text.

    >>> header_cells('"claim_id"; label\r')
    ['claim_id', 'label']
    """
    return [cell.strip().strip('"') for cell in line.split(_delimiter(line))]


def first_line(text: str) -> str:
    r"""Return the first line that is not blank.

    >>> first_line("\n claim_id,label\n7,0")
    'claim_id,label'
    """
    return text.lstrip().split("\n", 1)[0]


def _delimiter(line: str) -> str:
    return max(DELIMITERS, key=line.count)


def delimited_rows(text: str) -> Found:
    r"""Return the rows of delimited text and what is wrong with it.

    The place of a row is the line on which it starts. An empty cell is None. A column whose filled
    cells are all JSON values (numbers, lists) is read as such, where NaN and infinity become None.

    >>> rows, problems = delimited_rows('claim_id,why,p\n7,"a\nb",0.5\n8,c\n')
    >>> rows[0].values, problems[0].place
    ({'claim_id': '7', 'why': 'a\nb', 'p': 0.5}, 4)
    """
    lines, rows, problems = _cells(text)
    if not rows:
        return [], problems
    header = [name.strip() for name in rows[0]]
    repeated = first_repeated(header)
    if repeated is not None:
        message = _REPEATED.format(repeated)
        return [], [*problems, Problem("columns", message, place=lines[0])]
    kept: list[list[str]] = []
    places: list[int] = []
    for line, row in zip(lines[1:], rows[1:], strict=True):
        if len(row) == len(header):
            kept.append(row)
            places.append(line)
            continue
        message = f"the number of cells is {len(row)}, the header has {len(header)}; mend the row"
        problems.append(Problem("columns", message, place=line))
    columns = [
        _column(name, cells) for name, cells in zip(header, zip(*kept, strict=True), strict=False)
    ]
    return _rows(places, header, columns), problems


def _cells(text: str) -> tuple[list[int], list[list[str]], list[Problem]]:
    """The cells of each row that is not blank, with the line on which it starts."""
    delimiter = _delimiter(first_line(text))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    lines: list[int] = []
    rows: list[list[str]] = []
    problems: list[Problem] = []
    while True:
        line = reader.line_num + 1
        try:
            row = next(reader, None)
        except csv.Error as error:
            problems.append(Problem("not-csv", f"not CSV ({error}); mend the row", place=line))
            if not rows:
                return lines, rows, problems
            continue
        if row is None:
            return lines, rows, problems
        if len(row) > 1 or (row and row[0].strip()):
            lines.append(line)
            rows.append(row)


def _column(name: str, cells: Sequence[str]) -> list[object]:
    texts = [cell or None for cell in cells]
    if name in RAW_COLUMNS:
        return list(texts)
    reader = StrictJson()
    values: list[object] = []
    for text in texts:
        value, fault = _json_cell(reader, text)
        if fault:
            return list(texts)
        values.append(value)
    return values


def _json_cell(reader: StrictJson, text: str | None) -> tuple[object, str | None]:
    if text is None or text.strip().lower() in _NOT_FINITE:
        return None, None
    return reader.whole(text)


def parquet_rows(content: bytes) -> Found:
    """Return the rows of a Parquet file and what is wrong with it.

    The place of a row is its 1-based number. NaN and infinity become None; what JSON has no form
    for (dates, bytes, decimals) becomes text.

    >>> parquet_rows(b"PAR1")[1][0].kind
    'not-parquet'
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.ParquetFile(pa.BufferReader(content)).read()
        names = list(table.column_names)
        columns = [[_plain(value) for value in column.to_pylist()] for column in table.columns]
    except (pa.ArrowException, OSError, ValueError, OverflowError, RecursionError) as error:
        reason = str(error).split("\n", 1)[0]
        message = f"not a readable Parquet file ({reason}); write it again"
        return [], [Problem("not-parquet", message)]
    repeated = first_repeated(names)
    if repeated is not None:
        return [], [Problem("columns", _REPEATED.format(repeated))]
    return _rows(range(1, table.num_rows + 1), names, columns), []


def _plain(value: Any) -> object:
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, bytes):
        return _text_of_bytes(value)
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _text_of_bytes(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.hex()


def _rows(places: Iterable[int], names: list[str], columns: list[list[object]]) -> list[Row]:
    return [
        Row(place, dict(zip(names, values, strict=True)))
        for place, values in zip(places, zip(*columns, strict=True), strict=False)
    ]
