"""A predictions file as the record of a run: verdicts, and what else its columns tell."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Final

from claimdb_harness.imports.rows import checked_rows
from claimdb_harness.imports.told import Told, count_in, number_or_none, text_of
from claimdb_harness.runs.traces import Tokens
from claimdb_harness.verdict_text import MAX_SAID_CHARS, Verdict
from claimdb_loader.prediction_rows import Prediction

COST_COLUMNS: Final = ("cost_usd", "total_cost_usd", "cost")
ERROR_COLUMN: Final = "error"


def read_prediction_run(path: Path, known: Collection[int]) -> dict[int, Told]:
    """Return what a predictions file tells about each claim that it has a row for.

    Columns that are read, if they are there: justification, cost (cost_usd, total_cost_usd or
    cost, in US dollars), tokens (see `tokens_of`), error.

    Args:
        path: in any format of predictions.
        known: the claim_ids that rows may name.

    Raises:
        PredictionFileError, OSError: as `checked_rows`.
    """
    rows = checked_rows(path, known).predictions
    return {row.claim_id: _told(row) for row in rows}


def _told(row: Prediction) -> Told:
    extra = row.extra
    return Told(
        verdict=verdict_of_row(row),
        error=error_of(extra),
        tokens=tokens_of(extra),
        cost_usd=cost_of(extra),
        model=model_of(extra),
    )


def verdict_of_row(row: Prediction) -> Verdict:
    """Return what a row has for a label: the verdict, a wrong one, or none.

    >>> verdict_of_row(Prediction(1, 7, None, "SUPPORTS", {})).invalid
    'wrong_label'
    >>> verdict_of_row(Prediction(1, 7, None, None, {})).invalid
    'no_answer'
    """
    if row.label is not None:
        return Verdict(row.label, text_of(row.extra.get("justification")))
    said = text_of(row.given).strip()
    if not said:
        return Verdict(None, invalid="no_answer")
    return Verdict(None, invalid="wrong_label", said=said[:MAX_SAID_CHARS])


def error_of(values: Mapping[str, Any]) -> str | None:
    """Return the error of a row as text, None where it has none.

    >>> error_of({"error": {"code": 429}}), error_of({"error": ""}), error_of({"error": False})
    ('{"code": 429}', None, None)
    """
    error = values.get(ERROR_COLUMN)
    return text_of(error) if error else None


def cost_of(values: Mapping[str, Any]) -> float | None:
    """Return what a row says that it cost, in US dollars.

    >>> cost_of({"cost": 0.25}), cost_of({"cost": "cheap"})
    (0.25, None)
    """
    given = (number_or_none(values.get(name)) for name in COST_COLUMNS)
    return next((cost for cost in given if cost is not None), None)


def model_of(values: Mapping[str, Any]) -> str | None:
    """Return the name in a row's column `model`, None where there is none."""
    model = values.get("model")
    return model if isinstance(model, str) and model else None


def tokens_of(values: Mapping[str, Any]) -> Tokens:
    """Return the tokens of a row, from its own columns or an object `tokens`.

    The names are input (or input_tokens), cached (or cached_tokens), output and reasoning, cached
    being no part of input. A number `tokens` is a total, which counts as input.

    >>> tokens_of({"tokens": {"input": 5, "output": 2}}) == tokens_of({"input_tokens": 5,
    ...     "output_tokens": 2}) == Tokens(5, 0, 2)
    True
    >>> tokens_of({"tokens": 7})
    Tokens(input=7, cached=0, output=0, reasoning=0)
    """
    given = values.get("tokens")
    if number_or_none(given) is not None:
        return Tokens(input=count_in(values, "tokens"))
    source = given if isinstance(given, Mapping) else values
    counts = {name: count_in(source, f"{name}_tokens") for name in _KINDS}
    if source is given:
        counts = {name: count_in(given, name, f"{name}_tokens") for name in _KINDS}
    return Tokens(**counts)


_KINDS: Final = ("input", "cached", "output", "reasoning")
