"""The schema of a database as the CREATE statements in it, as many as fit a prompt."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final, NamedTuple

from claimdb_metric.errors import DataError
from claimdb_sandbox import Executor, Limits
from claimdb_sandbox.model_forms import check_max_bytes, cut_text

NAMED: Final = (
    "FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
)
"""Tables and views but for SQLite's own, such as sqlite_sequence."""

_STATEMENTS: Final = f"SELECT name, sql {NAMED} AND sql IS NOT NULL ORDER BY type, name"
_LIMITS: Final = Limits(max_rows=10_000, max_bytes=2**24)


class _Statement(NamedTuple):
    name: str
    text: str

    @property
    def n_bytes(self) -> int:
        return len(self.text.encode())


def schema_text(path: str | os.PathLike[str], max_bytes: int) -> str:
    """Return the CREATE statements of all tables, then views, by name.

    Where they do not fit, the longest are left out, so that most tables stay; the last line says
    how many, and names them.

    Args:
        path: the database.
        max_bytes: length of the text in UTF-8 at most, at least 200.

    Raises:
        UnusableDatabaseError: the file is not a SQLite database that can be read.
        DataError: SQLite cannot read its schema.
        ValueError: max_bytes is less than 200.

    >>> import sqlite3, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = f"{folder.name}/ferries.sqlite"
    >>> db = sqlite3.connect(path)
    >>> _ = db.executescript("CREATE TABLE vessel (name TEXT); CREATE TABLE port (city TEXT)")
    >>> db.close()
    >>> print(schema_text(path, 1000))
    CREATE TABLE port (city TEXT);
    <BLANKLINE>
    CREATE TABLE vessel (name TEXT);
    >>> folder.cleanup()
    """
    check_max_bytes(max_bytes)
    with Executor(path, _LIMITS) as sandbox:
        result = sandbox.run(_STATEMENTS)
    if not result.ok:
        raise DataError(f"the schema of {os.fspath(path)} cannot be read: {result.message}")
    statements = [_Statement(str(name), f"{str(sql).strip()};\n\n") for name, sql in result.rows]
    beyond = f"-- {result.message}\n" if result.truncated else ""
    return _fitted(statements, beyond, max_bytes)


def _fitted(statements: Sequence[_Statement], beyond: str, max_bytes: int) -> str:
    """Leave the longest out until the others fit beside the line that names what is missing."""
    by_length = sorted(range(len(statements)), key=lambda place: -statements[place].n_bytes)
    n_bytes = sum(statement.n_bytes for statement in statements) + len(beyond)
    n_bytes -= len("\n\n")  # after the last statement
    left_out: list[int] = []
    last_line_bytes = 0
    for place in by_length:
        if n_bytes + min(last_line_bytes, max_bytes // 2) <= max_bytes:
            break
        left_out.append(place)
        n_bytes -= statements[place].n_bytes
        last_line_bytes += len(statements[place].name.encode()) + len(", ")
        if len(left_out) == 1:
            last_line_bytes += len(_left_out([], len(statements), len(statements)))
    kept = "".join(s.text for place, s in enumerate(statements) if place not in set(left_out))
    names = [statements[place].name for place in sorted(left_out)]
    last_line = _left_out(names, len(names), len(statements)) if names else ""
    return cut_text((kept + beyond + cut_text(last_line, max_bytes // 2)).rstrip(), max_bytes)


def _left_out(names: Sequence[str], n: int, n_all: int) -> str:
    shown = " ".join(", ".join(names).splitlines())
    return f"-- {n:,} of {n_all:,} CREATE statements do not fit and are left out: {shown}"
