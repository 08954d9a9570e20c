"""Whatever becomes of SQL that is cut, mixed and spiked: an answer in time, an unchanged file."""

from __future__ import annotations

import asyncio
import json
import shutil
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from claimdb_sandbox import STATUSES, AsyncExecutor, Limits, Result, Status
from tests.conftest import SHARED
from tests.sandbox.made_databases import folder_state, heroes_database
from tests.sandbox.mutated_sql import OWN_QUERIES, Case, made_case

N_CASES = 5_000
N_LANES = 2
LIMITS = Limits(time_limit_s=0.1, grace_s=0.5, max_rows=20, max_bytes=10_000)
SLACK_S = 0.5
"""To start a worker after one was killed, and for other programs on this machine."""

LEAST_SEEN: dict[Status, int] = {
    "ok": 500,
    "truncated": 30,
    "denied": 200,
    "sql_error": 1000,
    "timeout": 10,
    "not_a_query": 5,
}


class Subject(NamedTuple):
    """A database alone in its folder, and queries that are right for it."""

    path: Path
    queries: Sequence[str]


class Answer(NamedTuple):
    """What became of a case, and the seconds from when a lane was free for it."""

    case: Case
    result: Result
    seconds: float


@pytest.fixture
def subject(tmp_path: Path) -> Subject:
    """BIRD's `superhero` and its gold queries; our own ones where the real data is absent."""
    bird = SHARED / "data" / "bird"
    if not bird.is_dir():
        return Subject(heroes_database(tmp_path / "db" / "heroes.sqlite"), OWN_QUERIES)
    rows = json.loads((bird / "dev.json").read_text("utf-8"))
    path = tmp_path / "db" / "superhero.sqlite"
    path.parent.mkdir()
    shutil.copyfile(bird / "databases" / "superhero" / path.name, path)
    return Subject(path, [row["SQL"] for row in rows if row["db_id"] == "superhero"])


async def answers(path: Path, cases: Sequence[Case]) -> list[Answer]:
    free = asyncio.Semaphore(N_LANES)
    async with AsyncExecutor(LIMITS, lanes=N_LANES) as pool:

        async def answer(case: Case) -> Answer:
            async with free:
                started = time.monotonic()
                result = await pool.run(path, case.sql)
                return Answer(case, result, time.monotonic() - started)

        found = await asyncio.gather(*map(answer, cases))
        assert (await pool.run(path, "SELECT 1")).rows == ((1,),)
    return found


def test_a_case_is_made_from_its_number_alone() -> None:
    for number in range(200):
        case = made_case(number, OWN_QUERIES)
        assert case == made_case(number, OWN_QUERIES)
    assert len({made_case(number, OWN_QUERIES).sql for number in range(200)}) > 195


@pytest.mark.slow
def test_5000_spoilt_queries_each_get_an_answer_in_time_and_change_nothing(
    subject: Subject,
) -> None:
    before = folder_state(subject.path.parent)
    cases = [made_case(number, subject.queries) for number in range(N_CASES)]
    found = asyncio.run(answers(subject.path, cases))
    limit_s = LIMITS.time_limit_s + LIMITS.grace_s + SLACK_S
    for case, result, seconds in found:
        assert result.status in STATUSES, case
        assert result.status != "worker_died", (case, result.message)
        assert seconds < limit_s, (case, seconds)
        assert len(result) <= LIMITS.max_rows, case
        assert result.ok or (result.rows, result.columns) == ((), ()), case
        assert str(subject.path.parent) not in str(result.message), case
    assert folder_state(subject.path.parent) == before
    # Not all of it is nonsense to SQLite: there are some of each kind.
    n_seen = Counter(result.status for _, result, _ in found)
    assert all(n_seen[status] >= least for status, least in LEAST_SEEN.items()), n_seen
