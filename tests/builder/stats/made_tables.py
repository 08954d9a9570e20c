"""Small databases with the tables that statements make."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from claimdb_builder.stats.token_counters import TokenCounter, TokenCounting, token_counter


def made(path: Path, *statements: str) -> Path:
    """A database file after these statements; folders are made as needed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
    return path


def opened(*statements: str) -> sqlite3.Connection:
    """A database in memory after these statements."""
    connection = sqlite3.connect(":memory:")
    for statement in statements:
        connection.execute(statement)
    return connection


def zoo(path: Path, n_owls: int = 3) -> Path:
    """Two tables, a view and so many owls."""
    return made(
        path,
        "CREATE TABLE owl (id INTEGER PRIMARY KEY, name TEXT)",
        f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {n_owls}) "
        "INSERT INTO owl SELECT i, 'owl ' || i FROM n",
        "CREATE TABLE cage (id INTEGER PRIMARY KEY, owl_id, width_m REAL)",
        "INSERT INTO cage VALUES (1, 1, 2.5)",
        "CREATE VIEW small AS SELECT * FROM cage",
    )


def estimate() -> TokenCounter:
    """The counter that is always there."""
    counter = token_counter("estimate")
    assert counter is not None
    return counter


def counting(sample_rows: int = 1000, seed: int = 1) -> TokenCounting:
    """Counting by the estimate."""
    return TokenCounting(estimate(), sample_rows, seed)
