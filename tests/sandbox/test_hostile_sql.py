"""Hostile SQL gets its status soon and in little memory, and changes nothing.

tests/data/hostile_sql.yaml holds them. Each runs with the guards alone, and through the pool.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest
import yaml

import claimdb_sandbox
from claimdb_sandbox import AsyncExecutor, Executor, Limits, Result
from claimdb_sandbox.answers import result_of
from tests.sandbox.made_databases import folder_state, heroes_database
from tests.sandbox.processes import forget_peak, memory_bytes, needs_proc

INPUTS: Final = Path(__file__).parents[1] / "data" / "hostile_sql.yaml"
QUICK: Final = Limits(time_limit_s=0.3, grace_s=1.0)
HUNG_S: Final = 10.0
"""The guards alone have no parent that kills; after so long, the test does."""

MAX_KEPT_MB: Final = 100
"""What the allocator may keep after a query, for the next one."""

MAX_MESSAGE_CHARS: Final = 301
HAS_PROC: Final = Path("/proc/self/clear_refs").exists()

GUARDS_ALONE: Final = """
import json, sys
sys.path.append(sys.argv[1])
from pathlib import Path
from claimdb_sandbox.guards import GuardedConnection
from claimdb_sandbox.limits import Limits
from claimdb_sandbox.process_limits import limit_process
from claimdb_sandbox.query import run_query

limits = Limits(**json.loads(sys.argv[3]))
limit_process(limits)
guarded = GuardedConnection(Path(sys.argv[2]), limits)
for line in sys.stdin:
    sys.stdout.buffer.write(run_query(guarded, json.loads(line)) + b"\\n")
    sys.stdout.buffer.flush()
