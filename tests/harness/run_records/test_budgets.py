"""What a model may spend, and how it may be asked: choices and ranges."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from claimdb_harness.prompts import PROTOCOLS
from claimdb_harness.runs.asked import FINALS, TASKS, Asked
from claimdb_harness.runs.budgets import Budget
from claimdb_metric.errors import DataError

RANGES = [
    ("max_turns", 1, 10_000),
    ("max_sql_calls", 0, 10_000),
    ("max_tokens", 1, 10**9),
    ("max_seconds", 1, 86_400),
    ("max_output_bytes", 200, 32_768),
]


@pytest.mark.parametrize(("name", "least", "most"), RANGES)
def test_ranges(name: str, least: int, most: int) -> None:
    for value in (least, most):
        assert Budget(**{name: value}).to_dict()[name] == value
    wrong: list[Any] = [least - 1, most + 1, -1, True, 5.0, "5", None, float("nan")]
    said = re.escape(f"must be an integer from {least:,} to {most:,}")
    for value in wrong:
        with pytest.raises(DataError, match=said):
            Budget(**{name: value})


def test_all_numbers_have_a_range() -> None:
    assert [name for name, _, _ in RANGES] == [*Budget().to_dict()]


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("final", FINALS)
def test_all_choices_go_together(task: str, protocol: str, final: str) -> None:
    asked = Asked(task=task, protocol=protocol, final=final)
    assert asked.instructions.text


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"task": "guess"}, "task 'guess' is none of verify, closed_book, schema_only"),
        ({"protocol": "xml"}, "protocol 'xml' is none of tools, json, constrained"),
        ({"final": "maybe"}, "final 'maybe' is none of forced, none"),
        ({"task": "closed_book", "command": "agent"}, "task closed_book takes no command"),
        ({"task": "schema_only", "command": ""}, "task schema_only takes no command"),
        ({"prompt": "maximal"}, "no prompt 'maximal': there are minimal, taxonomy, schema-first"),
        ({"max_turns": 0}, "max_turns=0"),
    ],
)
def test_what_nobody_can_ask(options: dict[str, Any], said: str) -> None:
    with pytest.raises(DataError) as caught:
        Asked.of(**{"task": "verify"} | options)
    assert said in str(caught.value)


def test_an_option_that_is_not_there() -> None:
    with pytest.raises(TypeError, match="max_dollars"):
        Asked.of("verify", max_dollars=1)


def test_a_prompt_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("Be brief.")
    assert Asked(prompt=str(path)).instructions.name == "mine.txt"
