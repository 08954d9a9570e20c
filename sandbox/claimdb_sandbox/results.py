"""What became of a query: its status and its rows, as plain values that JSON can hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, TypeAlias, get_args

Status: TypeAlias = Literal[
    "ok",
    "truncated",
    "timeout",
    "memory",
    "denied",
    "sql_error",
    "not_a_query",
    "worker_died",
]
STATUSES: Final[tuple[Status, ...]] = get_args(Status)

Value: TypeAlias = str | int | float | None

FLAG_NOTES: Final[Mapping[str, str]] = {
    "blob": "X'…' is binary data in hexadecimal",
    "infinite": "Infinity and -Infinity are numbers out of range, written as text",
    "replaced_text": "bytes that are no UTF-8 are shown as \N{REPLACEMENT CHARACTER}",
}
"""How rows differ from what SQLite holds, since JSON has no such values."""

DEFAULT_MAX_BYTES: Final = 16_000
"""Of a result as text for a model: some 4,000 tokens."""


@dataclass(frozen=True)
class Result:
    """What became of one query; iterating over it gives its rows.

    Args:
        status: `ok`; `truncated`: the rows are right, but there are more; `timeout`, `memory`: a
            limit stopped it; `denied`: it would write, or do what is not allowed; `sql_error`:
            SQLite refuses it; `not_a_query`: no statement in it; `worker_died`: the process that
            ran it ended, which is not the query's fault as a rule. But for the first two there are
            no rows.
        columns: names; where SQL gives two the same name, the later ones have _2, _3, … appended.
        rows: text, int, float or None; bytes as X'hex', infinities as text, see `flags`.
        truncated: whether there are more rows than `rows` holds.
        elapsed_ms: milliseconds that it took, without the way to the worker and back.
        ticks: thousands of steps of SQLite's machine.
        message: why there are no rows or not all, None where all is well; never a path of the host.
        limit: the name of the limit that was reached, None if none was.
        flags: how rows differ from what SQLite holds: `blob`, `infinite`, `replaced_text`.
        notes: hints to whoever wrote the SQL.
    """

    status: Status
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Value, ...], ...] = ()
    truncated: bool = False
    elapsed_ms: float = 0.0
    ticks: int = 0
    message: str | None = None
    limit: str | None = None
    flags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether there is an answer, all of it or its beginning."""
        return self.status in ("ok", "truncated")

    def __iter__(self) -> Iterator[tuple[Value, ...]]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __bool__(self) -> bool:
        """Whether there is an answer; not whether it has rows."""
        return self.ok

    def to_text(self, max_bytes: int = DEFAULT_MAX_BYTES) -> str:
        """Return the result as a model reads it: a line a row, and what was cut in the last line.

        The same result gives the same text: neither time nor ticks are in it.

        Args:
            max_bytes: length of the text in UTF-8 at most, at least 200.

        >>> print(Result("ok", ("name", "n"), (("Vita", 3), (None, 1))).to_text())
        name | n
        Vita | 3
        NULL | 1
        (2 rows)
        """
        from claimdb_sandbox.model_forms import result_text

        return result_text(self, max_bytes)

    def to_json(self, max_bytes: int = DEFAULT_MAX_BYTES) -> str:
        """Return the result as a model reads it, as one JSON object; `rows_left_out` if cut.

        Only what there is to say is in it, and neither time nor ticks.

        Args:
            max_bytes: length of the text in UTF-8 at most, at least 200.

        >>> Result("ok", ("n",), ((3,),)).to_json()
        '{"status":"ok","columns":["n"],"rows":[[3]]}'
        """
        from claimdb_sandbox.model_forms import result_json

        return result_json(self, max_bytes)

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as values for `json.dumps`, lists for tuples.

        >>> Result("denied", message="no").to_dict()["status"]
        'denied'
        """
        listed = {"columns": [*self.columns], "rows": [[*row] for row in self.rows]}
        return asdict(self) | listed | {"flags": [*self.flags], "notes": [*self.notes]}
