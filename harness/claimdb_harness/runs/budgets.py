"""What a model may spend on one claim: one definition for every model, protocol and task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from claimdb_metric.errors import DataError
from claimdb_sandbox import AGENT_LIMITS

NO_QUERY_LEFT: Final = "refused: no query is left in the budget; give the verdict now"
"""What an agent reads in place of rows, over MCP as well."""

_RANGES: Final[Mapping[str, tuple[int, int]]] = {
    "max_turns": (1, 10_000),
    "max_sql_calls": (0, 10_000),
    "max_tokens": (1, 10**9),
    "max_seconds": (1, 86_400),
    "max_output_bytes": (200, AGENT_LIMITS.max_bytes),
}


@dataclass(frozen=True)
class Budget:
    """What a model may spend on one claim.

    A query that SQLite or the sandbox refuses counts like any other.

    Args:
        max_turns: how often the model is asked; the published benchmark allowed 20.
        max_sql_calls: SQL queries, of which one turn may hold several.
        max_tokens: read and written, over all turns; the published models took 2,000 to 35,000.
        max_seconds: of the model's answers and of queries; waiting for retries is not the model's.
        max_output_bytes: of one query's answer as the model reads it, 200 to 32,768.

    Raises:
        DataError: a number is out of range, or no integer.

    >>> Budget(max_turns=5).max_sql_calls
    40
    """

    max_turns: int = 20
    max_sql_calls: int = 40
    max_tokens: int = 200_000
    max_seconds: int = 900
    max_output_bytes: int = 16_000

    def __post_init__(self) -> None:
        for name, (least, most) in _RANGES.items():
            value = getattr(self, name)
            if type(value) is not int or not least <= value <= most:
                raise DataError(f"{name}={value!r} must be an integer from {least:,} to {most:,}")

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers by name."""
        return asdict(self)
