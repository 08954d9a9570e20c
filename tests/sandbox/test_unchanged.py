"""Databases are proved to be what they were: every change is found, and every file named."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from claimdb_sandbox import (
    ChangedDatabaseError,
    Executor,
    Fingerprint,
    UnusableDatabaseError,
    assert_unchanged,
    fingerprint,
    fingerprints,
)
from tests.sandbox.made_databases import heroes_database
from tests.sandbox.writers import writer


@pytest.fixture
def paths(tmp_path: Path) -> list[Path]:
    """Five databases."""
    return [heroes_database(tmp_path / f"{name}.sqlite", n_rows=20) for name in "edcba"]


def test_a_fingerprint_is_the_hash_and_the_lengths(database: Path) -> None:
    content = database.read_bytes()
    expected = Fingerprint(hashlib.sha256(content).hexdigest(), len(content), 0)
    assert fingerprint(database) == fingerprint(str(database)) == expected


@pytest.mark.parametrize("n_bytes", [0, 1, 2**18 - 1, 2**18, 2**18 + 1, 3_000_000])
def test_a_file_of_any_length_has_one(tmp_path: Path, n_bytes: int) -> None:
    path = tmp_path / "file"
    content = os.urandom(n_bytes)
    path.write_bytes(content)
    assert fingerprint(path) == Fingerprint(hashlib.sha256(content).hexdigest(), n_bytes)


@pytest.mark.parametrize("suffixes", [["-wal"], ["-journal"], ["-wal", "-journal"]])
def test_the_logs_are_in_it(database: Path, suffixes: list[str]) -> None:
    before = fingerprint(database)
    for suffix in suffixes:
        Path(f"{database}{suffix}").write_text(f"log {suffix}")
    logs = "".join(f"log {suffix}" for suffix in suffixes).encode()
    log_sha256 = hashlib.sha256(logs).hexdigest()
    expected = Fingerprint(before.sha256, before.n_bytes, len(logs), log_sha256)
    assert fingerprint(database) == expected


def test_an_empty_log_is_as_none(database: Path) -> None:
    before = fingerprints([database])
    Path(f"{database}-wal").touch()
    assert_unchanged(before)


def test_fingerprints_are_named_by_their_paths_in_the_order_given(paths: list[Path]) -> None:
    given: list[str | Path] = [str(paths[0]), *paths[1:]]
    found = fingerprints(iter(given))
    assert list(found) == [str(path) for path in paths]
    assert found == {str(path): fingerprint(path) for path in paths}


@pytest.mark.parametrize(("name", "message"), [("gone", "No such file"), ("", "is a folder")])
def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(UnusableDatabaseError, match=message) as caught:
        fingerprint(tmp_path / name)
    assert str(caught.value).startswith(f"{tmp_path / name} ")
    with pytest.raises(UnusableDatabaseError, match=message):
        fingerprints([tmp_path / name])


@pytest.mark.parametrize("path", ["/dev/zero", "null\0byte"])
def test_what_is_no_file_is_not_read(path: str) -> None:
    with pytest.raises(UnusableDatabaseError):
        fingerprint(path)


def test_queries_leave_databases_unchanged(paths: list[Path]) -> None:
    before = fingerprints(paths)
    for path in paths:
        with Executor(path) as sandbox:
            assert sandbox.run("SELECT count(*) FROM heroes").rows == ((20,),)
            assert sandbox.run("DELETE FROM heroes").status == "denied"
    assert_unchanged(before)
    assert_unchanged({})


def test_the_time_of_a_file_does_not_matter(paths: list[Path]) -> None:
    before = fingerprints(paths)
    paths[0].write_bytes(paths[0].read_bytes())
    os.utime(paths[1], (0, 0))
    assert_unchanged(before)


def grow(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"more")


def shrink(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(5000)


def flip_one_bit(path: Path) -> None:
    """Of the same length, and with the same time."""
    before = path.stat()
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def change_a_row(path: Path) -> None:
    with writer(path) as program:
        program.run("UPDATE heroes SET power = power + 1 WHERE id = 7")


CHANGES = {
    "longer": (grow, r"has ([\d,]+) bytes and sha256 \w{12}…, had (?!\1 )[\d,]+ and \w{12}…"),
    "shorter": (shrink, r"has 5,000 bytes and sha256 \w{12}…, had [\d,]+ and \w{12}…"),
    "one bit": (flip_one_bit, r"has ([\d,]+) bytes and sha256 (\w{12})…, had \1 and (?!\2)\w{12}…"),
    "one row": (change_a_row, r"has ([\d,]+) bytes and sha256 (\w{12})…, had \1 and (?!\2)\w{12}…"),
    "deleted": (Path.unlink, r"cannot be read: No such file"),
}


@pytest.mark.parametrize(("change", "message"), CHANGES.values(), ids=CHANGES)
def test_a_change_is_found_and_said(
    paths: list[Path], change: Callable[[Path], None], message: str
) -> None:
    before = fingerprints(paths)
    change(paths[2])
    with pytest.raises(ChangedDatabaseError, match=message) as caught:
        assert_unchanged(before)
    assert f"1 of 5 databases changed since the start: {paths[2]} " in str(caught.value)
    assert not any(str(path) in str(caught.value) for path in paths if path != paths[2])


def test_rows_that_are_still_in_a_log_are_a_change(paths: list[Path]) -> None:
    with writer(paths[3]) as program:
        program.run("PRAGMA journal_mode = WAL", "DELETE FROM bad")
        before = fingerprints(paths)
        assert before[str(paths[3])].log_bytes > 0
        program.run("INSERT INTO heroes (name) VALUES ('newest')")
        with pytest.raises(ChangedDatabaseError, match=r"has ([\d,]+) bytes of log beside it, had"):
            assert_unchanged(before)


def test_rows_that_overwrite_an_old_log_are_a_change(paths: list[Path]) -> None:
    """A log that was merged is written again from its beginning: neither file grows."""
    with writer(paths[3]) as program:
        program.run("PRAGMA journal_mode = WAL", *["INSERT INTO heroes (name) VALUES ('x')"] * 20)
        program.run("PRAGMA wal_checkpoint(PASSIVE)")
        before = fingerprints(paths)
        assert_unchanged(before)
        program.run("INSERT INTO heroes (name) VALUES ('newest')")
        with pytest.raises(ChangedDatabaseError, match=f"databases changed.*{paths[3].name}"):
            assert_unchanged(before)


def test_every_change_is_named_in_the_order_of_the_files(paths: list[Path]) -> None:
    before = fingerprints(paths)
    paths[4].unlink()
    flip_one_bit(paths[0])
    Path(f"{paths[2]}-journal").write_bytes(b"journal")
    with pytest.raises(ChangedDatabaseError) as caught:
        assert_unchanged(before)
    message = str(caught.value)
    assert message.startswith("3 of 5 databases changed since the start: ")
    places = [message.find(f"{path} ") for path in (paths[0], paths[2], paths[4])]
    assert places == sorted(places)
    assert -1 not in places
    assert "restore the files" in message
    assert f"{paths[2]} has 7 bytes of log beside it, had 0" in message
