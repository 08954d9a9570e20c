"""Databases that another program writes while a build looks at them."""

from __future__ import annotations

from pathlib import Path

import pytest

from claimdb_builder.pipeline.databases import Survey, survey
from claimdb_metric.errors import DatabaseFileError
from claimdb_sandbox import ChangedDatabaseError
from tests.builder.pipeline.made_runs import Inline, zoo
from tests.sandbox.writers import writer


def looked(tmp_path: Path) -> Survey:
    return survey(["zoo"], [tmp_path / "dbs"], tmp_path / "run", Inline())


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return zoo(tmp_path / "dbs")


def test_a_database_that_another_program_writes_is_named(tmp_path: Path, database: Path) -> None:
    with writer(database) as program:
        program.run("BEGIN EXCLUSIVE")
        with pytest.raises(DatabaseFileError, match="another program is writing it") as caught:
            looked(tmp_path)
        assert str(database) in str(caught.value)
        program.run("COMMIT")
    assert looked(tmp_path).databases


def test_a_log_of_a_program_that_lets_nobody_else_read_is_named(
    tmp_path: Path, database: Path
) -> None:
    with writer(database) as program:
        program.run("PRAGMA locking_mode = EXCLUSIVE", "PRAGMA journal_mode = WAL")
        program.run("INSERT INTO keeper VALUES (9, 'Eve')")
        with pytest.raises(DatabaseFileError, match="another program is writing it"):
            looked(tmp_path)
    assert looked(tmp_path).databases


def test_a_writer_with_a_log_keeps_no_reader_out(tmp_path: Path, database: Path) -> None:
    with writer(database) as program:
        program.run("PRAGMA journal_mode = WAL", "INSERT INTO keeper VALUES (8, 'Eve')")
        program.run("BEGIN EXCLUSIVE", "INSERT INTO keeper VALUES (9, 'Flo')")
        assert looked(tmp_path).databases
        program.run("COMMIT")


def test_rows_in_a_log_count_as_the_database(tmp_path: Path, database: Path) -> None:
    before = looked(tmp_path)
    with writer(database) as program:
        program.run("PRAGMA journal_mode = WAL", "PRAGMA wal_autocheckpoint = 0")
        hashes = [before.hashes()]
        for name in ("Eve", "Flo"):
            program.run(f"INSERT INTO keeper (name) VALUES ('{name}')")
            hashes.append(looked(tmp_path).hashes())
        assert len({str(one) for one in hashes}) == 3
        looked(tmp_path).assert_unchanged(Inline())
    with pytest.raises(ChangedDatabaseError, match=r"zoo\.sqlite"):
        before.assert_unchanged(Inline())
