"""Claims in Parquet for tests, and a repository or folder as `claimdb push` publishes it."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from claimdb_loader.claim_rows import COLUMNS
from claimdb_loader.published import parquet_name
from claimdb_metric.errors import ClaimFileError
from tests.loader.claim_files import Row, read

PATH = "folder/train.parquet"


def parquet(rows: Iterable[Row], types: Mapping[str, pa.DataType] | None = None) -> bytes:
    """The rows as one Parquet file; of types that are not given, Arrow's guess by the values."""
    rows = list(rows)
    keys = dict.fromkeys([key for row in rows for key in row] or COLUMNS)
    columns = {
        key: pa.array([row.get(key) for row in rows], (types or {}).get(key)) for key in keys
    }
    return parquet_of(pa.table(columns))


def parquet_of(table: pa.Table, **options: Any) -> bytes:
    """The table as one Parquet file; options are those of pyarrow's writer."""
    file = io.BytesIO()
    pq.write_table(table, file, **options)
    return file.getvalue()


def published(**splits: Iterable[Row]) -> dict[str, bytes]:
    """The files of a repository that has these splits of claims."""
    return {parquet_name("claims", split): parquet(rows) for split, rows in splits.items()}


def write_files(folder: Path, files: Mapping[str, bytes]) -> str:
    """Write the files of a repository into a folder and return the folder's path."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return str(folder)


def faults(content: bytes, path: str = PATH) -> list[str]:
    """What is said of a file that cannot be taken, without the first line."""
    with pytest.raises(ClaimFileError) as caught:
        read(content, path)
    return str(caught.value).split("\n  ")[1:]
