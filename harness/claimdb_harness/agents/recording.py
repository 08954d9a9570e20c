"""What became of a claim goes into its sample's store, the run's folder and the watch."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeAlias

from inspect_ai.solver import TaskState
from inspect_ai.util import LimitExceededError
from tenacity import RetryError

from claimdb_harness.agents.sessions import CURRENT, Session
from claimdb_harness.agents.watch import Watch
from claimdb_harness.runs.traces import Stop, Trace, to_line

TRACE_KEY: Final = "claimdb_trace"
"""Where a sample's store holds its trace, as a line of JSON, for whoever reads Inspect's log."""

MAX_ERROR_CHARS: Final = 500

OnTrace: TypeAlias = Callable[[Trace], None]

_STOPS: Final[dict[str, Stop]] = {"token": "tokens", "time": "seconds", "working": "seconds"}
"""By the names of Inspect's own limits, which a user may set beside the budget."""


@contextmanager
def recorded(
    state: TaskState, session: Session, watch: Watch, on_trace: OnTrace | None
) -> Iterator[None]:
    """Record a session where its work ends, whether in a verdict or in an error.

    A claim that is cancelled in flight leaves no trace: it is asked again.
    """
    token = CURRENT.set(session)
    error: str | None = None
    try:
        yield
    except LimitExceededError as limit:
        session.stop = _STOPS.get(limit.type, "turns")
        _record(state, session.trace(), watch, on_trace)
        raise
    except Exception as failure:
        error = error_text(failure)
        _record(state, session.trace(error), watch, on_trace)
        raise
    else:
        _record(state, session.trace(), watch, on_trace)
    finally:
        CURRENT.reset(token)


def error_text(error: BaseException) -> str:
    """Return one line that says what an error is.

    >>> error_text(ValueError("no\\nway"))
    'ValueError: no way'
    """
    if isinstance(error, RetryError):  # says nothing of what failed at last
        error = error.last_attempt.exception() or error
    message = " ".join(str(getattr(error, "message", error)).split())
    return f"{type(error).__name__}: {message}"[:MAX_ERROR_CHARS]


def _record(state: TaskState, trace: Trace, watch: Watch, on_trace: OnTrace | None) -> None:
    line = to_line(trace)
    state.store.set(TRACE_KEY, line)
    watch.note(trace.error)
    if on_trace is None:
        return
    try:
        on_trace(trace)
    except OSError as error:
        watch.note_disk(error)
        raise


def trace_values(line: object) -> dict[str, Any]:
    """Return the values of a recorded trace, {} where there is none."""
    return json.loads(line) if isinstance(line, str) else {}
