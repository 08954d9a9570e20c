"""SQLite files made for a test, and what can be seen of a file and its folder from outside."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

N_ROWS = 2000


def heroes_database(path: Path, more_sql: str = "", n_rows: int = N_ROWS) -> Path:
    """Make a database with the table `heroes` (id, name, power, height_cm), and return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = ((n, f"Hero {n}", n % 7, 150.5 + n % 50) for n in range(1, n_rows + 1))
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE heroes (id INTEGER PRIMARY KEY, name TEXT, power INT, height_cm REAL);"
            "CREATE TABLE bad (x);" + more_sql
        )
        connection.executemany("INSERT INTO heroes VALUES (?, ?, ?, ?)", rows)
        connection.commit()
    return path


def folder_state(folder: Path) -> dict[str, str]:
    """Return the sha256 of each file in a folder and those below, by name."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
