"""What a query may cost at most, and two sets of limits: for agents, and for gold SQL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from claimdb_sandbox.errors import BadLimitsError

TICK_STEPS: Final = 1000
"""Steps of SQLite's machine between two looks at clock and budget, 10 to 50 microseconds."""

MIN_HEAP_BYTES: Final = 8 * 2**20
"""With less, SQLite cannot hold the page caches of the databases that a worker keeps open."""

_MAX: Final = 10**12
_RANGES: Final[Mapping[str, tuple[float, float]]] = {
    "time_limit_s": (0.001, 86_400),
    "grace_s": (0, 86_400),
    "max_steps": (TICK_STEPS, _MAX),
    "max_rows": (1, _MAX),
    "max_bytes": (1, 2**28),
    "max_heap_bytes": (MIN_HEAP_BYTES, 2**40),
    "max_sql_chars": (1, 250_000),  # up to 4 bytes each; SQLite's limit on texts holds for SQL too
}


@dataclass(frozen=True)
class Limits:
    """What one query may cost at most.

    Args:
        time_limit_s: seconds after which SQLite is told to stop. It is asked every 1,000 steps.
        grace_s: seconds more after which the worker process is killed: one call of a function such
            as `instr` can take many seconds between two steps.
        max_steps: steps of SQLite's virtual machine, counted in thousands; None counts but does not
            stop. The same query takes the same number on every machine with the same version of
            SQLite and the same file, so a query that this limit stops is stopped everywhere.
        max_rows: rows of an answer; further ones are left out and `truncated` is set.
        max_bytes: bytes of an answer's columns and rows as JSON; likewise.
        max_heap_bytes: memory that SQLite may hold, page caches and sorts included, at least 8 MiB.
        max_sql_chars: characters of the SQL text.
        strict_names: whether a double-quoted name that is no column is an error. Else it is text,
            as SQLite has it, and the result carries a note.

    Raises:
        BadLimitsError: a limit is of the wrong type or out of range.

    >>> Limits(time_limit_s=2, max_rows=50).max_rows
    50
    """

    time_limit_s: float = 10.0
    grace_s: float = 1.0
    max_steps: int | None = None
    max_rows: int = 1000
    max_bytes: int = 2**20
    max_heap_bytes: int = 256 * 2**20
    max_sql_chars: int = 100_000
    strict_names: bool = False

    def __post_init__(self) -> None:
        for name, (least, most) in _RANGES.items():
            _check(name, getattr(self, name), least, most)
        if type(self.strict_names) is not bool:
            raise BadLimitsError(f"strict_names={self.strict_names!r} must be True or False")


def _check(name: str, value: object, least: float, most: float) -> None:
    if value is None and name == "max_steps":
        return
    is_seconds = name.endswith("_s")
    types = (int, float) if is_seconds else (int,)
    # A bool is an int to Python: Limits(True) would be a limit of one second.
    if type(value) in types and least <= value <= most:  # type: ignore[operator]
        return
    kind = "a number of seconds" if is_seconds else "an integer"
    raise BadLimitsError(f"{name}={value!r} must be {kind} from {least:,} to {most:,}")


AGENT_LIMITS: Final = Limits(
    max_steps=200_000_000, max_rows=100, max_bytes=32 * 2**10, strict_names=True
)
"""For SQL that a model wrote, whose answer it reads: 10 s, 200 million steps, 100 rows, 32 KiB."""

GOLD_LIMITS: Final = Limits(
    time_limit_s=30.0, max_steps=400_000_000, max_rows=11, max_heap_bytes=2**30
)
"""For gold SQL: 30 s, 400 million steps, 1 GiB; 11 rows tell whether there are more than ten.

Steps come at 20 to 90 million a second on two shared cores, so they end a query before the clock
does, also where the machine has other work: what is kept does not depend on it.
"""
