"""What to write instead, where SQL is that of another program: a table of patterns."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_TABLES: Final = "SELECT name FROM sqlite_master WHERE type = 'table'"
_COLUMNS: Final = "PRAGMA table_info(NAME)"
_INDEXES: Final = "PRAGMA index_list(NAME)"
_DDL: Final = "SELECT sql FROM sqlite_master"
_SHELL: Final = "is a command of the sqlite3 program, not SQL"

_HINTS: Final[Mapping[str, str]] = {
    r"\.tables?\b": f".tables {_SHELL}; write: {_TABLES}",
    r"\.schema\b": f".schema {_SHELL}; write: {_DDL}",
    r"\.index(es)?\b": f".indexes {_SHELL}; write: {_INDEXES}",
    r"\.": f"a line that starts with a dot {_SHELL}",
    r"show\s+(full\s+)?tables\b": f"SQLite has no SHOW TABLES; write: {_TABLES}",
    r"show\s+(full\s+)?columns\b|desc(ribe)?\s": f"SQLite has no DESCRIBE; write: {_COLUMNS}",
    r"show\s": f"SQLite has no SHOW; tables and their DDL are in: {_DDL}",
    r"select\b[^'\"]*\binformation_schema\.": f"SQLite has no information_schema; write: {_DDL}",
    r".*```": "send the SQL alone, with no words around it",
    r"use\s": "there is one database here, and it is open already",
}
"""What a text starts with, letter case aside, and the hint; the first that fits counts."""


def hints_for(sql: str) -> tuple[str, ...]:
    """Return what to write instead of SQL that SQLite refused, if it is of a known other kind.

    >>> hints_for("SHOW TABLES")
    ("SQLite has no SHOW TABLES; write: SELECT name FROM sqlite_master WHERE type = 'table'",)
    """
    for pattern, hint in _HINTS.items():
        if re.match(pattern, sql, re.IGNORECASE | re.DOTALL):
            return (hint,)
    return ()
