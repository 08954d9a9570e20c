"""What a run was asked: one line, one sentence for each difference, and no secrets."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimdb_harness.runs.budgets import Budget
from claimdb_harness.runs.settings import Settings, differences, settings_from
from claimdb_metric.errors import DataError

SHA = "0123456789abcdef" * 4
MINE = Settings(
    "openai/gpt-5-mini",
    "test_public",
    SHA,
    limit="1-20",
    prompt="minimal",
    prompt_sha256=SHA,
    protocol="tools",
    final="forced",
    budget=Budget(),
    generation={"temperature": 0.5, "seed": 7},
    databases={"zoo": {"sha256": "a" * 64, "n_bytes": 1}, "bank": {"sha256": "b" * 64}},
    versions={"claimdb": "0.1.0"},
)


def test_the_signature_has_all_that_moves_verdicts() -> None:
    assert MINE.signature().split("|") == [
        "claimdb_run",
        "v:1",
        "model:openai/gpt-5-mini",
        "task:verify",
        "split:test_public[1-20]",
        "prompt:minimal-01234567",
        "protocol:tools",
        "final:forced",
        "turns:20",
        "sql_calls:40",
        "tokens:200000",
        "seconds:900",
        "output_bytes:16000",
        "temperature:0.5",
        "seed:7",
    ]


HOSTILE = st.text(st.sampled_from("a|:\n\r\u2028\x1b\x00")) | st.text()


@given(HOSTILE, HOSTILE, HOSTILE, HOSTILE)
def test_no_value_ends_a_field_or_the_line(model: str, split: str, prompt: str, seed: str) -> None:
    generation = {"seed": seed}
    made = replace(MINE, model=model, split=split, prompt=prompt, generation=generation)
    line = made.signature()
    assert line.isprintable()
    names = [part.split(":")[0] for part in line.split("|")]
    expected = [
        part.split(":")[0] for part in replace(MINE, generation={"seed": 1}).signature().split("|")
    ]
    assert [name for name in names if name != "prompt"] == [
        one for one in expected if one != "prompt"
    ]


def test_settings_come_back() -> None:
    assert settings_from(MINE.to_dict()) == MINE
    bare = Settings("m", "sample", SHA)
    assert settings_from(bare.to_dict()) == bare


@pytest.mark.parametrize(
    ("changed", "sentences"),
    [
        ({}, []),
        ({"versions": {"claimdb": "0.2.0"}}, []),
        ({"model": "openai/gpt-5"}, ["model was 'openai/gpt-5-mini' and is 'openai/gpt-5'"]),
        ({"limit": None}, ["limit was '1-20' and is None"]),
        ({"budget": Budget(max_turns=5)}, ["max_turns was 20 and is 5"]),
        (
            {"budget": None},
            [
                f"max_{name} was"
                for name in ("turns", "sql_calls", "tokens", "seconds", "output_bytes")
            ],
        ),
        (
            {"generation": {"seed": 7}},
            ["generation was {'temperature': 0.5, 'seed': 7} and is {'seed': 7}"],
        ),
        ({"task": "closed_book", "prompt": "closed-book"}, ["task was", "prompt was"]),
        ({"command": "x" * 100}, ["command was None and is 'xxx"]),
        (
            {"databases": {"zoo": {"sha256": "c" * 64}, "bank": {"sha256": "b" * 64}}},
            [f"database zoo was '{'a' * 64}' and is '{'c' * 64}'"],
        ),
        (
            {"databases": {"zoo": {"sha256": "a" * 64}, "farm": {"sha256": "d" * 64}}},
            [f"database bank was '{'b' * 64}' and is None", "database farm was None and is"],
        ),
    ],
)
def test_a_sentence_for_each_difference(changed: dict[str, Any], sentences: list[str]) -> None:
    found = differences(MINE, replace(MINE, **changed))
    assert len(found) == len(sentences)
    assert all(one.startswith(start) for one, start in zip(found, sentences, strict=True)), found
    assert all(len(one) < 220 for one in found)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"format": 2}, "a run of format 2; this ClaimDB reads 1"),
        ({"format": None}, "a run of format None"),
        ({"mood": "good"}, "this ClaimDB reads 1"),
        ({"model": 5}, "damaged: model is 5"),
        ({"split": None}, "damaged: split is None"),
        ({"limit": 4}, "damaged: limit is 4"),
        ({"databases": []}, "damaged: databases is []"),
        ({"databases": {"zoo": 5}}, "damaged: databases is {'zoo': 5}"),
        ({"versions": {"claimdb": 1}}, "damaged: versions is"),
        ({"versions": "3"}, "damaged: versions is '3'"),
        ({"generation": "3"}, "damaged: generation is '3'"),
        ({"generation": [1]}, "damaged: generation is [1]"),
        ({"budget": []}, "damaged"),
        ({"budget": {"max_turns": 0}}, "max_turns=0 must be an integer from 1 to 10,000"),
        ({"budget": {"max_dollars": 1}}, "max_dollars"),
    ],
)
def test_damaged_settings(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(DataError) as caught:
        settings_from(MINE.to_dict() | changed)
    assert said in str(caught.value)


@pytest.mark.parametrize("name", ["model", "split", "claims_sha256"])
def test_what_all_settings_have(name: str) -> None:
    values = MINE.to_dict()
    del values[name]
    with pytest.raises(DataError, match=f"damaged: .*{name}"):
        settings_from(values)


def test_a_database_without_a_hash_differs() -> None:
    damaged = replace(MINE, databases={"zoo": {}, "bank": {"sha256": "b" * 64}})
    assert differences(damaged, MINE) == [f"database zoo was None and is '{'a' * 64}'"]
