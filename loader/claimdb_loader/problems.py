"""Collects what is wrong with claims files, so that one error can list up to 20 faults at once."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Final

from claimdb_metric.errors import ClaimFileError

MAX_LISTED: Final = 20
logger = logging.getLogger("claimdb")


@dataclass
class Problems:
    """The faults found so far, and the unknown keys that were left out."""

    lines: list[str] = field(default_factory=list)
    unknown_keys: dict[str, str] = field(default_factory=dict)

    def add(self, path: str, line: int, reason: str) -> None:
        """Note one fault at a 1-based line of a file."""
        self.lines.append(f"{PurePath(path).name}:{line}: {reason}")

    @property
    def is_full(self) -> bool:
        """Whether as many faults are known as one error lists."""
        return len(self.lines) >= MAX_LISTED

    def see_key(self, key: str, path: str) -> None:
        """Warn, once for each key, that a key is none of ours and its values are left out."""
        if key not in self.unknown_keys:
            self.unknown_keys[key] = path
            logger.warning(
                "%s: key %s is not part of a claim row; its values are left out",
                PurePath(path).name,
                json.dumps(key, ensure_ascii=False),
            )

    def raise_if_any(self) -> None:
        """Raise ClaimFileError when a fault was noted."""
        if not self.lines:
            return
        shown = self.lines[:MAX_LISTED]
        more = ", and perhaps more" if self.is_full else ""
        raise ClaimFileError(
            f"{len(shown)} problem{'s' if len(shown) > 1 else ''}{more} in claims files; "
            "mend these lines and load again (a claims file holds one JSON object a line):\n  "
            + "\n  ".join(shown)
        )
