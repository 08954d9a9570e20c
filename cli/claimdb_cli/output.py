"""How verbs print: tables for people, one JSON document for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from claimdb_metric.score_tables import TextTable

if TYPE_CHECKING:
    from rich.table import Table

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document, for programs.")]
DataDir = Annotated[
    str | None,
    typer.Option(help="Folder of a local copy; default is CLAIMDB_DATA_DIR.", show_default=False),
]
RepoId = Annotated[
    str | None,
    typer.Option(help="Hub dataset repository to use instead of upstream's.", show_default=False),
]

_LEAST_TEXT: Final = 16
"""To so many characters a column of text is folded where a terminal is narrow."""


def print_json(value: object) -> None:
    """Print a value as one JSON document; where stdout is not UTF-8, in ASCII."""
    typer.echo(json.dumps(value, ensure_ascii=not _is_utf8(), indent=2, allow_nan=False))


def _is_utf8() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print a table; numbers stand right and with thousands separators, None as a dash."""
    rows = [list(row) for row in rows]
    is_number = [all(isinstance(row[i], int | None) for row in rows) for i in range(len(columns))]
    cells = tuple(tuple(map(_cell, row)) for row in rows)
    right = frozenset(name for name, right in zip(columns, is_number, strict=True) if right)
    print_text_table(TextTable(title, tuple(columns), cells, right))


def print_text_table(table: TextTable) -> None:
    """Print a table whose cells are text.

    Numbers are never cut: on a narrow terminal text is folded, and then the lines are too long. In
    a pipe nothing is folded at all, so that every row is one line.
    """
    printable = TextTable(
        _printable(table.title),
        tuple(map(_printable, table.columns)),
        tuple(tuple(map(_printable, row)) for row in table.rows),
        frozenset(map(_printable, table.right)),
    )
    if sys.stdout.isatty():
        _print_folded(printable)
    else:
        _print_lines(printable)


def _print_folded(table: TextTable) -> None:
    from rich.console import Console
    from rich.markup import escape

    drawn = _table()
    fixed = 0
    for place, column in enumerate(table.columns):
        width = max(len(cells[place]) for cells in (table.columns, *table.rows))
        may_fold = column not in table.right and not column.startswith("95 %")
        fixed += 2 + (min(width, _LEAST_TEXT) if may_fold else width)
        side: Any = "right" if column in table.right else "left"
        drawn.add_column(escape(column), justify=side, overflow="fold", no_wrap=not may_fold)
    for row in table.rows:
        drawn.add_row(*map(escape, row))
    # Not as the table's own title, which is folded to the width of a narrow table.
    Console().print(f"[bold]{escape(table.title)}[/bold]", highlight=False)
    Console(width=max(Console().width, fixed)).print(drawn, crop=False)


def _print_lines(table: TextTable) -> None:
    """Print without rich, which takes 20 s for 100,000 rows, and draws all before the first."""
    from rich.cells import cell_len

    lines = (table.columns, *table.rows)
    widths = [max(cell_len(line[place]) for line in lines) for place in range(len(table.columns))]
    typer.echo(table.title)
    for number, line in enumerate(lines):
        cells = []
        for name, cell, width in zip(table.columns, line, widths, strict=True):
            space = " " * (width - cell_len(cell))
            cells.append(space + cell if name in table.right else cell + space)
        typer.echo("  ".join(cells).rstrip())
        if number == 0:
            typer.echo(("─" if _is_utf8() else "-") * (sum(widths) + 2 * (len(widths) - 1)))


def _table() -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    # No lines between columns and two spaces: a table of rates fits 80 columns without folding.
    return Table(
        header_style="bold",
        box=SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )


def printable_line(text: str) -> str:
    """Return a text without line breaks and what commands a terminal; SQL and files may hold it."""
    return _printable(" ".join(text.splitlines()))


def _printable(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) else str(value)
