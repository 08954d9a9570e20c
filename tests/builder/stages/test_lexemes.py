"""SQLite's SQL is cut into lexemes as SQLite cuts it."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimdb_builder.stages.lexemes import Lexeme, lexemes

CUTS = [
    ("", []),
    ("a", ["name:a"]),
    ("SELECT a1,b$2", ["name:SELECT", "name:a1", "symbol:,", "name:b$2"]),
    ("año 名", ["name:año", "name:名"]),
    ("'it''s' ''", ["string:'it''s'", "string:''"]),
    ("'a\nb'", ["string:'a\nb'"]),
    ("'\\' x", ["string:'\\'", "name:x"]),
    ("x'00ff' X''", ["string:x'00ff'", "string:X''"]),
    ("x '00'", ["name:x", "string:'00'"]),
    ('"say ""hi"""', ['name:"say ""hi"""']),
    ("`a``b` [c]]", ["name:`a``b`", "name:[c]", "symbol:]"]),
    ("[a\"b'c]", ["name:[a\"b'c]"]),
    (
        "1 1.5 .5 5. 1e3 1E-3 2.5e+10",
        [f"number:{n}" for n in ("1", "1.5", ".5", "5.", "1e3", "1E-3", "2.5e+10")],
    ),
    ("0x1F 0Xff", ["number:0x1F", "number:0Xff"]),
    ("a--b\nc", ["name:a", "name:c"]),
    ("a -- to the end", ["name:a"]),
    ("a/* ' \" ; */b", ["name:a", "name:b"]),
    ("a /* left open ' ", ["name:a"]),
    ("a - -b", ["name:a", "symbol:-", "symbol:-", "name:b"]),
    ("'-- no comment'", ["string:'-- no comment'"]),
    ('"/*" */', ['name:"/*"', "symbol:*", "symbol:/"]),
    ("a/**/b", ["name:a", "name:b"]),
    ("'open", ["symbol:'", "name:open"]),
    ("\0", ["symbol:\0"]),
]
WORDS = [("select", "SELECT"), ('"select"', ""), ("`a`", ""), ("[a]", ""), ("'a'", ""), ("5", "")]

QUOTED = st.text("ab '\"`-/*\n;x", max_size=8)


@pytest.mark.parametrize(("sql", "expected"), CUTS)
def test_lexemes_are_cut_as_sqlite_cuts_them(sql: str, expected: list[str]) -> None:
    assert [f"{lexeme.kind}:{lexeme.text}" for lexeme in lexemes(sql)] == expected


@pytest.mark.parametrize(("sql", "word"), WORDS)
def test_only_what_stands_without_quotes_is_a_word(sql: str, word: str) -> None:
    assert [lexeme.word for lexeme in lexemes(sql)] == [word]


@settings(deadline=None)
@given(st.text(max_size=60) | st.text("a'\"`[]-/*\n ;.0xe+", max_size=40))
def test_any_text_is_cut_and_each_lexeme_stands_at_its_place(sql: str) -> None:
    end = 0
    for lexeme in lexemes(sql):
        assert sql.startswith(lexeme.text, lexeme.start)
        assert lexeme.start >= end
        end = lexeme.start + len(lexeme.text)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["'", '"', "`"]), QUOTED), min_size=1, max_size=5))
def test_sqlite_reads_as_many_quoted_things(parts: list[tuple[str, str]]) -> None:
    """Quoted text, and comments between, give as many columns in SQLite as lexemes here."""
    texts = [q + text.replace(q, q + q) + q for q, text in parts]
    sql = " /* , ' */ , -- \"\n".join(texts)
    found = [lexeme for lexeme in lexemes(sql) if lexeme.text != ","]
    assert [lexeme.text for lexeme in found] == texts
    columns = ", ".join(f"1 AS {text}" for text in texts)
    with closing(sqlite3.connect(":memory:")) as connection:
        names = [column[0] for column in connection.execute(f"SELECT {columns}").description]
    assert names == [text for _, text in parts]


def test_a_lexeme_knows_where_it_starts() -> None:
    assert [*lexemes("a  'b'")] == [Lexeme("name", "a", 0), Lexeme("string", "'b'", 3)]
