"""The two tools that an agent has: execute_sql on the claim's database, and submit_verdict."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from inspect_ai.tool import ToolDef, ToolError, ToolParams
from inspect_ai.util import JSONSchema

from claimdb_harness.agents.sessions import CURRENT
from claimdb_metric.labels import LABELS

EXECUTE_SQL: Final = "execute_sql"
SUBMIT_VERDICT: Final = "submit_verdict"

SQL_PARAMS: Final = {
    "sql": JSONSchema(type="string", description="One SQLite statement that reads."),
}
VERDICT_PARAMS: Final = {
    "verdict": JSONSchema(type="string", enum=[*LABELS], description="The verdict on the claim."),
    "justification": JSONSchema(
        type="string", description="One or two sentences: which data decides it."
    ),
}


async def _execute_sql(sql: str) -> str:
    call = await CURRENT.get().query(sql)
    if not call.ok:
        raise ToolError(call.output)
    return call.output


async def _submit_verdict(verdict: str, justification: str = "") -> str:
    CURRENT.get().submit(verdict, justification)
    return "done"


def _tool(call: Callable[..., Any], name: str, text: str, params: dict[str, JSONSchema]) -> ToolDef:
    return ToolDef(
        call,
        name=name,
        description=text,
        # A right verdict without a justification is a verdict.
        parameters=ToolParams(properties=params, required=[next(iter(params))]),
        max_output=0,  # Inspect cuts nothing: the session keeps to the budget, in whole rows
    )


SQL_TOOL: Final = _tool(
    _execute_sql,
    EXECUTE_SQL,
    "Run one SQLite statement that reads the claim's database, and return its rows.",
    SQL_PARAMS,
)
VERDICT_TOOL: Final = _tool(
    _submit_verdict,
    SUBMIT_VERDICT,
    "Give the verdict on the claim; this ends the work on it.",
    VERDICT_PARAMS,
)
