"""An OpenAI-compatible server on a loopback port: its models say what the test wrote for a claim.

What a step of a script becomes depends on what the request offers, as with a real model: a query is
a tool call, or an object of the response format; a verdict is that as well, or JSON in a text.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

Step = Mapping[str, Any]

COMPLETIONS = "/v1/chat/completions"
USAGE: Mapping[str, Any] = {
    "prompt_tokens": 100,
    "completion_tokens": 20,
    "total_tokens": 120,
    "prompt_tokens_details": {"cached_tokens": 60},
    "completion_tokens_details": {"reasoning_tokens": 8},
}
"""Of each answer: 40 tokens read anew and 60 from the cache; 12 said and 8 thought."""


@dataclass(frozen=True)
class Fault:
    """How a request is answered instead.

    Args:
        times: for so many requests; None for all that follow.
        claim: a part of the text of the claims that it is about; "" for all.
        status: of an error; 200 where nothing but the body or the time is wrong.
        retry_after_s: what the client is told to wait.
        body: instead of the answer's.
        cut: whether the connection is closed in the middle of the answer.
        delay_s: what the answer takes.
    """

    times: int | None = 1
    claim: str = ""
    status: int = 200
    retry_after_s: float | None = None
    body: bytes | None = None
    cut: bool = False
    delay_s: float = 0.0


@dataclass(frozen=True)
class Request:
    """One request, as it came."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    status: int

    @property
    def text(self) -> str:
        """All that the model got to read."""
        return "\n".join(str(message.get("content") or "") for message in self.body["messages"])

    @property
    def tools(self) -> list[str]:
        return [tool["function"]["name"] for tool in self.body.get("tools") or ()]

    @property
    def schema(self) -> Any:
        """The schema of the response format, None without one."""
        return ((self.body.get("response_format") or {}).get("json_schema") or {}).get("schema")


@dataclass
class Script:
    """What a server says, what it does wrong, and what it was asked.

    Args:
        steps: by a part of the claim's text, turn by turn; the last step is said again. "" is for
            claims that no other part is in. A step is {"sql": …}, {"verdict": …, "why": …} or
            {"text": …}.
    """

    steps: dict[str, Sequence[Step]]
    faults: list[Fault] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    crashes: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def step(self, request: Request) -> Step:
        parts = [part for part in self.steps if part and part in request.text]
        steps = self.steps[parts[0] if parts else ""]
        turn: int = sum(message["role"] == "assistant" for message in request.body["messages"])
        return steps[min(turn, len(steps) - 1)]

    def fault(self, request: Request) -> Fault | None:
        """The fault of a request, which then counts as used once."""
        with self.lock:
            for place, fault in enumerate(self.faults):
                if fault.claim in request.text:
                    if fault.times is not None:
                        rest = Fault(**(vars(fault) | {"times": fault.times - 1}))
                        self.faults[place : place + 1] = [rest] if rest.times else []
                    return fault
        return None


class OpenAIServer:
    """A server for as long as the `with` block lasts; one that crashed fails the test.

    >>> with OpenAIServer({"": [{"verdict": "ENTAILED"}]}) as server:
    ...     server.base_url[:17]
    'http://127.0.0.1:'
    """

    def __init__(self, steps: Mapping[str, Sequence[Step]]) -> None:
        self.script = Script(dict(steps))

    def __enter__(self) -> Self:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self.script))
        self._server.daemon_threads = True
        self.base_url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        # The default poll of half a second would be added to every test that stops a server.
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        assert self.script.crashes == []

    @property
    def requests(self) -> list[Request]:
        """What it was asked, in order."""
        return [*self.script.requests]

    def about(self, claim: str) -> list[Request]:
        """What it was asked about the claims whose text holds this."""
        return [request for request in self.requests if claim in request.text]


def _handler(script: Script) -> type[BaseHTTPRequestHandler]:
    class Handler(_Handler):
        pass

    Handler.script = script
    return Handler


class _Handler(BaseHTTPRequestHandler):
    """One connection; its requests come one after the other."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or a short body waits for the client's delayed ACK
    script: Script

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the requests are kept."""

    def do_POST(self) -> None:
        try:
            self._serve()
        except ConnectionError:  # a client that hung up, as it does after its own limit
            self.close_connection = True
        except Exception as error:
            self.script.crashes.append(repr(error))
            raise

    def _serve(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != COMPLETIONS:
            raise ValueError(f"no such path: {self.path}")
        asked = Request(self.path, dict(self.headers), body, 200)
        fault = self.script.fault(asked) or Fault()
        with self.script.lock:
            self.script.requests.append(Request(self.path, asked.headers, body, fault.status))
        time.sleep(fault.delay_s)
        self._send(fault, _content(fault, asked, self.script))

    def _send(self, fault: Fault, content: bytes) -> None:
        self.send_response(fault.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        if fault.retry_after_s is not None:
            self.send_header("Retry-After", str(fault.retry_after_s))
        self.end_headers()
        self.wfile.write(content[: len(content) // 2] if fault.cut else content)
        self.close_connection = fault.cut


def _content(fault: Fault, asked: Request, script: Script) -> bytes:
    if fault.body is not None:
        return fault.body
    if fault.status != 200:
        return json.dumps({"error": {"message": f"the test says {fault.status}"}}).encode()
    return json.dumps(_completion(asked, script.step(asked))).encode()


def _completion(asked: Request, step: Step) -> dict[str, Any]:
    message = _message(asked, step)
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": asked.body["model"],
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": None, **message},
                "finish_reason": "tool_calls" if "tool_calls" in message else "stop",
            }
        ],
        "usage": USAGE,
    }


def _message(asked: Request, step: Step) -> dict[str, Any]:
    if "text" in step:
        return {"content": step["text"]}
    if "sql" in step:
        name, arguments = "execute_sql", {"sql": step["sql"]}
    else:
        reason = step.get("why", "so it says")
        name, arguments = (
            "submit_verdict",
            {"verdict": step["verdict"], "justification": reason},
        )
    if asked.schema is not None:
        return {"content": json.dumps({"tool": name, **arguments})}
    if name in asked.tools:
        call = {"name": name, "arguments": json.dumps(arguments)}
        return {"tool_calls": [{"id": "call-1", "type": "function", "function": call}]}
    if name == "execute_sql":
        raise ValueError("the script asks for a query where none is offered")
    return {"content": f"So it is. {json.dumps(arguments)}"}
