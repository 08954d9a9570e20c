"""Building a sample database from its module's SCHEMA and rows()."""

from __future__ import annotations

import lzma
import sqlite3
from collections.abc import Callable
from pathlib import Path
from random import Random

from claimdb_loader.sample.generate import city_library, ferry_lines, solar_coop
from claimdb_loader.sample.generate.draw import Tables

SEED = 20260101

SOURCES: dict[str, tuple[str, Callable[[Random], Tables]]] = {
    "ferry_lines": (ferry_lines.SCHEMA, ferry_lines.rows),
    "city_library": (city_library.SCHEMA, city_library.rows),
    "solar_coop": (solar_coop.SCHEMA, solar_coop.rows),
}


def build(db_name: str, path: Path, seed: int = SEED) -> dict[str, int]:
    """The number of rows per table of the database that this writes to a new file at `path`."""
    if path.exists():
        raise FileExistsError(f"{path}: exists already; name a new file to build {db_name} in")
    schema, rows = SOURCES[db_name]
    tables = rows(Random(seed))
    connection = sqlite3.connect(path)
    try:
        connection.execute("PRAGMA page_size = 4096")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.executescript(schema)
        for table, records in tables.items():
            marks = ", ".join("?" * len(records[0]))
            connection.executemany(f"INSERT INTO {table} VALUES ({marks})", records)
        connection.commit()
        connection.execute("VACUUM")
    finally:
        connection.close()
    return {table: len(records) for table, records in tables.items()}


def pack(path: Path, packed: Path) -> int:
    """The size in bytes of `packed`, the xz file that this makes of the database at `path`."""
    data = lzma.compress(path.read_bytes(), preset=9 | lzma.PRESET_EXTREME)
    packed.write_bytes(data)
    return len(data)
