"""Reads a user's own claims: one a line, as JSONL, or as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from claimdb_loader.prediction_tables import first_line, header_cells
from claimdb_loader.problems import MAX_LISTED, shown_path
from claimdb_loader.strict_json import json_lines
from claimdb_metric.errors import ClaimFileError, DataError

INFO_KEYS: Final = ("extra_info", "info")
_DELIMITERS: Final = ",\t;"


@dataclass(frozen=True)
class OwnClaim:
    """A claim to check.

    Args:
        claim: the sentence.
        extra_info: what it does not say itself, such as what a word means; "" if nothing.

    Raises:
        DataError: the sentence is blank.
    """

    claim: str
    extra_info: str = ""

    def __post_init__(self) -> None:
        if not self.claim.strip():
            raise DataError("the claim is blank: write a sentence")


class _Row(NamedTuple):
    """What stands on a line: the values of a claim, or the fault for which it is none."""

    line: int
    values: Mapping[str, Any]
    fault: str | None = None


_Rows: TypeAlias = Iterator[_Row]


def read_claims(path: Path) -> list[OwnClaim]:
    r"""Return the claims of a file, in its order.

    - .txt: a claim a line; blank lines and lines that start with # are left out.
    - .jsonl: a string a line, or an object with `claim` and perhaps `extra_info` (or `info`).
    - .csv, .tsv: a column `claim` and perhaps `extra_info` (or `info`).

    Other keys and columns are left out. Only "\n" ends a line.

    Raises:
        ClaimFileError: lists up to 20 faults with file and line.
        DataError: the file holds no claim, or is of another kind.
        OSError: it cannot be read.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "claims.txt")
    ...     _ = path.write_text("# Brno\n\nThere are 12 dormant accounts in Brno.\n")
    ...     read_claims(path)
    [OwnClaim(claim='There are 12 dormant accounts in Brno.', extra_info='')]
    """
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise DataError(f"{path} is no list of claims: its name must end with {_SUFFIXES}")
    claims: list[OwnClaim] = []
    faults: list[tuple[int, str]] = []
    for row in reader(_text(path)):
        fault = row.fault or _fault(row.values)
        if fault is None:
            claims.append(OwnClaim(row.values["claim"].strip(), _info(row.values)))
        else:
            faults.append((row.line, fault))
    if faults:
        raise _error(path, faults)
    if not claims:
        raise DataError(f"{path} holds no claim: write one a line")
    return claims


def _text(path: Path) -> str:
    content = path.read_bytes()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise _error(path, [(line, "not UTF-8 text; save the file as UTF-8")]) from None


def _error(path: Path, faults: list[tuple[int, str]]) -> ClaimFileError:
    lines = [f"{shown_path(str(path))}:{line}: {fault}" for line, fault in faults[:MAX_LISTED]]
    if len(faults) > MAX_LISTED:
        lines.append(f"and {len(faults) - MAX_LISTED:,} more")
    n = f"{len(faults):,} problem{'s' * (len(faults) != 1)}"
    return ClaimFileError(f"{n} in a file of claims:\n  " + "\n  ".join(lines))


def _fault(values: Mapping[str, Any]) -> str | None:
    claim = values.get("claim")
    if claim is None:
        return "no claim; give it as `claim`"
    if not isinstance(claim, str):
        return f"the claim must be text, not {type(claim).__name__}"
    if not claim.strip():
        return "the claim is blank; write a sentence, or remove the line"
    for key in INFO_KEYS:
        info = values.get(key)
        if info is not None and not isinstance(info, str):
            return f"{key} must be text, not {type(info).__name__}"
    if all(values.get(key) for key in INFO_KEYS):
        return f"both {' and '.join(INFO_KEYS)} are given; keep one"
    return None


def _info(values: Mapping[str, Any]) -> str:
    return next((values[key].strip() for key in INFO_KEYS if values.get(key)), "")


def _txt_rows(text: str) -> _Rows:
    for number, line in enumerate(text.split("\n"), 1):
        claim = line.strip()
        if claim and not claim.startswith("#"):
            yield _Row(number, {"claim": claim})


def _jsonl_rows(text: str) -> _Rows:
    for line, value, fault in json_lines(text):
        if isinstance(value, dict):
            yield _Row(line, value, fault)
        elif isinstance(value, str):
            yield _Row(line, {"claim": value}, fault)
        else:
            kind = type(value).__name__
            yield _Row(line, {}, fault or f"neither a JSON object nor a string but {kind}")


def _csv_rows(text: str) -> _Rows:
    header = first_line(text)
    delimiter = max(_DELIMITERS, key=header.count)
    if "claim" not in header_cells(header):
        yield _Row(1, {}, "the header has no column `claim`; name it so")
        return
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    names: list[str] = []
    line = 1
    try:
        for cells in reader:
            if names and any(cells):
                yield _csv_row(line, names, cells)
            elif any(cells):
                names = [cell.strip() for cell in cells]
            line = reader.line_num + 1
    except csv.Error as error:
        yield _Row(line, {}, f"not CSV ({error}); nothing after it is read")


def _csv_row(line: int, names: list[str], cells: list[str]) -> _Row:
    if len(cells) != len(names):
        counts = f"{len(cells)} cells where the header has {len(names)}"
        return _Row(line, {}, f"{counts}; put a claim that holds a delimiter in double quotes")
    return _Row(line, {name: cell for name, cell in zip(names, cells, strict=True) if cell})


_READERS: Final[Mapping[str, Callable[[str], _Rows]]] = {
    ".txt": _txt_rows,
    ".jsonl": _jsonl_rows,
    ".csv": _csv_rows,
    ".tsv": _csv_rows,
}
_SUFFIXES: Final = ", ".join(_READERS)
