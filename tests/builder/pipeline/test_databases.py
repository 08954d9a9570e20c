"""The databases of a build: where they are found, what is said of those that cannot be read."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from claimdb_builder.pipeline.databases import Survey, survey
from claimdb_metric.errors import DatabaseFileError, DataError, UnknownDatabaseError
from tests.builder.pipeline.made_runs import Inline, zoo
from tests.sandbox.made_databases import folder_state


def looked(tmp_path: Path, *roots: Path, names: str = "zoo", **more: bool) -> Survey:
    executor = Inline()
    found = survey(names.split(), roots, tmp_path / "run", executor, **more)
    looked.n_hashed = executor.n_given  # type: ignore[attr-defined]
    return found


def n_hashed() -> int:
    return int(looked.n_hashed)  # type: ignore[attr-defined]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with database zoo, in BIRD's layout."""
    zoo(tmp_path / "dbs")
    return tmp_path / "dbs"


def flat(root: Path, name: str = "zoo") -> Path:
    path = root / f"{name}.sqlite"
    shutil.move(root / name / f"{name}.sqlite", path)
    (root / name).rmdir()
    return path


def test_both_layouts_are_found_and_have_one_hash(tmp_path: Path, root: Path) -> None:
    nested = looked(tmp_path, root).databases["zoo"]
    assert nested.paths.path == root / "zoo" / "zoo.sqlite"
    assert nested.paths.descriptions is None
    path = flat(root)
    moved = looked(tmp_path, root).databases["zoo"]
    assert moved.paths.path == path
    assert moved.paths.sha256 == nested.paths.sha256


def test_several_roots_are_searched_and_paths_are_absolute(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    zoo(tmp_path / "more", "farm", n_pets=3)
    monkeypatch.chdir(tmp_path)
    found = looked(tmp_path, Path("dbs"), Path("more"), names="zoo farm")
    assert list(found.databases) == ["farm", "zoo"]
    assert all(one.paths.path.is_absolute() for one in found.databases.values())
    assert found.paths(["farm", "gone"]).keys() == {"farm"}
    assert len(set(found.hashes().values())) == 2


def test_all_missing_databases_are_listed_with_near_names(tmp_path: Path, root: Path) -> None:
    zoo(root, "MOVIE_4")
    with pytest.raises(UnknownDatabaseError) as caught:
        looked(tmp_path, root, names="Movies_4 zoo atlantis")
    message = str(caught.value)
    assert message.startswith(
        f"2 databases are missing in {root}: Movies_4 (there is MOVIE_4), atlantis;"
    )
    assert "--allow-missing-dbs" in message
    assert not (tmp_path / "run" / "databases.json").exists()
    found = looked(tmp_path, root, names="movies_4 zoo atlantis", allow_missing=True)
    assert (list(found.databases), found.missing) == (["zoo"], ("atlantis", "movies_4"))


def test_without_a_folder_all_are_missing(tmp_path: Path) -> None:
    with pytest.raises(
        UnknownDatabaseError, match=r"^1 database is missing \(no --databases given\): zoo; "
    ):
        looked(tmp_path)
    assert looked(tmp_path, allow_missing=True).missing == ("zoo",)


@pytest.mark.parametrize("name", ["absent", "file"])
def test_a_root_that_is_no_folder_is_an_error(tmp_path: Path, root: Path, name: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="is not a folder; --databases names one"):
        looked(tmp_path, root, tmp_path / name)


def test_a_database_in_two_places_is_an_error(tmp_path: Path, root: Path) -> None:
    other = zoo(tmp_path / "more")
    with pytest.raises(DataError, match="zoo is there 2 times") as caught:
        looked(tmp_path, root, tmp_path / "more")
    assert all(str(path) in str(caught.value) for path in (other, root / "zoo" / "zoo.sqlite"))
    flat(tmp_path / "more")
    with pytest.raises(DataError, match="zoo is there 2 times"):
        looked(tmp_path, root, tmp_path / "more")


@pytest.mark.parametrize("again", ["dbs", "dbs/../dbs", "link"])
def test_a_root_may_be_named_twice(tmp_path: Path, root: Path, again: str) -> None:
    (tmp_path / "link").symlink_to(root)
    assert list(looked(tmp_path, root, tmp_path / again).databases) == ["zoo"]


BROKEN: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "empty": (lambda _: b"", "is empty"),
    "text": (lambda _: b"id,name\n" * 99, "is not a SQLite database"),
    "HTML": (lambda _: b"<!DOCTYPE html>", "HTML page, not SQLite"),
    "LFS": (lambda _: b"version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer"),
    "cut short": (lambda old: old[:5000], "is cut short"),
    "garbage behind its header": (lambda old: old[:100] + b"\xff" * (len(old) - 100), "SQLite"),
    "no table": (lambda _: without_tables(), "holds no table"),
}


