"""What another program's record tells about one claim, and the trace that it becomes."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from claimdb_harness.imports.provider_errors import is_provider_error, stop_of
from claimdb_harness.runs.traces import Call, Tokens, Trace
from claimdb_harness.verdict_text import MAX_SAID_CHARS, Verdict


@dataclass(frozen=True)
class Told:
    """What a record tells about one claim.

    Args:
        verdict: what the agent answered.
        error: what went wrong, in the words of the record; None where nothing did.
        calls: its calls of the database, in order.
        turns: how often the model was asked; 0 where that is not known.
        tokens: that it took.
        seconds: that it took; 0.0 where that is not known.
        cost_usd: as the record has it.
        model: the model's name, if the record has it.
        left_aside: a word for each thing in the record that is not read.
    """

    verdict: Verdict
    error: str | None = None
    calls: tuple[Call, ...] = ()
    turns: int = 0
    tokens: Tokens = field(default_factory=Tokens)
    seconds: float = 0.0
    cost_usd: float | None = None
    model: str | None = None
    left_aside: tuple[str, ...] = ()


def trace_of(claim_id: int, told: Told) -> Trace:
    """Return the trace of a claim: not_run where the provider failed, and a verdict wherever one
    was given.

    >>> trace_of(7, Told(Verdict("ENTAILED"), "Error code: 500")).outcome
    'answered'
    >>> trace_of(7, Told(Verdict(None, invalid="no_answer"), "Error code: 500")).outcome
    'not_run'
    """
    verdict, error = told.verdict, told.error
    is_answered = verdict.label is not None
    failed = not is_answered and error is not None and is_provider_error(error)
    has_none = not is_answered and not failed
    return Trace(
        claim_id=claim_id,
        outcome="answered" if is_answered else "not_run" if failed else "no_verdict",
        verdict=verdict.label,
        justification=verdict.justification,
        stop="verdict" if is_answered else "error" if failed else stop_of(error),
        invalid=verdict.invalid if has_none else None,
        said=(verdict.said or (error and error[:MAX_SAID_CHARS])) if has_none else None,
        calls=told.calls,
        turns=told.turns,
        tokens=told.tokens,
        seconds=told.seconds,
        error=error if failed else None,
        cost_usd=told.cost_usd,
    )


def text_of(value: object) -> str:
    """Return what a model read as text: texts of blocks a line each, anything else as JSON.

    >>> text_of([{"type": "text", "text": "a"}, "b"]), text_of({"n": 1}), text_of(None)
    ('a\\nb', '{"n": 1}', '')
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(_text_in(block), str) for block in value):
        return "\n".join(map(_text_in, value))
    return json.dumps(value, ensure_ascii=False)


def _text_in(block: Any) -> Any:
    return block.get("text") if isinstance(block, dict) else block


def count_in(values: object, *names: str) -> int:
    """Return the first of some counts in a JSON object, 0 where it has none.

    >>> count_in({"input_tokens": 7}, "request_tokens", "input_tokens"), count_in(None, "n")
    (7, 0)
    """
    given = values if isinstance(values, Mapping) else {}
    found = next((given[name] for name in names if given.get(name) is not None), 0)
    return int(found) if number_or_none(found) is not None else 0


def number_or_none(value: object) -> float | None:
    """Return a number of at least 0, None for anything else.

    >>> number_or_none(0.5), number_or_none(True), number_or_none("0.5")
    (0.5, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if math.isfinite(value) and value >= 0 else None
