"""Talks to a worker with a deadline on every byte: it may be stuck, stopped, or send nonsense."""

from __future__ import annotations

import json
import os
import select
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any, Final

from claimdb_sandbox.frames import LENGTH, packed

HAS_POLL: Final = hasattr(select, "poll")
"""Not so on Windows, where a pipe cannot be waited for: there a timer kills the worker instead."""

READ_BYTES: Final = 2**16


class WorkerDied(Exception):
    """The pipe ended before the answer did, or what came is no answer."""


class WorkerLate(Exception):
    """Not all of the answer has come in time."""


class Pipes:
    """The two pipes of a worker process.

    Args:
        process: started with pipes for stdin and stdout.
        max_frame_bytes: an answer that says it is longer is not from our code.
    """

    def __init__(self, process: subprocess.Popen[bytes], max_frame_bytes: int) -> None:
        self._process = process
        self._max_frame_bytes = max_frame_bytes
        self._to, self._from = _opened(process.stdin), _opened(process.stdout)
        if HAS_POLL:
            # A worker that was stopped reads nothing: writing to it must not wait for ever.
            os.set_blocking(self._to.fileno(), False)
            os.set_blocking(self._from.fileno(), False)

    def ask(self, request: dict[str, Any], limit_s: float) -> dict[str, Any]:
        """Return the answer to a request.

        Raises:
            WorkerLate: not all of it has come within the limit.
            WorkerDied: the worker ended, or what came is no answer.
        """
        deadline = time.monotonic() + limit_s
        try:
            with self._killed_at(deadline):
                self._send(packed(request), deadline)
                (n_bytes,) = LENGTH.unpack(self._receive(LENGTH.size, deadline))
                if n_bytes > self._max_frame_bytes:
                    raise WorkerDied
                answer = json.loads(self._receive(n_bytes, deadline))
        except (OSError, ValueError, RecursionError) as error:
            raise WorkerDied from error
        if not isinstance(answer, dict):
            raise WorkerDied
        return answer

    def close(self) -> None:
        """Close this process's ends; the worker ends when nobody holds them."""
        for pipe in (self._to, self._from):
            with suppress(OSError):
                pipe.close()

    def _send(self, data: bytes, deadline: float) -> None:
        rest = memoryview(data)
        while rest:
            _wait(self._to, "POLLOUT", deadline)
            with suppress(BlockingIOError):
                rest = rest[os.write(self._to.fileno(), rest) :]

    def _receive(self, n_bytes: int, deadline: float) -> bytes:
        parts = []
        while n_bytes:
            _wait(self._from, "POLLIN", deadline)
            part = os.read(self._from.fileno(), min(n_bytes, READ_BYTES))
            if not part:
                raise WorkerDied
            parts.append(part)
            n_bytes -= len(part)
        return b"".join(parts)

    @contextmanager
    def _killed_at(self, deadline: float) -> Iterator[None]:
        """Where pipes cannot be waited for: kill the worker at the deadline, which ends them."""
        if HAS_POLL:
            yield
            return
        timer = threading.Timer(deadline - time.monotonic(), self._process.kill)
        timer.start()
        try:
            yield
        except (OSError, WorkerDied):
            if time.monotonic() >= deadline:
                raise WorkerLate from None
            raise
        finally:
            timer.cancel()


def _wait(pipe: IO[bytes], event: str, deadline: float) -> None:
    """Return when the pipe can be read or written, or has ended."""
    if not HAS_POLL:
        return
    poll = select.poll()
    poll.register(pipe, getattr(select, event))
    rest_s = deadline - time.monotonic()
    if rest_s <= 0 or not poll.poll(rest_s * 1000):
        raise WorkerLate


def _opened(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None, "the process is started with pipes"
    return pipe
