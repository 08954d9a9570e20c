"""Files that are whole or not there, and clear errors when the disk refuses them."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from claimdb_loader.cache_folder import CACHE_VARIABLE
from claimdb_metric.errors import ClaimDBError, UnavailableError

_NO_SPACE: Final = (errno.ENOSPC, errno.EDQUOT)
_NOT_WRITABLE: Final = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST)


@contextmanager
def storage_errors(folder: Path) -> Iterator[None]:
    """Turn the errors of a full or read-only disk into UnavailableError with what to do."""
    try:
        yield
    except ClaimDBError:
        raise
    except OSError as error:
        if error.errno in _NO_SPACE:
            raise UnavailableError(
                f"no space left in {folder}: free some, or set {CACHE_VARIABLE} to a larger disk"
            ) from error
        if error.errno in _NOT_WRITABLE:
            raise UnavailableError(
                f"cannot write to {folder}: set {CACHE_VARIABLE} to a folder that you may write to"
            ) from error
        raise


def require_space(
    folder: Path, n_bytes: int, or_else: str = f"set {CACHE_VARIABLE} to a larger disk"
) -> None:
    """Raise UnavailableError when a folder's disk has less than `n_bytes` free.

    Args:
        or_else: what to do, beside freeing some.
    """
    free = shutil.disk_usage(folder).free
    if free < n_bytes:
        raise UnavailableError(
            f"no space left in {folder}: {n_bytes:,} bytes are needed and {free:,} are free; "
            f"free some, or {or_else}"
        )


def replace_atomically(target: Path, content: bytes) -> None:
    """Write a file under a temporary name, force it to disk, then give it its name."""
    # A name that nobody else has: two processes may write one file, OUT.new may be a user's own.
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.new")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileNotFoundError):
            temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
