"""Collects what is wrong with claims files, so that one error can list up to 20 faults at once."""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import Final

from claimdb_loader.notices import OnceLog
from claimdb_metric.errors import ClaimFileError

MAX_LISTED: Final = 20
_HOLDS: Final = {
    "lines": "a claims file holds one JSON object a line",
    "rows": "a Parquet file holds one claim a row",
}


class Problems:
    """The faults found so far; keys that are none of ours are only warned of.

    Args:
        log: where a warning is given once; a fresh one by default.
    """

    def __init__(self, log: OnceLog | None = None) -> None:
        self.lines: list[str] = []
        self._log = log or OnceLog()
        self._parquet_paths: set[str] = set()
        self._places: set[str] = set()

    def count_rows_of(self, path: str) -> None:
        """Remember that places in this file are rows of Parquet, not lines."""
        self._parquet_paths.add(path)

    def add(self, path: str, line: int, reason: str) -> None:
        """Note one fault at a 1-based line, or row, of a file."""
        self.lines.append(f"{shown_path(path)}:{line}: {reason}")
        self._places.add("rows" if path in self._parquet_paths else "lines")

    @property
    def is_full(self) -> bool:
        """Whether as many faults are known as one error lists."""
        return len(self.lines) >= MAX_LISTED

    def see_key(self, key: str) -> None:
        """Warn, once for each key, that a key is none of ours and its values are left out."""
        name = json.dumps(key, ensure_ascii=False)
        self._log.warn(f"key {name} is not part of a claim row; its values are left out")

    def raise_if_any(self) -> None:
        """Raise ClaimFileError when a fault was noted."""
        if not self.lines:
            return
        shown = self.lines[:MAX_LISTED]
        more = ", and perhaps more" if self.is_full else ""
        places = sorted(self._places)
        raise ClaimFileError(
            f"{len(shown)} problem{'s' if len(shown) > 1 else ''}{more} in claims files; "
            f"mend these {' and '.join(places)} and load again "
            f"({'; '.join(_HOLDS[place] for place in places)}):\n  " + "\n  ".join(shown)
        )


def shown_path(path: str) -> str:
    """Return a file's name with its folder's, which tells apart files of the same name.

    >>> shown_path("/data/mine/train.jsonl"), shown_path("train.jsonl")
    ('mine/train.jsonl', 'train.jsonl')
    """
    return "/".join(PurePath(path).parts[-2:])
