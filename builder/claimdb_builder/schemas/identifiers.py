"""Names of tables and columns as they must stand in SQL."""

from __future__ import annotations

import re
from typing import Final

_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_KEYWORDS: Final = """
abort action add after all alter always analyze and as asc attach autoincrement before begin
between by cascade case cast check collate column commit conflict constraint create cross current
current_date current_time current_timestamp database default deferrable deferred delete desc detach
distinct do drop each else end escape except exclude exclusive exists explain fail filter first
following for foreign from full generated glob group groups having if ignore immediate in index
indexed initially inner insert instead intersect into is isnull join key last left like limit match
materialized natural no not nothing notnull null nulls of offset on or order others outer over
partition plan pragma preceding primary query raise range recursive references regexp reindex
release rename replace restrict returning right rollback row rows savepoint select set table temp
temporary then ties to transaction trigger unbounded union unique update using vacuum values view
virtual when where window with within without
"""
"""All of https://sqlite.org/lang_keywords.html: versions differ in which of them may stand bare."""

_RESERVED: Final = frozenset(_KEYWORDS.split())


def quoted(name: str) -> str:
    """Return a name as SQL of SQLite needs it: in double quotes unless it is a plain identifier.

    >>> quoted("school_id"), quoted("School ID"), quoted("order"), quoted('4" gun')
    ('school_id', '"School ID"', '"order"', '"4"" gun"')
    """
    if _PLAIN.fullmatch(name) and name.lower() not in _RESERVED:
        return name
    return '"' + name.replace('"', '""') + '"'
