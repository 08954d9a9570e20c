"""`claimdb sql`: one query on a benchmark database or a file, in the sandbox."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from claimdb_cli.database_argument import database_path
from claimdb_cli.output import (
    AsJson,
    DataDir,
    RepoId,
    print_json,
    print_text_table,
    printable_line,
)

if TYPE_CHECKING:
    from claimdb_sandbox import Result

MAX_BYTES = 64 * 2**20
"""Of an answer: a person's terminal, not a model, reads it."""

HELP = "Run one SQL query, read-only and bounded; exit code 1 if it is refused or fails."


def sql(
    db: Annotated[
        str, typer.Argument(metavar="DB", help="A file, or the name of a benchmark database.")
    ],
    query: Annotated[
        str, typer.Argument(metavar="SQL", help="One statement; - reads it from stdin.")
    ],
    limit_s: Annotated[
        float, typer.Option("--limit-s", min=0.001, max=86_400, help="Seconds it may take.")
    ] = 10.0,
    max_rows: Annotated[
        int, typer.Option("--max-rows", min=1, max=1_000_000, help="Rows to show at most.")
    ] = 100,
    data_dir: DataDir = None,
    repo_id: RepoId = None,
    as_json: AsJson = False,
) -> None:
    """Run one SQL query on a database and print its rows."""
    from claimdb_sandbox import Executor, Limits

    text = sys.stdin.read() if query == "-" else query
    limits = Limits(time_limit_s=limit_s, max_rows=max_rows, max_bytes=MAX_BYTES)
    with Executor(database_path(db, data_dir, repo_id), limits) as sandbox:
        result = sandbox.run(text)
    if as_json:
        print_json(result.to_dict())
    else:
        _show(result)
    if not result.ok:
        raise typer.Exit(1)


def _show(result: Result) -> None:
    from claimdb_metric.score_tables import TextTable
    from claimdb_sandbox.results import FLAG_NOTES

    if result.ok:
        is_number = [
            all(isinstance(row[place], int | float | None) for row in result)
            for place in range(len(result.columns))
        ]
        right = (name for name, right in zip(result.columns, is_number, strict=True) if right)
        cells = tuple(tuple(map(_cell, row)) for row in result)
        print_text_table(TextTable(_title(result), result.columns, cells, frozenset(right)))
    else:
        message = printable_line(f"{result.status}: {result.message}")
        typer.echo(f"claimdb: {message}", err=True)
    for note in (*result.notes, *(FLAG_NOTES[flag] for flag in result.flags)):
        typer.echo(f"note: {printable_line(note)}", err=True)
    if result.limit == "max_rows":
        typer.echo("note: --max-rows N shows more", err=True)


def _title(result: Result) -> str:
    rows = f"{len(result):,} row{'s' * (len(result) != 1)}"
    more = f"; {result.message}" if result.truncated else ""
    return f"{rows} in {result.elapsed_ms:,.1f} ms{more}"


def _cell(value: str | int | float | None) -> str:
    from claimdb_sandbox.model_forms import cut_cell

    if value is None:
        return "NULL"
    # A line break would end the row of the table.
    return str(cut_cell(value)).replace("\r\n", "\\n").replace("\n", "\\n").replace("\t", "\\t")
