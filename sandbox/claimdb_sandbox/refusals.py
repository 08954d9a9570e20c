"""Why there are no rows: SQLite's errors as a status and a short message that names no path."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from claimdb_sandbox.database_file import is_of_the_file, unusable
from claimdb_sandbox.guards import GuardedConnection
from claimdb_sandbox.hints import hints_for
from claimdb_sandbox.limits import Limits
from claimdb_sandbox.policy import SCHEMA_CHANGE
from claimdb_sandbox.results import Status
from claimdb_sandbox.statements import Refusal

STATUS_OF_ERROR: Final[Mapping[str, Status]] = {
    "SQLITE_AUTH": "denied",
    "SQLITE_READONLY": "denied",
    "SQLITE_INTERRUPT": "timeout",
    "SQLITE_NOMEM": "memory",
}
"""By primary code; every other one is `sql_error`."""

_OUR_WORDS: Final[Mapping[str, str]] = {
    r"string or blob too big": "a text or blob in it is longer than 1,000,000 bytes",
    r"Incorrect number of bindings": "parameters (?, :name) are not supported; write the value",
    r"not an error": "SQLite refuses this statement",
}
_WRITES: Final = frozenset(
    {
        *("ALTER", "ANALYZE", "ATTACH", "BEGIN", "COMMIT", "CREATE", "DELETE", "DETACH", "DROP"),
        *("END", "INSERT", "REINDEX", "RELEASE", "REPLACE", "ROLLBACK", "SAVEPOINT", "UPDATE"),
        "VACUUM",
    }
)
"""First words of statements that do not read."""

_FIRST_WORD: Final = re.compile(r"\w*")


def refusal_of(error: Exception, guarded: GuardedConnection, sql: str) -> Refusal:
    """Return the status and message for what an SQLite connection raised.

    Args:
        error: one of sqlite3's, or of Python's for text that SQLite cannot take, or MemoryError.
        guarded: the connection, which knows what its policy denied and which limit stopped it.
        sql: the statement.

    Raises:
        UnusableDatabaseError: it is not the query's fault.
    """
    if is_of_the_file(error):
        raise unusable(error, guarded.path) from error
    if isinstance(error, MemoryError):
        return limit_reached("memory", "max_heap_bytes", guarded.limits)
    name = getattr(error, "sqlite_errorname", "")
    status = STATUS_OF_ERROR.get("_".join(name.split("_")[:2]), "sql_error")
    if status == "timeout":
        return limit_reached(status, guarded.ticks.reached or "time_limit_s", guarded.limits)
    if guarded.policy.denied or status == "denied" or is_write(sql):
        return denial(sql, guarded.policy.denied or "writing")
    if isinstance(error, UnicodeError):
        return Refusal(status, "a name or text in it is not valid UTF-8")
    message = str(error)
    for path in (guarded.path, guarded.path.parent):
        # Not where the SQL itself names it: its author could try which names vanish.
        if path != path.parent and str(path) not in sql:
            message = message.replace(str(path), "…")
    for pattern, words in _OUR_WORDS.items():
        if re.search(pattern, message):
            return Refusal(status, words)
    return Refusal(status, message, notes=hints_for(sql))


def is_write(sql: str) -> bool:
    """Whether a statement is of a kind that does not read, as its first word tells.

    SQLite refuses some of them before it asks the policy: `UPDATE sqlite_master`, a table that is
    not there; and some do nothing, so that nothing is refused: `REINDEX` where there is no index.
    """
    return _first_word(sql) in _WRITES


def denial(sql: str, what: str = "writing") -> Refusal:
    """Return the refusal of what is not allowed: the statement if it writes, else a part of it."""
    if is_write(sql):
        what = _first_word(sql)
    elif what == SCHEMA_CHANGE:
        # SQLite declares a virtual table by a write to its copy of sqlite_master.
        what = "this virtual table"
    if what.startswith(("PRAGMA ", "this ")) or what.endswith("()"):
        return Refusal("denied", f"{what} is not allowed")
    return Refusal("denied", f"{what} is not allowed: this database can only be read")


def limit_reached(status: Status, limit: str, limits: Limits) -> Refusal:
    """Return the refusal of a query that a limit stopped."""
    return Refusal(status, limit_words(limit, limits), limit)


def limit_words(limit: str, limits: Limits) -> str:
    """Return what a limit did, in words.

    >>> limit_words("max_rows", Limits())
    'there are more than 1,000 rows'
    """
    words = {
        "time_limit_s": f"stopped after {limits.time_limit_s:g} s",
        "max_steps": f"stopped after {limits.max_steps or 0:,} steps",
        "max_heap_bytes": f"needs more memory than {limits.max_heap_bytes:,} bytes",
        "max_rows": f"there are more than {limits.max_rows:,} row{'s' * (limits.max_rows != 1)}",
        "max_bytes": f"further rows do not fit in {limits.max_bytes:,} bytes",
    }
    return words[limit]


def _first_word(sql: str) -> str:
    word = _FIRST_WORD.match(sql)
    return word[0].upper() if word else ""
