"""Two databases of BIRD: their gold queries, tables and fingerprints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from claimdb_loader.databases import open_database
from claimdb_loader.fingerprints import file_sha256, known_databases
from claimdb_loader.sqlite_file import find_release


def gold_queries(path: Path, db_name: str) -> list[str]:
    rows = json.loads(path.read_text("utf-8"))
    return [row["SQL"] for row in rows if row["db_id"] == db_name]


@pytest.mark.parametrize(
    ("db_name", "file", "n_queries", "n_tables"),
    [("superhero", "dev.json", 129, 10), ("beer_factory", "train.json", 131, 7)],
)
def test_real_databases_answer_every_gold_query(
    shared: Path, db_name: str, file: str, n_queries: int, n_tables: int
) -> None:
    bird = shared / "data" / "bird"
    before = {path: path.stat().st_mtime_ns for path in (bird / "databases" / db_name).iterdir()}
    queries = gold_queries(bird / file, db_name)
    with open_database(db_name, data_dir=bird / "databases") as db:
        answers = [db.query(sql, max_rows=None) for sql in queries]
        assert len(db.tables()) == n_tables == known_databases()[db_name].n_tables
        assert all(table in db.schema() for table in db.tables())
    assert len(answers) == n_queries
    assert all(answer.columns for answer in answers)
    assert before == {path: path.stat().st_mtime_ns for path in before}


def test_superhero_equals_its_fingerprint(shared: Path) -> None:
    bird = shared / "data" / "bird"
    path = open_database("superhero", data_dir=bird / "databases").path
    known = known_databases()["superhero"].fingerprints
    release, fault = find_release(path, known)
    assert fault is None
    assert release is not None
    assert (release.n_bytes, release.sha256) == (path.stat().st_size, file_sha256(path))


def test_the_manifest_ships_the_published_fingerprints(shared: Path) -> None:
    text = (shared / "data" / "bird" / "dev_db_fingerprints.json").read_text("utf-8")
    shipped = {name: db for name, db in known_databases().items() if db.split == "test"}
    assert len(shipped) == 11
    for name, database in shipped.items():
        assert database.fingerprints
        assert name in text
        for mark in database.fingerprints:
            assert mark.sha256 in text, (name, mark)
