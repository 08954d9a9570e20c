"""Claims in Parquet -> Arrow tables, some thousand rows at a time, every row checked.

As with JSON Lines, a batch that holds anything odd is read again row by row by `claim_rows`, which
says what is wrong; a file that cannot be read is a fault as well, never an error of pyarrow's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from claimdb_loader.claim_columns import CLAIM_SCHEMA, CLASSES, IDS, clean_table
from claimdb_loader.claim_ids import IntArray
from claimdb_loader.claim_rows import COLUMNS, check_row
from claimdb_loader.problems import Problems

BATCH_ROWS: Final = 1 << 14
MAGIC: Final = b"PAR1"
_REQUIRED: Final = ("claim_id", "db_name", "claim")
_TEXT_TYPES: Final = ("string", "large_string", "string_view")


class ParquetClaims:
    """The rows of one Parquet file; what is wrong with them is noted by row, counted from 1.

    Args:
        file: open for reading, and seekable.
        path: the file's name in messages.
        problems: where faults are noted.
    """

    def __init__(self, file: BinaryIO, path: str, problems: Problems) -> None:
        self._file = file
        self._path = path
        self._problems = problems
        self._n_read = 0
        problems.count_rows_of(path)

    def tables(self) -> Iterator[tuple[pa.Table, IntArray]]:
        """Yield the good rows of each batch as a table of CLAIM_SCHEMA, and their row numbers."""
        try:
            parquet = pq.ParquetFile(self._file, page_checksum_verification=True)
            types = self._types(parquet.schema_arrow)
            if types is None:
                return
            for batch in parquet.iter_batches(BATCH_ROWS, columns=list(types)):
                first_row = self._n_read + 1
                self._n_read += batch.num_rows
                yield self._read(batch, types, first_row)
            n_promised = parquet.metadata.num_rows
        except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
            if not _is_of_the_file(error):
                raise
            self._note_damage(str(error))
            return
        if self._n_read != n_promised:
            # Damage that pyarrow overlooks.
            self._note_damage(f"it holds {self._n_read:,} rows and promises {n_promised:,}")

    def _types(self, schema: pa.Schema) -> dict[str, pa.DataType] | None:
        """The type to read each column of ours as that is there, None where one is not usable."""
        faults = []
        types = {}
        for key in COLUMNS:
            n_there = schema.names.count(key)
            if n_there > 1:
                faults.append(f"column {key} stands {n_there} times")
            elif n_there:
                given = schema.field(key).type
                types[key] = _read_as(key, given)
                if types[key] is None:
                    faults.append(f"column {key} is of type {given}, but must hold {_holds(key)}")
            elif key in _REQUIRED:
                there = ", ".join(schema.names) or "none"
                faults.append(f"there is no column {key}; the columns are {there}")
        for fault in faults:
            self._problems.add(self._path, 1, fault)
        for key in schema.names:
            if key not in COLUMNS:
                self._problems.see_key(key)
        return None if faults else types

    def _read(
        self, batch: pa.RecordBatch, types: Mapping[str, pa.DataType], first_row: int
    ) -> tuple[pa.Table, IntArray]:
        table = _fast_table(batch, types)
        if table is not None:
            return table, np.arange(first_row, first_row + table.num_rows)
        return self._slow_table(batch.select(list(types)), first_row)

    def _slow_table(self, batch: pa.RecordBatch, first_row: int) -> tuple[pa.Table, IntArray]:
        """The good rows of a batch and their row numbers; every fault is noted."""
        rows, numbers = [], []
        for number in range(first_row, first_row + batch.num_rows):
            if self._problems.is_full:
                break
            raw, faults = _cells(batch, number - first_row)
            if not faults:
                row, faults = check_row(raw)
            for reason in faults:
                self._problems.add(self._path, number, reason)
            if not faults:
                rows.append(row)
                numbers.append(number)
        return pa.Table.from_pylist(rows, schema=CLAIM_SCHEMA), np.asarray(numbers, dtype=np.int64)

    def _note_damage(self, reason: str) -> None:
        sentence = reason.strip().split("\n")[0].rstrip(".")
        self._problems.add(
            self._path,
            self._n_read + 1,
            f"this is a Parquet file that cannot be read ({sentence}): it is damaged or cut short, "
            "or written in a way that pyarrow does not know",
        )


def _is_of_the_file(error: Exception) -> bool:
    """Whether an error tells of what stands in the file, not of the disk or network below it.

    pyarrow says of much damage that it is an OSError; those of the system have a number, and those
    of a network a class of their own.
    """
    return not isinstance(error, OSError) or (type(error) is OSError and error.errno is None)


def _read_as(key: str, given: pa.DataType) -> pa.DataType | None:
    """The type that a column is read as, None where its values cannot be claims'."""
    if pa.types.is_dictionary(given):
        given = given.value_type
    if pa.types.is_null(given):
        return pa.int64() if key in IDS else pa.string()
    if pa.types.is_integer(given) and (key in IDS or key in CLASSES):
        return pa.int64()
    if str(given) in _TEXT_TYPES and key not in IDS:
        return pa.string()
    return None


def _holds(key: str) -> str:
    if key in IDS:
        return "integers (int64)"
    if key in CLASSES:
        return f"texts ({', '.join(CLASSES[key])}) or their integers (int64)"
    return "texts (string)"


def _fast_table(batch: pa.RecordBatch, types: Mapping[str, pa.DataType]) -> pa.Table | None:
    """The claim rows of a batch, None if any holds a fault."""
    columns = {key: pa.nulls(batch.num_rows, _read_as(key, pa.null())) for key in COLUMNS}
    try:
        columns |= {key: batch.column(key).cast(to) for key, to in types.items()}
        raw = pa.table(columns)
        raw.validate(full=True)  # Parquet does not promise that texts are UTF-8
    except pa.ArrowException:
        return None
    return clean_table(raw)


def _cells(batch: pa.RecordBatch, index: int) -> tuple[dict[str, Any], list[str]]:
    """The values of one row, and what keeps them from being read."""
    cells, faults = {}, []
    for key in batch.schema.names:
        try:
            cells[key] = batch.column(key)[index].as_py()
        except UnicodeDecodeError as error:
            faults.append(f"{key} holds invalid UTF-8 at byte {error.start + 1}")
    return cells, faults
