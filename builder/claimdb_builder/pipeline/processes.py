"""Worker processes of this machine as an executor, each with a pipe of its own.

Not `ProcessPoolExecutor`: its workers share a pipe for results, so one that is killed while it
writes leaves the program waiting for the rest for ever, and it has no way to end a worker that is
in a query of 30 s.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import contextmanager, suppress
from multiprocessing import connection as connections
from multiprocessing import parent_process, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnContext, SpawnProcess
from queue import Empty, SimpleQueue
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

Result = TypeVar("Result")


class _Work(NamedTuple):
    future: Future[Any]
    call: tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


class Processes(Executor):
    """Runs calls in processes, which start as calls come and end when this process does.

    Args:
        n_workers: processes at most.

    >>> with Processes(2) as executor:
    ...     list(executor.map(abs, [-1, 2]))
    [1, 2]
    """

    def __init__(self, n_workers: int) -> None:
        self.n_workers = n_workers
        self._work: SimpleQueue[_Work | None] = SimpleQueue()
        self._workers: list[tuple[SpawnProcess, threading.Thread]] = []
        self._is_closed = self._is_broken = False

    def submit(self, fn: Callable[..., Result], /, *args: Any, **kwargs: Any) -> Future[Result]:
        """Return the future of a call; function, arguments and result are pickled."""
        if self._is_closed:
            raise RuntimeError("this executor is shut down")
        if self._is_broken:
            raise BrokenExecutor("a worker process ended")
        future: Future[Result] = Future()
        self._work.put(_Work(future, (fn, args, kwargs)))
        if len(self._workers) < self.n_workers:
            self._start_worker()
        if self._is_broken:  # meanwhile: nobody takes the call any more
            self._drop_work(_set_broken)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no further calls; end the workers when those that were taken are done."""
        self._is_closed = True
        if cancel_futures:
            self._drop_work(lambda future: future.cancel())
        for _ in self._workers:
            self._work.put(None)
        if wait:
            for process, thread in self._workers:
                thread.join()
                process.join()

    def end(self) -> None:
        """End the workers at once, whatever they are doing, and cancel all other calls."""
        self._is_closed = True
        self._drop_work(lambda future: future.cancel())
        for process, _ in self._workers:
            process.kill()
        self.shutdown()

    def _start_worker(self) -> None:
        here, there = _CONTEXT.Pipe()
        process = _Worker(target=_serve, args=(there,), daemon=True)
        process.start()
        there.close()
        thread = threading.Thread(target=self._attend, args=(here,), daemon=True)
        thread.start()
        self._workers.append((process, thread))

    def _attend(self, pipe: Connection) -> None:
        """Give calls to a worker, one after the other, and its results to their futures."""
        with pipe:
            while (work := self._work.get()) is not None:
                if not work.future.set_running_or_notify_cancel():
                    continue
                try:
                    call = pickle.dumps(work.call)
                except Exception as error:
                    work.future.set_exception(error)
                    continue
                try:
                    pipe.send_bytes(call)
                    answer = pipe.recv_bytes()
                except (EOFError, OSError):
                    _set_broken(work.future)
                    self._break()
                    return
                _set(work.future, answer)

    def _break(self) -> None:
        self._is_broken = True
        self._drop_work(_set_broken)
        for process, _ in self._workers:
            process.kill()
            self._work.put(None)  # with the calls, what tells a thread to end may be gone

    def _drop_work(self, drop: Callable[[Future[Any]], object]) -> None:
        with suppress(Empty):
            while True:
                work = self._work.get_nowait()
                if work is not None:
                    drop(work.future)


def _set(future: Future[Any], answer: bytes) -> None:
    try:
        is_result, value = pickle.loads(answer)
    except Exception as error:
        future.set_exception(error)
        return
    if is_result:
        future.set_result(value)
    else:
        future.set_exception(value)


def _set_broken(future: Future[Any]) -> None:
    if future.running() or future.set_running_or_notify_cancel():
        future.set_exception(BrokenExecutor("a worker process ended"))


class _Worker(SpawnProcess):
    """A process that does not import the program's main module, as Python's own would.

    What a worker runs is imported by its name. So a script needs no `if __name__ == "__main__"`,
    the workers of a notebook work, and those of the command start 0.2 s sooner.
    """

    def start(self) -> None:
        with _START:
            main = sys.modules["__main__"]
            sys.modules["__main__"] = ModuleType("__main__")
            try:
                with _ctrl_c_held_back():
                    super().start()
            finally:
                sys.modules["__main__"] = main


_START = threading.Lock()
_CONTEXT = SpawnContext()
"""spawn: a fork would inherit the locks of threads, and Python itself moves away from it."""


@contextmanager
def _ctrl_c_held_back() -> Iterator[None]:
    """Let no Ctrl-C meet a worker that has not begun yet, nor this process as it starts one.

    A child inherits what is blocked. Python's resource tracker, which comes with the first child,
    would end the block; and another thread may take the signal, for which the handler notes it.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()
    noted: list[int] = []
    in_main = threading.current_thread() is threading.main_thread()
    handler = signal.signal(signal.SIGINT, lambda *_: noted.append(1)) if in_main else None
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if in_main:
            signal.signal(signal.SIGINT, handler)
    if noted:
        signal.raise_signal(signal.SIGINT)


def _serve(pipe: Connection) -> None:
    """Do calls until the pipe's other end is closed; this is what a worker runs."""
    # Ctrl-C reaches each process of a terminal; the build alone decides what it ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(EOFError, OSError):
        while True:
            pipe.send_bytes(_answer(pipe.recv_bytes()))


def _answer(call: bytes) -> bytes:
    """Whether a call has a result, and that, or its error; pickled."""
    try:
        function, arguments, named = pickle.loads(call)
        return pickle.dumps((True, function(*arguments, **named)))
    except BaseException as error:  # SystemExit, too, ends no worker
        return _as_error(error)


def _as_error(error: BaseException) -> bytes:
    try:
        answer = pickle.dumps((False, error))
        pickle.loads(answer)
    except Exception:  # one that cannot be pickled, or only in one direction
        return pickle.dumps((False, RuntimeError(f"{type(error).__name__}: {error}")))
    return answer


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        connections.wait([parent.sentinel])
        os._exit(1)
