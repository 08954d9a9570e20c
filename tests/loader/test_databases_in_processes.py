"""Database handles shared by processes and threads."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from claimdb_loader.databases import MAX_OPEN, Database, open_database
from tests.forks import forks
from tests.loader.made_databases import is_open, make_database


@pytest.fixture
def db(tmp_path: Path) -> Database:
    return Database("heroes", make_database(tmp_path / "heroes.sqlite", 2500))


def count(db: Database) -> object:
    return db.query("SELECT count(*) FROM heroes").rows[0][0]


def in_fork(action: Callable[[], object]) -> str:
    """The repr of what the action gives in a forked child; the child is killed after 20 s."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.alarm(20)
        try:
            answer = repr(action())
        except BaseException as error:
            answer = f"failed: {error!r}"
        os.write(writer, answer.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        answer = pipe.read()
    os.waitpid(pid, 0)
    return answer


@forks
def test_a_fork_uses_a_connection_of_its_own(db: Database) -> None:
    assert count(db) == 2500
    assert in_fork(lambda: count(db)) == "2500"
    assert in_fork(lambda: in_fork(lambda: count(db))) == "'2500'"
    assert in_fork(db.close) == "None"
    assert count(db) == 2500


class SlowParameter(Sequence[int]):
    """One parameter of a query that is given only when the test says so."""

    def __init__(self) -> None:
        self.asked, self.given = threading.Event(), threading.Event()

    def __len__(self) -> int:
        return 1

    def __getitem__(self, index: object) -> Any:
        self.asked.set()
        self.given.wait(20)
        return 5


@forks
def test_a_fork_does_not_wait_for_a_query_of_its_parent(db: Database) -> None:
    """The turn that a thread of the parent has taken would never end in the child."""
    count(db)
    parameter = SlowParameter()
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(db.query, "SELECT ?", parameter)
        parameter.asked.wait(20)
        assert in_fork(lambda: count(db)) == "2500"
        parameter.given.set()
        assert running.result().rows == ((5,),)


@forks
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_take_handles(db: Database, method: str) -> None:
    count(db)
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        assert list(pool.map(count, [db] * 8)) == [2500] * 8


def test_a_handle_survives_pickling(db: Database) -> None:
    count(db)
    copy = pickle.loads(pickle.dumps(db))
    assert (repr(copy), count(copy)) == (repr(db), 2500)


def test_threads_take_turns(db: Database) -> None:
    def ask(number: int) -> object:
        return db.query("SELECT name FROM heroes WHERE id = ?", [number]).rows

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, range(1, 501))) == [((f"hero {n}",),) for n in range(1, 501)]


def test_threads_open_a_fresh_handle_at_once(db: Database) -> None:
    start = threading.Barrier(8)

    def ask(fresh: Database) -> object:
        start.wait()
        return count(fresh)

    for _ in range(50):
        fresh = Database(db.db_name, db.path)
        with ThreadPoolExecutor(8) as pool:
            assert set(pool.map(ask, [fresh] * 8)) == {2500}


def test_a_thread_that_closes_harms_no_other(db: Database) -> None:
    """`with open_database(...)` in two threads is one shared handle."""

    def ask(_: int) -> object:
        with db:
            return db.query("SELECT sum(id) FROM heroes").rows

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(ask, range(1000))) == {((2500 * 2501 // 2,),)}


ENDLESS = """
import sys
from pathlib import Path
from claimdb_loader.databases import Database
db = Database("a", Path(sys.argv[1]))
db.tables()
print("asked", flush=True)
try:
    db.query("WITH r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r")
except KeyboardInterrupt:
    print("stopped", db.tables())
"""


def test_ctrl_c_stops_a_query(db: Database) -> None:
    command = [sys.executable, "-c", ENDLESS, str(db.path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "asked\n"
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        assert child.communicate(timeout=30)[0] == "stopped ['heroes']\n"


def test_only_some_databases_stay_open(tmp_path: Path) -> None:
    handles = []
    for number in range(MAX_OPEN + 20):
        make_database(tmp_path / f"db{number}.sqlite")
        handles.append(open_database(f"db{number}", data_dir=tmp_path))
        count(handles[-1])
    assert sum(is_open(handle.path) for handle in handles) <= MAX_OPEN
    assert count(handles[0]) == 3
