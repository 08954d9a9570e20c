"""Files are whole or not there; a full or locked disk says what to do."""

from __future__ import annotations

import errno
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from claimdb_loader.databases import open_database
from claimdb_loader.sample_files import DATABASES, unpacked
from claimdb_loader.storage import replace_atomically, require_space, storage_errors
from claimdb_metric.errors import DatabaseFileError, UnavailableError
from tests.loader.made_databases import database_bytes, listing, locked_folder, make_zip


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A real disk of 64 kB."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting a tiny disk is not permitted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture(params=["sample", "zip"])
def bring(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], object]:
    """Each thing that writes to the cache."""
    if request.param == "sample":
        return lambda: unpacked(DATABASES[0])
    content = database_bytes(10, blob_bytes=300_000)
    make_zip(tmp_path / "copy" / "test_databases.zip", {"superhero.sqlite": content})
    return lambda: open_database("superhero", data_dir=tmp_path / "copy")


def whole_files(folder: Path) -> list[str]:
    return [name for name in listing(folder) if name.endswith((".sqlite", ".new"))]


def test_a_full_disk(
    tiny_disk: Path, monkeypatch: pytest.MonkeyPatch, bring: Callable[[], object]
) -> None:
    monkeypatch.setenv("CLAIMDB_CACHE_DIR", str(tiny_disk))
    with pytest.raises(UnavailableError, match=f"no space left in {tiny_disk}.*CLAIMDB_CACHE_DIR"):
        bring()
    assert whole_files(tiny_disk) == []


def test_a_disk_that_fills_up_midway(
    tiny_disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The room is there when it is asked for, and gone when the bytes come."""
    monkeypatch.setenv("CLAIMDB_CACHE_DIR", str(tiny_disk))
    monkeypatch.setattr("claimdb_loader.database_transfer.require_space", lambda *_: None)
    content = database_bytes(10, blob_bytes=300_000)
    make_zip(tmp_path / "copy" / "test_databases.zip", {"superhero.sqlite": content})
    with pytest.raises(UnavailableError, match=r"no space left in .*superhero: free some, or set"):
        open_database("superhero", data_dir=tmp_path / "copy")
    assert whole_files(tiny_disk) == []


def test_a_folder_that_may_not_be_written(cache_dir: Path, bring: Callable[[], object]) -> None:
    cache_dir.mkdir()
    with (
        locked_folder(cache_dir),
        pytest.raises(UnavailableError, match=r"cannot write to .*: set CLAIMDB_CACHE_DIR"),
    ):
        bring()
    assert listing(cache_dir) == {}


def test_a_file_where_the_folder_should_be(cache_dir: Path, bring: Callable[[], object]) -> None:
    cache_dir.write_text("a file")
    with pytest.raises(UnavailableError, match=r"cannot write to .*: set CLAIMDB_CACHE_DIR"):
        bring()
    assert cache_dir.read_text() == "a file"


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (errno.ENOSPC, "no space left in /x: free some"),
        (errno.EDQUOT, "no space left in /x: free some"),
        (errno.EACCES, "cannot write to /x"),
        (errno.EROFS, "cannot write to /x"),
    ],
)
def test_errors_of_a_disk(number: int, message: str) -> None:
    with pytest.raises(UnavailableError, match=message), storage_errors(Path("/x")):
        raise OSError(number, "text of the system")


@pytest.mark.parametrize(
    "error", [OSError(errno.EIO, "i/o"), DatabaseFileError("ours"), UnavailableError("ours")]
)
def test_other_errors_pass_as_they_are(error: Exception) -> None:
    with pytest.raises(type(error)) as caught, storage_errors(Path("/x")):
        raise error
    assert caught.value is error


def test_space_is_asked_for_before(tmp_path: Path) -> None:
    require_space(tmp_path, 1)
    with pytest.raises(UnavailableError, match=r"1,000,000,000,000,000,000 bytes are needed and"):
        require_space(tmp_path, 10**18)


def test_a_file_is_replaced_in_one_step(tmp_path: Path) -> None:
    target = tmp_path / "a"
    (tmp_path / "a.new").write_bytes(b"a file of the user's own")
    for content in (b"one", b"two"):
        replace_atomically(target, content)
        assert listing(tmp_path) == {"a": content, "a.new": b"a file of the user's own"}
