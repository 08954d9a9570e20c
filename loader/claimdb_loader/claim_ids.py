"""Finds a claim_id that stands twice, within a split or across splits, and says where."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from claimdb_loader.problems import MAX_LISTED, Problems, shown_path

IntArray = np.ndarray[Any, np.dtype[np.int64]]


class ClaimIds:
    """The claim_ids of one split in reading order, with the file and line of each."""

    def __init__(self) -> None:
        self._ids: list[IntArray] = []
        self._places: list[tuple[str, IntArray]] = []

    def add(self, path: str, ids: IntArray, lines: IntArray) -> None:
        """Remember the ids of one block and the 1-based line of each."""
        self._ids.append(ids)
        self._places.append((path, lines))

    def note_duplicates(self, problems: Problems, other_splits: Iterable[ClaimIds] = ()) -> None:
        """Add a problem for each id that stands a second time here, or also in another split."""
        ids = self.all()
        order = np.argsort(ids, kind="stable")
        again = np.flatnonzero(ids[order][1:] == ids[order][:-1]) + 1
        for second in np.sort(order[again])[:MAX_LISTED]:
            self._note(problems, ids[second], int(second), self, _first(ids, ids[second]))
        for other in other_splits:
            other_ids = other.all()
            for claim_id in np.intersect1d(ids, other_ids)[:MAX_LISTED]:
                first = _first(other_ids, claim_id)
                self._note(problems, claim_id, _first(ids, claim_id), other, first)

    def all(self) -> IntArray:
        """Return every id in reading order."""
        return np.concatenate(self._ids) if self._ids else np.empty(0, np.int64)

    def place(self, position: int) -> tuple[str, int]:
        """Return (file, line) of the id at a position of `all()`."""
        starts = np.cumsum([0] + [len(block) for block in self._ids])
        block = int(np.searchsorted(starts, position, side="right")) - 1
        path, lines = self._places[block]
        return path, int(lines[position - starts[block]])

    def _note(
        self, problems: Problems, claim_id: int, position: int, other: ClaimIds, first: int
    ) -> None:
        if problems.is_full:
            return
        first_path, first_line = other.place(first)
        reason = f"claim_id {claim_id} stands already at {shown_path(first_path)}:{first_line}"
        problems.add(*self.place(position), reason)


def _first(ids: IntArray, claim_id: int) -> int:
    return int(np.flatnonzero(ids == claim_id)[0])
