"""Faults that a test orders: wrong status, cut connection, an HTML page, a slow answer."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.hub.message import Answer, bytes_answer, json_answer

LOGIN_PAGE = b"<!DOCTYPE html><html><body><h1>Sign in to use this network</h1></body></html>\n"


@dataclass(frozen=True)
class Fault:
    """How to answer a matching request.

    Args:
        status: Answer with this status and a short JSON error.
        headers: More headers for that answer, for example Retry-After.
        cut_after_bytes: Announce the whole body, send that much of it, close the socket.
        html: Answer 200 with a page of HTML, as a captive portal does.
        delay_s: Wait that long before answering.
    """

    pattern: re.Pattern[str]
    method: str | None = None
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    cut_after_bytes: int | None = None
    html: bool = False
    delay_s: float = 0.0

    def matches(self, method: str, path: str) -> bool:
        if self.method not in (None, method):
            return False
        if self.cut_after_bytes is not None and method == "HEAD":
            return False  # there is no body to cut: keep the fault for the GET that follows
        return self.pattern.search(path) is not None

    def replacement(self) -> Answer | None:
        """The answer to send instead of the real one, if this fault replaces it."""
        if self.html:
            return bytes_answer(LOGIN_PAGE, "text/html; charset=utf-8", headers=self.headers)
        if self.status is not None:
            error = {"error": f"fault ordered by the test: {self.status}"}
            return json_answer(error, status=self.status, headers=self.headers)
        return None


class Faults:
    """The faults still to come, in the order they were ordered; safe to use from many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[tuple[Fault, int | None]] = []

    def add(self, fault: Fault, times: int | None) -> None:
        """Use `fault` for the next `times` requests that match it (None: for all of them)."""
        with self._lock:
            self._waiting.append((fault, times))

    def clear(self) -> None:
        with self._lock:
            self._waiting.clear()

    def take(self, method: str, path: str) -> Fault | None:
        """The fault for this request, which then counts as used once."""
        with self._lock:
            for index, (fault, times) in enumerate(self._waiting):
                if fault.matches(method, path):
                    if times is not None:
                        self._waiting[index : index + 1] = [(fault, times - 1)] if times > 1 else []
                    return fault
        return None
