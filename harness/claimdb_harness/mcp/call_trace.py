"""The trace file of an MCP server: a line of JSON for each call, there before its answer is."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from claimdb_harness.runs.traces import CALL_STATUSES, Call
from claimdb_metric.errors import DataError

_BEGINNING: Final = b'{"tool":"'
"""Of each line: a file that begins or ends otherwise is no trace, and is left as it is."""

_TYPES: Final = {
    "tool": (str,),
    "sql": (str,),
    "status": (str,),
    "output": (str,),
    "message": (str, type(None)),
    "n_rows": (int, type(None)),
    "elapsed_ms": (int, float, type(None)),
    "turn": (int,),
}


class CallTrace:
    """Appends calls to a file; what a killed process left of a last line is cut off.

    Args:
        path: the file; made where there is none.

    Raises:
        DataError: the file holds something else than calls.
        OSError: it cannot be written to.
    """

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            self.earlier: tuple[Call, ...] = read_trace(path)
            """The calls that were in it already."""
            content = path.read_bytes()
            os.truncate(path, content.rfind(b"\n") + 1)
        except BaseException:
            self.close()
            raise

    def add(self, call: Call) -> None:
        """Append a call and the time of day, in UTC."""
        values = asdict(call) | {"at": datetime.now(UTC).isoformat(timespec="milliseconds")}
        text = json.dumps(values, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        # Half of a surrogate pair, which a model's JSON may hold, becomes its JSON escape.
        line = f"{text}\n".encode("utf-8", "backslashreplace")
        while line:
            line = line[os.write(self._descriptor, line) :]

    def close(self) -> None:
        """Let the file go."""
        os.close(self._descriptor)


def read_trace(path: Path) -> tuple[Call, ...]:
    """Return the calls of a trace file in their order; a torn last line is left out.

    Raises:
        DataError: a line is no call.
        OSError: the file cannot be read.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name, "calls.jsonl")
    >>> trace = CallTrace(path)
    >>> trace.add(Call("execute_sql", "SELECT 1", "ok", "1"))
    >>> trace.close()
    >>> read_trace(path)[0].sql
    'SELECT 1'
    >>> folder.cleanup()
    """
    *lines, torn = path.read_bytes().split(b"\n")
    for line in (*lines[:1], torn):
        if line[: len(_BEGINNING)] != _BEGINNING[: len(line)]:
            raise DataError(f"{path} is no trace of calls: give another file")
    calls = []
    for number, line in enumerate(lines, start=1):
        try:
            calls.append(_call(json.loads(line)))
        except (ValueError, TypeError, AttributeError, KeyError) as error:
            raise DataError(f"{path}, line {number}: no call: {error}") from None
    return tuple(calls)


def _call(values: dict[str, Any]) -> Call:
    given = {name: value for name, value in values.items() if name != "at"}
    call = Call(**given)
    for field in fields(Call):
        value = getattr(call, field.name)
        if type(value) not in _TYPES[field.name]:
            raise ValueError(f"{field.name} {value!r}")
    if call.status not in CALL_STATUSES:
        raise ValueError(f"status {call.status!r}")
    return call
