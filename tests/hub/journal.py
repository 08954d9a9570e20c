"""What the hub was asked and how many bytes it gave: the evidence that tests assert on."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace

SETTLE_S = 1.0


@dataclass(frozen=True)
class Request:
    """One request; `path` and `query` are apart, and `path` is decoded.

    `status` is 0 as long as there is no answer; `bytes_sent` counts body bytes handed to the
    socket, so it includes what a client that hung up never read.
    """

    method: str
    path: str
    query: str
    range: str | None
    status: int = 0
    bytes_sent: int = 0


class Journal:
    """All requests in order of arrival; written by the connection threads, read by the test."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._requests: list[Request] = []
        self._first = 0
        self._sending: set[int] = set()

    def arrived(self, request: Request) -> int:
        """Files a request and returns its number."""
        with self._changed:
            self._requests.append(request)
            return len(self._requests) - 1

    def answering(self, number: int, status: int) -> None:
        with self._changed:
            self._requests[number] = replace(self._requests[number], status=status)
            self._sending.add(number)

    def sent(self, number: int, body_bytes: int) -> None:
        with self._changed:
            request = self._requests[number]
            self._requests[number] = replace(request, bytes_sent=request.bytes_sent + body_bytes)

    def done(self, number: int) -> None:
        with self._changed:
            self._sending.discard(number)
            self._changed.notify_all()

    def clear(self) -> None:
        """Forget the requests so far; one whose answer is still in progress keeps its number."""
        with self._changed:
            self._first = len(self._requests)

    def requests(self) -> list[Request]:
        """The requests so far.

        A client may return to the test a moment before the server has counted the last bytes, so
        this waits for answers in progress; not for long, as a client may have stopped reading.
        """
        with self._changed:
            self._changed.wait_for(lambda: not self._sending, timeout=SETTLE_S)
            return self._requests[self._first :]
