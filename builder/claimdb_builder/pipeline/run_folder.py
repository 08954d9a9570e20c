"""The folder of a run: made, marked with its format, held by one build at a time."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from claimdb_builder.pipeline.stage_folder import as_json
from claimdb_loader.storage import replace_atomically
from claimdb_metric.errors import DataError, UnavailableError

RUN_FORMAT: Final = 1
"""Of a run's folder; another one is not read."""

_NO_SPACE: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def run_folder(out: Path) -> Iterator[None]:
    """Hold a run's folder, which one build at a time may have.

    Raises:
        DataError: it is no folder of a run, or of another version, or another build holds it.
        UnavailableError: no space is left in it.
    """
    if out.exists() and not out.is_dir():
        raise DataError(f"{out} is a file; --out names a folder")
    mark = out / "run.json"
    if not mark.exists() and out.is_dir() and any(_not_ours(out)):
        raise DataError(f"{out} holds other files and is no run of `claimdb build`; name a new one")
    out.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(out / ".lock", timeout=0), _space(out):
            _check_format(mark)
            for left_over in _left_over(out):
                left_over.unlink()
            yield
    except Timeout:
        raise DataError(
            f"another build is running in {out}; wait for it, or name another"
        ) from None


def _not_ours(out: Path) -> Iterator[Path]:
    ours = (".lock", *(path.name for path in _left_over(out)))
    return (path for path in out.iterdir() if path.name not in ours)


def _left_over(out: Path) -> list[Path]:
    """What a build that was killed did not come to name."""
    names = ("run", "funnel", "databases")
    folder_files = [path for name in names for path in out.glob(f".{name}.json.*.new")]
    return [*folder_files, *out.glob("stages/*/.*.new")]


def _check_format(mark: Path) -> None:
    if not mark.exists():
        replace_atomically(mark, as_json({"format": RUN_FORMAT}))
        return
    try:
        found = json.loads(mark.read_bytes())["format"]
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"{mark} is damaged ({error!r}); name another --out") from None
    if found != RUN_FORMAT:
        raise DataError(
            f"{mark.parent} was made by another version of ClaimDB (format {found}, this one has "
            f"{RUN_FORMAT}); name another --out, or use that version"
        )


@contextmanager
def _space(out: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in _NO_SPACE:
            raise
        raise UnavailableError(
            f"no space left for {out}: free some and give the same command again; what was done "
            "is kept"
        ) from error
