"""What a file is told to be before SQLite opens it, and what paths are allowed."""

from __future__ import annotations

import os
import re
import struct
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from claimdb_sandbox import Executor, Result, UnusableDatabaseError
from claimdb_sandbox.database_file import connect_read_only, file_fault, usable_path
from tests.sandbox.made_databases import folder_state, heroes_database

COUNT = "SELECT count(*) FROM heroes"
GIGABYTE = 2**30

NAMES = [
    "a b.sqlite",
    "what?.sqlite",
    "?mode=rwc&immutable=1",
    "a#b.sqlite",
    "50%25.sqlite",
    "%00.sqlite",
    "ä名.sqlite",
    "\N{GRINNING FACE}.sqlite",
    'it\'s "quoted".sqlite',
    "two\nlines.sqlite",
    "-wal",
    ":memory:",
    "back\\slash.sqlite",
    os.fsdecode(b"\xff\xfe.sqlite"),
    "x" * 240,
]


def as_shown(name: str) -> str:
    return ascii(name)[1:-1][:24]


@pytest.mark.parametrize("name", NAMES, ids=as_shown)
def test_a_file_of_any_name_is_read(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "db"
    try:
        path = heroes_database(folder / "made.sqlite", n_rows=3).rename(folder / name)
    except OSError:
        pytest.skip("this system has no such names")
    before = folder_state(folder)
    with closing(connect_read_only(path)) as connection:
        assert connection.execute(COUNT).fetchone() == (3,)
    with Executor(path, root=folder) as sandbox:
        assert sandbox.run(COUNT).rows == ((3,),)
    assert folder_state(folder) == before


def test_a_path_may_be_relative(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And means the same file when the program goes to another folder."""
    monkeypatch.chdir(database.parent)
    with Executor(database.name, root=".") as sandbox:
        monkeypatch.chdir("/")
        assert sandbox.run(COUNT).rows == ((2000,),)


def test_links_may_lead_to_a_file_inside_of_the_root(tmp_path: Path) -> None:
    root = tmp_path / "root"
    path = heroes_database(root / "deep" / "a.sqlite", n_rows=3)
    (root / "file.sqlite").symlink_to(path)
    (root / "folder").symlink_to(path.parent)
    (tmp_path / "root link").symlink_to(root)
    (tmp_path / "from outside.sqlite").symlink_to(path)
    for inside in (
        "file.sqlite",
        "folder/a.sqlite",
        "deep/../deep/a.sqlite",
        "../root/deep/a.sqlite",
    ):
        for folder in (root, tmp_path / "root link"):
            with Executor(folder / inside, root=folder) as sandbox:
                assert sandbox.run(COUNT).rows == ((3,),)
    assert usable_path(tmp_path / "from outside.sqlite", root)


def test_no_path_leads_out_of_the_root(tmp_path: Path, database: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "file.sqlite").symlink_to(database)
    (root / "folder").symlink_to(database.parent)
    (root / "link to link.sqlite").symlink_to(root / "file.sqlite")
    (tmp_path / "root and more").symlink_to(database.parent)
    for name in (
        *("file.sqlite", "folder/heroes.sqlite", "link to link.sqlite", "../db/heroes.sqlite"),
        *("../root and more/heroes.sqlite", "folder/../../db/heroes.sqlite", str(database)),
        *("..", "../gone.sqlite", "/etc/passwd", ""),
    ):
        with pytest.raises(UnusableDatabaseError, match=r"leads out of .*, the only folder"):
            Executor(root / name if name else "", root=root)


NO_PATHS = ["loop", "loop/a", "file/a", "null\0byte", "x" * 300, "y/" * 3000, "\ud800"]


@pytest.mark.parametrize("name", NO_PATHS, ids=as_shown)
@pytest.mark.parametrize("with_root", [False, True], ids=["anywhere", "with a root"])
def test_a_path_that_no_file_can_have_is_an_error_of_ours(
    tmp_path: Path, name: str, with_root: bool
) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "file").touch()
    with pytest.raises(UnusableDatabaseError):
        Executor(tmp_path / name, root=tmp_path if with_root else None)


def cut(content: bytes) -> bytes:
    return content[:20_000]


def declare_more_pages(content: bytes) -> bytes:
    return content[:28] + (1_000_000).to_bytes(4, "big") + content[32:]


NO_DATABASE: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "empty": (lambda _: b"", "is empty"),
    "HTML": (lambda _: b"<!DOCTYPE html><html>", "is an HTML page, not SQLite"),
    "HTML, indented": (lambda _: b"\xef\xbb\xbf\r\n  <html>", "is an HTML page, not SQLite"),
    "LFS": (lambda _: b"version https://git-lfs.github.com/spec/v1\n", "is a .* `git lfs pull`"),
    "text": (lambda _: b"id,name\n1,a\n", "is not a SQLite database"),
    "zip": (lambda content: b"PK\3\4" + content, "is not a SQLite database"),
    "cut": (cut, r"is cut short: 20,000 of [\d,]+ bytes"),
    "cut in the header": (lambda content: content[:50], "is cut short: 50 of 100 bytes"),
    "cut in the first line": (lambda content: content[:10], "is not a SQLite database"),
    "too few pages": (declare_more_pages, r"is cut short: [\d,]+ of 4,096,000,000 bytes"),
}


def ask(path: Path) -> Result:
    """Ask a database for its rows: an executor, or its first query, says what is wrong with it."""
    with Executor(path) as sandbox:
        return sandbox.run(COUNT)


@pytest.mark.parametrize(("change", "message"), NO_DATABASE.values(), ids=NO_DATABASE)
def test_a_file_that_is_no_database_says_what_it_is(
    database: Path, change: Callable[[bytes], bytes], message: str
) -> None:
    database.write_bytes(change(database.read_bytes()))
    before = folder_state(database.parent)
    with pytest.raises(UnusableDatabaseError, match=message) as caught:
        ask(database)
    assert str(caught.value).startswith(f"{database} is ")
    assert re.match(message, file_fault(database) or "")
    assert folder_state(database.parent) == before


def test_a_damaged_schema_is_found_by_the_first_query(database: Path) -> None:
    content = bytearray(database.read_bytes())
    content[100:200] = b"\xff" * 100
    database.write_bytes(content)
    with pytest.raises(UnusableDatabaseError, match="damaged"):
        ask(database)


@pytest.mark.parametrize("path", ["/dev/null", "/dev/zero", "/dev/stdin", "/dev/tty"])
def test_a_device_is_not_read(path: str) -> None:
    if not Path(path).exists():
        pytest.skip("this system has no such device")
    assert file_fault(Path(path)) is not None
    with pytest.raises(UnusableDatabaseError):
        Executor(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no such pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UnusableDatabaseError, match="is not a regular file"):
        Executor(tmp_path / "pipe")


@pytest.mark.skipif(sys.platform != "linux", reason="needs files with holes")
def test_a_huge_file_of_zeros_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "zeros"
    with path.open("wb") as file:
        file.truncate(4 * GIGABYTE)
    with pytest.raises(UnusableDatabaseError, match="is not a SQLite database"):
        ask(path)


@pytest.mark.skipif(sys.platform != "linux", reason="needs files with holes")
@pytest.mark.parametrize("n_pages", ["as it was", "all"])
def test_a_database_with_4_gb_of_zeros_behind_it_is_read(database: Path, n_pages: str) -> None:
    """SQLite reads the pages that it needs, not the file."""
    with database.open("r+b") as file:
        file.truncate(4 * GIGABYTE)
        if n_pages == "all":
            file.seek(28)
            file.write(struct.pack(">I", 4 * GIGABYTE // 4096))
    assert ask(database).rows == ((2000,),)
