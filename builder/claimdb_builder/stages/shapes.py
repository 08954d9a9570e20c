"""The shape of a query: its SQL without what does not change which features it has.

Queries of one shape are looked at once: BIRD's 10,962 have 2,600. Tests hold that a query and its
shape have the same features.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from claimdb_builder.stages.lexemes import (
    COMMENT,
    NAME,
    NUMBER,
    PLAIN_NAME,
    STRING,
)

_SPACE: Final = rf"(?:\s+|{COMMENT})"

_PART: Final = re.compile(
    rf"{STRING}|{NUMBER}"
    rf"|(?:{NAME})(?:\s*\.\s*(?:{NAME}))+"
    rf"|(?:{NAME})(?:{_SPACE}*\(\s*)?"
    r"|->>?|<<|>>|\s*(?:<=|>=|<>|!=|==?|<|>)\s*"
    r"|\s*[(),;]\s*"
    rf"|{_SPACE}+"
    r"|.",
    re.DOTALL,
)
"""Literals; columns with their table, names in quotes; words, functions with their parenthesis;
comparisons; punctuation; space. Without groups, so that `findall` gives the texts."""

_LITERAL: Final = re.compile(rf"{STRING}|{NUMBER}", re.DOTALL)
_NAME: Final = re.compile(NAME, re.DOTALL)
_WORD: Final = re.compile(PLAIN_NAME)
MAX_PARTS: Final = 2**16
"""Parts that a process remembers, some 10 MB."""

_TEST: Final = r"x(?:=[x0]| IS(?: NOT)? NULL|(?: NOT)? (?:LIKE 0|BETWEEN 0 AND 0|IN\(0(?:,0)*\)))"
_END: Final = r"(?=$|[),]| (?:GROUP|ORDER|LIMIT|JOIN|INNER|LEFT|WHERE|UNION|EXCEPT|THEN)\b)"
"""Behind a whole clause: no operator that binds closer than AND can follow."""

_AROUND: Final = re.compile(r" ?([=(),]) ?")
_REWRITES: Final = (
    # Tests of plain columns that are a whole condition: one will do.
    (re.compile(rf"\b(WHERE|ON|WHEN) {_TEST}(?: (?:AND|OR) {_TEST})*{_END}"), r"\1 x=0"),
    # Plain columns that are all of a clause, not the arguments of a function.
    (re.compile(r"\b(SELECT|DISTINCT|BY) x(?:,x)+(?=$|\)| (?:FROM|ORDER|LIMIT)\b)"), r"\1 x"),
    # Another name for a table.
    (re.compile(r"\b(FROM|JOIN) x(?: AS)? x\b"), r"\1 x"),
)

_TEXT_SEQUENCES: Final = frozenset(
    {
        *("CURRENT", "EXCLUDE", "FIRST", "FOLLOWING", "GLOB", "GROUPS", "INDEXED", "LAST", "MATCH"),
        *("MATERIALIZED", "NO", "NULLS", "OTHERS", "PRECEDING", "RANGE", "RECURSIVE", "REGEXP"),
        *("ROWS", "TIES", "UNBOUNDED"),
    }
)
"""Words that sqlglot's parser looks for by their text, without being keywords of its tokenizer."""


def shape_of(sql: str) -> str:
    """Return SQL with x for each name and 0 for each literal, without comments.

    Kept are keywords, names of functions and punctuation. All comparisons are written "=", and of
    plain lists and conditions one member is left. A query with common tables keeps its names, since
    only they tell common tables from tables.

    >>> shape_of("SELECT T1.name, T1.age FROM pet AS T1 WHERE T1.kind = 'owl' AND age > 3;")
    'SELECT x FROM x WHERE x=0'
    >>> shape_of("SELECT max(a, b)")
    'SELECT MAX(x,x)'
    """
    parts = _PART.findall(sql)
    shape = "".join(map(_shown.__getitem__, parts)).strip(" ;")
    if "WITH " in shape or "WITH(" in shape:
        return "".join(map(_with_names.__getitem__, parts)).strip(" ;")
    return reduced(shape.replace("INNER JOIN", "JOIN"))


def reduced(shape: str) -> str:
    """Return a shape with one space at most between its parts, and one member of each plain list.

    >>> reduced("SELECT x, x FROM x WHERE x =0 AND x=0")
    'SELECT x FROM x WHERE x=0'
    """
    shape = _AROUND.sub(r"\1", " ".join(shape.split()))
    for pattern, replacement in _REWRITES:
        shape = pattern.sub(replacement, shape)
    return shape


class _Shown(dict[str, str]):
    """How parts are shown in a shape; most parts of a query stood in an earlier one."""

    def __init__(self, keeps_names: bool) -> None:
        super().__init__()
        self._keeps_names = keeps_names

    def __missing__(self, part: str) -> str:
        if len(self) >= MAX_PARTS:
            self.clear()
        shown = self[part] = _shown_as(part, self._keeps_names)
        return shown


_shown: Final = _Shown(keeps_names=False)
_with_names: Final = _Shown(keeps_names=True)
_OPERATORS: Final = frozenset({"<<", ">>", "->", "->>"})
_COMPARISONS: Final = frozenset({"=", "==", "<", ">", "<=", ">=", "<>", "!="})


def _shown_as(part: str, keeps_names: bool) -> str:
    text = part.strip()
    if not text or text.startswith(("--", "/*")):
        return " "
    if text in _COMPARISONS:
        return "="
    if _LITERAL.fullmatch(text):
        return "0"
    name = _NAME.match(text)
    if name is None:
        return text
    if text.endswith("(") and len(name[0]) < len(text):
        return f"{name[0].strip(_QUOTES).upper()}("
    if keeps_names:
        return part
    word = text.upper()
    return word if word in _keywords() else "x"


_QUOTES: Final = '"`[]'


@cache
def _keywords() -> frozenset[str]:
    from sqlglot.dialects.sqlite import SQLite

    return _TEXT_SEQUENCES.union(*map(str.split, SQLite.Tokenizer.KEYWORDS))
