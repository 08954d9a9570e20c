"""Protocol `tools`: queries and the verdict are the model's own calls of tools."""

from __future__ import annotations

from typing import Any

import pytest

from claimdb_harness.agents.agent import LAST_TURN
from claimdb_harness.agents.protocols import GO_ON
from claimdb_metric.labels import LABELS
from claimdb_sandbox import Limits
from tests.harness.agents.scripts import ENDLESS, NO, YES, Played, play

SQL: Any = {"sql": "SELECT 1"}
VERDICT: Any = {"verdict": YES, "why": "Because."}


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"tool": name, "arguments": arguments}


CASES: dict[str, tuple[list[Any], dict[str, Any]]] = {
    "at once": ([VERDICT], {"verdict": YES, "justification": "Because.", "turns": 1}),
    "after a query": ([SQL, VERDICT], {"verdict": YES, "turns": 2, "sql": "ok"}),
    "both in one turn": ([{**SQL, **VERDICT}], {"verdict": YES, "turns": 1, "sql": "ok"}),
    "two in one turn": (
        [call("submit_verdict", verdict=NO, justification="") | VERDICT],
        {"verdict": NO, "turns": 1, "justification": ""},
    ),
    "no label, then one": ([{"verdict": "SUPPORTS"}, VERDICT], {"verdict": YES, "turns": 2}),
    "no label": (
        [{"verdict": "SUPPORTS", "why": "é"}],
        {"invalid": "wrong_label", "said": '{"verdict": "SUPPORTS", "justification": "é"}'},
    ),
    "lower case, then right": ([{"verdict": YES.lower()}, VERDICT], {"verdict": YES, "turns": 2}),
    "no justification": (
        [call("submit_verdict", verdict=YES)],
        {"verdict": YES, "turns": 1, "justification": ""},
    ),
    "more arguments": (
        [call("submit_verdict", verdict=YES, justification="", confidence=1), VERDICT],
        {"verdict": YES},
    ),
    "unknown tool": ([call("list_tables"), VERDICT], {"verdict": YES, "turns": 2}),
    "a query without SQL": ([call("execute_sql"), VERDICT], {"verdict": YES, "turns": 2}),
    "SQL error": (
        [{"sql": "SELECT x FROM nowhere"}, VERDICT],
        {"verdict": YES, "sql": "sql_error"},
    ),
    "writing": ([{"sql": "DROP TABLE vessel"}, VERDICT], {"verdict": YES, "sql": "denied"}),
    "endless SQL": ([{"sql": ENDLESS}, VERDICT], {"verdict": YES, "sql": "timeout"}),
    "words, then a verdict": ([{"text": "Hm."}, VERDICT], {"verdict": YES, "turns": 2}),
    "words only": (
        [{"text": "It is so."}] * 4,
        {"invalid": "no_call", "said": "It is so.", "turns": 4},
    ),
    "silence": ([], {"invalid": "no_answer", "said": None, "turns": 4}),
    "words after a wrong label": (
        [{"verdict": "SUPPORTS"}, {"text": "Hm."}],
        {"invalid": "no_call", "said": "Hm.", "turns": 4},
    ),
    "silence after words": (
        [{"text": "Hm."}],
        {"invalid": "no_call", "said": "Hm.", "turns": 4},
    ),
    "only queries": (
        [SQL, SQL, SQL, {"text": "Done."}],
        {"invalid": "no_call", "said": "Done.", "sql": "ok ok ok"},
    ),
    "at the last turn": (
        [SQL, SQL, SQL, VERDICT],
        {"verdict": YES, "forced": True, "turns": 4, "sql": "ok ok ok"},
    ),
    "a query at the last turn": (
        [SQL, SQL, SQL, SQL],
        {"invalid": "no_answer", "sql": "ok ok ok", "turns": 4},
    ),
    "other SQL left out": (
        [{"sql": ["SELECT 1", "SELECT 2", "SELECT 3", "SELECT 4"]}, VERDICT],
        {"verdict": YES, "forced": True, "turns": 2, "sql": "ok ok ok refused"},
    ),
    "errors count, too": (
        [{"sql": ["SELECT", "DELETE FROM x", "SELECT 3"]}, VERDICT],
        {"verdict": YES, "forced": True, "turns": 2, "sql": "sql_error denied ok"},
    ),
    "half a character": (
        [{"sql": "SELECT '\ud800'"}, {"verdict": YES, "why": "\ud83d"}],
        {"verdict": YES, "justification": "?", "sql": "ok"},
    ),
}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    return play(
        tmp_path_factory.mktemp("tools"),
        {name: steps for name, (steps, _) in CASES.items()},
        limits=Limits(time_limit_s=0.5, max_rows=100),
        max_turns=4,
        max_sql_calls=3,
    )


