"""Benchmarks for the tests of publishing, made of rows as the tests of the loader write them."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from claimdb_builder.publish.benchmark import Benchmark, read_benchmark
from claimdb_builder.publish.card import sections
from claimdb_builder.publish.databases import DatabaseEntry
from tests.loader.claim_files import Row, claim, jsonl, read, write_copy
from tests.loader.parquet_files import published, write_files

KNOWN_ISSUES = "known_issues.jsonl"


def of_rows(folder: Path | None = None, /, **splits: Iterable[Row]) -> Benchmark:
    """A benchmark of claims alone; only the loader makes the other configs of them."""
    claims = {name: read(jsonl(rows)).combine_chunks() for name, rows in splits.items()}
    return Benchmark({"claims": claims}, folder)


def as_read(folder: Path, /, **splits: Iterable[Row]) -> Benchmark:
    """What `read_benchmark` gives for a local copy of these splits, in upstream's file names."""
    return read_benchmark(str(write_copy(folder, **splits)))


def as_read_from_parquet(folder: Path, /, **splits: Iterable[Row]) -> Benchmark:
    """What `read_benchmark` gives for a published folder, whose splits may have any name."""
    return read_benchmark(write_files(folder, published(**splits)))


def labelled(numbers: Iterable[int], **more: Any) -> list[Row]:
    """Labelled claims of these ids, of all three labels in turn."""
    return [claim(number, number % 3, **more) for number in numbers]


def hidden(numbers: Iterable[int], **more: Any) -> list[Row]:
    """Claims of these ids whose labels are hidden."""
    return [claim(number, None, **more) for number in numbers]


def write_issues(folder: Path, *issues: dict[str, Any]) -> None:
    """The folder's own list of known issues."""
    (folder / KNOWN_ISSUES).write_bytes(jsonl(issues))


def as_claimdb(benchmark: Benchmark) -> Benchmark:
    """The benchmark taken for the published one, whose rows are not in this repository."""
    benchmark.__dict__["is_claimdb"] = True
    return benchmark


def texts_of(
    benchmark: Benchmark, entries: Iterable[DatabaseEntry] = (), licence: str = "cc-by-sa-4.0"
) -> dict[str, str]:
    """The computed sections of the card of a benchmark at you/claims."""
    return sections(benchmark, "you/claims", entries, licence)


def table_of(markdown: str) -> list[dict[str, str]]:
    """The rows of the one Markdown table in a text, each by the heads of its columns.

    Where a head stands twice, its second column is named "head (2)".
    """
    lines = [line.strip("| ").split(" | ") for line in markdown.split("\n") if line.startswith("|")]
    heads: list[str] = []
    for head in lines[0]:
        n_before = sum(name.partition(" (")[0] == head for name in heads)
        heads.append(f"{head} ({n_before + 1})" if n_before else head)
    return [dict(zip(heads, line, strict=True)) for line in lines[2:]]


def write_funnel(folder: Path, stages: object) -> None:
    """The folder's funnel.json, as `claimdb build` would write it."""
    (folder / "funnel.json").write_text(json.dumps({"stages": stages}), "utf-8")


def parquet(**columns: Any) -> bytes:
    """The content of a Parquet file of these columns."""
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()
