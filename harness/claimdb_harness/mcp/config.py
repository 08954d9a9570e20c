"""How an MCP client starts the server: the part of its configuration that names `claimdb mcp`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

SERVER: Final = "claimdb"
"""The server's name, of which clients make mcp__claimdb__execute_sql and the like."""


def mcp_config(
    db: Path,
    trace: Path | None = None,
    max_sql_calls: int | None = None,
    max_output_bytes: int | None = None,
) -> dict[str, Any]:
    """Return the JSON object that most clients take: command and arguments by server.

    Args:
        db: the database.
        trace: the file for the calls; None keeps none.
        max_sql_calls: None allows any number.
        max_output_bytes: of one answer; None is the server's default.

    >>> mcp_config(Path("/data/zoo.sqlite"), max_sql_calls=5)["mcpServers"]["claimdb"]["args"][-3:]
    ['/data/zoo.sqlite', '--max-sql-calls', '5']
    """
    options = {
        "--db": db.absolute(),
        "--trace": trace.absolute() if trace else None,
        "--max-sql-calls": max_sql_calls,
        "--max-output-bytes": max_output_bytes,
    }
    given = [(name, str(value)) for name, value in options.items() if value is not None]
    # -P: the server is started in the agent's folder, of which nothing may be imported.
    arguments = ["-P", "-m", "claimdb_cli", "mcp", *(part for pair in given for part in pair)]
    return {"mcpServers": {SERVER: {"command": sys.executable, "args": arguments}}}
