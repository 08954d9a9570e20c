"""Small databases and zips for the tests of database handles."""

from __future__ import annotations

import os
import random
import sqlite3
import struct
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

NOBODY = 65534
MEGABYTE = 1 << 20

DDL = "CREATE TABLE heroes (id INTEGER PRIMARY KEY, name TEXT NOT NULL)"


def make_database(path: Path, n_rows: int = 3, *, ddl: str = DDL, wal: bool = False) -> Path:
    """A database with heroes 1..n_rows; folders are made as needed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        if wal:
            connection.execute("PRAGMA journal_mode=WAL")
        connection.execute(ddl)
        rows = ((number, f"hero {number}") for number in range(1, n_rows + 1))
        if ddl == DDL:
            connection.executemany("INSERT INTO heroes VALUES (?, ?)", rows)
        connection.commit()
    return path


def database_bytes(n_rows: int = 3, blob_bytes: int = 0) -> bytes:
    """The content of such a database; with `blob_bytes` it also holds that much noise."""
    with tempfile.TemporaryDirectory() as folder:
        path = make_database(Path(folder) / "made.sqlite", n_rows)
        if blob_bytes:
            with closing(sqlite3.connect(path)) as connection:
                connection.execute("CREATE TABLE noise (content BLOB)")
                connection.execute("INSERT INTO noise VALUES (?)", [noise(blob_bytes)])
                connection.commit()
        return path.read_bytes()


def noise(n_bytes: int) -> bytes:
    """Bytes that no packer makes smaller; the same every time."""
    return random.Random(0).randbytes(n_bytes)


def make_zip(
    path: Path, members: Mapping[str, bytes], *, compression: int = zipfile.ZIP_DEFLATED
) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", compression, compresslevel=1) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def make_large_zip(path: Path, members: Mapping[str, bytes], filler_megabytes: int) -> Path:
    """A zip with a stored filler, before the members, that no packer makes smaller."""
    block = noise(MEGABYTE)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        filler = zipfile.ZipInfo("train_databases/large/large.sqlite")
        with archive.open(filler, "w", force_zip64=True) as out:
            for _ in range(filler_megabytes):
                out.write(block)
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def listing(folder: Path) -> dict[str, bytes]:
    """Every file under a folder, with its content."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Nobody, not even root, can write to the folder while the block runs."""
    parents = [path for path in folder.parents if path.stat().st_uid == os.geteuid()]
    modes = {path: path.stat().st_mode for path in [folder, *parents]}
    is_root = os.geteuid() == 0
    for path in parents:
        path.chmod(modes[path] | 0o055)
    folder.chmod(0o555)
    if is_root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)
        for path, mode in modes.items():
            path.chmod(mode)


def with_entry(content: bytes, offset: int, value: int) -> bytes:
    """The zip with one 32-bit number of its first directory entry changed."""
    start = content.index(b"PK\x01\x02") + offset
    return content[:start] + struct.pack("<I", value) + content[start + 4 :]


def is_open(path: Path) -> bool:
    """Whether this process holds the file open."""
    return any(Path(link).resolve() == path for link in Path("/proc/self/fd").iterdir())
