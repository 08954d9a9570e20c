"""What a query may cost: steps that are the same each time, and time where a query has no end."""

from __future__ import annotations

import json
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from claimdb_sandbox import Limits
from claimdb_sandbox.guards import GuardedConnection
from claimdb_sandbox.query import run_query
from tests.sandbox.made_databases import heroes_database

ENDLESS = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r"
PAIRS = "SELECT count(*) FROM heroes a, heroes b WHERE a.power < b.power AND a.id <= 50"
QUERIES = [
    PAIRS,
    "SELECT count(*) FROM heroes WHERE power > 3",
    "SELECT name FROM heroes ORDER BY height_cm, name LIMIT 7",
    "SELECT power, avg(height_cm) FROM heroes GROUP BY power HAVING max(id) > 5",
    "SELECT id FROM heroes WHERE name LIKE '%9%'",
]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return heroes_database(tmp_path_factory.mktemp("steps") / "heroes.sqlite")


def answered(guarded: GuardedConnection, sql: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(run_query(guarded, sql))
    del answer["elapsed_ms"]
    return answer


def asked(path: Path, sql: str, **limits: Any) -> dict[str, Any]:
    with closing(GuardedConnection(path, Limits(**limits))) as guarded:
        return answered(guarded, sql)


@pytest.mark.parametrize("sql", QUERIES)
def test_a_query_takes_the_same_steps_on_every_connection(path: Path, sql: str) -> None:
    first = asked(path, sql)
    assert first["status"] == "ok"
    assert first["ticks"] > 2
    assert all(asked(path, sql) == first for _ in range(3))


@pytest.mark.parametrize("sql", QUERIES)
def test_a_query_takes_the_same_steps_however_often_it_ran_before(path: Path, sql: str) -> None:
    with closing(GuardedConnection(path, Limits())) as guarded:
        first = answered(guarded, sql)
        assert [answered(guarded, sql) for _ in range(4)] == [first] * 4


@pytest.mark.parametrize("sql", QUERIES)
def test_a_query_takes_the_same_steps_whatever_ran_before(path: Path, sql: str) -> None:
    alone = asked(path, sql)
    with closing(GuardedConnection(path, Limits(max_steps=10**6))) as guarded:
        for other in (ENDLESS, "nonsense", *QUERIES[::-1], "DROP TABLE heroes"):
            if other != sql:
                answered(guarded, other)
        assert answered(guarded, sql) == alone


def test_a_budget_of_the_steps_that_it_takes_is_enough_and_less_is_not(path: Path) -> None:
    ticks = asked(path, PAIRS)["ticks"]
    assert asked(path, PAIRS, max_steps=ticks * 1000)["status"] == "ok"
    assert asked(path, PAIRS, max_steps=ticks * 1000 + 999)["status"] == "ok"
    stopped = asked(path, PAIRS, max_steps=(ticks - 1) * 1000)
    assert stopped == {
        "status": "timeout",
        "message": f"stopped after {(ticks - 1) * 1000:,} steps",
        "limit": "max_steps",
        "notes": [],
        "ticks": ticks,
        "rows": [],
    }


def test_the_same_budget_stops_the_same_query_at_the_same_step_each_time(path: Path) -> None:
    answers = [asked(path, ENDLESS, max_steps=1_000_000) for _ in range(3)]
    assert answers[0]["limit"] == "max_steps"
    assert answers[0]["ticks"] == 1001
    assert answers == answers[:1] * 3


def test_a_budget_that_is_just_enough_stays_so_when_a_query_is_run_again(path: Path) -> None:
    n_steps = asked(path, PAIRS)["ticks"] * 1000
    with closing(GuardedConnection(path, Limits(max_steps=n_steps))) as guarded:
        assert [answered(guarded, PAIRS)["status"] for _ in range(10)] == ["ok"] * 10


def test_without_a_budget_steps_are_counted_and_stop_nothing(path: Path) -> None:
    assert asked(path, PAIRS, max_steps=None)["ticks"] > 100


def test_a_query_without_an_end_is_stopped_by_the_clock(path: Path) -> None:
    started = time.monotonic()
    answer = asked(path, ENDLESS, time_limit_s=0.1)
    assert 0.1 <= time.monotonic() - started < 2  # the progress handler looks every 50 µs
    assert (answer["status"], answer["limit"]) == ("timeout", "time_limit_s")
    assert answer["message"] == "stopped after 0.1 s"
    assert answer["rows"] == []
    assert answer["ticks"] > 100


def test_rows_that_came_before_a_query_was_stopped_are_not_kept(path: Path) -> None:
    sql = f"SELECT id FROM heroes WHERE id < 5 UNION ALL SELECT * FROM ({ENDLESS})"
    answer = asked(path, sql, max_steps=100_000)
    assert (answer["status"], answer["rows"]) == ("timeout", [])
    assert "columns" not in answer


def test_a_stopped_query_leaves_the_next_one_its_whole_budget(path: Path) -> None:
    with closing(GuardedConnection(path, Limits(time_limit_s=0.2, max_steps=10**6))) as guarded:
        for _ in range(3):
            assert answered(guarded, ENDLESS)["status"] == "timeout"
            assert answered(guarded, PAIRS)["ticks"] > 100


@pytest.mark.parametrize("n_names", [1, 20])
def test_looking_for_names_that_are_text_takes_no_steps_of_the_query(
    path: Path, n_names: int
) -> None:
    names = [f"x{n}" for n in range(n_names)]
    quoted = PAIRS + "".join(f' AND a.name <> "{name}"' for name in names)
    plain = quoted.replace('"', "'")
    answer = asked(path, quoted)
    assert answer["ticks"] == asked(path, plain)["ticks"]
    assert len(answer["notes"]) == 1
    n_steps = answer["ticks"] * 1000
    assert asked(path, quoted, max_steps=n_steps)["status"] == "ok"


def test_steps_of_compiling_are_not_counted(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite counts steps while it compiles, too, from 3.41 on; here a query plays that part."""

    def compiled(guarded: GuardedConnection, _: str) -> list[str]:
        guarded.connection.execute(PAIRS).fetchall()
        assert guarded.ticks.count > 100
        return []

    alone = asked(path, QUERIES[1])
    monkeypatch.setattr("claimdb_sandbox.query.names_taken_as_text", compiled)
    assert asked(path, QUERIES[1]) == alone
