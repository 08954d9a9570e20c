"""A fork uses a worker of its own; its parent's worker serves the parent, and ends with it."""

from __future__ import annotations

import multiprocessing
import os
import signal
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from claimdb_sandbox import Executor
from tests.forks import forks
from tests.sandbox.long_queries import PATIENT
from tests.sandbox.parents import LIMIT_S, START, is_busy, parent
from tests.sandbox.processes import ends_within, is_alive, needs_proc

pytestmark = [
    needs_proc,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork"),
]

FORK = """
pid = os.fork()
if pid == 0:
    signal.alarm(60)
"""

CHILD_ENDS = {
    "os._exit": "    os._exit(0)",
    "sys.exit": "    sys.exit(0)",
    "an error": "    sys.stderr = None\n    raise RuntimeError",
    "kill": "    os.kill(os.getpid(), signal.SIGKILL)",
    "close": "    sandbox.close()\n    sys.exit(0)",
    "the end of the program": "",
}


@pytest.mark.parametrize("end", CHILD_ENDS.values(), ids=CHILD_ENDS)
@pytest.mark.parametrize("asks", [True, False], ids=["asks", "asks nothing"])
def test_a_fork_leaves_its_parents_worker_alone(database: Path, end: str, asks: bool) -> None:
    ask = "    say(sandbox.run(COUNT).rows)\n    say(sandbox.worker_pid)" if asks else "    pass"
    code = f"""{FORK}
{ask}
{end}
else:
    os.waitpid(pid, 0)
    say(sandbox.run(COUNT).rows)
    say(sandbox.worker_pid)
    """
    with parent(code, database) as program:
        worker = program.pid_line()
        if asks:
            assert program.line() == "((2000,),)"
            own_worker = program.pid_line()
            assert own_worker != worker
            assert ends_within(own_worker, LIMIT_S)
        assert program.line() == "((2000,),)"
        assert program.pid_line() == worker
        assert program.ending() == (0, "")
        assert ends_within(worker, LIMIT_S)


FORKS_THAT_LIVE_ON = {
    "os.fork": f"{FORK}    say(os.getpid())\n    time.sleep(60)",
    "multiprocessing": """
import multiprocessing
process = multiprocessing.get_context("fork").Process(target=time.sleep, args=(60,))
process.start()
say(process.pid)
""",
    "a fork of a fork": f"""{FORK}
    if os.fork() == 0:
        say(os.getpid())
        signal.alarm(60)
    time.sleep(60)
""",
}


@pytest.mark.parametrize("fork", FORKS_THAT_LIVE_ON.values(), ids=FORKS_THAT_LIVE_ON)
@pytest.mark.parametrize("query", ["time.sleep(600)", "sandbox.run(STUCK)"], ids=["idle", "stuck"])
def test_a_worker_ends_with_its_parent_while_a_fork_lives_on(
    database: Path, fork: str, query: str
) -> None:
    with parent(f"{fork}\n{query}", database) as program:
        worker, fork_pid = program.pid_line(), program.pid_line()
        assert query == "time.sleep(600)" or is_busy(worker)
        os.kill(program.pid, signal.SIGKILL)
        assert program.wait(60) == -signal.SIGKILL
        assert ends_within(worker, LIMIT_S)
        assert is_alive(fork_pid)


def test_a_fork_does_not_wait_for_a_query_of_its_parent(database: Path) -> None:
    """The lock that a thread of the parent holds would never be let go in the fork."""
    code = f"""
thread = threading.Thread(target=lambda: say(sandbox.run(ENDLESS).status))
thread.start()
sys.stdin.readline()
{FORK}
    say(sandbox.run(COUNT).rows)
    os._exit(0)
os.waitpid(pid, 0)
say(sandbox.worker_pid)
sandbox.close()
thread.join()
"""
    with parent(code, database) as program:
        worker = program.pid_line()
        assert is_busy(worker)
        program.go_on()
        assert program.line() == "((2000,),)"
        assert program.pid_line() == worker
        assert program.line() == "worker_died"
        assert program.ending() == (0, "")


SLOW_STARTS = {
    "its pipes are made": "os.pipe = slowly(os.pipe)",
    "its pipes are known": """
from claimdb_sandbox import worker_process
worker_process.Pipes = slowly(worker_process.Pipes, after=False)
""",
    "it gets its limits": """
from claimdb_sandbox.pipes import Pipes
Pipes.ask = slowly(Pipes.ask)
""",
}


@pytest.mark.parametrize("slow_start", SLOW_STARTS.values(), ids=SLOW_STARTS)
def test_a_fork_while_a_worker_starts_inherits_none_of_its_pipes(
    database: Path, slow_start: str
) -> None:
    """With one of them open in the fork, neither end would see the other's death."""
    code = f"""
half_started = threading.Event()

def slowly(action, after=True):
    def act(*arguments):
        result = action(*arguments) if after else None
        half_started.set()
        time.sleep(0.2)
        return result if after else action(*arguments)
    return act

def pipes():
    links = [f"/proc/self/fd/{{fd}}" for fd in os.listdir("/proc/self/fd")]
    targets = [os.readlink(link) for link in links if os.path.lexists(link)]
    return {{target for target in targets if target.startswith("pipe")}}

with Executor(path, PATIENT) as other:
    other.run(COUNT)
before = pipes()
{slow_start}
sandbox = Executor(path, PATIENT)
thread = threading.Thread(target=lambda: say(sandbox.run(COUNT).rows))
thread.start()
half_started.wait()
{FORK}
    say(len(pipes() - before))
    os._exit(0)
os.waitpid(pid, 0)
thread.join()
"""
    with parent(code, database, START) as program:
        assert sorted([program.line(), program.line()]) == ["((2000,),)", "0"]
        assert program.ending() == (0, "")


def test_a_pool_is_not_for_a_fork_and_says_so(database: Path) -> None:
    code = f"""
pool = AsyncExecutor(PATIENT, lanes=1)
asyncio.run(pool.run(path, COUNT))
say(*pool.worker_pids)
{FORK}
    try:
        asyncio.run(pool.run(path, COUNT))
    except ClosedError as error:
        say(error)
    pool.close()
    sys.exit()
os.waitpid(pid, 0)
say(*pool.worker_pids)
say(asyncio.run(pool.run(path, COUNT)).rows)
"""
    with parent(code, database, START) as program:
        worker = program.pid_line()
        assert "make a new one" in program.line()
        assert program.pid_line() == worker
        assert program.line() == "((2000,),)"
        assert program.ending() == (0, "")


def count(executor: Executor) -> tuple[object, int | None]:
    return executor.run("SELECT count(*) FROM heroes").rows, executor.worker_pid


@forks
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_pool_of_processes_takes_executors(database: Path, method: str) -> None:
    context = multiprocessing.get_context(method)
    with Executor(database, PATIENT) as executor:
        own = count(executor)
        with ProcessPoolExecutor(2, mp_context=context) as pool:
            answers = list(pool.map(count, [executor] * 8))
        assert [rows for rows, _ in answers] == [((2000,),)] * 8
        workers = {pid for _, pid in answers if pid is not None}
        assert all(ends_within(pid, LIMIT_S) for pid in workers)
        assert own[1] not in workers
        assert count(executor) == own
