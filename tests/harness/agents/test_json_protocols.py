"""Protocols `json` and `constrained`: the verdict is an object in the text; so are the queries."""

from __future__ import annotations

import json
from typing import Any

import pytest

from claimdb_harness.agents.agent import LAST_TURN
from claimdb_harness.agents.protocols import GIVE_JSON, GO_ON_JSON
from claimdb_harness.runs.runs import read_run
from claimdb_metric.labels import LABELS
from tests.harness.agents.scripts import NO, YES, Played, play

SQL: Any = {"sql": "SELECT 1"}


def said(text: str) -> dict[str, Any]:
    return {"text": text}


def verdict(label: str, **more: Any) -> str:
    return json.dumps({"verdict": label, "justification": "Because."} | more)


def query(sql: object) -> dict[str, Any]:
    return said(json.dumps({"tool": "execute_sql", "sql": sql}))


BOTH: dict[str, tuple[list[Any], dict[str, Any]]] = {
    "plain": ([said(verdict(YES))], {"verdict": YES, "justification": "Because.", "turns": 1}),
    "prose around": ([said(f"So it is: {verdict(YES)} Done.")], {"verdict": YES}),
    "fenced": ([said(f"```json\n{verdict(YES)}\n```")], {"verdict": YES}),
    "braces": (
        [said(verdict(YES, justification="the set {a} is }{ fine"))],
        {"verdict": YES, "justification": "the set {a} is }{ fine"},
    ),
    "braces before": ([said(f"think {{draft}} then {verdict(YES)}")], {"verdict": YES}),
    "two objects": ([said(f"{verdict(NO)} no: {verdict(YES)}")], {"verdict": YES}),
    "lower case": ([said(verdict(YES.lower()))], {"verdict": YES}),
    "more keys": ([said(verdict(YES, confidence=0.5))], {"verdict": YES}),
    "half a character": (
        [said('"\ud800"'), said('{"verdict": "' + YES + '", "justification": "\ud83d"}')],
        {"verdict": YES, "turns": 2},
    ),
    "no label, then one": ([said(verdict("SUPPORTS")), said(verdict(YES))], {"verdict": YES}),
    "no label": (
        [said('{"verdict": "SUPPORTS"}')],
        {"invalid": "wrong_label", "said": '{"verdict": "SUPPORTS"}', "turns": 3},
    ),
    "words only": (
        [said(f"It is {YES}.")] * 3,
        {"invalid": "no_json", "said": f"It is {YES}.", "turns": 3},
    ),
    "silence": ([], {"invalid": "no_answer", "said": None, "turns": 3}),
}

JSON = BOTH | {
    "after a query": ([SQL, said(verdict(YES))], {"verdict": YES, "sql": "ok", "turns": 2}),
    "unknown tool": ([{"tool": "submit_verdict"}, said(verdict(YES))], {"verdict": YES}),
    "at the last turn": (
        [SQL, SQL, said(verdict(YES))],
        {"verdict": YES, "forced": True, "sql": "ok ok"},
    ),
    "a query beside the last words": (
        [SQL, SQL, SQL | said(verdict(YES))],
        {"verdict": YES, "forced": True, "sql": "ok ok"},
    ),
    "only queries": ([SQL] * 3, {"invalid": "no_answer", "sql": "ok ok", "turns": 3}),
}

CONSTRAINED = BOTH | {
    "after a query": (
        [query("SELECT 1"), said(verdict(YES, tool="submit_verdict"))],
        {"verdict": YES, "sql": "ok", "turns": 2},
    ),
    "a fenced query": (
        [said(f"```json\n{query('SELECT 1')['text']}\n```"), said(verdict(YES))],
        {"verdict": YES, "sql": "ok", "turns": 2},
    ),
    "a query that is no text": (
        [query(7), said(verdict(YES))],
        {"verdict": YES, "sql": "sql_error"},
    ),
    "at the last turn": (
        [query("SELECT 1"), query("SELECT 2"), said(verdict(YES))],
        {"verdict": YES, "forced": True, "sql": "ok ok"},
    ),
    "only queries": (
        [query("SELECT 1")] * 3,
        {"invalid": "no_json", "sql": "ok ok", "turns": 3},
    ),
}

CASES = {"json": JSON, "constrained": CONSTRAINED}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Played]:
    folder = tmp_path_factory.mktemp("played")
    return {
        protocol: play(
            folder / protocol,
            {name: steps for name, (steps, _) in cases.items()},
            protocol=protocol,
            max_turns=3,
        )
        for protocol, cases in CASES.items()
    }


@pytest.mark.parametrize(
    ("protocol", "name"), [(protocol, name) for protocol in CASES for name in CASES[protocol]]
)
def test_what_comes_of_a_conversation(played: dict[str, Played], protocol: str, name: str) -> None:
    expected = dict(CASES[protocol][name][1])
    trace = played[protocol].traces[name]
    is_answered = "verdict" in expected
    assert [call.status for call in trace.calls] == expected.pop("sql", "").split()
    assert {field: getattr(trace, field) for field in expected} == expected
    assert trace.outcome == ("answered" if is_answered else "no_verdict")
    assert trace.stop == ("verdict" if is_answered else "turns")
    assert trace.forced == expected.get("forced", False)


def test_json_offers_queries_and_at_last_nothing(played: dict[str, Played]) -> None:
    askings = played["json"].askings["at the last turn"]
    assert [asking.tools for asking in askings] == [("execute_sql",), ("execute_sql",), ()]
    assert {asking.schema for asking in askings} == {None}
    asked = [asking.texts[-1] for asking in played["json"].askings["words only"]]
    assert asked[1:] == [GO_ON_JSON, LAST_TURN]


def test_constrained_holds_the_answer_to_a_schema(played: dict[str, Played]) -> None:
    askings = played["constrained"].askings["at the last turn"]
    assert {asking.tools for asking in askings} == {()}
    first, _, last = [asking.schema for asking in askings]
    assert first is not None
    assert last is not None
    assert [one["required"] for one in first["anyOf"]] == [
        ["tool", "sql"],
        ["tool", "verdict", "justification"],
    ]
    assert last == first["anyOf"][1]
    assert last["properties"]["verdict"]["enum"] == [*LABELS]
    assert last["additionalProperties"] is False
    texts = askings[1].texts
    assert texts[-1] == "Result:\n1\n1\n(1 row)"
    assert played["constrained"].askings["words only"][1].texts[-1] == GIVE_JSON


@pytest.mark.parametrize("protocol", CASES)
def test_a_log_holds_the_same_traces(played: dict[str, Played], protocol: str) -> None:
    run = read_run(played[protocol].log)
    traces = [*played[protocol].traces.values()]
    assert [run.traces[trace.claim_id] for trace in traces] == traces
    assert (run.pending, run.settings.protocol) == ([], protocol)
