"""One member of a zip: found, copied in steps, unpacked, and never trusted."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from claimdb_loader.zip_member import (
    copy_packed,
    database_names,
    find_member,
)
from claimdb_metric.errors import DatabaseFileError
from tests.loader.made_databases import make_large_zip, noise
from tests.loader.zips import CONTENT, CountingFile, bring, zipped


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize(
    "name",
    [
        "superhero.sqlite",
        "superhero/superhero.sqlite",
        "train/train_databases/superhero/superhero.sqlite",
        "train\\superhero\\superhero.sqlite",
        "ünïcode/superhero.sqlite",
    ],
)
def test_a_member_is_found_by_its_file_name(tmp_path: Path, name: str, compression: int) -> None:
    others = {
        "__MACOSX/superhero/superhero.sqlite": b"resource fork",
        "superhero/database_description/hero.csv": b"csv",
        "superhero.sqlite/": b"",
        "not_superhero.sqlite": b"x",
        "superhero.sqlite.bak": b"x",
    }
    file = zipped(tmp_path, {**others, name: CONTENT}, compression=compression)
    member = find_member(file, "a.zip", "superhero")
    assert member is not None
    assert (member.name, member.n_bytes) == (name, len(CONTENT))
    assert bring(file, member, tmp_path) == CONTENT
    assert find_member(file, "a.zip", "hero") is None
    assert database_names(file, "a.zip") == ["not_superhero", "superhero"]


def test_only_the_directory_and_the_member_are_read(tmp_path: Path) -> None:
    path = make_large_zip(tmp_path / "a.zip", {"superhero.sqlite": CONTENT}, filler_megabytes=8)
    file = CountingFile(path.read_bytes())
    member = find_member(file, "a.zip", "superhero")
    assert member is not None
    assert bring(file, member, tmp_path) == CONTENT
    assert file.n_read < 1000 + member.compressed_bytes


@pytest.mark.parametrize("n_before", [0, 1, 100, "all"])
def test_a_copy_goes_on_where_it_stopped(tmp_path: Path, n_before: int | str) -> None:
    file = zipped(tmp_path, {"superhero.sqlite": noise(100_000)})
    member = find_member(file, "a.zip", "superhero")
    assert member is not None
    whole = file.getvalue()[member.data_offset : member.data_offset + member.compressed_bytes]
    have = len(whole) if n_before == "all" else int(n_before)
    (tmp_path / "part").write_bytes(whole[:have])
    steps: list[int] = []
    file.n_read = 0
    copy_packed(file, member, tmp_path / "part", steps.append)
    assert (tmp_path / "part").read_bytes() == whole
    assert (sum(steps), file.n_read) == (member.compressed_bytes, len(whole) - have)


def test_a_part_that_is_too_long_is_thrown_away(tmp_path: Path) -> None:
    file = zipped(tmp_path, {"superhero.sqlite": CONTENT})
    member = find_member(file, "a.zip", "superhero")
    assert member is not None
    (tmp_path / "part").write_bytes(noise(10_000))
    assert bring(file, member, tmp_path) == CONTENT


def test_a_zip_that_ends_early(tmp_path: Path) -> None:
    file = zipped(tmp_path, {"superhero.sqlite": noise(1000)})
    member = find_member(file, "a.zip", "superhero")
    assert member is not None
    file.truncate(member.data_offset + 500)
    with pytest.raises(DatabaseFileError, match="the zip ends before the file does"):
        copy_packed(file, member, tmp_path / "part", lambda n: None)
