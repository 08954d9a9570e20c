"""What a claim may cost: each number of the budget ends it, and none of them is a wrong answer."""

from __future__ import annotations

from typing import Any

import pytest

from tests.harness.agents.scripts import YES, Played, play

SQL: Any = {"sql": "SELECT 1"}
LONG = (
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 99) SELECT x, '€€' FROM c"
)
WIDE = "SELECT printf('%.9000c', 'é') AS wide"
VERDICT: Any = {"verdict": YES}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    return play(
        tmp_path_factory.mktemp("budgets"),
        {
            "slow": [SQL | {"wait_s": 1.1}, SQL | {"wait_s": 1.1}, VERDICT],
            "wordy": [SQL, SQL, SQL, VERDICT],
            "just in time": [SQL, SQL, VERDICT],
            "long": [{"sql": LONG}, VERDICT],
            "wide": [{"sql": WIDE}, VERDICT],
            "unknown": [{"sql": f"SELECT {'x' * 5000}"}, VERDICT],
        },
        max_tokens=330,  # three turns, a script's being 110
        max_seconds=2,
        max_output_bytes=200,
    )


@pytest.mark.parametrize(
    ("name", "outcome", "stop", "turns"),
    [
        ("slow", "no_verdict", "seconds", 2),
        ("wordy", "no_verdict", "tokens", 3),
        ("just in time", "answered", "verdict", 3),
    ],
)
def test_a_limit_ends_the_claim_after_the_turn_that_reached_it(
    played: Played, name: str, outcome: str, stop: str, turns: int
) -> None:
    trace = played.traces[name]
    assert (trace.outcome, trace.stop, trace.turns) == (outcome, stop, turns)
    assert (trace.error, trace.tokens.total) == (None, 110 * turns)
    assert len(played.askings[name]) == turns


def test_seconds_are_the_models_own(played: Played) -> None:
    assert 2.2 <= played.traces["slow"].seconds < 10


@pytest.mark.parametrize(
    ("name", "status", "told"),
    [
        ("long", "ok", "rows"),
        ("wide", "ok", ""),
        ("unknown", "sql_error", "no such column"),
    ],
)
def test_the_model_reads_no_more_of_an_answer_than_the_budget_allows(
    played: Played, name: str, status: str, told: str
) -> None:
    (call,) = played.traces[name].calls
    assert call.status == status
    assert told in call.output
    assert len(call.output.encode()) <= 200
    assert played.askings[name][1].texts[-1] == call.output


def test_no_queries_at_all(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("none")
    played = play(folder, {"first": [SQL, VERDICT], "second": [VERDICT]}, max_sql_calls=0)
    assert {asking.tools for asking in played.askings["first"]} == {("submit_verdict",)}
    first, second = played.traces["first"], played.traces["second"]
    assert (first.verdict, first.forced, first.calls, first.turns) == (YES, True, (), 2)
    assert (second.verdict, second.forced, second.turns) == (YES, True, 1)


@pytest.mark.parametrize("task", ["closed_book", "schema_only"])
def test_tasks_without_a_database(tmp_path_factory: pytest.TempPathFactory, task: str) -> None:
    folder = tmp_path_factory.mktemp(task)
    played = play(folder, {"first": [SQL, VERDICT]}, task=task)
    trace = played.traces["first"]
    assert (trace.verdict, trace.forced, trace.calls, trace.turns) == (YES, False, (), 2)
    assert {asking.tools for asking in played.askings["first"]} == {("submit_verdict",)}
    system = played.askings["first"][0].texts[0]
    assert ("CREATE TABLE" in system) == (task == "schema_only")
    assert "execute_sql" not in system


def test_a_prompt_with_the_schema(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("schema")
    played = play(folder, {"first": [VERDICT]}, prompt="schema-first")
    system = played.askings["first"][0].texts[0]
    assert "CREATE TABLE" in system
    assert "execute_sql" in system
    assert "{schema}" not in system
