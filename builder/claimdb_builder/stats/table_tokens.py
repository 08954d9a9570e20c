"""How many tokens a table has as text.

The text form of a table is a header line with the names of its columns, then a line for each row,
as Python's csv module writes them with "\\n" as line end: fields divided by commas, quoted only
where they need it, NULL as an empty field, floats as Python prints them. A blob stands as its
hexadecimal digits. Each line is counted for itself, so that the mean of a sample of lines times
their number is an unbiased estimate of all.
"""

from __future__ import annotations

import csv
import io
import math
import random
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from claimdb_builder.stats.table_rows import Table
from claimdb_builder.stats.token_counters import TokenCounting

Z_95: Final = 1.96


@dataclass(frozen=True)
class TokenCount:
    """The tokens of a table.

    Attributes:
        n_tokens: exact where every row was read, else the estimate.
        error_95: half the width of its 95 % interval; 0 where every row was read.
        n_rows_read: how many rows it is from.
    """

    n_tokens: int
    error_95: float
    n_rows_read: int


class CsvLines:
    """Writes one row after the other as a line of CSV."""

    def __init__(self) -> None:
        self._buffer = io.StringIO()
        self._writer = csv.writer(self._buffer, lineterminator="\n")

    def line(self, row: Iterable[object]) -> str:
        r"""Return the line of a row, with its line break.

        >>> CsvLines().line(["a,b", None, 1.5, b"\x00\xff"])
        '"a,b",,1.5,00ff\n'
        """
        self._buffer.seek(0)
        self._buffer.truncate()
        self._writer.writerow([v.hex() if isinstance(v, bytes) else v for v in row])
        return self._buffer.getvalue()


def count_tokens(table: Table, n_rows: int, counting: TokenCounting, key: str) -> TokenCount:
    """Return the tokens of a table, of a large one from a sample of its rows.

    Args:
        table: where the rows are.
        n_rows: how many there are.
        key: the table's own name among all tables, so that each has a draw of its own.

    >>> import sqlite3
    >>> from claimdb_builder.stats.token_counters import token_counter
    >>> connection = sqlite3.connect(":memory:")
    >>> _ = connection.execute("CREATE TABLE owl (id, name)")
    >>> _ = connection.execute("INSERT INTO owl VALUES (1, 'Ada')")
    >>> count_tokens(Table(connection, "owl"), 1, TokenCounting(token_counter("estimate")), "owl")
    TokenCount(n_tokens=8, error_95=0.0, n_rows_read=1)
    """
    lines = CsvLines()
    count = counting.counter.count
    is_sampled = n_rows > counting.sample_rows
    rows = table.rows()
    if is_sampled:
        draw = random.Random(f"{counting.seed}/{key}")
        rows = table.sample(n_rows, counting.sample_rows, draw)
    n_read = total = total_of_squares = 0
    for row in rows:
        n_tokens = count(lines.line(row))
        n_read += 1
        total += n_tokens
        total_of_squares += n_tokens * n_tokens
    header = count(lines.line(table.columns()))
    if not is_sampled or n_read < 2:
        return TokenCount(header + total, 0.0, n_read)
    # In integers, so that nothing is lost to rounding where rows are long and alike.
    variance = (n_read * total_of_squares - total * total) / (n_read * (n_read - 1))
    standard_error = math.sqrt(variance / n_read * (1 - n_read / n_rows))
    estimate = header + round(n_rows * total / n_read)
    return TokenCount(estimate, n_rows * Z_95 * standard_error, n_read)
