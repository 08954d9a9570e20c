"""One message on a pipe: its length in four bytes, then JSON, because the other end is not trusted.

Pickle would run what a taken-over worker sends.
"""

from __future__ import annotations

import json
import struct
from typing import Any, Final

LENGTH: Final = struct.Struct(">I")


def packed(message: dict[str, Any]) -> bytes:
    """Return a message as bytes for the pipe.

    >>> packed({"sql": "SELECT 1"})
    b'\\x00\\x00\\x00\\x12{"sql":"SELECT 1"}'
    """
    # ASCII: a path's undecodable bytes are lone surrogates, which UTF-8 cannot hold.
    return framed(json.dumps(message, separators=(",", ":")).encode())


def framed(body: bytes) -> bytes:
    """Return a body with its length in front."""
    return LENGTH.pack(len(body)) + body
