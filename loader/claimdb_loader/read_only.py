"""A connection to a SQLite file that can write nothing and whose settings nobody can change."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

from claimdb_metric.errors import DatabaseFileError
from claimdb_sandbox import database_file
from claimdb_sandbox.errors import UnusableDatabaseError

_REFUSED_ACTIONS: Final = {
    sqlite3.SQLITE_ATTACH,
    sqlite3.SQLITE_DETACH,
    sqlite3.SQLITE_SAVEPOINT,
    sqlite3.SQLITE_TRANSACTION,
}
_PRAGMAS_OF_A_NAME: Final = {
    "foreign_key_check",
    "foreign_key_list",
    "index_info",
    "index_list",
    "index_xinfo",
    "integrity_check",
    "quick_check",
    "table_info",
    "table_list",
    "table_xinfo",
}
_PRAGMAS_WITHOUT_VALUE: Final = {
    "collation_list",
    "compile_options",
    "data_version",  # what FTS5 asks for itself
    "database_list",
    "encoding",
    "freelist_count",
    "function_list",
    "page_count",
    "page_size",
    "schema_version",
    "user_version",
}


def connect_read_only(path: Path) -> sqlite3.Connection:
    """Return a connection that can write nothing: not to the file, not beside it, not elsewhere.

    No ATTACH, and so no VACUUM INTO either.

    Raises:
        DatabaseFileError: SQLite cannot read the file, or a log beside it.
    """
    try:
        connection = database_file.connect_read_only(path.absolute(), check_same_thread=False)
    except UnusableDatabaseError as error:
        raise DatabaseFileError(str(error)) from error
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    connection.set_authorizer(_authorize)
    connection.text_factory = _lenient_text
    return connection


def _authorize(action: int, name: str | None, value: str | None, *_: str | None) -> int:
    """Refuse what would change the connection, which all users of a file share in a process.

    `PRAGMA query_only = 0` or an open BEGIN would else be met by whoever asks next.
    """
    if action in _REFUSED_ACTIONS:
        return sqlite3.SQLITE_DENY
    if action != sqlite3.SQLITE_PRAGMA:
        return sqlite3.SQLITE_OK
    pragma = str(name).lower()
    is_harmless = pragma in _PRAGMAS_OF_A_NAME or (
        pragma in _PRAGMAS_WITHOUT_VALUE and value is None
    )
    return sqlite3.SQLITE_OK if is_harmless else sqlite3.SQLITE_DENY


def _lenient_text(value: bytes) -> str:
    return value.decode("utf-8", errors="replace")
