"""Runs gold SQL in the sandbox, in a worker process that is kept from batch to batch."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from claimdb_sandbox import GOLD_LIMITS, Limits, Result
from claimdb_sandbox.lane import Lane

MAX_ANSWER_ROWS: Final = 10
"""As published; GOLD_LIMITS reads one row more, which tells whether there are more."""

PROBE_LIMITS: Final = replace(GOLD_LIMITS, max_rows=1000)
"""For queries that are compared, not answered: all rows of a long LIMIT count."""

_of_thread = threading.local()


def gold_runner(limits: Limits) -> Callable[[Path, str], Result]:
    """Return a function that runs SQL on a database, in a worker process of this thread's.

    Args:
        limits: GOLD_LIMITS or PROBE_LIMITS.
    """
    lanes: dict[Limits, Lane] = _of_thread.__dict__.setdefault("lanes", {})
    if limits not in lanes:
        lanes[limits] = Lane(limits, retry_once=True)
    return lanes[limits].run


def answer_sha256(result: Result) -> str:
    """Return the sha256 of an answer's columns and rows, "" where there is no answer.

    >>> answer_sha256(Result("timeout"))
    ''
    """
    if not result.ok:
        return ""
    text = json.dumps([result.columns, result.rows], ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
