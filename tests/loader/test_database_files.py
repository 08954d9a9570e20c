"""Where a database is looked for, in which order, and what an unknown name is told."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from claimdb_loader.cache_folder import cache_folder, database_folder
from claimdb_loader.database_files import find_local, local_names, locate
from claimdb_loader.databases import open_database
from claimdb_loader.fingerprints import known_databases
from claimdb_loader.sample_files import DATABASES, unpacked
from claimdb_metric.errors import DatabaseFileError, DataError, UnknownDatabaseError
from tests.hub import LocalHub
from tests.loader.made_databases import (
    database_bytes,
    listing,
    locked_folder,
    make_database,
    make_zip,
)

LAYOUTS = ["superhero/superhero.sqlite", "superhero.sqlite", "databases/superhero/superhero.sqlite"]


def n_heroes(db_name: str = "superhero", **where: str | Path) -> object:
    with open_database(db_name, **where) as db:  # type: ignore[arg-type]
        return db.query("SELECT count(*) FROM heroes").rows[0][0]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("by", ["argument", "environment"])
@pytest.mark.parametrize("name", ["plain", "with space", "50%", "a?b#c", "ünï"])
def test_a_local_copy_in_every_layout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, layout: str, by: str, name: str
) -> None:
    path = make_database(tmp_path / name / layout, 5)
    if by == "environment":
        monkeypatch.setenv("CLAIMDB_DATA_DIR", str(tmp_path / name))
        assert n_heroes() == 5
    else:
        assert n_heroes(data_dir=tmp_path / name) == 5
    assert listing(tmp_path) == {str(path.relative_to(tmp_path)): path.read_bytes()}


def test_a_relative_folder_is_made_absolute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_database(tmp_path / "data" / "superhero.sqlite")
    monkeypatch.chdir(tmp_path)
    db = open_database("superhero", data_dir="data")
    monkeypatch.chdir("/")
    assert db.path == path
    assert db.tables() == ["heroes"]


def test_the_order_of_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Argument, environment, sample, cache; each is asked only if those before have nothing."""
    monkeypatch.setenv("CLAIMDB_CACHE_DIR", str(tmp_path / "cache"))
    name = DATABASES[0]
    cached = database_folder("michaeltheologitis/claimdb", None)
    for number, folder in enumerate([cached, tmp_path / "env", tmp_path / "arg"], 1):
        for db_name in (name, "superhero"):
            make_database(folder / db_name / f"{db_name}.sqlite", number)
    assert n_heroes() == 1
    assert find_local(name, None, None, None) == unpacked(name)
    monkeypatch.setenv("CLAIMDB_DATA_DIR", str(tmp_path / "env"))
    assert (n_heroes(), n_heroes(name)) == (2, 2)
    assert (n_heroes(data_dir=tmp_path / "arg"), n_heroes(name, data_dir=tmp_path / "arg")) == (
        3,
        3,
    )
    assert n_heroes(data_dir="") == 1


