"""Prices: the packaged ones, and files of one's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from claimdb_harness.analysis.prices import Prices, packaged_prices, read_prices
from claimdb_harness.runs.traces import Tokens
from claimdb_metric.errors import DataError

MILLION = 1_000_000

KNOWN = {
    "openai/gpt-5-nano": "gpt-5-nano",
    "gpt-4o-mini-2024-07-18": "gpt-4o-mini",
    "anthropic/claude-3-5-haiku-20241022": "claude-3-5-haiku",
    "anthropic/claude-3-5-haiku-latest": "claude-3-5-haiku",
    "google/gemini-2.5-flash": "gemini-2.5-flash",
    "openrouter/openai/gpt-5-mini": "gpt-5-mini",
}


@pytest.mark.parametrize("model", KNOWN)
def test_names_of_models(model: str) -> None:
    prices = packaged_prices()
    assert prices.of(model) == prices.models[KNOWN[model]]


@pytest.mark.parametrize("model", ["ollama/qwen3:4b", "gpt-5-nano-mine", "", "gpt"])
def test_an_unknown_model_has_no_cost(model: str) -> None:
    assert packaged_prices().cost_usd(model, Tokens(input=1)) is None


def test_each_kind_of_token_has_its_price() -> None:
    prices = Prices("2026-01-01", "me", {"m": {"input": 1, "cached": 0.1, "output": 5}})
    tokens = Tokens(MILLION, 2 * MILLION, 3 * MILLION, reasoning=MILLION)
    assert prices.cost_usd("m", tokens) == pytest.approx(1 + 0.2 + 15)
    assert prices.cost_usd("m", Tokens()) is None


def test_the_packaged_prices_are_sound() -> None:
    prices = packaged_prices()
    assert prices.as_of <= "2026-12-31"
    assert len(prices.models) >= 15
    for of_model in prices.models.values():
        assert 0 < of_model["cached"] < of_model["input"] < of_model["output"]


def good(**changed: object) -> dict[str, object]:
    models = {"m": {"input": 1, "cached": 0, "output": 2.5}}
    return {"as_of": "2026-01-31", "source": " me ", "usd_per_million_tokens": models} | changed


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(good()), "utf-8-sig")
    found = read_prices(str(path))
    assert (found.as_of, found.source, list(found.models)) == ("2026-01-31", "me", ["m"])


def with_model(**prices: object) -> str:
    return json.dumps(good(usd_per_million_tokens={"m": prices}))


WRONG = {
    "": "not JSON",
    "{": "not JSON",
    "[]": "prices have the form",
    '{"as_of": NaN}': "NaN is no JSON value",
    json.dumps(good(as_of="yesterday")): "as_of 'yesterday' is no day",
    json.dumps(good(as_of="2026-13-01")): "is no day YYYY-MM-DD",
    json.dumps(good(as_of=None)): "as_of None is no day",
    json.dumps(good(source="  ")): "source is missing",
    json.dumps(good(usd_per_million_tokens={})): "no usd_per_million_tokens",
    json.dumps(good(usd_per_million_tokens={"m": 1})): "m needs a price for input, cached, output",
    with_model(input=1, output=2): "m needs a price for",
    with_model(input=1, cached=1, output=2, more=3): "and no other",
    with_model(input=-1, cached=1, output=2): r"m input=-1 is no price in \$",
    with_model(input=True, cached=1, output=2): r"m input=True is no price in \$",
    with_model(input="1", cached=1, output=2): r"m input='1' is no price in \$",
    json.dumps(good()) + "{}": "Extra data",
}


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_file(text: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(text)
    with pytest.raises(DataError, match=f"^mine.json: .*{WRONG[text]}"):
        read_prices(str(path))


def test_a_file_that_is_no_text_or_not_there(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_bytes(b"\xff")
    with pytest.raises(DataError, match="not UTF-8"):
        read_prices(str(path))
    with pytest.raises(FileNotFoundError):
        read_prices(str(tmp_path / "gone.json"))
