"""Description files and databases for the tests of schemas."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

HEADER = (
    "original_column_name",
    "column_name",
    "column_description",
    "data_format",
    "value_description",
)


def table(rows: Iterable[Sequence[str]], header: Sequence[str] = HEADER) -> str:
    """A CSV text with every cell in quotes."""
    out = io.StringIO(newline="")
    csv.writer(out, quoting=csv.QUOTE_ALL).writerows([header, *rows])
    return out.getvalue()


def write_files(folder: Path, files: dict[str, str | bytes]) -> Path:
    """A folder of descriptions with these files; text is written as UTF-8."""
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def make_database(path: Path, ddl: str) -> Path:
    """A database without rows."""
    with closing(sqlite3.connect(path)) as made:
        made.execute("PRAGMA synchronous = OFF")
        made.executescript(f"BEGIN; {ddl}; COMMIT;")
    return path


def train_databases(shared: Path) -> dict[str, str]:
    """The CREATE TABLE text of BIRD's training databases, by name."""
    ddl: dict[str, str] = json.loads((shared / "data/bird/train_schema_ddl.json").read_text())
    return ddl


def dev_tables(shared: Path) -> dict[str, dict[str, list[str]]]:
    """The columns of each table of each of BIRD's development databases."""
    listed: list[dict[str, Any]] = json.loads((shared / "data/bird/dev_tables.json").read_text())
    return {
        entry["db_id"]: {
            name: [column for place, column in entry["column_names_original"] if place == number]
            for number, name in enumerate(entry["table_names_original"])
        }
        for entry in listed
    }


def descriptions_folder(shared: Path, db_name: str) -> Path:
    """Where BIRD's descriptions of a development database lie."""
    return shared / "data/bird/databases" / db_name / "database_description"
