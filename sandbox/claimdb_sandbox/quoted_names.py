"""Finds double-quoted names that are no column, which SQLite silently takes for text.

`WHERE name = "Bbo"` compares with the text Bbo if no column is called so, and a mistyped column
gives a wrong answer instead of an error (https://sqlite.org/quirks.html#dblquote).
"""

from __future__ import annotations

import re
import sqlite3
import time
from typing import Final

from claimdb_sandbox.guards import GuardedConnection
from claimdb_sandbox.statements import TOKENS

MAX_NAMES: Final = 5
"""Each takes one more compilation."""

_NO_COLUMN: Final = re.compile(r"no such column: (.*)", re.DOTALL)
_EXPLAINED: Final = re.compile(r"explain\b", re.IGNORECASE)


def names_taken_as_text(guarded: GuardedConnection, sql: str) -> list[str]:
    """Return the double-quoted names of one statement that SQLite would take for text.

    The statement is compiled, not run, with each such name in backticks, which can only be a name:
    where SQLite then misses a column, the name was text. Found names become text, and so on.
    """
    found: list[str] = []
    if '"' not in sql:
        return found
    names = {_name(token[0]) for token in TOKENS.finditer(sql) if token.lastgroup == "quoted"}
    while len(found) < MAX_NAMES and time.monotonic() < guarded.ticks.deadline:
        missing = _missing_column(guarded, _rewritten(sql, found))
        if missing not in names or missing in found:
            break
        found.append(missing)
    return found


def _missing_column(guarded: GuardedConnection, sql: str) -> str | None:
    prefix = "" if _EXPLAINED.match(sql) else "EXPLAIN "
    try:
        guarded.connection.execute(prefix + sql).close()
    except (sqlite3.Error, sqlite3.Warning, MemoryError) as error:
        missing = _NO_COLUMN.match(str(error))
        return missing[1] if missing else None
    return None


def _rewritten(sql: str, texts: list[str]) -> str:
    """The SQL with double-quoted names in backticks, or as text where they are found to be."""

    def token(match: re.Match[str]) -> str:
        if match.lastgroup != "quoted":
            return match[0]
        name = _name(match[0])
        mark = "'" if name in texts else "`"
        return mark + name.replace(mark, mark * 2) + mark

    return TOKENS.sub(token, sql)


def _name(quoted: str) -> str:
    return quoted[1:-1].replace('""', '"')
