"""Reads the rows of a predictions or references file, with whatever columns it has.

The format is told from the content: JSONL, a JSON list, a JSON object {claim_id: label}, CSV or
TSV, Parquet. What a row means is the matter of `prediction_rows`.
"""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Final, Literal, TypeAlias

from claimdb_loader.prediction_problems import PathLike, PlaceName, Problem, in_order
from claimdb_loader.prediction_tables import (
    Found,
    Row,
    delimited_rows,
    first_line,
    header_cells,
    parquet_rows,
)
from claimdb_loader.strict_json import (
    Entry,
    JsonSyntaxError,
    StrictJson,
    json_lines,
    json_list,
    json_map,
)

Format: TypeAlias = Literal["JSONL", "JSON list", "JSON map", "CSV", "Parquet"]

PLACE_NAMES: Final[dict[Format, PlaceName]] = {
    "JSONL": "line",
    "JSON list": "row",
    "JSON map": "row",
    "CSV": "line",
    "Parquet": "row",
}

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8", "was UTF-8 with a byte order mark"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "was UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "was UTF-16"),
)
_JSON_SPACE: Final = " \t\r\n"
_TABLE_SUFFIXES: Final = (".csv", ".tsv")
_MAP_START: Final = re.compile(r'\s*\{\s*"[0-9]+"\s*:')


@dataclass(frozen=True)
class RowFile:
    """What stands in a predictions or references file.

    Args:
        path: the file.
        format: what it was recognised as.
        rows: the rows that could be read.
        problems: what could not be read; a caller who needs every row must look at them.
        notes: what was normalised in reading, with a count.
    """

    path: str
    format: Format
    rows: tuple[Row, ...]
    problems: tuple[Problem, ...]
    notes: Mapping[str, int]

    @property
    def place_name(self) -> PlaceName:
        """What the places of rows and problems are: lines of the file, or numbers of rows."""
        return PLACE_NAMES[self.format]


@dataclass(frozen=True)
class _Text:
    """A file as text; `bad_byte` is the line and the byte in it where it is no text."""

    text: str
    notes: dict[str, int]
    bad_byte: tuple[int, int] | None


def read_rows(path: PathLike) -> RowFile:
    r"""Return the rows of a file, with what could not be read and what was normalised.

    Args:
        path: a file in any of the five formats, in UTF-8, or in UTF-16 with a byte order mark;
            /dev/stdin works, as the bytes are read once.

    Raises:
        OSError: the file is missing, a folder, or may not be read.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "predictions.jsonl")
    ...     _ = path.write_text('{"claim_id": 7, "label": "ENTAILED"}\n{"claim_id": 8')
    ...     file = read_rows(path)
    >>> file.rows[0].values, file.problems[0].place
    ({'claim_id': 7, 'label': 'ENTAILED'}, 2)
    """
    content = Path(path).read_bytes()
    if content.startswith(b"PAR1"):
        return _row_file(path, "Parquet", parquet_rows(content), {})
    decoded = _decode(content)
    format_name = _recognise(decoded.text, PurePath(path).suffix.lower())
    rows, problems = _TEXT_READERS[format_name](decoded.text)
    if decoded.bad_byte is not None:
        problems.insert(0, _encoding_problem(format_name, *decoded.bad_byte))
    return _row_file(path, format_name, (rows, problems), decoded.notes)


def _row_file(path: PathLike, format_name: Format, found: Found, notes: dict[str, int]) -> RowFile:
    rows, problems = found
    if not rows and not problems:
        problems = [Problem("no-rows", "no rows: write a row for each claim")]
    return RowFile(os.fspath(path), format_name, tuple(rows), in_order(problems), notes)


def _decode(content: bytes) -> _Text:
    notes: dict[str, int] = {}
    mark, codec = b"", "utf-8"
    for known, name, note in _MARKS:
        # The mark of UTF-32 starts like that of UTF-16, and UTF-32 is not read.
        if content.startswith(known) and not content.startswith(codecs.BOM_UTF32_LE):
            mark, codec = known, name
            notes[note] = 1
    body = content[len(mark) :]
    try:
        text = body.decode(codec)
    except UnicodeDecodeError as error:
        before = body[: error.start].decode(codec)
        return _Text(body.decode(codec, "replace"), notes, _position(before, codec, mark))
    if "\0" in text:
        # UTF-16 without its mark is valid UTF-8 when its letters are ASCII.
        return _Text(text, notes, _position(text[: text.index("\0")], codec, mark))
    return _Text(text, notes, None)


def _position(before: str, codec: str, mark: bytes) -> tuple[int, int]:
    """The 1-based line, and byte in it, that follow on a text."""
    line = before.count("\n") + 1
    n_bytes = len(before[before.rfind("\n") + 1 :].encode(codec))
    return line, n_bytes + 1 + (len(mark) if line == 1 else 0)


def _encoding_problem(format_name: Format, line: int, byte: int) -> Problem:
    message = f"wrong encoding: byte {byte} of line {line} is not UTF-8 text; save it as UTF-8"
    return Problem("encoding", message, place=line if PLACE_NAMES[format_name] == "line" else None)


def _recognise(text: str, suffix: str) -> Format:
    start = text.lstrip(_JSON_SPACE)[:1]
    if start == "[":
        return "JSON list"
    if start == "{":
        return "JSON map" if _is_map(text) else "JSONL"
    if suffix in _TABLE_SUFFIXES or "claim_id" in header_cells(first_line(text)):
        return "CSV"
    return "JSONL"


def _is_map(text: str) -> bool:
    if _MAP_START.match(text):
        return True
    try:
        value, end, _ = StrictJson().value_at(text, text.index("{"))
    except JsonSyntaxError:
        return False
    if text[end:].strip() or not isinstance(value, dict) or "claim_id" in value:
        return False
    # One line without an id among its keys is more likely a row that lacks its claim_id.
    return any(key.isdigit() for key in value) or "\n" in text[:end].strip()


def _json_rows(
    entries: Callable[[str], Iterable[Entry]], place_name: PlaceName
) -> Callable[[str], Found]:
    def read(text: str) -> Found:
        rows: list[Row] = []
        problems: list[Problem] = []
        for place, value, fault in entries(text):
            if fault is None and isinstance(value, dict):
                rows.append(Row(place, value))
                continue
            reason = fault or f"not a JSON object but {type(value).__name__}"
            message = f"{reason}; mend or remove this {place_name}"
            problems.append(Problem("not-json", message, place=place))
        return rows, problems

    return read


_TEXT_READERS: Final[dict[Format, Callable[[str], Found]]] = {
    "JSONL": _json_rows(json_lines, "line"),
    "JSON list": _json_rows(json_list, "row"),
    "JSON map": _json_rows(json_map, "row"),
    "CSV": delimited_rows,
}
