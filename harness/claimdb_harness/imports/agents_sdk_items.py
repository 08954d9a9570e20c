"""The items of one run of the OpenAI Agents SDK: what the model said, called and read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from claimdb_harness.imports.database_calls import ANSWER_TOOLS, database_call
from claimdb_harness.imports.told import Told, text_of
from claimdb_harness.runs.traces import UNKNOWN_STATUS, Call
from claimdb_harness.verdict_text import Verdict, verdict_in, verdict_of

_CALLS: Final = ("function_call", "mcp_call")
_OUTPUT: Final = "function_call_output"
_SILENT: Final = frozenset({"message", "reasoning", "mcp_list_tools"})
"""Items that are no calls of a tool."""


class ItemsError(Exception):
    """An item is of no known form; the message says of which."""


def items_told(items: Sequence[Any]) -> Told:
    """Return what the items of a run tell: its calls, its turns, and the last that was said.

    A turn is a row of items that the model wrote, up to the next that it read.

    Raises:
        ItemsError: an item is of no known form.

    >>> told = items_told([
    ...     {"type": "function_call", "name": "execute_sql", "call_id": "1",
    ...      "arguments": '{"sql": "SELECT 1"}'},
    ...     {"type": "function_call_output", "call_id": "1", "output": "1"},
    ...     {"role": "assistant", "content": '{"verdict": "ENTAILED"}'}])
    >>> told.calls[0].output, told.turns, told.verdict.label
    ('1', 2, 'ENTAILED')
    """
    raw = [_raw(item) for item in items]
    outputs = {
        str(item.get("call_id")): text_of(item.get("output"))
        for item in raw
        if item.get("type") == _OUTPUT
    }
    calls: list[Call] = []
    left_aside: list[str] = []
    verdict = Verdict(None, invalid="no_answer")
    turn, was_model = 0, False
    for item in raw:
        kind = item.get("type", "message")
        is_model = item["role"] == "assistant" if "role" in item else kind != _OUTPUT
        turn += is_model and not was_model
        was_model = is_model
        if kind in _CALLS:
            verdict = _take(item, turn, outputs, calls, left_aside) or verdict
        elif kind == "message" and is_model:
            verdict = verdict_in(text_of(item.get("content")))
        elif kind not in _SILENT and kind != _OUTPUT:
            left_aside.append(f"items of type {kind}")
    return Told(verdict, calls=tuple(calls), turns=turn, left_aside=tuple(left_aside))


def _raw(item: Any) -> Mapping[str, Any]:
    """An item of the Responses API, from around which the SDK's own is taken."""
    if isinstance(item, Mapping) and isinstance(item.get("raw_item"), Mapping):
        item = item["raw_item"]
    if not isinstance(item, Mapping):
        raise ItemsError(f"an item is no JSON object but {type(item).__name__}")
    if "tool_calls" in item or item.get("role") == "tool":
        raise ItemsError(
            "its items are messages of chat completions (role, tool_calls); openai-agents items"
            " have a type such as function_call: give result.to_input_list()"
        )
    if not isinstance(item.get("type", item.get("role")), str):
        keys = ", ".join(map(str, item)) or "none"
        raise ItemsError(f"an item has the keys {keys}; openai-agents items have a type or a role")
    return item


def _take(
    item: Mapping[str, Any],
    turn: int,
    outputs: Mapping[str, str],
    calls: list[Call],
    left_aside: list[str],
) -> Verdict | None:
    """Take a call; return the verdict of one that gives the answer."""
    name, arguments = str(item.get("name")), item.get("arguments")
    if ANSWER_TOOLS.fullmatch(name):
        return verdict_of(arguments) if isinstance(arguments, dict) else verdict_in(str(arguments))
    asked = database_call(name, arguments)
    if asked is None:
        left_aside.append(f"calls of {name}")
        return None
    # A call of a hosted MCP server holds its own output, or error.
    output = outputs.get(str(item.get("call_id"))) or text_of(item.get("output"))
    error = text_of(item.get("error")) or None
    calls.append(Call(*asked, UNKNOWN_STATUS, output or error or "", error, turn=turn))
    return None
