"""The SDK's own client of `claimdb mcp`, and the database that it is asked about."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcp import Client

FOREVER = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r) SELECT count(*) FROM r"
A_SECOND = FOREVER.replace("FROM r)", "FROM r WHERE n < 3000000)")
"""A query that takes 0.3 to 3 s."""

STUCK = "SELECT instr(hex(zeroblob(490000)), hex(zeroblob(240000)) || '1')"
"""Takes 5 s or more, in one step of SQLite, which therefore cannot be told to stop."""


def made(path: Path, script: str) -> Path:
    """Make a database with a script, and return its path."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
    return path


def ferries(path: Path) -> Path:
    """Make a database with one table of two vessels."""
    return made(
        path,
        "CREATE TABLE vessel (id INTEGER PRIMARY KEY, name TEXT);"
        "INSERT INTO vessel VALUES (1, 'Vita'), (2, 'Alma')",
    )


@asynccontextmanager
async def connected(db: Path, *options: object) -> AsyncIterator[Client]:
    """A client of a server of its own, started by the command."""
    from mcp import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    arguments = ["-P", "-m", "claimdb_cli", "mcp", "--db", str(db), *map(str, options)]
    server = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))
    # Under pytest, sys.stderr is no file that a process could write to.
    with Path(os.devnull).open("w") as stderr:
        async with Client(stdio_client(server, errlog=stderr)) as client:
            yield client


async def asked(client: Client, tool: str, **arguments: Any) -> tuple[bool, str]:
    """Whether a call was an error, and the text that came back."""
    result = await client.call_tool(tool, arguments)
    (content,) = result.content
    assert content.type == "text"
    return bool(result.is_error), content.text
