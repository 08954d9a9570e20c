"""The HTTP side of the local hub: connections, bodies, threads; what to answer is in routes.py."""

from __future__ import annotations

import contextlib
import itertools
import socket
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.hub.faults import Faults
from tests.hub.journal import Journal, Request
from tests.hub.message import Answer, Call, HubError
from tests.hub.repo import CHUNK_BYTES, read_chunks
from tests.hub.rights import role_of
from tests.hub.routes import NoRoute, answer_call
from tests.hub.store import Store

JOIN_TIMEOUT_S = 5.0


class HubServer(ThreadingHTTPServer):
    """A server on a loopback port (0: a free one); stop() joins the thread of each connection."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, store: Store, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), HubHandler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.store = store
        self.lock = threading.RLock()
        self.faults = Faults()
        self.journal = Journal()
        self.unrouted: list[str] = []
        self.crashes: list[str] = []
        self.closing = threading.Event()
        self._connections: dict[socket.socket, threading.Thread] = {}
        self._upload_numbers = itertools.count()
        # The default poll of half a second would be added to every test that stops a hub.
        self._acceptor = self._thread(self.serve_forever, 0.01)

    def start(self) -> None:
        self._acceptor.start()

    def stop(self) -> None:
        """Ends every connection, idle or not, and waits for its thread."""
        self.closing.set()
        self.shutdown()
        self._acceptor.join()
        with self.lock:
            connections = dict(self._connections)
        for connection, thread in connections.items():
            with contextlib.suppress(OSError):  # the client has hung up already
                connection.shutdown(socket.SHUT_RDWR)
            thread.join(JOIN_TIMEOUT_S)
        self.server_close()

    def process_request(self, request: Any, client_address: Any) -> None:
        thread = self._thread(self.process_request_thread, request, client_address)
        with self.lock:
            self._connections[request] = thread
        thread.start()

    def _thread(self, target: Callable[..., None], *args: object) -> threading.Thread:
        return threading.Thread(target=target, args=args, name=self.url, daemon=True)

    def shutdown_request(self, request: Any) -> None:
        super().shutdown_request(request)
        with self.lock:
            self._connections.pop(request, None)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no error; anything else is a bug here and is kept."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            self.crashes.append(traceback.format_exc())

    def upload_path(self) -> Path:
        return self.store.scratch / f"upload-{next(self._upload_numbers)}"

    def dispatch(self, call: Call) -> Answer:
        """The answer to `call`, refusals included. State changes one request at a time."""
        try:
            with self.lock:
                return answer_call(self.store, call)
        except NoRoute as refusal:
            self.unrouted.append(f"{call.method} {call.path}")
            return refusal.answer()
        except HubError as refusal:
            return refusal.answer()
        except Exception:
            # 501, because the clients would try a 500 again for half a minute.
            self.crashes.append(traceback.format_exc())
            return HubError(501, "Crash", self.crashes[-1].splitlines()[-1]).answer()


class HubHandler(BaseHTTPRequestHandler):
    """One connection; its requests come one after the other."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or a short body waits for the client's delayed ACK
    server: HubServer

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the journal has it all."""

    def serve(self) -> None:
        url = urlsplit(self.path)
        asked = Request(self.command, unquote(url.path), url.query, self.headers.get("Range"))
        number = self.server.journal.arrived(asked)
        body, upload = self.read_body()
        fault = self.server.faults.take(asked.method, asked.path)
        if fault and fault.delay_s:
            self.server.closing.wait(fault.delay_s)
        answer = fault.replacement() if fault else None
        if answer is None:
            answer = self.answer(url.path, url.query, body, upload)
        self.send(number, answer, fault.cut_after_bytes if fault else None)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = serve

    def read_body(self) -> tuple[bytes, Path | None]:
        """The request's body: on disk for a PUT, which may be large, else in memory."""
        if self.command != "PUT":
            return b"".join(self.body_chunks()), None
        path = self.server.upload_path()
        with path.open("wb") as file:
            file.writelines(self.body_chunks())
        return b"", path

    def body_chunks(self) -> Iterator[bytes]:
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            while size := int(self.rfile.readline().split(b";")[0], 16):
                yield self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return
        left = int(self.headers.get("Content-Length") or 0)
        while left > 0 and (chunk := self.rfile.read(min(left, CHUNK_BYTES))):
            left -= len(chunk)
            yield chunk

    def answer(self, path: str, query: str, body: bytes, upload: Path | None) -> Answer:
        try:
            role = role_of(self.headers.get("Authorization"))
        except HubError as refusal:
            return refusal.answer()
        parameters = dict(parse_qsl(query, keep_blank_values=True))
        host_url = f"http://{self.headers.get('Host', self.server.url.removeprefix('http://'))}"
        headers = {name.lower(): value for name, value in self.headers.items()}
        call = Call(self.command, path, parameters, headers, host_url, role, body, upload)
        return self.server.dispatch(call)

    def send(self, number: int, answer: Answer, cut_after_bytes: int | None) -> None:
        """Writes the answer in chunks; every byte is counted as the socket takes it."""
        journal = self.server.journal
        journal.answering(number, answer.status)
        try:
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(answer.length))
            self.send_header("X-Request-Id", f"local-{number}")
            self.end_headers()
            if self.command == "HEAD":
                return
            left = answer.length
            allowed = left if cut_after_bytes is None else min(left, cut_after_bytes)
            for chunk in read_chunks(answer.content, answer.start, allowed):
                rest = memoryview(chunk)
                while rest:
                    taken = self.connection.send(rest)
                    journal.sent(number, taken)
                    rest = rest[taken:]
                left -= len(chunk)
            if left:
                self.close_connection = True  # less than announced: cut, or the file has shrunk
        finally:
            journal.done(number)
