"""One worker process and whoever waits for it: asks, kills at the limit, starts another."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from claimdb_sandbox.answers import result_of
from claimdb_sandbox.errors import ClosedError, UnusableDatabaseError
from claimdb_sandbox.limits import Limits
from claimdb_sandbox.pipes import WorkerDied, WorkerLate
from claimdb_sandbox.results import Result
from claimdb_sandbox.statements import Refusal, check_length
from claimdb_sandbox.worker_process import WorkerProcess

CLOSED: Final = "this executor is closed; make a new one"


@dataclass
class _State:
    """The worker of one process, and the lock by which its threads take turns."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    worker: WorkerProcess | None = None
    release: Callable[[], object] = lambda: None

    def end_worker(self) -> None:
        self.release()
        self.worker = None


class Lane:
    """Runs one query at a time; threads take turns. The worker starts at the first query.

    Args:
        limits: what each query may cost.
        retry_once: whether a query whose worker died is run once more.
    """

    def __init__(self, limits: Limits, retry_once: bool) -> None:
        self._limits = limits
        self._retry_once = retry_once
        self._closed = False
        # A fork inherits its parent's worker, and perhaps its held lock: it uses neither.
        self._by_process: dict[int, _State] = {}

    @property
    def worker_pid(self) -> int | None:
        """The id of the worker process, None where none is running."""
        worker = self._state().worker
        return worker.pid if worker else None

    def run(self, path: Path, sql: str, is_wanted: Callable[[], bool] = lambda: True) -> Result:
        """Return what became of a query.

        Args:
            path: the database.
            sql: one statement.
            is_wanted: asked before the query is sent to the worker, whose start takes a while.

        Raises:
            TypeError: the SQL is no text.
            UnusableDatabaseError: the file is no database that can be read.
            WorkerStartError: no worker can be started.
            ClosedError: the lane is closed.
        """
        if not isinstance(sql, str):
            raise TypeError(f"sql must be text, got {type(sql).__name__}")
        try:
            check_length(sql, self._limits.max_sql_chars)  # here too, else all of it is sent first
        except Refusal as refusal:
            return Result(refusal.status, message=refusal.message, limit=refusal.limit)
        state = self._state()
        request = {"path": str(path), "sql": sql}
        with state.lock:
            for _ in range(2 if self._retry_once else 1):
                worker = self._started(state)
                if not is_wanted():
                    return Result("worker_died", message="cancelled before it began")
                result = self._ask(state, worker, request)
                if result.status != "worker_died" or self._closed:
                    break
        return result

    def stop(self) -> None:
        """Kill the worker, from another thread than the one that waits for its answer."""
        worker = self._state().worker
        if worker is not None:
            worker.stop()

    def close(self) -> None:
        """Kill the worker; no further query is run."""
        self._closed = True
        self.stop()
        state = self._state()
        with state.lock:
            state.end_worker()

    def _state(self) -> _State:
        return self._by_process.setdefault(os.getpid(), _State())

    def _ask(self, state: _State, worker: WorkerProcess, request: dict[str, Any]) -> Result:
        started = time.perf_counter()
        try:
            answer = worker.ask(request, self._limits.time_limit_s + self._limits.grace_s)
            if type(fault := answer.get("unusable")) is str:
                raise UnusableDatabaseError(fault)
            result = result_of(answer)
        except UnusableDatabaseError:
            raise
        except (WorkerLate, WorkerDied) as error:
            state.end_worker()
            elapsed_ms = round((time.perf_counter() - started) * 1000, 3)
            return self._result_without_answer(error, worker.end(), elapsed_ms)
        except BaseException:
            # Ctrl-C: the worker would go on with a query that nobody waits for.
            state.end_worker()
            raise
        if result.status == "memory":
            state.end_worker()  # a new one has all of its heap
        return result

    def _started(self, state: _State) -> WorkerProcess:
        if self._closed:
            raise ClosedError(CLOSED)
        if state.worker is not None and state.worker.has_ended():
            state.end_worker()  # while it had nothing to do: no query is lost
        if state.worker is None:
            state.worker = WorkerProcess(self._limits)
            state.release = weakref.finalize(self, state.worker.kill)
            if self._closed:  # meanwhile, by another thread, which saw no worker to kill
                state.end_worker()
                raise ClosedError(CLOSED)
        return state.worker

    def _result_without_answer(self, error: Exception, end: str, elapsed_ms: float) -> Result:
        limits = self._limits
        if isinstance(error, WorkerLate):
            message = f"killed after {limits.time_limit_s:g} s and {limits.grace_s:g} s of grace"
            return Result("timeout", elapsed_ms=elapsed_ms, message=message, limit="grace_s")
        if sys.platform != "win32" and end == f"signal {signal.SIGXCPU:d}":
            message = f"stopped after {limits.time_limit_s:g} s of processor time"
            return Result("timeout", elapsed_ms=elapsed_ms, message=message, limit="time_limit_s")
        message = f"the process that ran this query ended ({end})"
        return Result("worker_died", elapsed_ms=elapsed_ms, message=message)
