"""The process that runs SQL: reads requests from stdin, answers on stdout, ends with its parent."""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from claimdb_sandbox.database_file import file_fault, log_bytes
from claimdb_sandbox.errors import UnusableDatabaseError
from claimdb_sandbox.frames import LENGTH, framed, packed
from claimdb_sandbox.guards import GuardedConnection
from claimdb_sandbox.limits import Limits
from claimdb_sandbox.process_limits import limit_cpu_time, limit_process
from claimdb_sandbox.query import run_query

MAX_OPEN: Final = 16
"""Databases that a worker keeps open: each holds up to 2 MB of pages, within the heap limit."""


def main() -> None:
    """Serve until the parent closes the pipe or dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which then ends us
    try:
        _serve()
    finally:
        # At once: the interpreter's own end would wait for the thread that reads stdin, and abort.
        os._exit(1)


def _serve() -> None:
    """Answer one request after another. The first one holds the limits."""
    requests: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    # A thread, because a parent that dies while SQLite runs must be noticed at once.
    threading.Thread(target=_receive, args=(requests,), daemon=True).start()
    limits = Limits(**requests.get())
    databases = OpenDatabases(limits)
    limit_process(limits)
    _send(packed({"ready": True}))
    while True:
        request = requests.get()
        limit_cpu_time(limits)
        _send(databases.answer(Path(request["path"]), request["sql"]))


class OpenDatabases:
    """The databases that are open, the least recently used one first."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._open: OrderedDict[Path, tuple[object, GuardedConnection]] = OrderedDict()

    def answer(self, path: Path, sql: str) -> bytes:
        """Return the frame that answers a query, or says what is wrong with the file."""
        try:
            answer = framed(run_query(self._connection(path), sql))
        except UnusableDatabaseError as error:
            answer = packed({"unusable": str(error)})
        if path in self._open and log_bytes(path):
            # While it is open here, the program that writes the log could not merge it at its end.
            self._open.pop(path)[1].close()
        return answer

    def _connection(self, path: Path) -> GuardedConnection:
        """The open connection, or a new one where the file is not what it was."""
        stamp = _stamp(path)
        if path in self._open:
            old_stamp, guarded = self._open.pop(path)
            if old_stamp == stamp:
                self._open[path] = (stamp, guarded)
                return guarded
            guarded.close()
        fault = file_fault(path)
        if fault is not None:
            raise UnusableDatabaseError(f"{path} {fault}")
        while len(self._open) >= MAX_OPEN:
            self._open.popitem(last=False)[1][1].close()
        self._open[path] = (stamp, guarded := GuardedConnection(path, self._limits))
        return guarded


def _stamp(path: Path) -> object:
    """Tell one state of a file from another; None where there is no file."""
    try:
        state = os.stat(path)  # noqa: PTH116 - twice as fast, for each query
    except OSError:
        return None
    return state.st_ino, state.st_dev, state.st_size, state.st_mtime_ns, log_bytes(path) > 0


def _receive(requests: queue.SimpleQueue[dict[str, Any]]) -> None:
    """Put each request into the queue; end the process where the pipe ends."""
    for body in _frames():
        requests.put(json.loads(body))
    os._exit(0)


def _frames() -> Iterator[bytes]:
    source = sys.stdin.buffer
    while len(head := source.read(LENGTH.size)) == LENGTH.size:
        yield source.read(LENGTH.unpack(head)[0])


def _send(frame: bytes) -> None:
    try:
        sys.stdout.buffer.write(frame)
        sys.stdout.buffer.flush()
    except OSError:  # the parent is gone
        os._exit(0)
