"""What goes in and out of a route: `Call`, `Answer`, and `HubError` for every refusal."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from tests.hub.repo import Content

Role = Literal["anonymous", "read", "fineGrained", "write"]


@dataclass(frozen=True)
class Call:
    """One incoming request; `path` is percent-encoded, as it came, header names are lower case."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    host_url: str
    role: Role
    body: bytes = b""
    upload: Path | None = None  # where the body of a PUT was written

    def json(self) -> Any:
        return json.loads(self.body or b"{}")

    def flag(self, name: str) -> bool:
        """Whether a query parameter says yes, in any of the spellings that clients use."""
        return self.query.get(name, "").lower() in {"1", "true"}


@dataclass(frozen=True)
class Answer:
    """A response whose body is `length` bytes of `content` from `start` on."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content: Content = b""
    start: int = 0
    length: int = 0


class HubError(Exception):
    """A refusal: the status, and the code that `huggingface_hub` maps to an exception class.

    Some refusals of the Hub carry no code.
    """

    def __init__(self, status: int, code: str | None, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code

    def answer(self) -> Answer:
        line = " ".join(str(self).split())
        headers = {"X-Error-Message": line.encode("ascii", "backslashreplace").decode()}
        if self.code is not None:
            headers["X-Error-Code"] = self.code
        return json_answer({"error": str(self)}, status=self.status, headers=headers)


def json_answer(
    value: object, *, status: int = 200, headers: Mapping[str, str] | None = None
) -> Answer:
    body = json.dumps(value).encode()
    return bytes_answer(body, "application/json; charset=utf-8", status=status, headers=headers)


def bytes_answer(
    body: bytes, content_type: str, *, status: int = 200, headers: Mapping[str, str] | None = None
) -> Answer:
    return Answer(status, {"Content-Type": content_type, **(headers or {})}, body, 0, len(body))
