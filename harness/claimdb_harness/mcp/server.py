"""One database as an MCP server over stdin and stdout, which belong to the protocol alone."""

from __future__ import annotations

import os
import signal
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from claimdb_harness.mcp.call_trace import CallTrace
from claimdb_harness.mcp.config import SERVER
from claimdb_harness.mcp.database_tools import DatabaseTools
from claimdb_harness.mcp.traced_tools import TracedTools
from claimdb_metric.errors import DataError

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer
    from mcp_types import CallToolResult

EXIT_INTERRUPTED: Final = 130

INSTRUCTIONS: Final = (
    "One SQLite database, which can only be read. Look at the tables before you write SQL."
)


def serve(
    path: Path,
    trace_path: Path | None = None,
    max_sql_calls: int | None = None,
    max_output_bytes: int = 16_000,
) -> None:
    """Answer one MCP client until it closes stdin; Ctrl-C ends this process with exit code 130.

    Args:
        path: the database.
        trace_path: the file that each call is appended to; None keeps none.
        max_sql_calls: of execute_sql, those in the trace included; None allows any number.
        max_output_bytes: of one answer, at least 200.

    Raises:
        DataError: SQLite cannot read the database, or the trace file is none.
        SandboxError: there is no such database, or it is none.
        OSError: the trace file cannot be written to.
    """
    with ExitStack() as stack:
        tools = DatabaseTools(path, max_output_bytes=max_output_bytes)
        stack.callback(tools.close)
        tables = tools.list_tables()  # an unusable file is found now, and the sandbox is warm
        if not tables.ok:
            raise DataError(f"{path} cannot be served: {tables.message}")
        trace = CallTrace(trace_path) if trace_path is not None else None
        traced = TracedTools(tools, trace, max_sql_calls)
        stack.callback(traced.close)
        # The SDK's thread that reads stdin cannot be stopped, so Ctrl-C would wait for a line. The
        # sandbox's process ends with this one.
        signal.signal(signal.SIGINT, lambda *_: os._exit(EXIT_INTERRUPTED))
        server = build_server(traced)
        try:
            server.run("stdio")
        except* BrokenPipeError:
            pass  # the client is gone, and nobody reads the answer


def build_server(traced: TracedTools) -> MCPServer[Any]:
    """Return a server with the three tools, for any transport of the SDK.

    What SQLite or the sandbox refuses comes back as a result with `is_error`, in their words.
    """
    import anyio
    from mcp.server.mcpserver import MCPServer
    from mcp_types import CallToolResult, TextContent, ToolAnnotations

    server = MCPServer(
        SERVER, instructions=INSTRUCTIONS, version=version("claimdb"), log_level="ERROR"
    )
    # Calls take turns here, not in threads: the SDK needs threads to read and write.
    turn = anyio.CapacityLimiter(1)

    async def answer(tool: str, argument: str = "") -> CallToolResult:
        call = await anyio.to_thread.run_sync(
            traced.call, tool, argument, abandon_on_cancel=True, limiter=turn
        )
        text = TextContent(type="text", text=call.output)
        return CallToolResult(content=[text], is_error=not call.ok)

    # Any and str: the SDK looks annotations up among the names of this module.
    async def list_tables() -> Any:
        """List the tables and views of the database."""
        return await answer("list_tables")

    async def describe_table(name: str) -> Any:
        """Describe one table or view: columns, types, keys, number of rows, and its first rows."""
        return await answer("describe_table", name)

    async def execute_sql(sql: str) -> Any:
        """Run one SQLite statement that reads, and return its rows: the first 100 at most."""
        return await answer("execute_sql", sql)

    for tool in (list_tables, describe_table, execute_sql):
        server.add_tool(
            tool,
            annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False),
            structured_output=False,
        )
    return server
