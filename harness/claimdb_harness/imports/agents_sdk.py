"""Rows with what the OpenAI Agents SDK gives: claim_id, a list of items, usage, an answer.

Items are those of `result.to_input_list()` (the Responses API's), of `result.new_items` (each
around its `raw_item`), or of the outputs of `result.raw_responses`; see agents/items.py and
agents/result.py in github.com/openai/openai-agents-python. Messages of Pydantic AI, which the
reference's runs of open models hold, are read as well.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from claimdb_harness.imports.agents_sdk_items import ItemsError, items_told
from claimdb_harness.imports.prediction_runs import (
    cost_of,
    error_of,
    model_of,
    tokens_of,
    verdict_of_row,
)
from claimdb_harness.imports.pydantic_messages import is_pydantic, messages_told
from claimdb_harness.imports.rows import checked_rows
from claimdb_harness.imports.told import Told, count_in
from claimdb_harness.runs.traces import Tokens
from claimdb_harness.verdict_text import Verdict, verdict_in, verdict_of
from claimdb_loader.prediction_rows import Prediction
from claimdb_metric.errors import DataError

ITEM_KEYS: Final = ("items", "new_items", "input_list", "messages", "trace")
"""Where a row may have its items, the first of them first."""

OUTPUT_KEYS: Final = ("final_output", "output")
"""Where a row without a label may have its answer."""

RESPONSES_KEY: Final = "raw_responses"


def read_agents_sdk(path: Path, known: Collection[int]) -> dict[int, Told]:
    """Return what the rows of a file tell about their claims.

    The answer is the row's label or verdict; where it has neither, that of its final_output (or
    output), else of the last that the model said.

    Args:
        path: JSON lines with claim_id and one of `ITEM_KEYS` or raw_responses.
        known: the claim_ids that rows may name.

    Raises:
        DataError: no row has items, or some are of a form that is not known.
        PredictionFileError, OSError: as `checked_rows`.
    """
    found = checked_rows(path, known, needs_label=False)
    rows = found.predictions
    if not any(_items(row.extra) is not None for row in rows):
        keys = dict.fromkeys(("claim_id", *(key for row in rows[:1] for key in row.extra)))
        raise DataError(
            f"{path}: {found.place_name} {rows[0].place} is a JSON object with keys"
            f" {', '.join(keys)}; openai-agents rows have a list of items under"
            f" {', '.join(ITEM_KEYS)} or {RESPONSES_KEY}; verdicts alone are --from predictions"
        )
    told = {}
    for row in rows:
        try:
            told[row.claim_id] = _told(row)
        except ItemsError as error:
            raise DataError(f"{path}, {found.place_name} {row.place}: {error}") from None
    return told


def _told(row: Prediction) -> Told:
    values = row.extra
    items = _items(values) or []
    read = messages_told(items) if is_pydantic(items) else items_told(items)
    responses = values.get(RESPONSES_KEY)
    return replace(
        read,
        turns=len(responses) if isinstance(responses, list) else read.turns,
        verdict=_verdict(row, read.verdict),
        error=error_of(values),
        tokens=_tokens(values, read.tokens),
        cost_usd=cost_of(values),
        model=model_of(values) or read.model,
    )


def _items(values: Mapping[str, Any]) -> Sequence[Any] | None:
    """The items of a row, None where it has none; a list may be given as its JSON text."""
    for key in ITEM_KEYS:
        items = values.get(key)
        if isinstance(items, str) and items.lstrip().startswith("["):
            items = _parsed(items)
        if isinstance(items, list):
            return items
    responses = values.get(RESPONSES_KEY)
    if not isinstance(responses, list):
        return None
    outputs = [one.get("output") for one in responses if isinstance(one, dict)]
    return [item for output in outputs if isinstance(output, list) for item in output]


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _verdict(row: Prediction, said: Verdict) -> Verdict:
    own = verdict_of_row(row)
    if own.invalid != "no_answer":
        return own
    given = next((row.extra[key] for key in OUTPUT_KEYS if row.extra.get(key)), None)
    if isinstance(given, dict):
        return verdict_of(given)
    if isinstance(given, str):
        return verdict_in(given)
    # After an error, what was said at last is a draft.
    return own if error_of(row.extra) else said


def _tokens(values: Mapping[str, Any], read: Tokens) -> Tokens:
    """Those of the row's usage, else of its responses', else of its messages', else its columns."""
    usage = values.get("usage")
    responses = values.get(RESPONSES_KEY)
    if isinstance(usage, dict):
        return _tokens_of_usages([usage])
    if isinstance(responses, list):
        return _tokens_of_usages([one.get("usage") for one in responses if isinstance(one, dict)])
    return read if read.total else tokens_of(values)


def _tokens_of_usages(usages: Sequence[object]) -> Tokens:
    """The sum of some usages of the Agents SDK; cached tokens are a part of its input tokens."""
    counts: Counter[str] = Counter()
    for usage in usages:
        given = usage if isinstance(usage, Mapping) else {}
        cached = count_in(given.get("input_tokens_details"), "cached_tokens")
        counts["input"] += max(count_in(given, "input_tokens") - cached, 0)
        counts["cached"] += cached
        counts["output"] += count_in(given, "output_tokens")
        counts["reasoning"] += count_in(given.get("output_tokens_details"), "reasoning_tokens")
    return Tokens(**counts)
