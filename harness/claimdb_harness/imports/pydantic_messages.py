"""The messages of one run of Pydantic AI, as `result.all_messages_json()` has them.

Each has parts with a part_kind; see pydantic_ai/messages.py in github.com/pydantic/pydantic-ai. The
answer may be a call of an output tool (final_result), which is no call of the database: the
reference's plots count it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from claimdb_harness.imports.database_calls import ANSWER_TOOLS, Asked, database_call
from claimdb_harness.imports.told import Told, count_in, text_of
from claimdb_harness.runs.traces import UNKNOWN_STATUS, Call, Tokens
from claimdb_harness.verdict_text import Verdict, verdict_in, verdict_of

_TOLD: Final = ("tool-return", "retry-prompt")
_WELL: Final = (None, "success")


def is_pydantic(items: Sequence[Any]) -> bool:
    """Return whether a list holds messages of Pydantic AI.

    >>> is_pydantic([{"kind": "request", "parts": []}]), is_pydantic([{"role": "user"}])
    (True, False)
    """
    return bool(items) and all(
        isinstance(item, Mapping) and isinstance(item.get("parts"), list) for item in items
    )


def messages_told(messages: Sequence[Mapping[str, Any]]) -> Told:
    """Return what the messages of a run tell: its calls, its tokens, and the last that was said.

    >>> told = messages_told([{"kind": "response", "parts": [
    ...     {"part_kind": "tool-call", "tool_name": "final_result", "tool_call_id": "1",
    ...      "args": {"verdict": "ENTAILED", "justification": "so"}}]}])
    >>> told.calls, told.turns, told.verdict.label
    ((), 1, 'ENTAILED')
    """
    answers = {
        str(part.get("tool_call_id")): part
        for message in messages
        for part in _parts(message, *_TOLD)
    }
    calls: list[Call] = []
    left_aside: list[str] = []
    verdict = Verdict(None, invalid="no_answer")
    responses = [message for message in messages if message.get("kind") == "response"]
    for turn, message in enumerate(responses, start=1):
        texts = [text_of(part.get("content")) for part in _parts(message, "text")]
        verdict = verdict_in("\n".join(texts)) if texts else verdict
        for part in _parts(message, "tool-call"):
            name, args = str(part.get("tool_name")), part.get("args")
            asked = database_call(name, args)
            if ANSWER_TOOLS.fullmatch(name):
                verdict = verdict_of(args) if isinstance(args, dict) else verdict_in(text_of(args))
            elif asked is None:
                left_aside.append(f"calls of {name}")
            else:
                calls.append(_call(asked, answers.get(str(part.get("tool_call_id")), {}), turn))
    names = [message["model_name"] for message in responses if message.get("model_name")]
    return Told(
        verdict=verdict,
        calls=tuple(calls),
        turns=len(responses),
        tokens=_tokens(message.get("usage") for message in responses),
        model=text_of(names[0]) if names else None,
        left_aside=tuple(left_aside),
    )


def _call(asked: Asked, answer: Mapping[str, Any], turn: int) -> Call:
    output = text_of(answer.get("content"))
    # Up to 1.x a call that failed has a part of its own, since then an outcome: retried, failed, …
    is_ok = answer.get("part_kind") != "retry-prompt" and answer.get("outcome") in _WELL
    message = None if is_ok else output
    return Call(*asked, UNKNOWN_STATUS, output, message, turn=turn)


def _parts(message: Mapping[str, Any], *kinds: str) -> list[Mapping[str, Any]]:
    return [
        part
        for part in message["parts"]
        if isinstance(part, Mapping) and part.get("part_kind") in kinds
    ]


def _tokens(usages: Iterable[object]) -> Tokens:
    """The sum over all responses; tokens from the cache are a part of the input tokens."""
    total = Tokens()
    for usage in usages:
        cached = count_in(usage, "cache_read_tokens")
        read = count_in(usage, "input_tokens", "request_tokens")
        total = Tokens(
            input=total.input + max(read - cached, 0),
            cached=total.cached + cached,
            output=total.output + count_in(usage, "output_tokens", "response_tokens"),
            reasoning=total.reasoning + count_in(usage, "output_reasoning_tokens"),
        )
    return total
