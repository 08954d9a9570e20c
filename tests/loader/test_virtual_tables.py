"""Databases with full-text and other virtual tables are read like any."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from claimdb_loader.databases import open_database


@pytest.mark.parametrize("module", ["fts5", "fts4"])
def test_a_full_text_table_is_read(tmp_path: Path, module: str) -> None:
    with closing(sqlite3.connect(tmp_path / "zoo.sqlite")) as made:
        try:
            made.execute(f"CREATE VIRTUAL TABLE note USING {module}(body)")
        except sqlite3.OperationalError:
            pytest.skip(f"this SQLite has no {module}")
        made.execute("INSERT INTO note VALUES ('three owls'), ('one heron')")
        made.commit()
    with open_database("zoo", data_dir=tmp_path) as database:
        assert database.query("SELECT body FROM note WHERE note MATCH 'owls'").rows == (
            ("three owls",),
        )
