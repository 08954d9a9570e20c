"""Which database files go along with a benchmark, and what is measured of them."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from claimdb_builder.publish.benchmark import Benchmark, read_benchmark
from claimdb_builder.publish.databases import (
    Choice,
    DatabaseEntry,
    chosen_files,
    local_file,
    manifest_text,
    measure,
    merged,
    read_manifest,
)
from claimdb_loader.databases import Database
from claimdb_loader.hub_commit import MAX_FILE_BYTES
from claimdb_metric.errors import DatabaseFileError, DataError
from tests.builder.publish.made_benchmarks import labelled, of_rows
from tests.loader.made_databases import make_database

ZOO = DatabaseEntry("zoo", 2, 5, 8192, "a" * 64)
PARK = DatabaseEntry("park", 1, 3, 4096, "b" * 64)


def about(folder: Path, *names: str) -> Benchmark:
    """A benchmark with one claim on each database."""
    rows = [row for i, name in enumerate(names) for row in labelled([i], db_name=name)]
    return of_rows(folder, test_public=rows)


def entry_of(path: Path) -> DatabaseEntry:
    (entry,) = measure({"zoo": path})
    return entry


@pytest.mark.parametrize(
    ("choice", "names"), [("none", []), ("split", ["zoo"]), ("all", ["flat", "park", "zoo"])]
)
def test_what_each_choice_sends(tmp_path: Path, choice: Choice, names: list[str]) -> None:
    zoo = make_database(tmp_path / "zoo" / "zoo.sqlite")
    make_database(tmp_path / "databases" / "park" / "park.sqlite")
    make_database(tmp_path / "flat.sqlite")
    make_database(tmp_path / "zoo" / "other.sqlite")
    files = chosen_files(about(tmp_path, "zoo"), choice)
    assert list(files) == names
    assert files.get("zoo", zoo) == zoo


def test_of_claims_from_the_hub_all_means_those_that_claims_name(tmp_path: Path) -> None:
    benchmark = of_rows(test_public=labelled([1], db_name="ferry_lines"))
    assert list(chosen_files(benchmark, "all")) == ["ferry_lines"]


def test_all_missing_databases_are_listed(tmp_path: Path) -> None:
    make_database(tmp_path / "zoo.sqlite")
    with pytest.raises(
        DataError, match=r"^2 databases not on .*: park, river; put each at"
    ) as caught:
        chosen_files(about(tmp_path, "zoo", "river", "park"), "split")
    assert "claimdb databases fetch" in str(caught.value)
    assert chosen_files(about(tmp_path, "river"), "none") == {}


@pytest.mark.parametrize("name", ["a/b", "..", ".hidden", "a" * 101])
def test_a_name_that_no_file_can_have_counts_as_missing(tmp_path: Path, name: str) -> None:
    assert local_file(about(tmp_path, name), name) is None
    with pytest.raises(DataError, match="not on this machine"):
        chosen_files(about(tmp_path, name), "split")


def test_a_name_that_datasets_takes_for_a_split_is_refused(tmp_path: Path) -> None:
    make_database(tmp_path / "drug_test.sqlite")
    make_database(tmp_path / "zoo.sqlite")
    with pytest.raises(DataError, match="drug_test for a split"):
        chosen_files(about(tmp_path, "zoo"), "all")
    assert list(chosen_files(about(tmp_path, "zoo"), "split")) == ["zoo"]


def test_a_log_that_is_not_merged_is_refused(tmp_path: Path) -> None:
    path = make_database(tmp_path / "zoo.sqlite", wal=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_autocheckpoint=0")
        connection.execute("INSERT INTO heroes VALUES (99, 'late')")
        connection.commit()
        with pytest.raises(DatabaseFileError, match="log beside it") as caught:
            chosen_files(about(tmp_path, "zoo"), "split")
        assert "wal_checkpoint(TRUNCATE)" in str(caught.value)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert list(chosen_files(about(tmp_path, "zoo"), "split")) == ["zoo"]
    assert entry_of(path).n_rows == 4


def test_a_file_over_the_hubs_limit_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = make_database(tmp_path / "zoo.sqlite")
    try:
        with path.open("r+b") as file:
            file.truncate(MAX_FILE_BYTES + 1)
    except OSError as error:
        pytest.skip(f"this disk takes no sparse file of 200 GB ({error})")
    with pytest.raises(DatabaseFileError, match=r"200,000,000,001 bytes, over the Hub's limit"):
        chosen_files(about(tmp_path, "zoo"), "split")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"<!DOCTYPE html><title>Sign in</title>", "HTML page"),
        (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer"),
        (b"", "is empty"),
        (b"claim_id,label\n", "not a SQLite database"),
    ],
)
def test_what_is_no_database_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "zoo.sqlite").write_bytes(content)
    with pytest.raises(DatabaseFileError, match=said):
        chosen_files(about(tmp_path, "zoo"), "split")


def test_a_file_that_is_cut_short_is_refused(tmp_path: Path) -> None:
    path = make_database(tmp_path / "zoo.sqlite", 500)
    path.write_bytes(path.read_bytes()[:-4096])
    with pytest.raises(DatabaseFileError, match="cut short"):
        chosen_files(about(tmp_path, "zoo"), "split")


def test_tables_and_rows_are_counted_views_are_not(tmp_path: Path) -> None:
    path = make_database(tmp_path / "zoo.sqlite", 3)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("""
            CREATE TABLE "a ""quoted"" ] ` ' name" (x);
            INSERT INTO "a ""quoted"" ] ` ' name" VALUES (1), (NULL);
            CREATE TABLE "select" (x TEXT PRIMARY KEY) WITHOUT ROWID;
            INSERT INTO "select" VALUES ('a'), ('b');
            CREATE TABLE counted (x INTEGER PRIMARY KEY AUTOINCREMENT, y AS (x * 2));
            INSERT INTO counted DEFAULT VALUES;
            CREATE VIEW twice AS SELECT * FROM heroes UNION ALL SELECT * FROM heroes;
            CREATE INDEX by_name ON heroes (name);
        """)
    content = path.read_bytes()
    assert entry_of(path) == DatabaseEntry(
        "zoo", 4, 3 + 2 + 2 + 1, len(content), hashlib.sha256(content).hexdigest()
    )
    assert path.read_bytes() == content
    assert [file.name for file in tmp_path.iterdir()] == ["zoo.sqlite"]


@pytest.mark.parametrize("module", ["fts5(body)", "fts4(body)", "rtree(id, low, high)"])
def test_virtual_tables_are_counted_as_sqlite_lists_them(tmp_path: Path, module: str) -> None:
    path = make_database(tmp_path / "zoo.sqlite", ddl=f"CREATE VIRTUAL TABLE t USING {module}")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"INSERT INTO t VALUES ({'1, 2, 3' if 'rtree' in module else 1})")
        connection.commit()
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master")]
        tables = [n for n in Database("zoo", path).tables() if n in names]
        counts = [connection.execute(f'SELECT count(*) FROM "{n}"').fetchone()[0] for n in tables]
    entry = entry_of(path)
    assert (entry.n_tables, entry.n_rows) == (len(tables), sum(counts))


def test_a_table_of_a_module_that_sqlite_lacks_is_a_fault_of_the_file(tmp_path: Path) -> None:
    path = make_database(tmp_path / "zoo.sqlite")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema = 1")
        ddl = "CREATE VIRTUAL TABLE map USING spatial(a)"
        connection.execute("INSERT INTO sqlite_master VALUES ('table', 'map', 'map', 0, ?)", [ddl])
        connection.commit()
    with pytest.raises(DatabaseFileError, match=r"zoo\.sqlite.*spatial"):
        measure({"zoo": path})


def test_damaged_pages_are_a_fault_of_the_file(tmp_path: Path) -> None:
    path = make_database(tmp_path / "zoo.sqlite", 5000)
    content = bytearray(path.read_bytes())
    content[4096:12288] = b"\xff" * 8192
    path.write_bytes(content)
    with pytest.raises(DatabaseFileError, match=r"zoo\.sqlite"):
        measure({"zoo": path})


def test_a_database_without_tables_is_refused(tmp_path: Path) -> None:
    path = make_database(tmp_path / "zoo.sqlite", ddl="CREATE VIEW v AS SELECT 1")
    with pytest.raises(DatabaseFileError, match="holds no table"):
        measure({"zoo": path})


def test_a_manifest_is_read_as_it_was_written_and_a_push_replaces_only_its_own() -> None:
    for entries in ([], [ZOO], [PARK, ZOO], [DatabaseEntry('z"\\ö', 0, 0, 0, "0" * 64)]):
        assert read_manifest(manifest_text(entries).encode()) == entries
    newer = DatabaseEntry("zoo", 3, 6, 9000, "c" * 64)
    assert merged([ZOO, PARK], [newer]) == [PARK, newer]
    assert merged([], []) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        *((text, "is not JSON") for text in ("oops", "", "[" * 9999, "\udcff[]")),
        *((text, "is not a list of databases") for text in ("null", "7", '{"zoo": {}}', "{}")),
        *((text, ": item 1 lacks db_name") for text in ("[1]", '[{"db_name": "zoo"}]')),
        (manifest_text([ZOO]).replace("8192", '"8192"'), ": item 1 lacks db_name"),
        (manifest_text([ZOO]).replace("8192", "true"), ": item 1 lacks db_name"),
        (manifest_text([ZOO]).replace('"n_rows": 5', '"n_rows": 5.5'), ": item 1 lacks db_name"),
        (manifest_text([ZOO]).replace('"zoo"', "7"), ": item 1 lacks db_name"),
        (manifest_text([PARK, ZOO]).replace("a" * 64, "a" * 63), ": item 2 lacks db_name"),
    ],
)
def test_a_damaged_manifest_is_an_error(text: str, said: str) -> None:
    with pytest.raises(DatabaseFileError, match=rf"^databases/manifest\.json ?{said}"):
        read_manifest(text.encode("utf-8", "surrogateescape"))


def test_a_manifest_that_says_less_is_read() -> None:
    """One that was not made by `claimdb push` may lack counts."""
    text = json.dumps([{"db_name": "zoo", "n_bytes": 8192, "sha256": "a" * 64, "more": 1}])
    assert read_manifest(text.encode()) == [DatabaseEntry("zoo", -1, -1, 8192, "a" * 64)]


def test_databases_of_the_sample_go_along_without_a_copy_of_them(copy: str) -> None:
    entries = measure(chosen_files(read_benchmark(copy), "split"))
    assert {entry.db_name: entry.n_tables for entry in entries} == {
        "city_library": 8,
        "ferry_lines": 7,
        "solar_coop": 8,
    }
