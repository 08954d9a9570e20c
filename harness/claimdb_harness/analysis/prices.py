"""List prices of models, and what tokens cost at them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from claimdb_harness.runs.traces import Tokens
from claimdb_loader.strict_json import StrictJson
from claimdb_metric.errors import DataError

FIELDS: Final = ("input", "cached", "output")
_TOKENS_PER_PRICE: Final = 1_000_000
_FORM: Final = (
    '{"as_of": "YYYY-MM-DD", "source": "…", "usd_per_million_tokens": '
    '{MODEL: {"input": 1, "cached": 0.1, "output": 5}}}'
)
_VERSION: Final = re.compile(r"[-@](?:\d{4}-\d{2}-\d{2}|\d{8}|latest|\d{3})$")
"""The edition at the end of a model's name: -20241022, -2024-07-18, -latest, -001."""


@dataclass(frozen=True)
class Prices:
    """What models cost.

    Args:
        as_of: the day on which these were the prices, YYYY-MM-DD.
        source: who says so.
        models: by model, dollars for a million tokens: `input`, `cached`, `output`.
    """

    as_of: str
    source: str
    models: Mapping[str, Mapping[str, float]]

    def of(self, model: str) -> Mapping[str, float] | None:
        """Return the prices of a model, None if they are not known.

        Args:
            model: with or without its provider and the date of its edition.

        >>> packaged_prices().of("openai/gpt-4o-mini-2024-07-18") == packaged_prices().of(
        ...     "gpt-4o-mini"
        ... )
        True
        >>> packaged_prices().of("ollama/qwen3:4b")
        """
        name = model.rsplit("/", 1)[-1]
        for known in (model, name, _VERSION.sub("", name)):
            if known in self.models:
                return self.models[known]
        return None

    def cost_usd(self, model: str, tokens: Tokens) -> float | None:
        """Return dollars for tokens; None where the model is unknown or nothing was counted.

        >>> packaged_prices().cost_usd("gpt-5-mini", Tokens(input=1_000_000, output=500_000))
        1.25
        """
        prices = self.of(model)
        if prices is None or not tokens.total:
            return None
        read = prices["input"] * tokens.input + prices["cached"] * tokens.cached
        return (read + prices["output"] * tokens.output) / _TOKENS_PER_PRICE


def packaged_prices() -> Prices:
    """Return the prices that come with ClaimDB; their date is that of the file.

    >>> packaged_prices().of("gpt-5-nano")["output"]
    0.4
    """
    content = files("claimdb_harness.analysis").joinpath("prices.json").read_text("utf-8")
    return _prices(json.loads(content), "prices.json")


def read_prices(path: str) -> Prices:
    """Return the prices of one's own file, which stand in the place of the packaged ones.

    Raises:
        DataError: it is no JSON, or not of the form of prices.
        OSError: it is missing, or may not be read.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "mine.json")
    ...     _ = file.write_text('{"as_of": "2026-02-30", "source": "me"}')
    ...     read_prices(str(file))
    Traceback (most recent call last):
    claimdb_metric.errors.DataError: mine.json: as_of '2026-02-30' is no day YYYY-MM-DD
    """
    name = Path(path).name
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
        value, fault = StrictJson().whole(text)
    except UnicodeDecodeError:
        raise DataError(f"{name}: not UTF-8") from None
    if fault:
        raise DataError(f"{name}: {fault}")
    return _prices(value, name)


def _prices(value: Any, name: str) -> Prices:
    if not isinstance(value, dict):
        raise DataError(f"{name}: prices have the form {_FORM}")
    as_of, source = value.get("as_of"), value.get("source")
    if not isinstance(as_of, str) or not _is_day(as_of):
        raise DataError(f"{name}: as_of {as_of!r} is no day YYYY-MM-DD")
    if not isinstance(source, str) or not source.strip():
        raise DataError(f"{name}: source is missing: say who gives these prices")
    models = value.get("usd_per_million_tokens")
    if not isinstance(models, dict) or not models:
        raise DataError(f"{name}: no usd_per_million_tokens; prices have the form {_FORM}")
    for model, prices in models.items():
        if not isinstance(prices, dict) or sorted(prices) != sorted(FIELDS):
            raise DataError(f"{name}: {model} needs a price for {', '.join(FIELDS)}, and no other")
        wrong = [field for field in FIELDS if not _is_price(prices[field])]
        if wrong:
            raise DataError(f"{name}: {model} {wrong[0]}={prices[wrong[0]]!r} is no price in $")
    return Prices(as_of, source.strip(), models)


def _is_price(value: object) -> bool:
    return type(value) in (int, float) and math.isfinite(value) and value >= 0  # type: ignore[arg-type, operator]


def _is_day(value: str) -> bool:
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", value):
        return False
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True
