"""A zip is never trusted: names, sizes, checksums and places that lie."""

from __future__ import annotations

import random
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from claimdb_loader.zip_member import (
    COPY_BYTES,
    Member,
    copy_packed,
    database_names,
    find_member,
    unpack,
)
from claimdb_metric.errors import DatabaseFileError
from tests.loader.made_databases import with_entry
from tests.loader.zips import CONTENT, CountingFile, bring, find_and_bring, zipped


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a/superhero.sqlite", "b/superhero.sqlite"], "more than once: a/superhero.sqlite, b/"),
        (["../superhero.sqlite"], "points outside of the zip"),
        (["a/../../superhero.sqlite"], "points outside of the zip"),
        (["..\\..\\superhero.sqlite"], "points outside of the zip"),
        (["/etc/superhero.sqlite"], "points outside of the zip"),
    ],
)
def test_names_that_are_not_to_be_trusted(tmp_path: Path, names: list[str], message: str) -> None:
    file = zipped(tmp_path, dict.fromkeys(names, CONTENT))
    with pytest.raises(DatabaseFileError, match=message):
        find_member(file, "a.zip", "superhero")


def test_the_same_name_twice(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("superhero.sqlite", b"one")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("superhero.sqlite", b"two")
    file = CountingFile((tmp_path / "a.zip").read_bytes())
    with pytest.raises(DatabaseFileError, match="more than once"):
        find_member(file, "a.zip", "superhero")


@pytest.mark.parametrize("compression", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2, "encrypted"])
def test_packing_that_is_not_supported(tmp_path: Path, compression: int | str) -> None:
    if isinstance(compression, int):
        file = zipped(tmp_path, {"superhero.sqlite": CONTENT}, compression=compression)
    else:
        content = bytearray(zipped(tmp_path, {"superhero.sqlite": CONTENT}).getvalue())
        content[content.index(b"PK\x01\x02") + 8] |= 1
        file = CountingFile(content)
    with pytest.raises(DatabaseFileError, match="encrypted or packed in a way"):
        find_member(file, "a.zip", "superhero")


LIES: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "a bomb": (lambda z: with_entry(z, 24, 100), "unpacks to more than its declared 100 bytes"),
    "more bytes than there are": (lambda z: with_entry(z, 24, 9999), "of 9,999 bytes"),
    "another CRC": (lambda z: with_entry(z, 16, 1), "instead of 00000001"),
    "fewer packed bytes": (lambda z: with_entry(z, 20, 30), "is damaged"),
    "another place": (lambda z: with_entry(z, 42, 7), "no header where the zip says"),
    "a place behind the end": (
        lambda z: with_entry(z, 42, 10**6),
        "no header where|not a readable",
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_directory_that_lies(tmp_path: Path, lie: str) -> None:
    change, message = LIES[lie]
    file = CountingFile(change(zipped(tmp_path, {"superhero.sqlite": CONTENT}).getvalue()))
    with pytest.raises(DatabaseFileError, match=message):
        find_and_bring(file, tmp_path)


def test_a_bomb_stops_long_before_it_is_unpacked(tmp_path: Path) -> None:
    """128 MB of zeros that say to be 100 bytes: nothing of them is written."""
    zeros = bytes(COPY_BYTES)
    with (
        zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("superhero.sqlite", "w") as out,
    ):
        for _ in range(16):
            out.write(zeros)
    file = CountingFile(with_entry((tmp_path / "a.zip").read_bytes(), 24, 100))
    member = find_member(file, "a.zip", "superhero")
    assert member is not None
    with pytest.raises(DatabaseFileError, match="more than its declared"):
        bring(file, member, tmp_path)
    assert (tmp_path / "target").stat().st_size <= 100


def test_packed_bytes_that_are_damaged(tmp_path: Path) -> None:
    file = zipped(tmp_path, {"superhero.sqlite": CONTENT})
    member = find_member(file, "a.zip", "superhero")
    assert member is not None
    copy_packed(file, member, tmp_path / "part", lambda n: None)
    (tmp_path / "part").write_bytes(b"\xff" * member.compressed_bytes)
    with pytest.raises(DatabaseFileError, match=r"superhero\.sqlite is damaged: "):
        unpack(tmp_path / "part", member, tmp_path / "target")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "a.zip is not a readable zip"),
        (b"PK\x03\x04 and so on", "a.zip is not a readable zip"),
        (b" <!DOCTYPE html><html>", "a.zip is an HTML page, not a zip"),
        (b"version https://git-lfs.github.com/spec/v1\n", "a.zip is a Git LFS pointer"),
    ],
)
def test_a_file_that_is_no_zip(content: bytes, message: str) -> None:
    for ask in (lambda f: find_member(f, "a.zip", "x"), lambda f: database_names(f, "a.zip")):
        with pytest.raises(DatabaseFileError, match=message):
            ask(CountingFile(content))


def test_a_zip64_member_with_zip64_numbers(tmp_path: Path) -> None:
    """The sizes and the place of the member stand in the zip64 fields, as beyond 4 GB."""
    file = zipped(tmp_path, {"superhero.sqlite": CONTENT})
    plain = file.getvalue()
    start = plain.index(b"PK\x01\x02")
    entry = bytearray(plain[start : plain.index(b"PK\x05\x06")])
    packed, n_bytes = struct.unpack_from("<II", entry, 20)
    extra = struct.pack("<HHQQQ", 1, 24, n_bytes, packed, 0)
    entry[20:28] = b"\xff" * 8
    entry[42:46] = b"\xff" * 4
    entry[30:32] = struct.pack("<H", len(extra))
    entry += extra
    end64 = struct.pack("<4sQ2H2I4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 1, 1, len(entry), start)
    locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, start + len(entry), 1)
    end = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, 1, 1, len(entry), 0xFFFFFFFF, 0)
    file = CountingFile(plain[:start] + bytes(entry) + end64 + locator + end)
    member = find_member(file, "a.zip", "superhero")
    crc32 = zlib.crc32(CONTENT)
    assert member == Member("superhero.sqlite", 46, packed, n_bytes, crc32, is_deflated=True)
    assert bring(file, member, tmp_path) == CONTENT


def test_damage_anywhere_is_an_error_of_ours(tmp_path: Path) -> None:
    """Bits flipped at random in the directory: the content comes out right, or a clear error."""
    whole = zipped(tmp_path, {"a/superhero.sqlite": CONTENT, "b.sqlite": b"b"}).getvalue()
    start = whole.index(b"PK\x01\x02")
    chance = random.Random(20)
    outcomes: set[bytes | str | None] = set()
    for _ in range(2000):
        damaged = bytearray(whole)
        for _ in range(chance.randint(1, 3)):
            damaged[chance.randrange(start, len(whole))] ^= 1 << chance.randrange(8)
        file = CountingFile(damaged)
        (tmp_path / "part").unlink(missing_ok=True)
        try:
            outcomes.add(find_and_bring(file, tmp_path))
        except DatabaseFileError:
            outcomes.add("error")
    assert outcomes == {CONTENT, None, "error"}
