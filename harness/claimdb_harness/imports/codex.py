"""A transcript of `codex exec --json`.

The lines are the events of codex-rs/exec/src/exec_events.rs in github.com/openai/codex: thread.*,
turn.* and item.*. Older versions wrote others, which are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from claimdb_harness.imports.database_calls import Asked, database_call, shell_call
from claimdb_harness.imports.told import Told, count_in, text_of
from claimdb_harness.imports.transcripts import Event
from claimdb_harness.runs.traces import UNKNOWN_STATUS, Call, Tokens
from claimdb_harness.verdict_text import verdict_in

FIRST_TYPES: Final = frozenset({"thread.started", "turn.started", "item.completed", "error"})
SHAPE: Final = 'lines with a "type" such as thread.started, item.completed, turn.completed'

_OTHER_CALLS: Final = re.compile(r"mcp_tool_call|command_execution|web_search|collab_tool_call")


def codex_told(events: Iterable[Event]) -> Told:
    """Return what a transcript of Codex tells about its claim.

    Usage is that of the whole thread so far, so the last one counts; what came from the cache is a
    part of its input, and is taken out. How often the model was asked is not told.

    >>> told = codex_told([
    ...     {"type": "item.completed", "item": {"type": "agent_message", "text": '{"label": 0}'}},
    ...     {"type": "turn.completed", "usage": {"input_tokens": 9, "cached_input_tokens": 4}}])
    >>> told.verdict.label, told.tokens.input, told.tokens.cached
    ('ENTAILED', 5, 4)
    """
    said, error = "", None
    usage: object = None
    calls: list[Call] = []
    left_aside: list[str] = []
    for event in events:
        item = event.get("item")
        if event["type"] == "item.completed" and isinstance(item, dict):
            said = text_of(item.get("text")) if item.get("type") == "agent_message" else said
            _take(item, calls, left_aside)
        elif event["type"] == "turn.completed":
            usage, error = event.get("usage"), None
        elif event["type"] in ("turn.failed", "error"):
            failure = event.get("error", event)
            error = text_of(failure.get("message") if isinstance(failure, dict) else failure)
    cached = count_in(usage, "cached_input_tokens")
    return Told(
        verdict=verdict_in(said),
        error=error,
        calls=tuple(calls),
        tokens=Tokens(
            input=max(count_in(usage, "input_tokens") - cached, 0),
            cached=cached,
            output=count_in(usage, "output_tokens"),
            reasoning=count_in(usage, "reasoning_output_tokens"),
        ),
        left_aside=tuple(left_aside),
    )


def _take(item: dict[str, Any], calls: list[Call], left_aside: list[str]) -> None:
    kind = str(item.get("type"))
    asked = _asked(kind, item)
    if asked is not None:
        output, message = _answer(item)
        calls.append(Call(*asked, UNKNOWN_STATUS, output, message))
    elif _OTHER_CALLS.fullmatch(kind):
        left_aside.append(f"calls of {item.get('tool') or kind}")


def _asked(kind: str, item: dict[str, Any]) -> Asked | None:
    if kind == "mcp_tool_call":
        return database_call(str(item.get("tool")), item.get("arguments"))
    return shell_call(text_of(item.get("command"))) if kind == "command_execution" else None


def _answer(item: dict[str, Any]) -> tuple[str, str | None]:
    """What the model read, and the error that it is, if it is one."""
    error, result = item.get("error"), item.get("result")
    if error:
        text = text_of(error.get("message") if isinstance(error, dict) else error)
        return text, text
    output = text_of(item.get("aggregated_output"))
    if isinstance(result, dict):
        output = text_of(result.get("content"))
    has_failed = item.get("status") == "failed" or bool(item.get("exit_code"))
    return output, output if has_failed else None
