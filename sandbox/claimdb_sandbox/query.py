"""Runs one query on a guarded connection, row by row, and answers with JSON of bounded length."""

from __future__ import annotations

import json
import sqlite3
import time
from contextlib import closing
from itertools import count
from typing import Any, Final

from claimdb_sandbox.guards import GuardedConnection, RowTooLong
from claimdb_sandbox.quoted_names import MAX_NAMES, names_taken_as_text
from claimdb_sandbox.refusals import denial, limit_words, refusal_of
from claimdb_sandbox.statements import Refusal, single_statement
from claimdb_sandbox.values import plain_row, unique_names

MAX_MESSAGE_CHARS: Final = 300
"""SQLite puts whole tokens into a message, such as all that follows an open quote."""

_encode: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
"""Made once: `json.dumps` makes an encoder for each row."""


def run_query(guarded: GuardedConnection, text: str) -> bytes:
    """Return what became of SQL as the JSON of a Result's fields, rows last.

    Args:
        guarded: the connection to its database.
        text: what was sent as SQL, whatever it is.
    """
    started = time.perf_counter()
    guarded.start()
    rows = bytearray()
    try:
        outcome = _outcome(guarded, text, rows)
    except Refusal as refusal:
        rows.clear()
        outcome = {
            "status": refusal.status,
            "message": _short(refusal.message),
            "limit": refusal.limit,
            "notes": [_short(note) for note in refusal.notes],
        }
    outcome["ticks"] = guarded.ticks.count
    outcome["elapsed_ms"] = round((time.perf_counter() - started) * 1000, 3)
    return b"".join((_json(outcome)[:-1], b',"rows":[', memoryview(rows)[:-1], b"]}"))


def _outcome(guarded: GuardedConnection, text: str, rows: bytearray) -> dict[str, Any]:
    """Put the JSON of each row into `rows`, a comma behind each; return the other fields.

    Raises:
        Refusal: there is no answer.
    """
    sql = single_statement(text, guarded.limits.max_sql_chars)
    try:
        notes = _notes_on_quotes(guarded, sql)
        with closing(guarded.connection.execute(sql)) as cursor:
            if cursor.description is None:
                raise denial(sql)
            columns = _columns(cursor, guarded.limits.max_bytes)
            flags = set[str]()
            limit = _read_rows(guarded, cursor, columns, rows, flags)
    except (sqlite3.Error, sqlite3.Warning, UnicodeError, OverflowError, MemoryError) as error:
        raise refusal_of(error, guarded, sql) from error
    fields = {"columns": columns, "flags": sorted(flags), "notes": notes}
    if limit is None:
        return {"status": "ok"} | fields
    message = limit_words(limit, guarded.limits)
    if limit == "max_bytes" and not rows:
        message += "; select fewer columns, or parts of them with substr()"
    return {"status": "truncated", "truncated": True, "limit": limit, "message": message} | fields


def _columns(cursor: sqlite3.Cursor, max_bytes: int) -> list[str]:
    names = [column[0] for column in cursor.description]
    # A name may be a whole expression, and 200 of them 20 MB.
    if sum(map(len, names)) > max_bytes or len(_json(names)) > max_bytes:
        raise Refusal("sql_error", "the names of the columns are too long", limit="max_bytes")
    return unique_names(names)


def _read_rows(
    guarded: GuardedConnection,
    cursor: sqlite3.Cursor,
    columns: list[str],
    rows: bytearray,
    flags: set[str],
) -> str | None:
    """Read rows, and their flags, until a limit; return its name, None if they ended before."""
    limits = guarded.limits
    room = limits.max_bytes - len(_json(columns))
    for n_rows in count():
        guarded.start_row()
        try:
            row = cursor.fetchone()
        except RowTooLong:
            return "max_bytes" if n_rows < limits.max_rows else "max_rows"
        if row is None:
            break
        if n_rows == limits.max_rows:
            return "max_rows"
        # Looked at first: in hexadecimal, a row of 200 long blobs would take twice its size more.
        if sum(len(value) for value in row if isinstance(value, str | bytes)) > room:
            return "max_bytes"
        line = _json(plain_row(row, guarded.flags))
        room -= len(line) + 1
        if room < 0:
            return "max_bytes"
        flags |= guarded.flags
        rows += line
        rows += b","
    return None


def _notes_on_quotes(guarded: GuardedConnection, sql: str) -> list[str]:
    """Notes on double-quoted names that are no column; compiling is not counted as the query."""
    names = names_taken_as_text(guarded, sql)
    guarded.start()
    if not names:
        return []
    quoted = ", ".join(f'"{name}"' for name in names)
    more = ", perhaps more," if len(names) == MAX_NAMES else ""
    is_no_column, it = ("is no column", "it") if len(names) == 1 else ("are no columns", "them")
    if guarded.limits.strict_names:
        note = f"{quoted}{more} {is_no_column}; text stands in single quotes"
        raise Refusal("sql_error", f"no such column: {names[0]}", notes=(note,))
    taken = f"{quoted}{more} {is_no_column}, so SQLite took {it} as text"
    return [_short(f"{taken}; text stands in single quotes")]


def _json(value: object) -> bytes:
    return _encode(value).encode()


def _short(message: str) -> str:
    return message if len(message) <= MAX_MESSAGE_CHARS else message[:MAX_MESSAGE_CHARS] + "…"
