"""What makes an answer one that may change, or one that no claim can be made from."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from claimdb_builder.stages.lexemes import Lexeme, lexemes
from claimdb_metric.errors import DataError

MARKS: Final[Mapping[str, str]] = {
    "current_time": "depends on the day or time at which it is run",
    "random": "random, or different from one connection to the next",
    "tie": "rows that tie at a LIMIT: which of them come is not fixed",
    "unordered_limit": "LIMIT without ORDER BY leaves rows out: which is not fixed",
    "empty": "no row",
    "only_nulls": "nothing but NULL",
    "blob": "binary data in the answer",
    "infinite": "a number out of range in the answer",
}
"""Each mark, with what it says; records list them in this order."""

_NOW_WORDS: Final = frozenset({"CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP"})
_TIME_FUNCTIONS: Final = {
    **dict.fromkeys(("DATE", "TIME", "DATETIME", "JULIANDAY", "UNIXEPOCH"), 0),
    "STRFTIME": 1,
    "TIMEDIFF": 0,
}
"""SQLite's functions of time, with the place of their time value; without one it is now
(https://sqlite.org/lang_datefunc.html)."""

_NOW_ARGUMENTS: Final = re.compile(r"""(['"])\s*(?:now|localtime|utc)\s*\1""", re.IGNORECASE)
"""Also the machine's time zone. In double quotes, too: SQLite takes what is no column as text."""

_RANDOM_FUNCTIONS: Final = frozenset(
    {
        *("RANDOM", "RANDOMBLOB", "CHANGES", "TOTAL_CHANGES", "LAST_INSERT_ROWID"),
        *("SQLITE_VERSION", "SQLITE_SOURCE_ID"),
    }
)


def marks_of_text(sql: str) -> set[str]:
    """Return the marks that SQL has by its text: `current_time`, `random`.

    >>> marks_of_text("SELECT count(*) FROM pet WHERE born > date('now', '-1 year')")
    {'current_time'}
    >>> marks_of_text("SELECT strftime('%Y', born), date FROM pet WHERE name = 'now'")
    set()
    """
    found = set[str]()
    words = list(lexemes(sql))
    for place, lexeme in enumerate(words):
        is_call = place + 1 < len(words) and words[place + 1].text == "("
        if lexeme.word in _NOW_WORDS and not _is_own_name(words, place):
            found.add("current_time")
        if is_call and lexeme.name in _RANDOM_FUNCTIONS:
            found.add("random")
        if is_call and lexeme.name in _TIME_FUNCTIONS:
            inside, n_arguments = _arguments(words, place + 1)
            at_least = _TIME_FUNCTIONS[lexeme.name]
            has_no_time = n_arguments - _is_subsecond(inside) <= at_least
            if has_no_time or any(map(_is_now, inside)):
                found.add("current_time")
    return found


def _is_own_name(words: Sequence[Lexeme], place: int) -> bool:
    """Whether a word is the name of a column: `t.current_date`, `… AS current_date`."""
    before = words[place - 1] if place else None
    return before is not None and (before.text == "." or before.word == "AS")


def _is_now(lexeme: Lexeme) -> bool:
    return lexeme.kind in ("string", "name") and bool(_NOW_ARGUMENTS.fullmatch(lexeme.text))


def _is_subsecond(inside: Sequence[Lexeme]) -> bool:
    """Whether the last argument is 'subsec', which may stand without a time value."""
    return bool(inside) and inside[-1].text.strip("'").lower() in ("subsec", "subsecond")


def _arguments(words: Sequence[Lexeme], opening: int) -> tuple[list[Lexeme], int]:
    """What stands in a parenthesis, and how many arguments that is."""
    inside: list[Lexeme] = []
    n_commas = depth = 0
    for lexeme in words[opening:]:
        depth += (lexeme.text == "(") - (lexeme.text == ")")
        if depth == 0:
            break
        n_commas += depth == 1 and lexeme.text == ","
        inside.append(lexeme)
    return inside, n_commas + (len(inside) > 1)


def marks_of_answer(rows: Sequence[Sequence[object]], flags: Sequence[str]) -> set[str]:
    """Return the marks that an answer has: `empty`, `only_nulls`, `blob`, `infinite`.

    >>> marks_of_answer([(None, None)], [])
    {'only_nulls'}
    """
    found = {"blob", "infinite"} & set(flags)
    if not rows:
        found.add("empty")
    elif all(value is None for row in rows for value in row):
        found.add("only_nulls")
    return found


def in_order(marks: set[str]) -> tuple[str, ...]:
    """Return marks in the order of MARKS.

    >>> in_order({"empty", "tie"})
    ('tie', 'empty')
    """
    return tuple(mark for mark in MARKS if mark in marks)


def chosen_marks(text: str | None) -> tuple[str, ...] | None:
    """Return the marks that a user names between commas; `all`, `none`; None leaves the choice.

    Raises:
        DataError: there is no such mark.

    >>> chosen_marks("tie, empty"), chosen_marks("none"), chosen_marks(None)
    (('tie', 'empty'), (), None)
    """
    if text is None:
        return None
    if text.strip() in ("all", "none"):
        return tuple(MARKS) if text.strip() == "all" else ()
    names = {name.strip() for name in text.split(",")}
    unknown = sorted(names - MARKS.keys())
    if unknown:
        raise DataError(f"no mark {unknown[0]!r}; they are {', '.join(MARKS)}, or all, or none")
    return in_order(names)
