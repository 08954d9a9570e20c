"""The rows of a table: all of them in a stream, or some of them drawn at random."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

Row = tuple[Any, ...]

LOOKUP_COST: Final = 5
"""To look one row up takes about as long as to step over so many in a scan."""

MAX_DRAWS: Final = 50
"""After so many times the expected draws the table has changed since it was counted."""

_ROWID_NAMES: Final = ("rowid", "_rowid_", "oid")


@dataclass(frozen=True)
class Table:
    """A table of an open database; a view is none.

    >>> Table(sqlite3.connect(":memory:"), 'a "b"').quoted
    '"a ""b""\"'
    """

    connection: sqlite3.Connection
    name: str

    @property
    def quoted(self) -> str:
        """The name as it stands in SQL."""
        return '"' + self.name.replace('"', '""') + '"'

    def columns(self) -> tuple[str, ...]:
        """Return the names of the columns that `SELECT *` gives, generated ones too."""
        cursor = self.connection.execute(f"SELECT * FROM {self.quoted} LIMIT 0")
        return tuple(column[0] for column in cursor.description)

    def n_rows(self) -> int:
        """Return the exact number of rows."""
        return int(self.connection.execute(f"SELECT count(*) FROM {self.quoted}").fetchone()[0])

    def rows(self) -> Iterator[Row]:
        """Yield every row; holds one at a time."""
        yield from self.connection.execute(f"SELECT * FROM {self.quoted}")

    def sample(self, n_rows: int, n_wanted: int, draw: random.Random) -> Iterator[Row]:
        """Yield rows drawn without replacement, each with the same chance.

        Rowids are drawn between the least and the greatest, and those that no row has are thrown
        away, so gaps favour no row. Where there are no rowids (WITHOUT ROWID, virtual tables), all
        three names of it are columns, or gaps are wide, the table is scanned for places drawn.

        Args:
            n_rows: of the table.
            n_wanted: how many to draw, at most n_rows.
            draw: the source of chance.
        """
        bounds = self._rowid_bounds()
        if bounds is not None:
            name, low, high = bounds
            expected_draws = n_wanted * (high - low + 1) / max(n_rows, 1)
            if expected_draws * LOOKUP_COST < n_rows:
                max_draws = int(expected_draws * MAX_DRAWS) + 1
                yield from self._by_rowid(name, range(low, high + 1), n_wanted, draw, max_draws)
                return
        yield from self._by_place(sorted(draw.sample(range(n_rows), n_wanted)))

    def _by_rowid(
        self, name: str, span: range, n_wanted: int, draw: random.Random, max_draws: int
    ) -> Iterator[Row]:
        query = f"SELECT * FROM {self.quoted} WHERE {name} = ?"
        found: set[int] = set()
        n_draws = 0
        while len(found) < n_wanted and n_draws < max_draws:
            # Never more than are still wanted: to leave out some at the end would favour others.
            n_batch = n_wanted - len(found)
            batch = {span[draw.randrange(len(span))] for _ in range(n_batch)} - found
            n_draws += n_batch
            for rowid in sorted(batch):
                row = self.connection.execute(query, (rowid,)).fetchone()
                if row is not None:
                    found.add(rowid)
                    yield row

    def _by_place(self, places: list[int]) -> Iterator[Row]:
        rows = self.rows()
        next_place = 0
        for place in places:
            yield from islice(rows, place - next_place, place - next_place + 1)
            next_place = place + 1

    def _rowid_bounds(self) -> tuple[str, int, int] | None:
        """A name of the rowid that no column hides, and its least and greatest value."""
        columns = {column.lower() for column in self.columns()}
        names = [name for name in _ROWID_NAMES if name not in columns]
        if not names or self._is_virtual():
            return None
        least, greatest = (
            f"(SELECT {end}({names[0]}) FROM {self.quoted})" for end in ("min", "max")
        )
        try:
            low, high = self.connection.execute(f"SELECT {least}, {greatest}").fetchone()
        except sqlite3.OperationalError as error:
            if "no such column" in str(error):  # WITHOUT ROWID
                return None
            raise
        return None if low is None else (names[0], low, high)

    def _is_virtual(self) -> bool:
        """Whether a module makes the rows up: it may scan all of them to find one."""
        query = "SELECT rootpage FROM sqlite_master WHERE type = 'table' AND name = ?"
        return not self.connection.execute(query, (self.name,)).fetchone()[0]
