"""SQLite's SQL as lexemes, each with its place in the text; it is not parsed here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

NAME: Final = r'[^\W\d][\w$]*|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]'
STRING: Final = r"[xX]?'(?:[^']|'')*'"
NUMBER: Final = r"0[xX][0-9a-fA-F]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
COMMENT: Final = r"--[^\n]*|/\*.*?(?:\*/|\Z)"
"""As SQLite reads them (https://sqlite.org/lang_comment.html): /* may be left open at the end."""

_LEXEME: Final = re.compile(
    rf"(?P<comment>{COMMENT})|(?P<string>{STRING})|(?P<number>{NUMBER})|(?P<name>{NAME})"
    r"|(?P<symbol>\S)",
    re.DOTALL,
)


class Lexeme(NamedTuple):
    """One lexeme: its kind (string, number, name, symbol), its text and where that starts."""

    kind: str
    text: str
    start: int

    @property
    def word(self) -> str:
        """The text in upper case where it stands without quotes, else ""."""
        is_word = self.kind == "name" and self.text[0] not in '"`['
        return self.text.upper() if is_word else ""


def lexemes(sql: str) -> Iterator[Lexeme]:
    """Return the lexemes of SQL, without comments.

    >>> [lexeme.text for lexeme in lexemes("SELECT [a b] -- why\\n LIKE 'it''s'")]
    ['SELECT', '[a b]', 'LIKE', "'it''s'"]
    """
    for match in _LEXEME.finditer(sql):
        kind = str(match.lastgroup)
        if kind != "comment":
            yield Lexeme(kind, match[0], match.start())
