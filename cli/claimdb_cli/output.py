"""How verbs print: tables for people, one JSON document for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document, for programs.")]
DataDir = Annotated[
    str | None,
    typer.Option(help="Folder of a local copy; default is CLAIMDB_DATA_DIR.", show_default=False),
]
RepoId = Annotated[
    str | None,
    typer.Option(help="Hub dataset repository to use instead of upstream's.", show_default=False),
]


def print_json(value: object) -> None:
    """Print a value as one JSON document."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False))


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print a table; numbers stand right and with thousands separators, None as a dash."""
    from rich.console import Console
    from rich.table import Table

    rows = [list(row) for row in rows]
    table = Table(title=title, title_justify="left", header_style="bold")
    for position, column in enumerate(columns):
        is_number = all(isinstance(row[position], int | None) for row in rows)
        table.add_column(column, justify="right" if is_number else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(_cell, row))
    Console().print(table)


def _cell(value: Any) -> str:
    from rich.markup import escape  # "sales[old]" is a name, not a style

    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) else escape(str(value))
