"""The syntax tree of one SELECT (sqlglot, SQLite's dialect), or why there is none."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from sqlglot import exp
    from sqlglot.dialects.dialect import Dialect

Fault: TypeAlias = Literal["empty", "unparsable", "several_statements", "not_a_select"]

MAX_PIECES: Final = 2**14
"""Pieces of shapes whose tokens a process remembers, some 20 MB."""

_BETWEEN_PIECES: Final = re.compile(r"([(),])")
_MAY_HIDE: Final = re.compile(r"['\"`\[]|--|/\*")
"""Begins what a parenthesis or a comma may be part of: a text, a name, a comment."""


MAX_BARE_JOINS: Final = 12
"""sqlglot tries each JOIN without ON in two ways, so each more doubles its time."""

_OTHER_VERBS: Final = frozenset(
    {
        *("ALTER", "ANALYZE", "ATTACH", "BEGIN", "COMMIT", "CREATE", "DELETE", "DETACH", "DROP"),
        *("END", "EXPLAIN", "INSERT", "PRAGMA", "REINDEX", "RELEASE", "REPLACE", "ROLLBACK"),
        *("SAVEPOINT", "SHOW", "UPDATE", "VACUUM"),
    }
)

_JOIN: Final = re.compile(r"\bJOIN\b", re.IGNORECASE)
_CONDITION: Final = re.compile(r"\b(?:ON|USING)\b", re.IGNORECASE)

PARSER_FRAMES: Final = 20_000
"""sqlglot takes 16 frames for a pair of parentheses, and Python's own limit is 1,000: SQLite takes
sixty pairs, and how deep the caller stands must not decide."""


class _Deep:
    """Lets Python's stack be deep while any thread parses, and not longer."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._n_inside = 0
        self._before = 0

    def __enter__(self) -> None:
        with self._lock:
            if self._n_inside == 0:
                self._before = sys.getrecursionlimit()
                sys.setrecursionlimit(max(self._before, PARSER_FRAMES))
            self._n_inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._n_inside -= 1
            if self._n_inside == 0:
                sys.setrecursionlimit(self._before)


_DEEP: Final = _Deep()


class Unusable(Exception):
    """SQL of which no features can be told.

    Args:
        fault: a code.
        message: why.
    """

    def __init__(self, fault: Fault, message: str) -> None:
        super().__init__(message)
        self.fault = fault
        self.message = message


def select_of(sql: str) -> exp.Query:
    """Return the syntax tree of one SELECT, or of several joined by set operators.

    Raises:
        Unusable: it is something else.

    >>> select_of("SELECT name FROM pet").key
    'select'
    """
    return _select(_dialect().parse, sql)


def select_of_shape(shape: str) -> exp.Query:
    """Return the syntax tree of a shape, as `select_of` does, in two thirds of the time.

    Shapes are made of few different pieces between parentheses and commas, so most pieces have had
    their tokens made before. Places in the tree are those in the pieces.
    """
    if _MAY_HIDE.search(shape):
        return select_of(shape)
    return _select(_parse_pieces, shape)


def _select(parse: Callable[[str], Sequence[Any]], sql: str) -> exp.Query:
    from sqlglot import exp

    verb = sql.split(maxsplit=1)[0].upper() if sql.strip() else ""
    if verb in _OTHER_VERBS:  # sqlglot would log that it does not know some of them
        raise Unusable("not_a_select", f"{verb} is not SELECT")
    if len(_JOIN.findall(sql)) - len(_CONDITION.findall(sql)) > MAX_BARE_JOINS:
        raise Unusable("unparsable", f"more than {MAX_BARE_JOINS} JOINs without a condition")
    tree = _only_tree(parse, sql).unnest()
    if not isinstance(tree, exp.Query) or isinstance(tree, exp.Table):
        raise Unusable("not_a_select", f"{tree.key.upper()} is not SELECT")
    return tree


def _only_tree(parse: Callable[[str], Sequence[Any]], sql: str) -> Any:
    from sqlglot.errors import SqlglotError

    try:
        with _DEEP:
            trees = [tree for tree in parse(sql) if tree is not None]
    except SqlglotError as error:
        raise Unusable("unparsable", _first_error(error)) from None
    except RecursionError:
        raise Unusable("unparsable", "nested too deep to be parsed") from None
    if not trees:
        raise Unusable("empty", "no SQL in it")
    if len(trees) > 1:
        raise Unusable("several_statements", f"{len(trees)} statements; write one")
    return trees[0]


def _parse_pieces(shape: str) -> Sequence[Any]:
    tokens = [token for piece in _BETWEEN_PIECES.split(shape) for token in _tokens(piece)]
    return _dialect().parser().parse(tokens, shape)


@lru_cache(maxsize=MAX_PIECES)
def _tokens(piece: str) -> list[Any]:
    return list(_dialect().tokenize(piece))


@cache
def _dialect() -> Dialect:
    from sqlglot.dialects.dialect import Dialect

    return Dialect.get_or_raise("sqlite")


def _first_error(error: Exception) -> str:
    """The first fault that a parser found, with its place, in one line."""
    found = getattr(error, "errors", None)
    if not found:
        return " ".join(str(error).split("\n", 1)[0].split())
    first = found[0]
    return f"{first['description']} at line {first['line']}, column {first['col']}"
