"""Whatever becomes of SQL that is cut, mixed and spiked: an answer in time, an unchanged file."""

from __future__ import annotations

import json
import random
import shutil
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from claimdb_sandbox import STATUSES, Executor, Limits, Result, Status
from tests.conftest import SHARED
from tests.sandbox.made_databases import folder_state, heroes_database
from tests.sandbox.mutated_sql import OWN_QUERIES, mutated

N_CASES = 5_000
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


def check(sandbox: Executor, sql: str) -> Result:
    """Run SQL: there is an answer of a known kind, in time, and the next query is right."""
    started = time.monotonic()
    result = sandbox.run(sql)
    seconds = time.monotonic() - started
    assert result.status in STATUSES
    assert result.status != "worker_died", result.message
    assert seconds < LIMITS.time_limit_s + LIMITS.grace_s + SLACK_S
    assert len(result) <= LIMITS.max_rows
    assert result.ok or (result.rows, result.columns) == ((), ())
    assert str(sandbox.path.parent) not in str(result.message)
    return result


@pytest.mark.slow
def test_5000_spoilt_queries_each_get_an_answer_in_time_and_change_nothing(
    subject: Subject,
) -> None:
    """Hypothesis draws the seed, not each choice: it prefers the rare ones, and those take long."""
    before = folder_state(subject.path.parent)
    n_seen: Counter[Status] = Counter()
    with Executor(subject.path, LIMITS) as sandbox:

        @settings(
            max_examples=N_CASES,
            deadline=None,
            database=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        )
        @given(seed=st.integers(0, 2**64 - 1))
        def answer_one(seed: int) -> None:
            sql = mutated(random.Random(seed), subject.queries)
            note(sql)
            n_seen[check(sandbox, sql).status] += 1

        answer_one()
        assert sandbox.run("SELECT 1").rows == ((1,),)
    assert folder_state(subject.path.parent) == before
    assert n_seen.total() >= N_CASES
    # Not all of it is nonsense to SQLite: there are some of each kind.
    assert all(n_seen[status] >= least for status, least in LEAST_SEEN.items()), n_seen
