"""No worker outlives its parent, however that ends."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.sandbox.parents import LIMIT_S, START, WITH_WORKER, is_busy, parent
from tests.sandbox.processes import ends_within, is_alive, needs_proc

pytestmark = needs_proc

POOL = """
pool = AsyncExecutor(PATIENT, lanes=2)

async def ask(*queries):
    return await asyncio.gather(*(pool.run(path, sql) for sql in queries))

asyncio.run(ask(COUNT, COUNT))
for pid in pool.worker_pids:
    say(pid)
"""

ENDINGS = {
    "the end of the program": ("", 0, ""),
    "sys.exit": ("sys.exit(3)", 3, ""),
    "an error": ("raise RuntimeError('an error')", 1, "RuntimeError: an error"),
    "os._exit": ("os._exit(4)", 4, ""),
    "close": ("sandbox.close()", 0, ""),
    "close, twice": ("sandbox.close(); sandbox.close()", 0, ""),
    "a query in a daemon thread": (
        "threading.Thread(target=sandbox.run, args=(ENDLESS,), daemon=True).start()\n"
        "time.sleep(0.2)",
        0,
        "",
    ),
}

WAITING = {
    "idle": "time.sleep(600)",
    "in a query": "sandbox.run(ENDLESS)",
    "in a query that is stuck in C": "sandbox.run(STUCK)",
    "in a query of a thread": "threading.Thread(target=sandbox.run, args=(STUCK,)).start()",
}


@pytest.mark.parametrize(("code", "exit_code", "error"), ENDINGS.values(), ids=ENDINGS)
def test_a_worker_ends_with_its_parent(
    database: Path, code: str, exit_code: int, error: str
) -> None:
    with parent(code, database) as program:
        worker = program.pid_line()
        ended_with, errors = program.ending()
        assert (ended_with, errors.strip().split("\n")[-1]) == (exit_code, error)
        assert ends_within(worker, LIMIT_S)


@pytest.mark.parametrize("code", WAITING.values(), ids=WAITING)
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_a_worker_ends_when_its_parent_is_killed(
    database: Path, code: str, sent: signal.Signals
) -> None:
    with parent(code, database) as program:
        worker = program.pid_line()
        assert code == WAITING["idle"] or is_busy(worker)
        program.send_signal(sent)
        assert program.ending()[0] == -sent
        assert ends_within(worker, LIMIT_S)


@pytest.mark.parametrize("sql", ["ENDLESS", "STUCK"])
def test_ctrl_c_in_a_query_ends_the_program_and_its_worker(database: Path, sql: str) -> None:
    with parent(f"sandbox.run({sql})", database) as program:
        worker = program.pid_line()
        assert is_busy(worker)
        program.ctrl_c()
        exit_code, errors = program.ending()
        assert exit_code == -signal.SIGINT
        assert errors.strip().split("\n")[-1] == "KeyboardInterrupt"
        assert ends_within(worker, LIMIT_S)


def test_a_program_that_catches_ctrl_c_goes_on_with_another_worker(database: Path) -> None:
    code = """
try:
    sandbox.run(ENDLESS)
except KeyboardInterrupt:
    say(sandbox.run(COUNT).rows)
    say(sandbox.worker_pid)
    """
    with parent(code, database) as program:
        worker = program.pid_line()
        assert is_busy(worker)
        program.ctrl_c()
        assert program.line() == "((2000,),)"
        assert program.pid_line() != worker
        assert program.ending() == (0, "")
        assert ends_within(worker, LIMIT_S)


def test_ctrl_c_between_queries_does_not_harm_the_worker(database: Path) -> None:
    code = """
try:
    say("waiting")
    time.sleep(600)
except KeyboardInterrupt:
    say(sandbox.run(COUNT).rows)
    say(sandbox.worker_pid)
    """
    with parent(code, database) as program:
        worker = program.pid_line()
        assert program.line() == "waiting"
        program.ctrl_c()
        assert program.line() == "((2000,),)"
        assert program.pid_line() == worker
        assert program.ending() == (0, "")


def test_ctrl_c_while_a_pool_runs_queries_ends_them_at_once(database: Path) -> None:
    code = "asyncio.run(ask(ENDLESS, STUCK, ENDLESS, STUCK))"
    with parent(code, database, START + POOL) as program:
        workers = [program.pid_line(), program.pid_line()]
        assert all(is_busy(worker) for worker in workers)
        program.ctrl_c()
        exit_code, errors = program.ending()
        assert exit_code == -signal.SIGINT
        assert errors.strip().split("\n")[-1] == "KeyboardInterrupt"
        assert all(ends_within(worker, LIMIT_S) for worker in workers)


POOL_ENDINGS = {
    "the end of the program": ("", 0),
    "an error": ("raise RuntimeError", 1),
    "os._exit": ("os._exit(4)", 4),
    "kill": ("os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
    "the end of a loop with queries": ("asyncio.run(asyncio.wait_for(ask(ENDLESS), 0.1))", 1),
}


@pytest.mark.parametrize(("code", "exit_code"), POOL_ENDINGS.values(), ids=POOL_ENDINGS)
def test_a_pool_ends_with_its_program(database: Path, code: str, exit_code: int) -> None:
    with parent(code, database, START + POOL) as program:
        workers = [program.pid_line(), program.pid_line()]
        assert program.ending()[0] == exit_code
        assert all(ends_within(worker, LIMIT_S) for worker in workers)


UNHELD = {
    "executor": (START + WITH_WORKER, "del sandbox"),
    "executor in a cycle": (START + WITH_WORKER, "sandbox.itself = sandbox; del sandbox"),
    "pool": (START + POOL, "del pool"),
}


@pytest.mark.parametrize(("start", "code"), UNHELD.values(), ids=UNHELD)
def test_what_nobody_holds_ends_its_workers(database: Path, start: str, code: str) -> None:
    with parent(f"{code}; gc.collect(); say('collected'); time.sleep(600)", database, start) as own:
        workers = [own.pid_line() for _ in range(2 if POOL in start else 1)]
        assert own.line() == "collected"
        assert all(ends_within(worker, LIMIT_S) for worker in workers)
        assert is_alive(own.pid)
        own.kill()
        assert own.ending() == (-signal.SIGKILL, "")