def test_a_repository_that_is_asked_for_wins_over_the_environment(
    tmp_path: Path, cache_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAIMDB_DATA_DIR", str(tmp_path / "env"))
    make_database(tmp_path / "env" / "superhero.sqlite", 1)
    for number, folder in enumerate(
        [database_folder("you/own", None), database_folder("you/own", "v1/a")], 2
    ):
        make_database(folder / "superhero" / "superhero.sqlite", number)
        make_database(folder / DATABASES[0] / f"{DATABASES[0]}.sqlite", number)
    assert n_heroes(repo_id="you/own") == 2
    assert n_heroes(repo_id="you/own", revision="v1/a") == 3
    assert n_heroes(DATABASES[0], repo_id="you/own") == 2
    assert n_heroes(repo_id="you/own", data_dir=tmp_path / "env") == 1


@pytest.mark.parametrize("by", ["argument", "environment"])
def test_a_local_copy_that_is_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    gone = tmp_path / "gone"
    if by == "environment":
        monkeypatch.setenv("CLAIMDB_DATA_DIR", str(gone))
    with pytest.raises(DataError, match=f"{gone} is not a folder; data_dir= or CLAIMDB_DATA_DIR"):
        open_database("superhero", data_dir=gone if by == "argument" else None)


@pytest.mark.parametrize("zip_name", ["train_databases.zip", "test_databases.zip"])
@pytest.mark.parametrize("member", ["superhero.sqlite", "x/test/superhero/superhero.sqlite"])
def test_an_unopened_zip_in_the_local_copy(
    tmp_path: Path, cache_dir: Path, zip_name: str, member: str
) -> None:
    folder = tmp_path / "copy"
    make_zip(folder / zip_name, {member: database_bytes(5), "other.sqlite": database_bytes(1)})
    before = listing(folder)
    path = open_database("superhero", data_dir=folder).path
    assert n_heroes(data_dir=folder) == 5
    assert path.is_relative_to(cache_dir)
    assert listing(folder) == before
    with locked_folder(cache_dir):
        assert open_database("superhero", data_dir=folder).path == path
    (folder / zip_name).unlink()
    make_zip(folder / zip_name, {member: database_bytes(6)})
    assert n_heroes(data_dir=folder) == 6


def test_a_damaged_zip_in_the_local_copy_leaves_nothing(tmp_path: Path, cache_dir: Path) -> None:
    make_zip(tmp_path / "copy" / "test_databases.zip", {"superhero.sqlite": b"<html>"})
    with pytest.raises(DatabaseFileError, match=r"superhero\.sqlite is an HTML page, not SQLite"):
        open_database("superhero", data_dir=tmp_path / "copy")
    assert not [name for name in listing(cache_dir) if not name.endswith(".lock")]


@pytest.mark.parametrize("db_name", DATABASES)
def test_the_sample_needs_nothing_but_a_cache_folder(cache_dir: Path, db_name: str) -> None:
    with open_database(db_name) as db:
        assert 4 <= len(db.tables()) <= 8
        assert db.path.is_relative_to(cache_dir)
    state = db.path.stat()
    assert open_database(db_name) is db
    assert (db.path.stat().st_ino, db.path.stat().st_mtime_ns) == (state.st_ino, state.st_mtime_ns)


def test_the_cache_is_where_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAIMDB_CACHE_DIR", "~/c")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "c"
    monkeypatch.delenv("CLAIMDB_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "claimdb"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == tmp_path / ".cache" / "claimdb"


@pytest.mark.parametrize(
    ("wrong", "nearest"),
    [
        ("movie_4", "movies_4"),
        ("super_hero", "superhero"),
        ("Superhero", "superhero"),
        ("ferry_line", "ferry_lines"),
        ("zzzzzz", "`claimdb databases list` names all"),
    ],
)
def test_an_unknown_name_gets_the_nearest(
    hub: LocalHub, cache_dir: Path, wrong: str, nearest: str
) -> None:
    with pytest.raises(UnknownDatabaseError, match=nearest) as caught:
        open_database(wrong)
    assert str(caught.value).startswith(f"no database {wrong!r}")
    assert hub.requests == []
    assert listing(cache_dir) == {}


def test_an_unknown_name_gets_the_nearest_of_a_local_copy(tmp_path: Path, cache_dir: Path) -> None:
    make_database(tmp_path / "copy" / "villains.sqlite")
    make_database(tmp_path / "copy" / "wizards" / "wizards.sqlite")
    make_zip(tmp_path / "copy" / "test_databases.zip", {"a/dragons.sqlite": database_bytes()})
    for wrong, nearest in {
        "villain": "villains",
        "wizzard": "wizards",
        "dragon": "dragons",
    }.items():
        with pytest.raises(UnknownDatabaseError, match=f"copy, nor .* did you mean {nearest}"):
            open_database(wrong, data_dir=tmp_path / "copy")


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "../a",
        "a/b",
        "/etc/passwd",
        "a\\b",
        "C:a",
        ".hidden",
        "a\n",
        "a\0",
        "x" * 300,
    ],
)
def test_what_can_be_no_name(cache_dir: Path, name: str) -> None:
    with pytest.raises(UnknownDatabaseError, match="cannot be the name of a database"):
        open_database(name)


@pytest.mark.parametrize("name", [None, 3, Path("a.sqlite")])
def test_what_is_no_text_is_no_name(cache_dir: Path, name: object) -> None:
    with pytest.raises(UnknownDatabaseError, match="cannot be the name of a database"):
        open_database(name)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["R&D", "a b", "été", "v1.2", "o'hara", "100%", "a?b", "a+b"])
def test_names_of_ones_own(tmp_path: Path, name: str) -> None:
    make_database(tmp_path / name / f"{name}.sqlite")
    assert n_heroes(name, data_dir=tmp_path) == 3
    assert list(local_names(tmp_path)) == [name]


def test_a_database_with_a_wal_in_the_local_copy(tmp_path: Path) -> None:
    path = make_database(tmp_path / "superhero.sqlite", wal=True)
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("INSERT INTO heroes VALUES (4, 'newest')")
        writer.commit()
        assert n_heroes(data_dir=tmp_path) == 4


def test_every_published_name_can_be_a_name(cache_dir: Path) -> None:
    for name in known_databases():
        assert find_local(name, None, None, None) is None


def test_locate_gives_the_path_of_what_is_here(tmp_path: Path) -> None:
    path = make_database(tmp_path / "superhero.sqlite")
    assert locate("superhero", tmp_path, None, None) == path


def test_a_local_copy_has_no_hidden_files_and_no_name_twice(tmp_path: Path) -> None:
    for layout in (*LAYOUTS, "._superhero.sqlite", ".x/.x.sqlite"):
        make_database(tmp_path / layout, 1)
    assert list(local_names(tmp_path)) == ["superhero"]
