"""SQLite's SQL as lexemes, each with its place in the text; it is not parsed here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

PLAIN_NAME: Final = r"[^\W\d][\w$]*"
QUOTED_NAME: Final = r'"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]{0,1000}\]'
"""In brackets of bounded length: each open one is looked at up to its end."""
NAME: Final = rf"{PLAIN_NAME}|{QUOTED_NAME}"
STRING: Final = r"[xX]?'(?:[^']|'')*'"
NUMBER: Final = r"0[xX][0-9a-fA-F]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
COMMENT: Final = r"(?>--[^\n]*|/\*.*?(?:\*/|\Z))"
"""As SQLite reads them (https://sqlite.org/lang_comment.html): /* may be left open at the end.
Atomic, or what a longer pattern seeks behind a comment would be found in it."""

_LEXEME: Final = re.compile(
    rf"(?P<comment>{COMMENT})|(?P<string>{STRING})|(?P<number>{NUMBER})|(?P<name>{NAME})"
    r"|(?P<symbol>\S)",
    re.DOTALL,
)


_QUOTES: Final = '"`['


class Lexeme(NamedTuple):
    """One lexeme: its kind (string, number, name, symbol), its text and where that starts."""

    kind: str
    text: str
    start: int

    @property
    def word(self) -> str:
        """The text in upper case where it stands without quotes, else ""."""
        return self.text.upper() if self.kind == "name" and self.text[0] not in _QUOTES else ""

    @property
    def name(self) -> str:
        """The name in upper case and without quotes, "" where it is none."""
        if self.kind != "name":
            return ""
        return self.word or self.text[1:-1].upper()


def lexemes(sql: str) -> Iterator[Lexeme]:
    """Return the lexemes of SQL, without comments.

    >>> [lexeme.text for lexeme in lexemes("SELECT [a b] -- why\\n LIKE 'it''s'")]
    ['SELECT', '[a b]', 'LIKE', "'it''s'"]
    """
    for match in _LEXEME.finditer(sql):
        kind = str(match.lastgroup)
        if kind != "comment":
            yield Lexeme(kind, match[0], match.start())
