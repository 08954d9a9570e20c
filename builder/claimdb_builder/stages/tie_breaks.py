"""Rewrites a query so that ties at a LIMIT are broken in a way that is known.

At each LIMIT the output columns are appended to ORDER BY: once ascending, once descending. Of the
rows that tie, the first form takes the smallest, the second the largest: where the answers differ,
the query has more than one. Only text is put in, so all else of the query stays as it is. Missed is
a tie from before an OFFSET to behind the LIMIT whose middle happens to be the same both ways.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from claimdb_builder.stages.lexemes import Lexeme, lexemes

_SET_OPERATORS: Final = frozenset({"UNION", "INTERSECT", "EXCEPT"})


class TieBreaks(NamedTuple):
    """A query in two forms, and whether each LIMIT in it has an ORDER BY."""

    ascending: str
    descending: str
    is_ordered: bool


@dataclass
class _Level:
    """What is known of the SELECT in one pair of parentheses."""

    n_columns: int = 0
    in_columns: bool = False
    is_compound: bool = False
    has_order: bool = False


class _Limit(NamedTuple):
    start: int
    n_columns: int
    has_order: bool


def tie_breaks(sql: str) -> TieBreaks | None:
    """Return a query in two forms that break ties in opposite ways, None without a LIMIT.

    >>> forms = tie_breaks("SELECT name, age FROM pet ORDER BY age LIMIT 3")
    >>> forms.descending
    'SELECT name, age FROM pet ORDER BY age , 1 DESC, 2 DESC LIMIT 3'
    >>> tie_breaks("SELECT name FROM pet WHERE id = (SELECT id FROM pet LIMIT 1)").ascending
    'SELECT name FROM pet WHERE id = (SELECT id FROM pet ORDER BY 1 ASC LIMIT 1)'
    """
    limits = list(_limits(sql))
    if not limits:
        return None
    is_ordered = all(limit.has_order for limit in limits)
    return TieBreaks(_broken(sql, limits, "ASC"), _broken(sql, limits, "DESC"), is_ordered)


def _broken(sql: str, limits: list[_Limit], direction: str) -> str:
    pieces: list[str] = []
    end = 0
    for limit in limits:
        terms = ", ".join(f"{place} {direction}" for place in range(1, limit.n_columns + 1))
        pieces += (sql[end : limit.start], ", " if limit.has_order else "ORDER BY ", f"{terms} ")
        end = limit.start
    return "".join(pieces) + sql[end:]


def _limits(sql: str) -> Iterator[_Limit]:
    levels = [_Level()]
    for lexeme in lexemes(sql):
        level = levels[-1]
        if lexeme.text == "(":
            levels.append(_Level())
        elif lexeme.text == ")" and len(levels) > 1:
            levels.pop()
        elif lexeme.word == "LIMIT" and level.n_columns:
            yield _Limit(lexeme.start, level.n_columns, level.has_order)
        else:
            _note(level, lexeme)


def _note(level: _Level, lexeme: Lexeme) -> None:
    """Take in what a lexeme says of the SELECT that it stands in."""
    word = lexeme.word
    if word in _SET_OPERATORS:
        level.is_compound = True
    elif word == "SELECT" and not level.is_compound:
        level.n_columns, level.in_columns, level.has_order = 1, True, False
    elif word == "FROM":
        level.in_columns = False
    elif word == "ORDER":
        level.has_order = True
    elif lexeme.text == "," and level.in_columns:
        # A star stands for one column at least, so the places counted are there.
        level.n_columns += 1
