"""A small table of counts, and rows that have it."""

from __future__ import annotations

from claimdb_metric import LABELS

# Rows by label, columns by answer (E, C, NEI, invalid).
TABLE = [[5, 2, 2, 1], [1, 3, 4, 0], [0, 1, 6, 5]]


def rows_of(table: list[list[int]]) -> tuple[list[str], list[str]]:
    """Return predictions and references that have this table of counts."""
    answers = (*LABELS, "no label")
    cells = [(row, column) for row in range(3) for column in range(4)]
    pairs = [cell for cell in cells for _ in range(table[cell[0]][cell[1]])]
    return [answers[column] for _, column in pairs], [LABELS[row] for row, _ in pairs]