@pytest.mark.parametrize("name", CASES)
def test_what_comes_of_a_conversation(played: Played, name: str) -> None:
    expected = dict(CASES[name][1])
    trace = played.traces[name]
    assert [call.status for call in trace.calls] == expected.pop("sql", "").split()
    is_answered = "verdict" in expected
    assert {field: getattr(trace, field) for field in expected} == expected
    assert trace.outcome == ("answered" if is_answered else "no_verdict")
    assert trace.stop == ("verdict" if is_answered else "turns")
    assert trace.forced == expected.get("forced", False)
    assert trace.error is None
    assert trace.tokens.total == 110 * trace.turns
    assert len(played.askings[name]) == trace.turns


def test_what_is_offered(played: Played) -> None:
    both, verdict = ("execute_sql", "submit_verdict"), ("submit_verdict",)
    offered = [(asking.tools, asking.only) for asking in played.askings["only queries"]]
    assert offered == [(both, None)] * 3 + [(verdict, "submit_verdict")]
    # No query is left after the first turn.
    offered = [(asking.tools, asking.only) for asking in played.askings["errors count, too"]]
    assert offered == [(both, None), (verdict, "submit_verdict")]


@pytest.mark.parametrize(
    ("name", "turn", "told"),
    [
        ("after a query", 1, "1\n1\n(1 row)"),
        ("SQL error", 1, "no such table: nowhere"),
        ("endless SQL", 1, "stopped after 0.5 s"),
        ("no label, then one", 1, "'SUPPORTS' is not one of"),
        ("unknown tool", 1, "list_tables"),
        ("words, then a verdict", 1, GO_ON),
        ("words only", 1, GO_ON),
        ("other SQL left out", 1, "no query is left in the budget"),
        ("errors count, too", 1, "DELETE is not allowed: this database can only be read"),
    ],
)
def test_what_the_model_gets_to_read(played: Played, name: str, turn: int, told: str) -> None:
    texts = played.askings[name][turn].texts
    assert any(told in text for text in texts[3:]), texts[3:]


def test_the_last_words_before_the_end_of_turns(played: Played) -> None:
    asked = {name: one.texts[-1] for name, (*_, one) in played.askings.items()}
    for name in ("words only", "silence", "only queries"):
        assert asked[name] == LAST_TURN


def test_the_instructions_come_first_then_the_claim(played: Played) -> None:
    system, user = played.askings["at once"][0].texts
    assert "execute_sql" in system
    assert all(label in system for label in LABELS)
    assert user.startswith("Claim: ")


def test_the_last_turn_is_like_the_others_where_it_is_not_forced(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    scripts = {"late": [SQL, VERDICT], "greedy": [SQL, {"sql": ["SELECT 2", "SELECT 3"]}]}
    folder = tmp_path_factory.mktemp("none")
    played = play(folder, scripts, final="none", max_turns=2, max_sql_calls=2)
    late, greedy = played.traces["late"], played.traces["greedy"]
    assert (late.verdict, late.forced) == (YES, False)
    assert (greedy.outcome, greedy.stop) == ("no_verdict", "turns")
    assert [call.status for call in greedy.calls] == ["ok", "ok", "refused"]
    offered = {asking.tools for name in scripts for asking in played.askings[name]}
    assert offered == {("execute_sql", "submit_verdict")}
