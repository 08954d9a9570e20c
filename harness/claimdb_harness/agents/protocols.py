"""How a model calls tools and gives its verdict: one function for each protocol, one turn long.

Each asks the model once, runs the queries that it wants and takes its verdict if there is one.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    ResponseSchema,
    execute_tools,
)
from inspect_ai.solver import TaskState
from inspect_ai.tool import ToolDef, ToolFunction
from inspect_ai.util import JSONSchema

from claimdb_harness.agents.sessions import Session
from claimdb_harness.agents.tools import (
    EXECUTE_SQL,
    SQL_PARAMS,
    SQL_TOOL,
    SUBMIT_VERDICT,
    VERDICT_PARAMS,
    VERDICT_TOOL,
)
from claimdb_harness.verdict_text import Verdict, verdict_in

Turn: TypeAlias = Callable[[Model, TaskState, Session], Awaitable[None]]

GO_ON: Final = "Run a query with execute_sql, or call submit_verdict."
GIVE_VERDICT: Final = "Call submit_verdict now."
GO_ON_JSON: Final = "Run a query with execute_sql, or end with the JSON object."
GIVE_JSON: Final = "Answer now, with the JSON object only."

_CONTEXT_FULL: Final = "model_length"


async def tools_turn(model: Model, state: TaskState, session: Session) -> None:
    """Ask once; queries and the verdict are the model's own tool calls."""
    offered = [SQL_TOOL, VERDICT_TOOL] if session.offers_queries else []
    only = ToolFunction(name=SUBMIT_VERDICT)
    output = await _ask(
        model, state, session, offered or [VERDICT_TOOL], "auto" if offered else only
    )
    if not output.message.tool_calls:
        session.not_a_verdict("no_call" if output.completion else "no_answer", output.completion)
        state.messages.append(ChatMessageUser(content=GO_ON if offered else GIVE_VERDICT))
        return
    results = await _run_tools(state, offered or [VERDICT_TOOL])
    _note_refused_verdict(output, results, session)


async def json_turn(model: Model, state: TaskState, session: Session) -> None:
    """Ask once; queries are tool calls, the verdict is the last JSON object of the text."""
    offered = [SQL_TOOL] if session.offers_queries else []
    output = await _ask(model, state, session, offered, "auto")
    if output.message.tool_calls:
        await _run_tools(state, offered)
        if offered:  # else the words beside a call that nobody offered are the last
            return
    verdict = verdict_in(output.completion)
    _take(verdict, session)
    if verdict.label is None:
        state.messages.append(ChatMessageUser(content=GO_ON_JSON if offered else GIVE_JSON))


async def constrained_turn(model: Model, state: TaskState, session: Session) -> None:
    """Ask once; the answer is a JSON object of a schema that decoding is held to."""
    schema = _schema(session.offers_queries)
    config = GenerateConfig(response_schema=schema, extra_body=_whole_format(model, schema))
    output = await model.generate(state.messages, config=config)
    _receive(output, state, session)
    sql = _query_in(output.completion)
    if sql is not None and session.offers_queries:
        call = await session.query(sql)
        state.messages.append(ChatMessageUser(content=f"Result:\n{call.output}"))
        return
    verdict = verdict_in(output.completion)
    _take(verdict, session)
    if verdict.label is None:
        state.messages.append(ChatMessageUser(content=GIVE_JSON))


TURNS: Final[Mapping[str, Turn]] = {
    "tools": tools_turn,
    "json": json_turn,
    "constrained": constrained_turn,
}


async def _ask(
    model: Model, state: TaskState, session: Session, tools: list[ToolDef], choice: Any
) -> ModelOutput:
    output = await model.generate(state.messages, tools, choice if tools else None)
    _receive(output, state, session)
    return output


def _receive(output: ModelOutput, state: TaskState, session: Session) -> None:
    """Take in an answer; one that does not fit into the model's context is the last."""
    if output.choices:
        output.choices[0].message = _writable(output.message)
    state.output = output
    state.messages.append(output.message)
    session.count(output)
    session.is_full = output.stop_reason == _CONTEXT_FULL


def _writable(message: ChatMessageAssistant) -> ChatMessageAssistant:
    """A message that can be written as UTF-8: of one with half a surrogate pair in it, as a model
    may escape it in JSON, Inspect makes a failure of the whole run."""
    try:
        message.model_dump_json()
    except ValueError:
        text = json.dumps(message.model_dump(), ensure_ascii=False, default=str)
        return ChatMessageAssistant.model_validate_json(text.encode("utf-8", "replace"))
    return message


async def _run_tools(state: TaskState, tools: list[ToolDef]) -> Sequence[ChatMessage]:
    results, _ = await execute_tools(state.messages, tools)
    state.messages.extend(results)
    return results


def _take(verdict: Verdict, session: Session) -> None:
    if verdict.label is not None:
        session.submit(verdict.label, verdict.justification)
    elif verdict.invalid is not None:
        session.not_a_verdict(verdict.invalid, verdict.said)


def _query_in(text: str) -> str | None:
    """The SQL of an answer that is a query; a server may have put words or a fence around it."""
    try:
        answer, _ = json.JSONDecoder().raw_decode(text, max(text.find("{"), 0))
    except ValueError:
        return None
    is_query = isinstance(answer, dict) and answer.get("tool") == EXECUTE_SQL
    return str(answer.get("sql", "")) if is_query else None


def _note_refused_verdict(
    output: ModelOutput, results: Sequence[ChatMessage], session: Session
) -> None:
    """Note a verdict that Inspect refused, for it holds arguments against the tool's schema."""
    refused = {
        result.tool_call_id
        for result in results
        if isinstance(result, ChatMessageTool) and result.error is not None
    }
    for call in output.message.tool_calls or []:
        if call.function == SUBMIT_VERDICT and call.id in refused:
            session.not_a_verdict("wrong_label", json.dumps(call.arguments, ensure_ascii=False))


MAX_SQL_CHARS: Final = 2000
MAX_JUSTIFICATION_CHARS: Final = 600
"""In constrained decoding a string may be endless: a model of 135M parameters never stops."""


def _schema(may_query: bool) -> ResponseSchema:
    """The schema of one answer: a query or a verdict, or a verdict only."""
    query = _call(EXECUTE_SQL, {"sql": _limited(SQL_PARAMS["sql"], MAX_SQL_CHARS)})
    justification = _limited(VERDICT_PARAMS["justification"], MAX_JUSTIFICATION_CHARS)
    verdict = _call(SUBMIT_VERDICT, {**VERDICT_PARAMS, "justification": justification})
    whole = JSONSchema(anyOf=[query, verdict]) if may_query else verdict
    return ResponseSchema(name="call", json_schema=whole)


def _whole_format(model: Model, schema: ResponseSchema) -> dict[str, Any] | None:
    """The response format as it is, where Inspect would send it without the lengths of strings."""
    leaves_out = getattr(model.api, "schema_exclude_fields", None)
    if not leaves_out or getattr(model.api, "responses_api", None):
        return None
    whole = {"name": schema.name, "schema": schema.json_schema.model_dump(exclude_none=True)}
    return {"response_format": {"type": "json_schema", "json_schema": whole}}


def _call(name: str, params: dict[str, JSONSchema]) -> JSONSchema:
    properties = {"tool": JSONSchema(type="string", enum=[name]), **params}
    return JSONSchema(
        type="object",
        properties=properties,
        required=[*properties],
        additionalProperties=False,
    )


def _limited(schema: JSONSchema, max_chars: int) -> JSONSchema:
    return schema.model_copy(update={"maxLength": max_chars, "minLength": 1})
