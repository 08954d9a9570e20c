"""Zips in memory, and one member brought out of them."""

from __future__ import annotations

import io
from pathlib import Path

from claimdb_loader.zip_member import (
    Member,
    copy_packed,
    find_member,
    unpack,
)
from tests.loader.made_databases import make_zip

CONTENT = b"SQLite format 3\0" + b"rows " * 1000


class CountingFile(io.BytesIO):
    """A file that knows how much of it was read."""

    n_read = 0

    def read(self, size: int | None = -1, /) -> bytes:
        block = super().read(size)
        self.n_read += len(block)
        return block


def zipped(tmp_path: Path, members: dict[str, bytes], **options: int) -> CountingFile:
    return CountingFile(make_zip(tmp_path / "a.zip", members, **options).read_bytes())


def bring(file: CountingFile, member: Member, folder: Path) -> bytes:
    copy_packed(file, member, folder / "part", lambda n: None)
    unpack(folder / "part", member, folder / "target")
    return (folder / "target").read_bytes()


def find_and_bring(file: CountingFile, folder: Path) -> bytes | None:
    member = find_member(file, "a.zip", "superhero")
    return bring(file, member, folder) if member else None
