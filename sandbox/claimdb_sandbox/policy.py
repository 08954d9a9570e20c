"""What SQL may do: read, and ask for the schema. Everything that is not named here is denied."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Final

ALLOWED_ACTIONS: Final = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE}
)
ALLOWED_PRAGMAS: Final = frozenset(
    {
        "foreign_key_list",
        "index_info",
        "index_list",
        "index_xinfo",
        "table_info",
        "table_list",
        "table_xinfo",
    }
)
"""The schema. Not `database_list`, which shows where the file is. None of them sets anything."""

INTERNAL_PRAGMAS: Final = frozenset({"data_version"})
"""FTS5 asks for it on its own to see whether its index has changed; it is a counter."""

PRAGMAS_WITHOUT_NAME: Final = frozenset({"table_list"})
"""The others answer nothing without the name of a table or an index."""

DENIED_FUNCTIONS: Final = frozenset(
    {"edit", "fts3_tokenizer", "load_extension", "readfile", "writefile"}
)
"""Code, files, an editor, and an address in memory. In the library that Python ships, the driver
refuses the second, and three are not there: they are named for builds that have them."""

ALLOWED_VIRTUAL_TABLES: Final = (
    *(f"pragma_{name}('x')" for name in sorted(ALLOWED_PRAGMAS - PRAGMAS_WITHOUT_NAME)),
    "pragma_table_list",
    "json_each('{}')",
    "json_tree('{}')",
)
"""Each is touched once before the policy is in force: to declare one, SQLite writes to its copy of
sqlite_master, which would be denied."""

_ACTION_NAMES: Final[Mapping[int, str]] = {
    sqlite3.SQLITE_ATTACH: "ATTACH",
    sqlite3.SQLITE_DELETE: "DELETE",
    sqlite3.SQLITE_INSERT: "INSERT",
    sqlite3.SQLITE_UPDATE: "UPDATE",
}
SCHEMA_CHANGE: Final = "changing the schema"


class Policy:
    """SQLite's authorizer: answers whether an action is allowed, and remembers what it denied.

    >>> policy = Policy()
    >>> policy(sqlite3.SQLITE_ATTACH, "evil.db", None, None, None) == sqlite3.SQLITE_DENY
    True
    >>> policy.denied
    'ATTACH'
    """

    def __init__(self) -> None:
        self.denied: str | None = None
        """What was denied first, in words for a message."""

    def __call__(self, action: int, first: str | None, second: str | None, *_: str | None) -> int:
        if action in ALLOWED_ACTIONS:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_FUNCTION:
            return self._answer(str(second).lower() not in DENIED_FUNCTIONS, f"{second}()")
        if action == sqlite3.SQLITE_PRAGMA:
            return self._answer(
                str(first).lower() in ALLOWED_PRAGMAS | INTERNAL_PRAGMAS, f"PRAGMA {first}"
            )
        if first in ("sqlite_master", "sqlite_temp_master"):
            return self._answer(False, SCHEMA_CHANGE)
        return self._answer(False, _ACTION_NAMES.get(action, "what this statement does"))

    def _answer(self, allowed: bool, what: str) -> int:
        if allowed:
            return sqlite3.SQLITE_OK
        self.denied = self.denied or what
        return sqlite3.SQLITE_DENY
