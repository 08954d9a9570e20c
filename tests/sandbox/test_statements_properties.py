"""Whatever the text: nothing of it is lost, semicolons are SQLite's own, and time is linear."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing, suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimdb_sandbox.statements import TOKENS, Refusal, single_statement

MAX_CHARS = 10**6
TEXTS = st.text("'\"`[];-/*\n a1") | st.text("'\"`[];-/*\n a1\r\t\f\ufeff\v\xa0é🦸~$(")

GAPS = st.lists(
    st.sampled_from([" ", "\n", "\t", "/* ; ' */", '-- ; " [\n', "/**/", "/* * ; **/"]), max_size=4
).map("".join)
WORDS = st.sampled_from(
    ["SELECT", "1", "+", "-", "/", "';'", "'it''s'", '"a;b"', "[a;b]", "`a;b`", "/*;*/", "--;\n"]
)
STATEMENTS = {
    "SELECT 1": 1,
    "SELECT ';'": ";",
    "SELECT 'a;''b;'": "a;'b;",
    'SELECT "x;y" FROM (SELECT 2 AS "x;y")': 2,
    "SELECT [x;y] FROM (SELECT 3 AS [x;y])": 3,
    "SELECT `x;``y` FROM (SELECT 4 AS `x;``y`)": 4,
    "SELECT /* ; */ 5": 5,
    "SELECT -- ;\n 6": 6,
    "VALUES ('--;/*')": "--;/*",
}
"""Statements that hold a semicolon in one way or another, and their answers."""


@given(TEXTS)
def test_the_tokens_of_a_text_are_the_text(text: str) -> None:
    tokens = list(TOKENS.finditer(text))
    assert "".join(token[0] for token in tokens) == text
    assert all(token.lastgroup and token[0] for token in tokens)


@settings(max_examples=500)
@given(TEXTS)
def test_a_semicolon_is_one_where_sqlite_says_so(text: str) -> None:
    found = {token.start() for token in TOKENS.finditer(text) if token.lastgroup == "semicolon"}
    for place in (place for place, char in enumerate(text) if char == ";"):
        # Complete is what ends in a semicolon that is in no quote and no comment. Earlier ones are
        # made letters, which moves no quote: "; -- x;" would be complete by its first.
        before = text[:place].replace(";", "a")
        assert (place in found) == sqlite3.complete_statement(f"{before};"), place


@given(lead=GAPS, words=st.lists(WORDS), trail=GAPS)
def test_a_text_without_a_semicolon_loses_only_what_is_around_it(
    lead: str, words: list[str], trail: str
) -> None:
    body = " ".join(["SELECT", *words, "1"])
    assert single_statement(lead + body + trail, MAX_CHARS) == (body + trail).rstrip()


@settings(max_examples=300)
@given(
    parts=st.lists(
        st.tuples(st.sampled_from([*STATEMENTS]), GAPS, GAPS, st.integers(0, 2)), max_size=3
    ),
    n_leading=st.sampled_from([0, 0, 0, 1]),
    lead=GAPS,
)
def test_texts_of_known_statements_are_told_apart(
    parts: list[tuple[str, str, str, int]], n_leading: int, lead: str
) -> None:
    text = lead + ";" * n_leading
    for place, (statement, before, after, n) in enumerate(parts, start=1):
        n_semicolons = n or int(place < len(parts))  # between two statements, at least one
        text += statement + before + ";" * n_semicolons + after
    if len(parts) == 1 and parts[0][3] <= 1:  # semicolons before it end no statement
        statement = parts[0][0]
        found = single_statement(text, MAX_CHARS)
        assert found.startswith(statement)
        with closing(sqlite3.connect(":memory:")) as connection:
            assert connection.execute(found).fetchall() == [(STATEMENTS[statement],)]
        return
    with pytest.raises(Refusal) as caught:
        single_statement(text, MAX_CHARS)
    assert caught.value.status == ("denied" if parts else "not_a_query")


@given(TEXTS)
def test_a_text_is_one_statement_or_refused_and_one_statement_stays_one(text: str) -> None:
    with suppress(Refusal):
        once = single_statement(text, MAX_CHARS)
        assert once in text
        if not once.startswith(("```", "~~~")):
            assert single_statement(once, MAX_CHARS) == once


N_CHARS = 200_000
MOST_TIMES_SLOWER = 20
"""Than a text of as many tokens as characters; where time grows with the square, it is hundreds."""


def seconds(text: str) -> float:
    started = time.perf_counter()
    with suppress(Refusal):
        single_statement(text, MAX_CHARS)
    return time.perf_counter() - started


@pytest.fixture(scope="module")
def limit_s() -> float:
    return MOST_TIMES_SLOWER * min(seconds(";" * N_CHARS) for _ in range(3))


@pytest.mark.parametrize(
    ("start", "unit", "end"),
    [
        ("", "'", ""),
        ("'", "'", ""),
        ("", '"', ""),
        ("x", "`", ""),
        ("", "[", ""),
        ("", "/*", ""),
        ("", "*/", ""),
        ("/*", "*", ""),
        ("", "/", ""),
        ("", "-", ""),
        ("", "- ", ""),
        ("", "--\n", ""),
        ("", "a ", ""),
        ("", " ", ""),
        ("", " ", "x"),
        ("SELECT 1", " ", ";"),
        ("", "\ufeff", ""),
        ("", "\xa0", "x"),
        ("", "```", ""),
        ("", "~", ""),
        ("", "```sql\n", ""),
        ("```", "a", " x"),
        ("```", " ", "x"),
        ("~~~a", "\t", "x"),
        ("`" * (N_CHARS // 2), " ", "x"),
    ],
    ids=lambda text: repr(text[:8])[1:-1],
)
def test_no_text_takes_more_than_linear_time(
    start: str, unit: str, end: str, limit_s: float
) -> None:
    text = start + unit * ((N_CHARS - len(start)) // len(unit)) + end
    assert any(seconds(text) < limit_s for _ in range(2))
