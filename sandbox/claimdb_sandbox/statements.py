"""The one statement in a text: fences off, comments looked through, everything else refused."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import dropwhile
from typing import Final

from claimdb_sandbox.results import Status

# Here and below possessive (`*+`), so that no text takes more than one pass over it.
TOKENS: Final = re.compile(
    r"""
      (?P<text>       '(?:[^']++|'')*+' )
    | (?P<quoted>     "(?:[^"]++|"")*+" )
    | (?P<name>       `(?:[^`]++|``)*+` | \[[^\]]*+\] )
    | (?P<open>       ['"`\[].* )
    | (?P<comment>    --[^\n]*+ | /\*(?:[^*]++|\*(?!/))*+(?:\*/)? )
    | (?P<semicolon>  ; )
    | (?P<space>      [ \t\n\f\r\ufeff]++ )
    | (?P<other>      [^'"`\[;/\-][^'"`\[;/\-]*+ | . )
    """,
    re.VERBOSE | re.DOTALL,
)
"""SQLite's lexer as far as it takes to tell where a statement ends (https://sqlite.org/lang.html).
An open quote or comment goes to the end of the text."""

SPACE: Final = " \t\n\f\r\ufeff"
_BETWEEN: Final = frozenset({"comment", "space"})
_FENCE: Final = re.compile(
    r"(`{3,}+|~{3,}+)[ \t]*+(?:(?:sql|sqlite)\b|[\w+-]*+[ \t\r]*+\n)?", re.IGNORECASE
)


@dataclass(eq=False)  # neither frozen nor unhashable: Python sets and keeps parts of an exception
class Refusal(Exception):
    """SQL that is not run; becomes a Result."""

    status: Status
    message: str
    limit: str | None = None
    notes: tuple[str, ...] = ()


def single_statement(text: str, max_chars: int) -> str:
    """Return the text's one statement, from its first word to before its semicolon.

    Args:
        text: perhaps in a code fence, and with comments before and after it.
        max_chars: of the whole text.

    Raises:
        Refusal: too long, nothing in it, more than one statement, or characters that SQL has not.

    >>> single_statement("```sql\\nSELECT 1; -- one\\n```", 100)
    'SELECT 1'
    """
    check_length(text, max_chars)
    text = without_fence(text)
    _check_characters(text)
    tokens = [(token.lastgroup, token.start()) for token in TOKENS.finditer(text)]
    words = [token for token in tokens if token[0] not in _BETWEEN]
    words = list(dropwhile(lambda token: token[0] == "semicolon", words))
    if not words:
        raise Refusal("not_a_query", "there is no SQL statement in it")
    ends = [start for kind, start in words if kind == "semicolon"]
    if ends and words[-1][1] != ends[0]:
        raise Refusal("denied", "one statement only: send each statement on its own")
    return text[words[0][1] : ends[0] if ends else len(text)].rstrip(SPACE)


def check_length(text: str, max_chars: int) -> None:
    """Raise Refusal if a text has more characters than are allowed."""
    if len(text) > max_chars:
        message = f"the SQL has {len(text):,} characters; the limit is {max_chars:,}"
        raise Refusal("sql_error", message, limit="max_sql_chars")


def without_fence(text: str) -> str:
    """Return what a code fence holds where the whole text is one, else the text.

    >>> without_fence("SELECT '```'")
    "SELECT '```'"
    """
    stripped = text.strip()
    opening = _FENCE.match(stripped)
    return stripped[opening.end() :].removesuffix(opening[1]).rstrip() if opening else text


def _check_characters(text: str) -> None:
    if "\0" in text:
        raise Refusal("sql_error", "the SQL holds a null character")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        place = f"character {error.start + 1} (U+{ord(text[error.start]):04X})"
        raise Refusal("sql_error", f"{place} of the SQL is no valid Unicode") from None