"""
"""A worker without its parent: it reads SQL as JSON, a line each, and answers likewise."""


@dataclass(frozen=True)
class Hostile:
    """One input, and what must become of it."""

    name: str
    row: int | str
    sql: str
    status: str | list[str]
    max_s: float
    max_extra_mb: float
    repeat: dict[str, dict[str, Any]] | None = None
    limit: str | None = None
    rows: list[list[Any]] | None = None
    says: str = ""
    killed: bool = False

    @property
    def statuses(self) -> list[str]:
        """The statuses that are right, the usual one first."""
        return [self.status] if isinstance(self.status, str) else self.status

    def text(self, folder: Path) -> str:
        """The SQL with its placeholders filled in."""
        sql = self.sql
        for name, part in (self.repeat or {}).items():
            sql = sql.replace(f"{{{name}}}", part["text"] * part["times"])
        return sql.replace("{dir}", str(folder))


class GuardsAlone:
    """One process for all inputs, in which nothing but SQLite's own guards stops a query."""

    def __init__(self, database: Path) -> None:
        self.database = database
        self._process = self._started()

    @property
    def pid(self) -> int:
        return self._process.pid

    def run(self, sql: str) -> Result:
        """Return what became of it; start anew after a process that ended or hung."""
        if self._process.poll() is not None:
            self._process = self._started()
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        timer = threading.Timer(HUNG_S, self._process.kill)
        timer.start()
        self._process.stdin.write(json.dumps(sql).encode() + b"\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        timer.cancel()
        if not answer:
            self.close()
        assert answer, f"the process ended, or gave no answer within {HUNG_S:g} s"
        return result_of(json.loads(answer))

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()

    def _started(self) -> subprocess.Popen[bytes]:
        sandbox = Path(claimdb_sandbox.__file__).parents[1]
        arguments = [str(sandbox), str(self.database), json.dumps(asdict(QUICK))]
        command = [sys.executable, "-I", "-S", "-c", GUARDS_ALONE, *arguments]
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


class Pool:
    """A pool of one lane."""

    def __init__(self, database: Path, pool: AsyncExecutor, loop: asyncio.Runner) -> None:
        self.database, self._pool, self._loop = database, pool, loop

    @property
    def pid(self) -> int:
        return self._pool.worker_pids[0]

    def run(self, sql: str) -> Result:
        return self._loop.run(self._pool.run(self.database, sql))


Runner: TypeAlias = GuardsAlone | Pool

HOSTILE: Final = [Hostile(**entry) for entry in yaml.safe_load(INPUTS.read_text("utf-8"))]


def _params(with_kill: bool) -> list[Any]:
    """All inputs; those that take a kill are skipped where there is none."""
    skip = pytest.mark.skip(reason="it takes many seconds, and only the pool's parent can stop it")
    marks = {True: [], False: [skip]}
    return [
        pytest.param(one, id=one.name, marks=marks[with_kill or not one.killed]) for one in HOSTILE
    ]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return heroes_database(tmp_path_factory.mktemp("hostile") / "db" / "heroes.sqlite")


@pytest.fixture(scope="module")
def guards_alone(database: Path) -> Iterator[GuardsAlone]:
    guards = GuardsAlone(database)
    yield guards
    guards.close()


@pytest.fixture(scope="module")
def pool(database: Path) -> Iterator[Pool]:
    with asyncio.Runner() as loop:
        lanes = AsyncExecutor(QUICK, lanes=1)
        yield Pool(database, lanes, loop)
        lanes.close()


def test_the_inputs_are_all_of_the_table_and_many_of_our_own() -> None:
    rows = [hostile.row for hostile in HOSTILE]
    assert {row for row in rows if row != "own"} == {*range(1, 39)}
    assert rows.count("own") >= 20
    assert len({hostile.name for hostile in HOSTILE}) == len(HOSTILE)


@pytest.mark.parametrize("hostile", _params(with_kill=False))
def test_guards_alone_stop_hostile_sql(hostile: Hostile, guards_alone: GuardsAlone) -> None:
    _check(hostile, guards_alone)


@pytest.mark.parametrize("hostile", _params(with_kill=True))
def test_the_pool_stops_hostile_sql(hostile: Hostile, pool: Pool) -> None:
    _check(hostile, pool)


@needs_proc
def test_long_queries_leave_nothing_behind_that_adds_up(database: Path) -> None:
    with Executor(database) as sandbox:
        sandbox.run("SELECT 1")
        rss = _memory_mb(pid := sandbox.worker_pid or 0, "VmRSS")
        assert all(sandbox.run(f"SELECT {n} IN ({'1, ' * 25_000} 1)").ok for n in range(15))
        assert sandbox.worker_pid == pid
        assert _memory_mb(pid, "VmRSS") - rss <= 15


def test_a_strict_budget_stops_endless_sql_at_the_same_step(database: Path) -> None:
    endless = next(hostile for hostile in HOSTILE if hostile.row == 6)
    with Executor(database, Limits(max_steps=50_000)) as sandbox:
        results = [sandbox.run(endless.sql) for _ in range(2)]
    assert {(one.status, one.limit, one.ticks) for one in results} == {("timeout", "max_steps", 51)}


def _check(hostile: Hostile, runner: Runner) -> None:
    """Run one input on a process that works, and look at all that it may have done."""
    assert runner.run("SELECT 1").rows == ((1,),)
    folder, pid = runner.database.parent, runner.pid
    before, rss = _files(folder), _memory_mb(pid, "VmRSS")
    if HAS_PROC:
        forget_peak(pid)
    started = time.perf_counter()
    result = runner.run(hostile.text(folder))
    elapsed_s = time.perf_counter() - started
    assert _files(folder) == before
    _check_answer(hostile, result, folder)
    assert elapsed_s <= hostile.max_s
    replaced = isinstance(runner, Pool) and (result.status == "memory" or result.limit == "grace_s")
    if not replaced:
        assert _memory_mb(pid, "VmHWM") - rss <= hostile.max_extra_mb
    assert runner.run("SELECT 1").rows == ((1,),)
    assert (runner.pid != pid) == replaced
    if result.status != "memory":  # where only a new worker helps, the pool starts one
        assert _memory_mb(runner.pid, "VmRSS") - rss <= MAX_KEPT_MB


def _check_answer(hostile: Hostile, result: Result, folder: Path) -> None:
    message = result.message or ""
    assert result.status in hostile.statuses, message
    if result.status == hostile.statuses[0]:
        assert result.limit == hostile.limit
    if hostile.rows is not None:
        assert [[*row] for row in result.rows] == hostile.rows
    assert hostile.says in "\n".join([message, *result.notes])
    # What the author wrote may come back: to take it out would confirm a guess.
    assert str(folder) not in message or str(folder) in hostile.text(folder)
    assert result.ok or not result.rows
    assert all(len(text) <= MAX_MESSAGE_CHARS for text in (message, *result.notes))


def _files(folder: Path) -> tuple[list[Path], dict[str, str]]:
    return sorted(folder.rglob("*")), folder_state(folder)


def _memory_mb(pid: int, field: str) -> float:
    """Memory of a process; 0 where the system does not tell."""
    return memory_bytes(pid, field) / 2**20 if HAS_PROC else 0.0
