"""Predictions files for tests: the same rows in each of the five formats."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

Row = dict[str, Any]


def jsonl(rows: Sequence[Row]) -> bytes:
    """One object a line."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def json_list(rows: Sequence[Row]) -> bytes:
    """One list of objects, over many lines."""
    return json.dumps(rows, indent=1).encode()


def json_map(rows: Sequence[Row]) -> bytes:
    """One object of claim_id and label; holds no other column."""
    return json.dumps({str(row["claim_id"]): row["label"] for row in rows}).encode()


def delimited(rows: Sequence[Row]) -> bytes:
    """CSV with a header."""
    buffer = io.StringIO(newline="")
    writer = csv.DictWriter(buffer, list(rows[0]) if rows else ["claim_id", "label"])
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue().encode()


def parquet(rows: Sequence[Row]) -> bytes:
    """Parquet with the column types that Arrow infers."""
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(list(rows)), buffer)
    return buffer.getvalue()


WRITERS: dict[str, Callable[[Sequence[Row]], bytes]] = {
    "predictions.jsonl": jsonl,
    "predictions.json": json_list,
    "map.json": json_map,
    "predictions.csv": delimited,
    "predictions.parquet": parquet,
}
"""A file name and the writer of its format."""


def written(folder: Path, content: bytes | str, name: str = "p.jsonl") -> Path:
    """The path of a new file."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path
