"""`claimdb mcp`: one database for agents, as an MCP server over stdin and stdout."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from claimdb_cli.database_argument import database_path
from claimdb_cli.output import DataDir, RepoId, print_json

HELP = "Serve one database to an agent over MCP, read-only and bounded; each call can be traced."


def mcp(
    db: Annotated[str, typer.Option("--db", help="A file, or the name of a benchmark database.")],
    trace: Annotated[
        Path | None,
        typer.Option(help="Append each call to this JSONL file.", show_default=False),
    ] = None,
    max_sql_calls: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=10_000,
            help="Calls of execute_sql, those in the trace included; default is no limit.",
            show_default=False,
        ),
    ] = None,
    max_output_bytes: Annotated[
        int, typer.Option(min=200, max=32_768, help="Length of one answer.")
    ] = 16_000,
    print_config: Annotated[
        bool, typer.Option("--print-config", help="Print the JSON for an agent's MCP settings.")
    ] = False,
    data_dir: DataDir = None,
    repo_id: RepoId = None,
) -> None:
    """Serve until stdin is closed, or print how a client starts the server."""
    from claimdb_harness.mcp.config import mcp_config
    from claimdb_metric.errors import DataError
    from claimdb_sandbox.database_file import usable_path

    if find_spec("mcp") is None:
        raise DataError("claimdb mcp needs the MCP SDK: pip install 'claimdb[agents]'")
    path = usable_path(database_path(db, data_dir, repo_id), None)
    if print_config:
        print_json(mcp_config(path, trace, max_sql_calls, max_output_bytes))
        return
    from claimdb_harness.mcp.server import serve

    serve(path, trace, max_sql_calls, max_output_bytes)
