"""How verbs print: tables for people, one JSON document for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol

import typer

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


class TextTable(Protocol):
    """A table whose cells are text already; the columns in `right` are aligned right."""

    @property
    def title(self) -> str: ...
    @property
    def columns(self) -> tuple[str, ...]: ...
    @property
    def rows(self) -> tuple[tuple[str, ...], ...]: ...
    @property
    def right(self) -> frozenset[str]: ...


def print_json(value: object) -> None:
    """Print a value as one JSON document."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False))


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print a table; numbers stand right and with thousands separators, None as a dash."""
    from rich.console import Console

    rows = [list(row) for row in rows]
    table = _table(title)
    for position, column in enumerate(columns):
        is_number = all(isinstance(row[position], int | None) for row in rows)
        table.add_column(column, justify="right" if is_number else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(_cell, row))
    Console().print(table)


def print_text_table(table: TextTable) -> None:
    """Print a table of text, and a blank line."""
    from rich.console import Console
    from rich.markup import escape

    drawn = _table(table.title)
    for column in table.columns:
        side: Literal["left", "right"] = "right" if column in table.right else "left"
        may_wrap = column in (table.columns[0], table.columns[-1]) and side == "left"
        drawn.add_column(escape(column), justify=side, overflow="fold", no_wrap=not may_wrap)
    for row in table.rows:
        drawn.add_row(*map(escape, row))
    Console().print(drawn, "")


def _table(title: str) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.markup import escape
    from rich.table import Table

    # No lines between columns and two spaces: a table of rates fits 80 columns without wrapping.
    return Table(
        title=escape(title),
        title_justify="left",
        title_style="bold",
        header_style="bold",
        box=SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )


def _cell(value: Any) -> str:
    from rich.markup import escape  # "sales[old]" is a name, not a style

    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) else escape(str(value))
