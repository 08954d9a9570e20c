"""What a call was and what became of it: reads of the schema, errors by kind, repeats."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

from claimdb_harness.runs.traces import UNKNOWN_STATUS, Call
from claimdb_sandbox.statements import TOKENS, without_fence

SQL_TOOL: Final = "execute_sql"

ERROR_KINDS: Final = (
    "syntax",
    "no such table",
    "no such column",
    "no such function",
    "type",
    "timeout",
    "memory",
    "denied",
    "truncated",
    "refused",
    "other",
)
"""Why a call brought no rows or not all; `refused` where the budget allowed no further call."""

NO_ERROR: Final = frozenset({"truncated", "refused"})
"""Kinds that say nothing against the SQL: it ran and had more rows, or was never run."""

_KIND_OF_STATUS: Final[Mapping[str, str | None]] = {
    "ok": None,
    "truncated": "truncated",
    "timeout": "timeout",
    "memory": "memory",
    "denied": "denied",
    "refused": "refused",
    "not_a_query": "other",
    "worker_died": "other",
}
"""Of `sql_error` and `unknown`, the message tells."""

_KIND_OF_MESSAGE: Final[Mapping[str, str]] = {
    r"syntax error|incomplete input|unrecognized token|unterminated": "syntax",
    r"no such table|unknown database": "no such table",
    r"no such column|ambiguous column name|has no column named": "no such column",
    r"no such function|wrong number of arguments to function": "no such function",
    r"datatype mismatch|integer overflow|malformed JSON|bad JSON path": "type",
}
"""SQLite's messages (https://sqlite.org/src/file/src/resolve.c and others)."""

_SAID_BY_OTHERS: Final = re.compile(
    r"no such (?:table|column|function): |: syntax error|ambiguous column name: "
    r"|unrecognized token: |incomplete input$|unable to (?:execute|prepare) (?:query|statement)",
    re.IGNORECASE,
)
_BEGINNING_CHARS: Final = 300
"""Of another program's answer, in which an error stands; further on it would be a cell's text."""

_SCHEMA_TABLE: Final = re.compile(
    r"""(?:\b(?:from|join)|,)\s*\(?\s*["'`\[]?(?:main\s*\.\s*)?["'`\[]?"""
    r"(?:sqlite_(?:temp_)?(?:master|schema)|pragma_\w+)\b",
    re.IGNORECASE,
)
_TIGHT: Final = re.compile(r"\s*([(),=<>])\s*")


def is_schema_read(call: Call) -> bool:
    """Return whether a call asks for tables and columns, and not for what they hold.

    Args:
        call: of any tool; list_tables and describe_table always read the schema.

    >>> is_schema_read(Call("execute_sql", "PRAGMA table_info(ferry)", "ok", ""))
    True
    >>> is_schema_read(Call("execute_sql", "SELECT 1 WHERE 'a' = 'sqlite_master'", "ok", ""))
    False
    """
    if call.tool != SQL_TOOL:
        return True
    sql = normalised_sql(call.sql)
    return sql.startswith("pragma ") or _SCHEMA_TABLE.search(sql) is not None


def error_kind(call: Call) -> str | None:
    """Return which of `ERROR_KINDS` a call met, None if it brought all rows.

    >>> error_kind(Call("execute_sql", "SELECT a", "sql_error", "", "no such column: a"))
    'no such column'
    >>> error_kind(Call("execute_sql", "SELECT a", "ok", "no such column: a"))
    """
    if call.status in _KIND_OF_STATUS:
        return _KIND_OF_STATUS[call.status]
    said = call.message or ""
    if call.status == UNKNOWN_STATUS:
        said = said or call.output[:_BEGINNING_CHARS]
        if not _SAID_BY_OTHERS.search(said):
            return None
    for pattern, kind in _KIND_OF_MESSAGE.items():
        if re.search(pattern, said, re.IGNORECASE):
            return kind
    return "other"


def is_answered(call: Call) -> bool:
    """Return whether rows came back, all of them or their beginning.

    >>> is_answered(Call("execute_sql", "SELECT 1 FROM t", "unknown", "Error: no such table: t"))
    False
    """
    return call.ok and error_kind(call) in (None, "truncated")


def is_evidence(call: Call) -> bool:
    """Return whether rows of the data came back, and not of the schema.

    >>> is_evidence(Call("describe_table", "", "ok", "id | INTEGER"))
    False
    """
    return is_answered(call) and not is_schema_read(call)


def n_repeated(calls: Iterable[Call]) -> int:
    """Return how many SQL calls asked what another one of these had asked before.

    >>> sqls = ("SELECT 1", "select  1;", "SELECT 'A'", "SELECT 'a'")
    >>> n_repeated(Call("execute_sql", sql, "ok", "") for sql in sqls)
    1
    """
    asked = [normalised_sql(call.sql) for call in calls if call.tool == SQL_TOOL]
    return len(asked) - len(set(asked))


@lru_cache(maxsize=1024)  # one claim's calls are looked at several times
def normalised_sql(sql: str) -> str:
    """Return SQL without comments, fences and spare white space, in small letters but for quotes.

    >>> normalised_sql("SELECT  Name FROM t -- all\\nWHERE a = 'It  IS';")
    "select name from t where a='It  IS'"
    """
    parts = []
    for token in TOKENS.finditer(without_fence(sql)):
        is_space = token.lastgroup in ("comment", "space", "semicolon")
        is_quoted = token.lastgroup in ("text", "quoted", "name", "open")
        # Quotes are set between marks that no SQL holds, so that nothing inside them is touched.
        text = " " if is_space else token[0] if is_quoted else token[0].lower()
        parts.append((is_quoted, text))
    return _joined(parts)


def _joined(parts: list[tuple[bool, str]]) -> str:
    """The parts as one text; white space is made narrow only between quotes."""
    quotes = [text for is_quoted, text in parts if is_quoted]
    frame = "".join("\0" if is_quoted else text.replace("\0", " ") for is_quoted, text in parts)
    frame = _TIGHT.sub(r"\1", " ".join(frame.split()))
    between = frame.split("\0")
    return between[0] + "".join(
        quote + text for quote, text in zip(quotes, between[1:], strict=True)
    )
