"""What a file is told to be before any query, and that a connection to it can write nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from claimdb_loader.fingerprints import Fingerprint, file_sha256
from claimdb_loader.read_only import connect_read_only
from claimdb_loader.sqlite_file import (
    check_file,
    find_release,
    quick_check,
)
from claimdb_metric.errors import DatabaseFileError
from tests.loader.made_databases import listing, locked_folder, make_database

WRITES = [
    "INSERT INTO heroes VALUES (9, 'new')",
    "DELETE FROM heroes",
    "DROP TABLE heroes",
    "CREATE TABLE more (x)",
    "CREATE TEMP TABLE more (x)",
    "ATTACH 'other.sqlite' AS other",
    "ATTACH ':memory:' AS other",
    "VACUUM",
    "VACUUM INTO 'copy.sqlite'",
    "PRAGMA user_version = 7",
    "ANALYZE",
]
SILENT_WRITES = [
    "REINDEX",
    "PRAGMA journal_mode = WAL",
    "PRAGMA wal_checkpoint(TRUNCATE)",
    "PRAGMA optimize",
    "BEGIN IMMEDIATE",
]


def run(connection: sqlite3.Connection, sql: str) -> list[tuple[object, ...]]:
    return connection.execute(sql).fetchall()


@pytest.mark.parametrize("wal", [False, True], ids=["rollback", "wal"])
@pytest.mark.parametrize("query_only", [True, False], ids=["guarded", "guard lifted"])
def test_nothing_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wal: bool, query_only: bool
) -> None:
    path = make_database(tmp_path / "db" / "a.sqlite", wal=wal)
    (tmp_path / "cwd").mkdir()
    monkeypatch.chdir(tmp_path / "cwd")
    before = listing(tmp_path)
    for sql in WRITES:
        with closing(connect_read_only(path)) as connection:
            if not query_only:
                connection.set_authorizer(None)
                run(connection, "PRAGMA query_only = 0")
                if "TEMP" in sql:
                    continue  # lives in memory; the guard alone refuses it
            with pytest.raises(sqlite3.Error):
                run(connection, sql)
    for sql in SILENT_WRITES:
        with closing(connect_read_only(path)) as connection, suppress(sqlite3.DatabaseError):
            run(connection, sql)
    assert listing(tmp_path) == before


@pytest.mark.parametrize("wal", [False, True], ids=["rollback", "wal"])
def test_a_read_only_folder_stays_as_it_is(tmp_path: Path, wal: bool) -> None:
    path = make_database(tmp_path / "db" / "a.sqlite", wal=wal)
    before = listing(path.parent)
    assert list(before) == ["a.sqlite"]
    with locked_folder(path.parent):
        with pytest.raises(PermissionError):
            (path.parent / "probe").touch()
        with closing(connect_read_only(path)) as connection:
            assert run(connection, "SELECT count(*) FROM heroes") == [(3,)]
            assert listing(path.parent) == before
    assert listing(path.parent) == before


def test_rows_in_a_wal_beside_the_file_are_read(tmp_path: Path) -> None:
    path = make_database(tmp_path / "a.sqlite", wal=True)
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("INSERT INTO heroes VALUES (4, 'newest')")
        writer.commit()
        assert (tmp_path / "a.sqlite-wal").stat().st_size > 0
        with closing(connect_read_only(path)) as connection:
            assert run(connection, "SELECT count(*) FROM heroes") == [(4,)]
            connection.set_authorizer(None)
            for guard in (1, 0):
                run(connection, f"PRAGMA query_only = {guard}")
                with pytest.raises(sqlite3.OperationalError, match="readonly"):
                    run(connection, "DELETE FROM heroes")


def test_with_a_log_beside_it_a_file_may_be_short(tmp_path: Path) -> None:
    """A writer that was stopped midway: the missing pages stand in the log."""
    path = make_database(tmp_path / "a.sqlite")
    path.write_bytes(declare_more_pages(path.read_bytes()))
    with pytest.raises(DatabaseFileError, match="is cut short"):
        check_file(path)
    log = tmp_path / "a.sqlite-wal"
    log.touch()
    with pytest.raises(DatabaseFileError, match="is cut short"):
        check_file(path)
    log.write_bytes(b"a page")
    check_file(path)


@pytest.mark.parametrize("suffix", ["-wal", "-journal"])
def test_a_log_that_cannot_be_read_is_not_passed_over(tmp_path: Path, suffix: str) -> None:
    """SQLite needs to write beside a file with a log; without that the newest rows would lack."""
    source = make_database(tmp_path / "source.sqlite", 2000, wal=suffix == "-wal")
    copy = tmp_path / "db" / "a.sqlite"
    copy.parent.mkdir()
    with closing(sqlite3.connect(source)) as writer:
        writer.execute("PRAGMA cache_size = 1")
        writer.execute("UPDATE heroes SET name = name || ' changed'")
        if suffix == "-wal":
            writer.commit()
        for name in ("", suffix):
            content = Path(f"{source}{name}").read_bytes()
            Path(f"{copy}{name}").write_bytes(content)
    before = listing(copy.parent)
    with pytest.raises(DatabaseFileError, match="a log of changes lies beside it that only"):
        connect_read_only(copy)
    assert listing(copy.parent) == before


@pytest.mark.parametrize(
    "name", ["a b.sqlite", "what?.sqlite", "a#b.sqlite", "50%25.sqlite", "ä'\".sqlite", "?mode=rwc"]
)
def test_any_path_is_opened_as_it_is_written(tmp_path: Path, name: str) -> None:
    path = make_database(tmp_path / name / name)
    with closing(connect_read_only(path)) as connection:
        assert run(connection, "SELECT count(*) FROM heroes") == [(3,)]
        assert run(connection, "PRAGMA database_list") == [(0, "main", str(path))]
    assert list(listing(tmp_path)) == [f"{name}/{name}"]


def test_text_that_is_no_utf8_is_read_all_the_same(tmp_path: Path) -> None:
    path = make_database(tmp_path / "a.sqlite")
    with closing(connect_read_only(path)) as connection:
        assert run(connection, "SELECT cast(x'c3ff41' AS text), x'c3ff'") == [("��A", b"\xc3\xff")]


def cut(content: bytes) -> bytes:
    return content[:20_000]


def declare_more_pages(content: bytes) -> bytes:
    return content[:28] + (1_000_000).to_bytes(4, "big") + content[32:]


BAD_CONTENTS: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "empty": (lambda _: b"", "is empty"),
    "HTML": (lambda _: b"<!DOCTYPE html><html>", "is an HTML page, not SQLite"),
    "HTML, indented": (lambda _: b"\xef\xbb\xbf\r\n  <html>", "is an HTML page, not SQLite"),
    "LFS": (lambda _: b"version https://git-lfs.github.com/spec/v1\n", "`git lfs pull`"),
    "text": (lambda _: b"id,name\n1,a\n", "is not a SQLite database"),
    "cut": (cut, r"is cut short: 20,000 of [\d,]+ bytes"),
    "cut in the header": (lambda content: content[:50], "is cut short: 50 of 100 bytes"),
    "too few pages": (declare_more_pages, r"is cut short: [\d,]+ of 4,096,000,000 bytes"),
}


@pytest.mark.parametrize("case", BAD_CONTENTS)
@pytest.mark.parametrize("check", [check_file, quick_check])
def test_a_file_that_is_no_database_says_what_it_is(
    tmp_path: Path, case: str, check: Callable[[Path], None]
) -> None:
    path = make_database(tmp_path / "a.sqlite", 2000)
    change, message = BAD_CONTENTS[case]
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(DatabaseFileError, match=message) as caught:
        check(path)
    assert str(caught.value).startswith(f"{path} ")
    assert "replace it with a whole copy" in str(caught.value)


@pytest.mark.parametrize(
    ("path", "message"), [("gone.sqlite", "No such file"), ("", "is a folder")]
)
def test_a_file_that_cannot_be_read(tmp_path: Path, path: str, message: str) -> None:
    with pytest.raises(DatabaseFileError, match=message):
        check_file(tmp_path / path)


@pytest.mark.parametrize(
    "ddl",
    ["CREATE VIEW v AS SELECT 1", "PRAGMA user_version = 1"],
)
def test_a_database_without_tables(tmp_path: Path, ddl: str) -> None:
    path = make_database(tmp_path / "a.sqlite", ddl=ddl)
    with pytest.raises(DatabaseFileError, match="holds no table"):
        quick_check(path)


def test_a_table_of_sqlite_alone_is_no_table(tmp_path: Path) -> None:
    ddl = "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT)"
    path = make_database(tmp_path / "a.sqlite", ddl=ddl)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE t")
    with pytest.raises(DatabaseFileError, match="holds no table"):
        quick_check(path)


def test_quick_check_finds_a_damaged_page(tmp_path: Path) -> None:
    path = make_database(tmp_path / "a.sqlite", 5000)
    quick_check(path)
    content = bytearray(path.read_bytes())
    content[5 * 4096 : 5 * 4096 + 200] = b"\xff" * 200
    path.write_bytes(content)
    check_file(path)
    with pytest.raises(DatabaseFileError, match="is damaged: "):
        quick_check(path)


def test_a_damaged_schema_is_no_readable_database(tmp_path: Path) -> None:
    path = make_database(tmp_path / "a.sqlite")
    content = bytearray(path.read_bytes())
    content[100:200] = b"\xff" * 100
    path.write_bytes(content)
    with pytest.raises(DatabaseFileError, match="cannot be read as SQLite"):
        quick_check(path)


def test_a_release_is_known_by_its_hash(tmp_path: Path) -> None:
    path = make_database(tmp_path / "a.sqlite")
    right = Fingerprint("2026", path.stat().st_size, file_sha256(path))
    older, unsized = Fingerprint("2024", 5, "00"), Fingerprint("2025", None, "11")
    assert find_release(path, []) == (None, None)
    assert find_release(path, [older, right]) == (right, None)
    release, fault = find_release(path, [older, unsized])
    assert release is None
    assert fault is not None
    assert f"it has {right.n_bytes:,} bytes and sha256 {right.sha256}" in fault
    assert "2024: 5 bytes, sha256 00; 2025: an unknown number of bytes, sha256 11" in fault
