"""Claims files -> Arrow tables, every row checked; JSON Lines 8 MB at a time.

The fast road is pyarrow's JSON reader; a block that it cannot take, or that holds anything odd, is
read again line by line by `claim_rows`, which names file, line and reason. Measured in
`benchmarks/loader.py`. Parquet files are read by `claim_parquet`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO, Final

import numpy as np
import pyarrow as pa
import pyarrow.json as pa_json

from claimdb_loader import claim_parquet
from claimdb_loader.claim_columns import CLAIM_SCHEMA as CLAIM_SCHEMA
from claimdb_loader.claim_columns import IDS, clean_table
from claimdb_loader.claim_ids import ClaimIds, IntArray
from claimdb_loader.claim_rows import COLUMNS, BadLineError, check_row, parse_line
from claimdb_loader.problems import Problems

BLOCK_BYTES: Final = 8 << 20
HEAD_BYTES: Final = 100
MAX_FAST_LINE_BYTES: Final = 4096
_RAW_SCHEMA: Final = pa.schema(
    [(key, pa.int64() if key in IDS else pa.string()) for key in COLUMNS]
)
_MAGIC: Final = {
    b"PK\x03\x04": "a zip archive",
    b"SQLite format 3": "a SQLite database",
    b"<": "an HTML page",
    b"version https://git-lfs": "a Git LFS pointer (`git lfs pull` brings the file itself)",
    b"\xff\xfe": "UTF-16 text",
    b"\xfe\xff": "UTF-16 text",
    b"\xef\xbb\xbf": "text with a byte order mark (save it as UTF-8 without one)",
    b"[": "a JSON list",
    b"\x00": "a file of zero bytes",
}
_NEWLINE: Final = ord("\n")
_BRACE: Final = ord("{")
_NOT_A_NUMBER: Final = re.compile(rb"NaN|Inf")
_NULL_AFTER_OBJECT: Final = re.compile(rb"\}\s*null")


class ClaimFileReader:
    """Reads the files of one split, remembers where each claim_id stood, raises on any fault.

    Args:
        problems: where faults are noted; a fresh collection by default.
        with_sha256: also take the hash of each file, in the same pass.
    """

    def __init__(self, problems: Problems | None = None, with_sha256: bool = False) -> None:
        self._with_sha256 = with_sha256
        self.problems = problems or Problems()
        self.ids = ClaimIds()
        self.sha256: dict[str, str] = {}

    def tables(self, file: BinaryIO, path: str) -> Iterator[pa.Table]:
        """Yield the claim rows of one open file, JSON Lines or Parquet, as tables of CLAIM_SCHEMA.

        Once a fault is found nothing more is yielded; the rest is only searched for more faults.

        Raises:
            ClaimFileError: at the end of the file, or as soon as 20 faults are known.
        """
        for table, places in self._blocks(file, path):
            self.ids.add(path, table["claim_id"].to_numpy(), places)
            if self.problems.is_full:
                break
            if table.num_rows and not self.problems.lines:
                yield table
        if self.problems.lines:
            self.check_ids()

    def _blocks(self, file: BinaryIO, path: str) -> Iterator[tuple[pa.Table, IntArray]]:
        """The rows of a file block by block, and the line (Parquet: row) of each."""
        head = file.read(HEAD_BYTES)
        if head.startswith(claim_parquet.MAGIC):
            return claim_parquet.ParquetClaims(file, path, self.problems).tables()
        other, wanted = _other_format(head), "JSON Lines"
        if path.lower().endswith(".parquet"):
            self.problems.count_rows_of(path)
            other, wanted = other or ("another format" if head else "an empty file"), "Parquet"
        if other:
            self.problems.add(path, 1, f"this is {other}, not {wanted}")
            return iter(())
        return self._json_blocks(head, file, path)

    def _json_blocks(
        self, head: bytes, file: BinaryIO, path: str
    ) -> Iterator[tuple[pa.Table, IntArray]]:
        digest = hashlib.sha256()
        first_line = 1
        for block in _line_blocks(head, file):
            if self._with_sha256:
                digest.update(block)
            table, lines, n_lines = self._read_block(block, path, first_line)
            first_line += n_lines
            yield table, lines
        if self._with_sha256:
            self.sha256[path] = digest.hexdigest()

    def check_ids(self, other_splits: Iterable[ClaimIds] = ()) -> None:
        """Raise ClaimFileError where a claim_id stands twice, here or also in another split."""
        self.ids.note_duplicates(self.problems, other_splits)
        self.problems.raise_if_any()

    def _read_block(
        self, block: bytes, path: str, first_line: int
    ) -> tuple[pa.Table, IntArray, int]:
        """The rows of a block, the line of each, and the number of lines."""
        fast = _fast_table(block)
        if fast is None:
            table, lines = _slow_table(block, path, first_line, self.problems)
            return table, lines, block.count(b"\n")
        table, unknown_keys = fast
        for key in unknown_keys:
            self.problems.see_key(key)
        return table, np.arange(first_line, first_line + table.num_rows), table.num_rows


def _line_blocks(head: bytes, file: BinaryIO) -> Iterator[bytes]:
    """Yield the bytes of a file, of which the head is read already, in blocks of whole lines.

    Lines end at `\\n` only: U+2028 and U+0085 may stand inside a claim.
    """
    block = head + file.read(BLOCK_BYTES)
    while block:
        yield block + file.readline()
        block = file.read(BLOCK_BYTES)


def _other_format(head: bytes) -> str | None:
    """What a file is by its first bytes, None where it may be JSON Lines."""
    start = head.lstrip()
    return next((name for magic, name in _MAGIC.items() if start.startswith(magic)), None)


def _fast_table(block: bytes) -> tuple[pa.Table, list[str]] | None:
    """Return (table, unknown keys) of a block without fault, None if the slow road must look.

    pyarrow 26 ends the process with a segmentation fault on a `null` that stands where an object
    should, and on values nested some ten thousand deep: so a block is handed over only if each line
    starts an object, no null follows one, and no line is long enough to nest so deep.
    """
    n_objects = _count_objects(block)
    if n_objects is None or _NULL_AFTER_OBJECT.search(block):
        return None
    options = pa_json.ParseOptions(explicit_schema=_RAW_SCHEMA, unexpected_field_behavior="infer")
    try:
        raw = pa_json.read_json(pa.BufferReader(block), parse_options=options)
        raw.validate(full=True)  # texts in UTF-8: a quarter of the time of block.decode()
        unknown = [name for name in raw.column_names if name not in COLUMNS]
        if unknown:
            # Names of nested keys are no texts of the table, and pyarrow takes NaN for a number.
            block.decode("utf-8")
            if _NOT_A_NUMBER.search(block):
                return None
    except (UnicodeDecodeError, pa.ArrowException):
        return None
    if raw.num_rows != n_objects:
        return None
    table = clean_table(raw)
    return None if table is None else (table, unknown)


def _count_objects(block: bytes) -> int | None:
    """The number of lines of a block if each starts with a brace and none is long, else None."""
    content = np.frombuffer(block, np.uint8)
    starts = np.flatnonzero(content == _NEWLINE) + 1
    if len(starts) and starts[-1] == len(content):
        starts = starts[:-1]
    if content[0] != _BRACE or not (content[starts] == _BRACE).all():
        return None
    is_long = np.diff(starts, prepend=0, append=len(content)).max() > MAX_FAST_LINE_BYTES
    return None if is_long else len(starts) + 1


def _slow_table(
    block: bytes, path: str, first_line: int, problems: Problems
) -> tuple[pa.Table, IntArray]:
    """Return the good rows of a block and their line numbers; note every fault."""
    rows, lines = [], []
    for number, line in enumerate(block.split(b"\n"), first_line):
        if not line.strip():
            continue
        if problems.is_full:
            break
        try:
            raw = parse_line(line)
        except BadLineError as fault:
            problems.add(path, number, str(fault))
            continue
        row, faults = check_row(raw)
        for reason in faults:
            problems.add(path, number, reason)
        for key in raw.keys() - COLUMNS.keys():
            problems.see_key(key)
        if not faults:
            rows.append(row)
            lines.append(number)
    return pa.Table.from_pylist(rows, schema=CLAIM_SCHEMA), np.asarray(lines, dtype=np.int64)
