"""What is transferred, from which repository: no more than the one database."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest

from claimdb_loader.databases import open_database
from claimdb_metric.errors import (
    DatabaseFileError,
    DataError,
    UnknownDatabaseError,
)
from tests.forks import forks
from tests.hub import LocalHub
from tests.loader.database_transfer.published import (
    MEMBER,
    NAME,
    REPO,
    ZIP,
    left,
    n_heroes,
    publish,
)
from tests.loader.made_databases import (
    MEGABYTE,
    database_bytes,
    make_large_zip,
    make_zip,
)


@pytest.mark.slow
def test_of_a_large_zip_only_the_database_is_transferred(
    hub: LocalHub, tmp_path: Path, cache_dir: Path, small: bytes
) -> None:
    names = {NAME: MEMBER, "books": "books.sqlite", "ünï": "x/ünï.sqlite"}
    members = {path: database_bytes(5, blob_bytes=100_000) for path in names.values()}
    large = make_large_zip(tmp_path / "large.zip", members, filler_megabytes=200)
    assert large.stat().st_size > 200 * MEGABYTE
    hub.add_repo(REPO, {"train_databases.zip": large})
    hub.add_repo("you/own", {"train_databases.zip": large})
    for db_name in names:
        before = hub.bytes_sent(ZIP)
        repo = {} if db_name != "ünï" else {"repo_id": "you/own"}
        assert n_heroes(db_name, **repo) == 5
        sent = hub.bytes_sent(ZIP) - before
        assert 100_000 < sent < 110_000 < large.stat().st_size / 10


def test_what_is_here_asks_nobody(hub: LocalHub, tmp_path: Path, small: bytes) -> None:
    publish(hub, tmp_path, {MEMBER: small})
    path = open_database(NAME).path
    asked = len(hub.requests)
    assert asked > 0
    assert open_database(NAME).path == path
    assert n_heroes() == 5
    assert len(hub.requests) == asked


def test_what_is_fetched_is_whole_and_alone(
    hub: LocalHub, tmp_path: Path, cache_dir: Path, small: bytes
) -> None:
    publish(hub, tmp_path, {"other.sqlite": b"x", MEMBER: small})
    assert open_database(NAME).path.read_bytes() == small
    assert left(cache_dir) == [f"{NAME}.sqlite"]


def test_the_other_zip_is_looked_into_too(hub: LocalHub, tmp_path: Path, small: bytes) -> None:
    made = make_zip(tmp_path / "a.zip", {MEMBER: small}).read_bytes()
    other = make_zip(tmp_path / "b.zip", {"x.sqlite": small}).read_bytes()
    hub.add_repo(REPO, {"train_databases.zip": other, "test_databases.zip": made})
    assert n_heroes() == 5


def test_the_published_superhero(hub: LocalHub, tmp_path: Path, shared: Path) -> None:
    file = shared / "data" / "bird" / "databases" / "superhero" / "superhero.sqlite"
    made = make_zip(tmp_path / "a.zip", {"test/superhero/superhero.sqlite": file.read_bytes()})
    hub.add_repo(REPO, {"test_databases.zip": made})
    assert open_database("superhero").path.read_bytes() == file.read_bytes()


@forks
def test_eight_processes_fetch_once(hub: LocalHub, big_zip: Path) -> None:
    hub.add_repo(REPO, {"train_databases.zip": big_zip})
    fork = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(8, mp_context=fork) as pool:
        assert list(pool.map(n_heroes, [NAME] * 8)) == [5] * 8
    assert hub.bytes_sent(ZIP) < big_zip.stat().st_size + 10_000


def test_eight_threads_fetch_once(hub: LocalHub, big_zip: Path) -> None:
    hub.add_repo(REPO, {"train_databases.zip": big_zip})
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(n_heroes, [NAME] * 8)) == [5] * 8
    assert hub.bytes_sent(ZIP) < big_zip.stat().st_size + 10_000


def test_a_revision_is_fetched_and_kept_apart(hub: LocalHub, tmp_path: Path) -> None:
    old = publish(hub, tmp_path, {MEMBER: database_bytes(1)})
    new = make_zip(tmp_path / "new.zip", {MEMBER: database_bytes(2)})
    hub.update_repo(REPO, {"train_databases.zip": new.read_bytes()})
    assert [n_heroes(), n_heroes(revision=old), n_heroes(revision="main")] == [2, 1, 2]
    with pytest.raises(DataError, match="no revision 'v9': check the branch, tag or commit"):
        open_database(NAME, revision="v9")


def test_another_repository_is_kept_apart(hub: LocalHub, tmp_path: Path, small: bytes) -> None:
    publish(hub, tmp_path, {MEMBER: small})
    publish(hub, tmp_path, {"mine.sqlite": database_bytes(9), MEMBER: database_bytes(8)}, "you/own")
    assert n_heroes("mine", repo_id="you/own") == 9
    assert [n_heroes(), n_heroes(repo_id="you/own")] == [5, 8]


def test_a_repository_that_keeps_its_databases_unzipped(
    hub: LocalHub, cache_dir: Path, small: bytes
) -> None:
    hub.add_repo(
        "you/flat", {"databases/mine/mine.sqlite": small, "databases/b/b.sqlite": b"<html>"}
    )
    assert n_heroes("mine", repo_id="you/flat") == 5
    asked = len(hub.requests)
    hub.fault(".", status=503, times=None)
    assert n_heroes("mine", repo_id="you/flat") == 5
    assert len(hub.requests) == asked
    hub.clear_faults()
    with pytest.raises(UnknownDatabaseError, match="did you mean mine"):
        open_database("mime", repo_id="you/flat")
    with pytest.raises(DatabaseFileError, match="HTML page, not SQLite"):
        open_database("b", repo_id="you/flat")


def test_names_that_a_repository_does_not_hold(hub: LocalHub, tmp_path: Path) -> None:
    publish(hub, tmp_path, {"a/movies_4.sqlite": b"x"}, "you/zipped")
    with pytest.raises(UnknownDatabaseError, match="you/zipped; did you mean movies_4"):
        open_database("movie_4", repo_id="you/zipped")
    hub.add_repo(REPO, {"train.jsonl": b""})
    with pytest.raises(UnknownDatabaseError, match=f"no database '{NAME}' in the Hub rep.*{REPO};"):
        open_database(NAME)


@pytest.mark.parametrize("repo_id", ["no/where", "a/b/c", "", "x y", "../.."])
def test_a_repository_that_does_not_exist(hub: LocalHub, repo_id: str) -> None:
    hub.add_repo("you/private", {"a": b""}, private=True)
    with pytest.raises(DataError, match=r"does not exist, or is private|cannot exist"):
        open_database(NAME, repo_id=repo_id or "you/private")