def without_tables() -> bytes:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript("CREATE TABLE x (y); DROP TABLE x;")
        return connection.serialize()


@pytest.mark.parametrize(("change", "said"), BROKEN.values(), ids=BROKEN)
def test_a_file_that_is_no_database_is_named(
    tmp_path: Path, root: Path, change: Callable[[bytes], bytes], said: str
) -> None:
    path = root / "zoo" / "zoo.sqlite"
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(DatabaseFileError, match=said) as caught:
        looked(tmp_path, root)
    assert str(caught.value).startswith(str(path))


def test_all_files_that_are_no_databases_are_named_at_once(tmp_path: Path, root: Path) -> None:
    paths = [zoo(root, name) for name in ("farm", "park")]
    paths[0].write_bytes(b"")
    paths[1].write_bytes(b"<!DOCTYPE html>")
    with pytest.raises(DatabaseFileError) as caught:
        looked(tmp_path, root, names="farm park zoo")
    first, second, mend = str(caught.value).split("; ", 2)
    assert first.startswith(f"{paths[0]} is empty")
    assert second.startswith(f"{paths[1]} ")
    assert mend.endswith("replace each with a whole copy")
    assert "zoo.sqlite" not in str(caught.value)


def test_looking_leaves_the_folder_as_it_was(tmp_path: Path, root: Path) -> None:
    before = folder_state(root)
    looked(tmp_path, root).assert_unchanged(Inline())
    assert folder_state(root) == before


def touch(path: Path) -> None:
    os.utime(path, (1, 1))


def replace_in_disguise(path: Path) -> None:
    state, old = path.stat(), path.read_bytes()
    path.write_bytes(old.replace(b"Pet 7", b"Pet X"))
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))


def move_over(path: Path) -> None:
    state = path.stat()
    new = path.with_name("new")
    new.write_bytes(path.read_bytes().replace(b"Pet 7", b"Pet X"))
    os.utime(new, ns=(state.st_atime_ns, state.st_mtime_ns))
    new.replace(path)


CHANGES: dict[str, tuple[Callable[[Path], object], bool]] = {
    "touch": (touch, False),
    "same size and time": (replace_in_disguise, True),
    "moved over it": (move_over, True),
}


@pytest.mark.parametrize(("change", "is_another"), CHANGES.values(), ids=CHANGES)
def test_a_file_is_hashed_again_only_where_it_was_touched(
    tmp_path: Path, root: Path, change: Callable[[Path], object], is_another: bool
) -> None:
    first = looked(tmp_path, root)
    assert n_hashed() == 1
    assert looked(tmp_path, root).hashes() == first.hashes()
    assert n_hashed() == 0
    change(root / "zoo" / "zoo.sqlite")
    assert (looked(tmp_path, root).hashes() != first.hashes()) is is_another
    assert n_hashed() == 1


DAMAGES = {
    "empty": b"",
    "cut": b'{"zoo": {"path"',
    "binary": b"\xff\0",
    "list": b"[]",
    "null": b"null",
    "other names": b'{"farm": {}}',
    "no stamp": b'{"zoo": {}}',
}


@pytest.mark.parametrize("content", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_list_of_hashes_is_made_anew(tmp_path: Path, root: Path, content: bytes) -> None:
    first = looked(tmp_path, root)
    (tmp_path / "run" / "databases.json").write_bytes(content)
    assert looked(tmp_path, root).hashes() == first.hashes()
    assert n_hashed() == 1


@pytest.mark.parametrize("old", ['"content"', '"sha256"', '{\n    "path"'])
def test_a_hash_that_was_edited_is_made_anew(tmp_path: Path, root: Path, old: str) -> None:
    first = looked(tmp_path, root)
    listed = tmp_path / "run" / "databases.json"
    text = listed.read_text()
    new = '5, "b": {"path"' if old.startswith("{") else '"x"'
    assert old in text
    listed.write_text(text.replace(old, new))
    assert looked(tmp_path, root).hashes() == first.hashes()
