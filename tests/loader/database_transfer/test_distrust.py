"""What came is not trusted before it is whole and known."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from claimdb_loader import zip_member
from claimdb_loader.databases import open_database
from claimdb_loader.fingerprints import known_databases
from claimdb_metric.errors import (
    DatabaseFileError,
    UnavailableError,
)
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
    listing,
    make_zip,
    with_entry,
)

BAD_ZIPS: dict[str, tuple[str, Callable[[bytes], bytes], str]] = {
    "not a zip": (MEMBER, lambda z: b"some text" * 20, "train_databases.zip is not a readable zip"),
    "HTML stored": (MEMBER, lambda z: b"<html>" * 20, "train_databases.zip is an HTML page"),
    "truncated": (MEMBER, lambda z: z[: len(z) // 2], "train_databases.zip is not a readable zip"),
    "a bomb": (MEMBER, lambda z: with_entry(z, 24, 100), "unpacks to more than its declared 100"),
    "too few bytes": (MEMBER, lambda z: with_entry(z, 24, 9_999_999), "of 9,999,999 bytes"),
    "another CRC": (MEMBER, lambda z: with_entry(z, 16, 1), "instead of 00000001"),
    "zip-slip": (f"../../{NAME}.sqlite", lambda z: z, "points outside of the zip"),
}


@pytest.mark.parametrize("case", BAD_ZIPS)
def test_a_zip_that_is_not_what_it_should_be_leaves_nothing(
    hub: LocalHub, tmp_path: Path, cache_dir: Path, small: bytes, case: str
) -> None:
    member, change, message = BAD_ZIPS[case]
    content = make_zip(tmp_path / "a.zip", {member: small}).read_bytes()
    hub.add_repo(REPO, {"train_databases.zip": change(content)})
    with pytest.raises(DatabaseFileError, match=message):
        open_database(NAME)
    assert left(cache_dir) == []
    assert [name for name in listing(tmp_path) if name.endswith(f"{NAME}.sqlite")] == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty; what was fetched is discarded"),
        (b"<!DOCTYPE html>", "is an HTML page, not SQLite"),
        (b"SQLite format 3\0 and no more", "is cut short"),
    ],
)
def test_a_member_that_is_no_database(
    hub: LocalHub, tmp_path: Path, cache_dir: Path, content: bytes, message: str
) -> None:
    publish(hub, tmp_path, {MEMBER: content})
    with pytest.raises(DatabaseFileError, match=message) as caught:
        open_database(NAME)
    assert str(caught.value).startswith(MEMBER)
    assert left(cache_dir) == []


def test_a_size_that_the_manifest_does_not_know(
    hub: LocalHub, tmp_path: Path, cache_dir: Path
) -> None:
    """Told by the zip's directory alone: nothing of the member is transferred."""
    content = database_bytes(5, blob_bytes=500_000)
    publish(hub, tmp_path, {"superhero/superhero.sqlite": content})
    known = known_databases()["superhero"].fingerprints[0].n_bytes
    with pytest.raises(DatabaseFileError, match=f"declares {len(content):,} bytes; .*{known:,}"):
        open_database("superhero")
    assert hub.bytes_sent(ZIP) < 5000
    assert left(cache_dir) == []


def test_a_hash_that_the_manifest_does_not_know(
    hub: LocalHub, tmp_path: Path, cache_dir: Path, small: bytes
) -> None:
    publish(hub, tmp_path, {"european_football_2.sqlite": small})
    message = "is no known release .* known are BIRD dev.*e4d361dbeec6591a.*is discarded"
    with pytest.raises(DatabaseFileError, match=message):
        open_database("european_football_2")
    assert left(cache_dir) == []


def test_a_database_over_the_limit(
    hub: LocalHub, tmp_path: Path, cache_dir: Path, small: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(hub, tmp_path, {MEMBER: small})
    monkeypatch.setattr(zip_member, "MAX_DATABASE_BYTES", len(small) - 1)
    with pytest.raises(DatabaseFileError, match=f"over the limit of {len(small) - 1:,}"):
        open_database(NAME)
    assert left(cache_dir) == []
    monkeypatch.setattr(zip_member, "MAX_DATABASE_BYTES", len(small))
    assert n_heroes() == 5


def test_no_space_is_noticed_before_the_transfer(
    hub: LocalHub, cache_dir: Path, big_zip: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.add_repo(REPO, {"train_databases.zip": big_zip})
    full = SimpleNamespace(free=30 * MEGABYTE)
    monkeypatch.setattr("claimdb_loader.storage.shutil.disk_usage", lambda _: full)
    with pytest.raises(UnavailableError, match=r"no space left in .* 4\d,\d+,\d+ bytes are needed"):
        open_database(NAME)
    assert hub.bytes_sent(ZIP) < 5000
    assert left(cache_dir) == []


def test_a_pipe_sees_no_progress_bar(
    hub: LocalHub, tmp_path: Path, small: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    publish(hub, tmp_path, {MEMBER: small})
    n_heroes()
    assert capfd.readouterr() == ("", "")


def test_a_file_kept_unzipped_is_not_trusted_either(hub: LocalHub) -> None:
    name = "databases/superhero/superhero.sqlite"
    hub.add_repo(REPO, {name: database_bytes(5)})
    for _ in range(2):
        with pytest.raises(DatabaseFileError, match=r"is no known release .* data_dir="):
            open_database("superhero")


def test_a_database_without_tables_is_not_kept(
    hub: LocalHub, tmp_path: Path, cache_dir: Path
) -> None:
    path = tmp_path / "empty.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 1")
    publish(hub, tmp_path, {MEMBER: path.read_bytes()})
    with pytest.raises(DatabaseFileError, match=f"{NAME}.sqlite holds no table; what was fetched"):
        open_database(NAME)
    assert left(cache_dir) == []
