"""`verify_database`: what is whole, what is not, and why."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from claimdb_loader.cache_folder import database_folder
from claimdb_loader.verify import Verdict, verify_database
from claimdb_metric.errors import UnknownDatabaseError
from tests.hub import LocalHub
from tests.loader.made_databases import DDL, listing, make_database


def test_a_whole_database_of_ones_own(tmp_path: Path) -> None:
    path = make_database(tmp_path / "heroes.sqlite", 2000)
    verdict = verify_database("heroes", str(tmp_path))
    n_bytes = path.stat().st_size
    assert verdict == Verdict("heroes", "whole; no hash known", None, 1, n_bytes)


def test_the_published_file(shared: Path) -> None:
    verdict = verify_database("superhero", str(shared / "data" / "bird" / "databases"))
    assert verdict == Verdict("superhero", "BIRD dev, 2024-06-27", None, 10, 237_568)


def test_a_truncated_copy_says_what_there_is_and_should_be(shared: Path, tmp_path: Path) -> None:
    whole = shared / "data" / "bird" / "databases" / "superhero" / "superhero.sqlite"
    (tmp_path / "superhero.sqlite").write_bytes(whole.read_bytes()[:20_000])
    verdict = verify_database("superhero", str(tmp_path))
    assert (verdict.state, verdict.n_tables, verdict.n_bytes) == ("faulty", None, 20_000)
    assert verdict.fault is not None
    assert "it has 20,000 bytes and sha256" in verdict.fault
    assert "237,568 bytes, sha256 75e94a2c3236ee3b" in verdict.fault
    assert "is cut short: 20,000 of 237,568 bytes" in verdict.fault


def damage(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[5 * 4096 : 5 * 4096 + 200] = b"\xff" * 200
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (damage, "is damaged: "),
        (lambda path: path.write_bytes(b""), "is empty"),
        (lambda path: path.write_bytes(b"<html>"), "is an HTML page"),
        (lambda path: make_database(path, ddl="PRAGMA user_version = 1"), "holds no table"),
    ],
    ids=["damaged", "empty", "HTML", "no tables"],
)
def test_a_faulty_database(tmp_path: Path, change: object, fault: str) -> None:
    path = tmp_path / "heroes.sqlite"
    if fault != "holds no table":
        make_database(path, 5000)
    change(path)  # type: ignore[operator]
    verdict = verify_database("heroes", str(tmp_path))
    assert verdict.state == "faulty"
    assert verdict.fault is not None
    assert fault in verdict.fault
    assert verdict.n_bytes == path.stat().st_size


def test_another_file_under_a_published_name(tmp_path: Path) -> None:
    make_database(tmp_path / "superhero.sqlite", ddl=DDL)
    verdict = verify_database("superhero", str(tmp_path))
    assert verdict.state == "faulty"
    assert verdict.fault is not None
    assert "superhero.sqlite is no known release of this database" in verdict.fault


def test_nothing_is_fetched(hub: LocalHub, cache_dir: Path) -> None:
    verdict = verify_database("superhero")
    assert verdict.state == "missing"
    assert verdict.fault == "not on this machine; `claimdb databases fetch` it"
    with pytest.raises(UnknownDatabaseError, match="did you mean superhero"):
        verify_database("super_hero")
    assert (hub.requests, listing(cache_dir)) == ([], {})


def test_a_revision_is_another_file(cache_dir: Path) -> None:
    path = database_folder("you/own", "v1") / "heroes" / "heroes.sqlite"
    make_database(path)
    assert verify_database("heroes", None, "you/own", "v1").fault is None
    assert verify_database("heroes", None, "you/own").state == "missing"
    shutil.rmtree(path.parent)
    assert verify_database("heroes", None, "you/own", "v1").state == "missing"
