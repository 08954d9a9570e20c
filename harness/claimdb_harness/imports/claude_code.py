"""A transcript of `claude -p --output-format stream-json --verbose`.

The lines are those that the Claude Agent SDK parses (claude_agent_sdk, message_parser.py): system,
assistant, user, result and more. A message of the model comes as a line for each of its blocks, all
with the same id and usage (https://docs.claude.com/en/docs/agent-sdk/cost-tracking).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from claimdb_harness.imports.database_calls import ANSWER_TOOLS, database_call, shell_call
from claimdb_harness.imports.told import Told, count_in, number_or_none, text_of
from claimdb_harness.imports.transcripts import Event
from claimdb_harness.runs.traces import UNKNOWN_STATUS, Call, Tokens
from claimdb_harness.verdict_text import Verdict, verdict_in, verdict_of

FIRST_TYPES: Final = frozenset({"system", "assistant", "user", "result", "stream_event"})
"""What the first line of a transcript is."""

SHAPE: Final = 'lines with a "type" such as system, assistant, user, result'


class _Messages:
    """What the lines of a transcript hold, each message and each call once."""

    def __init__(self) -> None:
        self.usages: dict[str, Any] = {}
        self.texts: dict[str, list[str]] = {}
        self.uses: dict[str, tuple[int, Any]] = {}
        self.results: dict[str, Any] = {}
        self.result: Event = {}
        self.errors: list[str] = []
        self.model: str | None = None

    def add(self, event: Event) -> None:
        """Take one line."""
        message = event.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        listed = content if isinstance(content, list) else []
        blocks = [block for block in listed if isinstance(block, dict)]
        if event["type"] == "assistant" and isinstance(message, dict):
            self._add_said(str(message.get("id")), message, blocks)
            self.errors += [str(event["error"])] if event.get("error") else []
        elif event["type"] == "user":
            self.results |= {
                str(block.get("tool_use_id")): block
                for block in blocks
                if block.get("type") == "tool_result"
            }
        elif event["type"] == "result":
            self.result = event
        elif event.get("subtype") == "init" and isinstance(event.get("model"), str):
            self.model = event["model"]

    def _add_said(self, name: str, message: dict[str, Any], blocks: list[Any]) -> None:
        self.usages[name] = message.get("usage")  # of several, the last is the whole
        texts = self.texts.setdefault(name, [])
        for block in blocks:
            if block.get("type") == "text":
                texts.append(str(block.get("text", "")))
            elif block.get("type") == "tool_use":
                self.uses.setdefault(str(block.get("id")), (len(self.usages), block))


def claude_code_told(events: Iterable[Event]) -> Told:
    """Return what a transcript of Claude Code tells about its claim.

    Tokens, cost and time are those of the last line, the result; where it is missing, tokens are
    the sum over the messages, each counted once. What went into the cache counts as read anew.

    >>> told = claude_code_told([{"type": "result", "subtype": "success", "is_error": False,
    ...     "result": '{"verdict": "ENTAILED"}', "total_cost_usd": 0.25, "duration_ms": 1500}])
    >>> told.verdict.label, told.cost_usd, told.seconds
    ('ENTAILED', 0.25, 1.5)
    """
    messages = _Messages()
    for event in events:
        messages.add(event)
    result = messages.result
    calls, left_aside = _calls(messages)
    usage = result.get("usage")
    usages = [usage] if isinstance(usage, dict) else [*messages.usages.values()]
    return Told(
        verdict=_verdict(messages),
        error=_error(messages),
        calls=calls,
        turns=len(messages.usages),
        tokens=Tokens(
            input=sum(count_in(one, "input_tokens") for one in usages)
            + sum(count_in(one, "cache_creation_input_tokens") for one in usages),
            cached=sum(count_in(one, "cache_read_input_tokens") for one in usages),
            output=sum(count_in(one, "output_tokens") for one in usages),
        ),
        seconds=count_in(result, "duration_ms") / 1000,
        cost_usd=number_or_none(result.get("total_cost_usd")),
        model=messages.model,
        left_aside=left_aside,
    )


def _calls(messages: _Messages) -> tuple[tuple[Call, ...], tuple[str, ...]]:
    calls: list[Call] = []
    others: list[str] = []
    for name, (turn, block) in messages.uses.items():
        tool, given = str(block.get("name")), block.get("input")
        is_shell = tool == "Bash" and isinstance(given, dict)
        asked = shell_call(str(given.get("command"))) if is_shell else database_call(tool, given)
        if asked is None:
            others += [] if ANSWER_TOOLS.fullmatch(tool) else [f"calls of {tool}"]
            continue
        answer = messages.results.get(name, {})
        output = text_of(answer.get("content"))
        message = output if answer.get("is_error") else None
        calls.append(Call(*asked, UNKNOWN_STATUS, output, message, turn=turn))
    return tuple(calls), tuple(others)


def _verdict(messages: _Messages) -> Verdict:
    """That of the structured output, else of the result's text, else of the last message's."""
    structured = messages.result.get("structured_output")
    if isinstance(structured, dict):
        return verdict_of(structured)
    said = messages.result.get("result")
    if not isinstance(said, str):
        said = "\n".join(next(reversed(messages.texts.values()), []))
    elif messages.result.get("is_error"):
        said = ""  # the text is the error
    return verdict_in(said)


def _error(messages: _Messages) -> str | None:
    result = messages.result
    if result.get("subtype") == "success" and not result.get("is_error"):
        return None
    status = result.get("api_error_status")
    told = [
        f"status {status}" if status else "",
        text_of(result.get("result")) if result.get("is_error") else "",
        text_of(result.get("errors")),
        *messages.errors[-1:],
        str(result.get("subtype", "")).removeprefix("success"),
    ]
    return ": ".join(part for part in told if part) or None
