"""Rewrites a query so that ties at a LIMIT are broken in a way that is known.

At each LIMIT the output columns are appended to ORDER BY: ascending in one form, descending in
another. Of the rows that tie, the first takes the smallest, the second the largest: where the
answers differ, the query has more than one. Only text is put in, so all else of the query stays as
it is. What is found is there; missed is a tie whose smallest and largest rows lead to the same
answer and one between them does not. Ties elsewhere are not looked for: of the row beside max(),
in a window, of bare columns under GROUP BY.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from claimdb_builder.stages.lexemes import Lexeme, lexemes

_END_OF_COLUMNS: Final = frozenset({"FROM", "WHERE", "GROUP", "ORDER", "UNION", "INTERSECT"})
_SET_OPERATORS: Final = frozenset({"UNION", "INTERSECT", "EXCEPT"})


class TieBreaks(NamedTuple):
    """A query in forms that break ties.

    Args:
        ascending, descending: with all ties broken one way, and the other.
        ordered_descending: as `ascending`, but for the LIMITs that have an ORDER BY.
        is_ordered: whether all of them have one.
    """

    ascending: str
    descending: str
    ordered_descending: str
    is_ordered: bool


@dataclass
class _Level:
    """What is known of the SELECT in one pair of parentheses."""

    is_outermost: bool = False
    n_columns: int = 0
    in_columns: bool = False
    is_compound: bool = False
    has_order: bool = False


class _Limit(NamedTuple):
    start: int
    n_columns: int
    is_compound: bool
    has_order: bool


def tie_breaks(sql: str, n_columns: int = 0) -> TieBreaks | None:
    """Return a query in forms that break ties, None without a LIMIT.

    Args:
        sql: the query.
        n_columns: columns of its answer, where known: a star in it counts for one.

    >>> forms = tie_breaks("SELECT name FROM pet ORDER BY age LIMIT 3")
    >>> forms.descending
    'SELECT name FROM pet ORDER BY age , 1 COLLATE BINARY DESC LIMIT 3'
    >>> tie_breaks("SELECT name FROM pet WHERE id = (SELECT id FROM pet LIMIT 1)").is_ordered
    False
    """
    limits = list(_limits(sql, n_columns))
    if not limits:
        return None
    return TieBreaks(
        _broken(sql, limits, lambda limit: "ASC"),
        _broken(sql, limits, lambda limit: "DESC"),
        _broken(sql, limits, lambda limit: "DESC" if limit.has_order else "ASC"),
        all(limit.has_order for limit in limits),
    )


def _broken(sql: str, limits: list[_Limit], direction_at: Callable[[_Limit], str]) -> str:
    pieces: list[str] = []
    end = 0
    for limit in limits:
        # BINARY: under NOCASE, texts that differ would tie again. SQLite has it in no compound.
        order = f"{'' if limit.is_compound else 'COLLATE BINARY '}{direction_at(limit)}"
        terms = ", ".join(f"{place} {order}" for place in range(1, limit.n_columns + 1))
        pieces += (sql[end : limit.start], ", " if limit.has_order else "ORDER BY ", f"{terms} ")
        end = limit.start
    return "".join(pieces) + sql[end:]


def _limits(sql: str, n_columns: int) -> Iterator[_Limit]:
    levels = [_Level(is_outermost=True)]
    before = ""
    for lexeme in lexemes(sql):
        level = levels[-1]
        if lexeme.text == "(":
            levels.append(_Level())
        elif lexeme.text == ")" and len(levels) > 1:
            levels.pop()
        elif lexeme.word == "LIMIT" and level.n_columns:
            n_known = n_columns if level.is_outermost else 0
            n_most = max(level.n_columns, n_known)
            yield _Limit(lexeme.start, n_most, level.is_compound, level.has_order)
        else:
            _note(level, lexeme, before)
        before = lexeme.word


def _note(level: _Level, lexeme: Lexeme, before: str) -> None:
    """Take in what a lexeme says of the SELECT that it stands in."""
    word = lexeme.word
    if word == "SELECT" and not level.is_compound:
        level.n_columns, level.in_columns, level.has_order = 1, True, False
    if word in _SET_OPERATORS:
        level.is_compound = True
    if word == "ORDER":
        level.has_order = True
    if word in _END_OF_COLUMNS | _SET_OPERATORS and before != "DISTINCT":  # a IS DISTINCT FROM b
        level.in_columns = False
    if lexeme.text == "," and level.in_columns:
        # A star stands for one column at least, so the places counted are there.
        level.n_columns += 1
