"""Claims files for tests: rows of upstream's three shapes, written as upstream writes them."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa

from claimdb_loader.claim_tables import CLAIM_SCHEMA, ClaimFileReader
from claimdb_metric.labels import CATEGORIES, LABELS

Row = dict[str, Any]


def claim(claim_id: int, label: int | None = 0, db_name: str = "ferry_lines", **more: Any) -> Row:
    """One upstream row: label None is hidden; 2 has the category claim_id % 3."""
    text = {"claim": f"Line {claim_id} carried {claim_id * 3:,} people – more than in 2021."}
    if label is None:
        return {"claim_id": claim_id, "db_name": db_name, **text, "extra_info": "", **more}
    row = {"claim_id": claim_id, "bird_id": claim_id // 3, "db_name": db_name}
    row["label"] = LABELS[label]
    if label == 2:
        row["category"] = CATEGORIES[claim_id % 3]
    return {**row, **text, "extra_info": "n = number" if claim_id % 2 else "", **more}


def jsonl(rows: Iterable[Row]) -> bytes:
    """The rows as one JSON object a line, non-ASCII unescaped."""
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


def write_copy(
    folder: Path,
    train: Iterable[Row] | None = None,
    test_public: Iterable[Row] | None = None,
    test_private: Iterable[Row] | None = None,
) -> Path:
    """A local copy in upstream's file names; None leaves a split out."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {"train": train, "test-public": test_public, "test-private": test_private}
    for name, rows in files.items():
        if rows is not None:
            (folder / f"{name}.jsonl").write_bytes(jsonl(rows))
    return folder


def small_copy(folder: Path) -> Path:
    """Nine train, six public and three private claims; questions 3 and 4 are shared."""
    return write_copy(
        folder,
        train=[claim(i, i % 3, "ferry_lines" if i < 6 else "solar_coop") for i in range(9)]
        + [claim(20, 1, "city_library", bird_id=100)],
        test_public=[claim(i, i % 3, "city_library", bird_id=i // 3 - 2) for i in range(9, 15)],
        test_private=[claim(i, None, "solar_coop") for i in range(15, 18)],
    )


def ids(dataset: Iterable[Row]) -> list[int]:
    """The claim_ids of a dataset or stream, in order."""
    return [row["claim_id"] for row in dataset]


def read(content: bytes, path: str = "folder/train.jsonl") -> pa.Table:
    """All rows of one file, with the ids checked."""
    reader = ClaimFileReader()
    tables = list(reader.tables(io.BytesIO(content), path))
    reader.check_ids()
    return pa.concat_tables([CLAIM_SCHEMA.empty_table(), *tables])
