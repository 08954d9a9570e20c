"""A table as `table_folders` loads it: names, SQLite types, and values a batch at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from claimdb_metric.errors import DataError

BATCH_ROWS: Final = 10_000
"""Rows that are values of Python at one time; more made loading no faster."""

_MAX_REASON_CHARS: Final = 200


@dataclass(frozen=True)
class TypedTable:
    """A table that was looked through but not yet read.

    Args:
        columns: the names in the file, which may be empty or stand twice.
        types: the SQLite type of each.
        batches: reads the file; gives for each batch of rows the values of each column.
    """

    columns: tuple[str, ...]
    types: tuple[str, ...]
    batches: Callable[[], Iterator[Sequence[Sequence[object]]]]


@contextmanager
def reading(path: Path, kind: str, what_to_do: Callable[[str], str]) -> Iterator[None]:
    """Turn what pyarrow raises into DataError.

    Args:
        path: the file that is read.
        kind: what it should be.
        what_to_do: the advice for a reason.
    """
    import pyarrow as pa

    try:
        yield
    except DataError:
        raise
    except (pa.ArrowException, OSError, EOFError, ValueError, OverflowError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0][:_MAX_REASON_CHARS]
        raise DataError(
            f"{path} cannot be read as {kind} ({reason}); {what_to_do(reason)}"
        ) from error
