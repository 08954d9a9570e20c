"""The database's tools as an agent of a command line has them: counted against a budget, traced."""

from __future__ import annotations

import logging
import threading
from typing import Final

from claimdb_harness.mcp.call_trace import CallTrace
from claimdb_harness.mcp.database_tools import DatabaseTools
from claimdb_harness.runs.budgets import NO_QUERY_LEFT
from claimdb_harness.runs.traces import Call
from claimdb_sandbox import ClosedError, SandboxError

UNREADABLE: Final = "the database cannot be read any more"

_log: Final = logging.getLogger(__name__)


class TracedTools:
    """Runs tools one after the other, counts their queries, and writes each call to the trace.

    Args:
        tools: over the database.
        trace: where the calls go; None keeps none. Queries that are in it already count.
        max_sql_calls: queries of execute_sql, those that fail included; None allows any number.
            The other tools are not counted, as an agent in a program has the schema in its prompt.
    """

    def __init__(
        self,
        tools: DatabaseTools,
        trace: CallTrace | None = None,
        max_sql_calls: int | None = None,
    ) -> None:
        self._tools = tools
        self._trace = trace
        self._left = max_sql_calls
        if max_sql_calls is not None and trace is not None:
            earlier = sum(_is_counted(call) for call in trace.earlier)
            self._left = max(max_sql_calls - earlier, 0)
        self._turn = threading.Lock()

    def call(self, tool: str, argument: str = "") -> Call:
        """Return what became of a call, which is in the trace by then.

        Args:
            tool: one of `database_tools.TOOLS`.
            argument: the SQL of execute_sql, the table of describe_table.

        Raises:
            ClosedError: `close` was called before its turn came.
        """
        with self._turn:
            call = self._answered(tool, argument)
            if self._trace is not None:
                self._trace.add(call)
            return call

    def close(self) -> None:
        """End the sandbox; a query that runs is in the trace when this returns."""
        self._tools.close()
        with self._turn:
            if self._trace is not None:
                self._trace.close()
                self._trace = None

    def _answered(self, tool: str, argument: str) -> Call:
        if tool == "execute_sql" and self._left is not None:
            if self._left == 0:
                return Call(tool, argument, "refused", NO_QUERY_LEFT, NO_QUERY_LEFT)
            self._left -= 1
        try:
            return self._run(tool, argument)
        except ClosedError:
            raise
        except SandboxError as error:
            _log.error("%s", error)  # the model is not told: it may hold a path of this machine
            return Call(tool, argument, "worker_died", f"worker_died: {UNREADABLE}", UNREADABLE)

    def _run(self, tool: str, argument: str) -> Call:
        if tool == "execute_sql":
            return self._tools.execute_sql(argument)
        if tool == "describe_table":
            return self._tools.describe_table(argument)
        return self._tools.list_tables()


def _is_counted(call: Call) -> bool:
    return call.tool == "execute_sql" and call.status != "refused"
