"""One file out of a large zip: found by name, copied by ranges, unpacked and checked.

The upstream zips hold tens of GB; the reader behind them fetches only the bytes that are asked for.
"""

from __future__ import annotations

import os
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final, Protocol

from claimdb_metric.errors import ClaimDBError, DatabaseFileError

COPY_BYTES: Final = 8 << 20
MAX_DATABASE_BYTES: Final = 64 << 30
"""A database of unknown size may not unpack to more; BIRD's largest is a few GB."""

_LOCAL_HEADER_BYTES: Final = 30

_ZIP_ERRORS: Final = (zipfile.BadZipFile, NotImplementedError, ValueError, struct.error)
"""What zipfile raises on a damaged directory."""

Progress = Callable[[int], object]


class Readable(Protocol):
    """What is needed of a file that holds a zip."""

    def read(self, n_bytes: int = -1, /) -> bytes: ...
    def seek(self, offset: int, whence: int = 0, /) -> int: ...
    def tell(self) -> int: ...


@dataclass(frozen=True)
class Member:
    """Where one database lies in a zip."""

    name: str
    data_offset: int
    compressed_bytes: int
    n_bytes: int
    crc32: int
    is_deflated: bool


def database_names(file: Readable, zip_name: str) -> list[str]:
    """Return the names of the databases in a zip, sorted."""
    paths = [_path(info) for info in _infos(file, zip_name)]
    return sorted({path.stem for path in paths if _is_database(path, path.stem)})


def find_member(file: Readable, zip_name: str, db_name: str) -> Member | None:
    """Return where `<db_name>.sqlite` lies in a zip, in whatever folder; None if it is absent.

    Args:
        file: a seekable file; only its directory of contents and 30 bytes more are read.

    Raises:
        DatabaseFileError: not a zip, an unsafe or ambiguous member, an unknown compression.
    """
    found = [info for info in _infos(file, zip_name) if _is_database(_path(info), db_name)]
    if not found:
        return None
    if len(found) > 1:
        names = ", ".join(info.filename for info in found[:5])
        raise DatabaseFileError(f"{zip_name} holds {db_name}.sqlite more than once: {names}")
    info = found[0]
    place = f"{info.filename} in {zip_name}"
    if _path(info).is_absolute() or ".." in _path(info).parts:
        raise DatabaseFileError(f"{place} points outside of the zip; the zip is not to be trusted")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or info.flag_bits & 1:
        raise DatabaseFileError(f"{place} is encrypted or packed in a way that is not supported")
    return Member(
        name=info.filename,
        data_offset=_data_offset(file, info.header_offset, place),
        compressed_bytes=info.compress_size,
        n_bytes=info.file_size,
        crc32=info.CRC,
        is_deflated=info.compress_type == zipfile.ZIP_DEFLATED,
    )


def _infos(file: Readable, zip_name: str) -> list[zipfile.ZipInfo]:
    """Return the entries of a zip that are files."""
    try:
        with zipfile.ZipFile(file) as archive:
            return [info for info in archive.infolist() if not info.is_dir()]
    except _ZIP_ERRORS as error:
        if isinstance(error.__context__, ClaimDBError):
            raise error.__context__ from None  # zipfile takes any OSError for a bad zip
        file.seek(0)
        head = file.read(512).lstrip()
        if head.startswith(b"<"):
            raise DatabaseFileError(f"{zip_name} is an HTML page, not a zip") from error
        if head.startswith(b"version https://git-lfs"):
            raise DatabaseFileError(
                f"{zip_name} is a Git LFS pointer, not a zip: `git lfs pull` brings the file itself"
            ) from error
        raise DatabaseFileError(f"{zip_name} is not a readable zip: {error}") from error


def _path(info: zipfile.ZipInfo) -> PurePosixPath:
    return PurePosixPath(info.filename.replace("\\", "/"))


def _is_database(path: PurePosixPath, db_name: str) -> bool:
    return path.name == f"{db_name}.sqlite" and "__MACOSX" not in path.parts


def _data_offset(file: Readable, header_offset: int, place: str) -> int:
    header = b""
    if 0 <= header_offset < file.seek(0, 2):
        file.seek(header_offset)
        header = file.read(_LOCAL_HEADER_BYTES)
    if len(header) < _LOCAL_HEADER_BYTES or header[:4] != b"PK\x03\x04":
        raise DatabaseFileError(f"{place} has no header where the zip says; the zip is damaged")
    name_bytes, extra_bytes = struct.unpack_from("<HH", header, 26)
    return int(header_offset + _LOCAL_HEADER_BYTES + name_bytes + extra_bytes)


def copy_packed(file: Readable, member: Member, part: Path, progress: Progress) -> None:
    """Append to `part` what it still lacks of the member's packed bytes, so that a retry resumes.

    Raises:
        DatabaseFileError: the zip ends before the member does.
    """
    have = part.stat().st_size if part.exists() else 0
    if have > member.compressed_bytes:
        part.unlink()
        have = 0
    progress(have)
    file.seek(member.data_offset + have)
    with part.open("ab") as out:
        while have < member.compressed_bytes:
            block = file.read(min(COPY_BYTES, member.compressed_bytes - have))
            if not block:
                raise DatabaseFileError(f"{member.name}: the zip ends before the file does")
            out.write(block)
            out.flush()
            have += len(block)
            progress(len(block))


def unpack(part: Path, member: Member, target: Path) -> None:
    """Write the member's unpacked bytes to `target` and force them to disk.

    Raises:
        DatabaseFileError: more bytes than declared (a decompression bomb), fewer, or a wrong CRC.
    """
    crc32 = n_bytes = 0
    with target.open("wb") as out:
        for block in _unpacked_blocks(part, member):
            n_bytes += len(block)
            if n_bytes > member.n_bytes:
                raise DatabaseFileError(
                    f"{member.name} unpacks to more than its declared {member.n_bytes:,} bytes"
                )
            crc32 = zlib.crc32(block, crc32)
            out.write(block)
        out.flush()
        os.fsync(out.fileno())
    if n_bytes != member.n_bytes or crc32 != member.crc32:
        raise DatabaseFileError(
            f"{member.name} is damaged: {n_bytes:,} of {member.n_bytes:,} bytes, CRC "
            f"{crc32:08x} instead of {member.crc32:08x}; what was fetched is discarded, try again"
        )


def _unpacked_blocks(part: Path, member: Member) -> Iterator[bytes]:
    with part.open("rb") as packed:
        if not member.is_deflated:
            while block := packed.read(COPY_BYTES):
                yield block
            return
        inflate = zlib.decompressobj(-zlib.MAX_WBITS)
        while block := packed.read(COPY_BYTES):
            while block:
                try:
                    yield inflate.decompress(block, COPY_BYTES)
                except zlib.error as error:
                    raise DatabaseFileError(f"{member.name} is damaged: {error}") from error
                block = inflate.unconsumed_tail
        yield inflate.flush()
