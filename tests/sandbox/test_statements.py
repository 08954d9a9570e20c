"""The one statement in a text, and why a text is refused."""

from __future__ import annotations

import re

import pytest

from claimdb_sandbox import Status
from claimdb_sandbox.statements import Refusal, single_statement, without_fence

MAX_CHARS = 1000


def refusal(text: str, max_chars: int = MAX_CHARS) -> Refusal:
    with pytest.raises(Refusal) as caught:
        single_statement(text, max_chars)
    return caught.value


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("SELECT 1", "SELECT 1"),
        ("  SELECT 1 \n", "SELECT 1"),
        ("SELECT 1;", "SELECT 1"),
        ("SELECT 1 ; \n", "SELECT 1"),
        ("SELECT 1; -- one", "SELECT 1"),
        ("SELECT 1; /* ; */ -- ;", "SELECT 1"),
        ("-- one\nSELECT 1", "SELECT 1"),
        ("/* one */ -- two\n /* three */SELECT 1", "SELECT 1"),
        ("--\nSELECT 1", "SELECT 1"),
        ("SELECT 1 -- one", "SELECT 1 -- one"),
        ("SELECT 1 /* ; */ + 2;", "SELECT 1 /* ; */ + 2"),
        ("SELECT 1 -- ; no end\n + 2;", "SELECT 1 -- ; no end\n + 2"),
        ("SELECT 1 - -1", "SELECT 1 - -1"),
        ("SELECT 4/2*3", "SELECT 4/2*3"),
        ("SELECT ';'", "SELECT ';'"),
        ("SELECT 'it''s; ok';", "SELECT 'it''s; ok'"),
        ('SELECT 1 AS "a;b";', 'SELECT 1 AS "a;b"'),
        ('SELECT 1 AS "a"";b";', 'SELECT 1 AS "a"";b"'),
        ("SELECT 1 AS [a;b];", "SELECT 1 AS [a;b]"),
        ("SELECT 1 AS `a;``;b`;", "SELECT 1 AS `a;``;b`"),
        ("SELECT '--;', '/*;';", "SELECT '--;', '/*;'"),
        ("SELECT ' \" [ `' ;", "SELECT ' \" [ `'"),
        ("SELECT /*/ ; */ 1", "SELECT /*/ ; */ 1"),
        ("SELECT 1 /**/;/***/", "SELECT 1 /**/"),
        ("SELECT /* 2 * 3; ** */ 1; /* * ; * */", "SELECT /* 2 * 3; ** */ 1"),
        ("\ufeffSELECT 1", "SELECT 1"),
        ("\ufeff -- one\nSELECT 1;\ufeff", "SELECT 1"),
        ("SELECT 'é名🦸';", "SELECT 'é名🦸'"),
        ("DROP TABLE bad;", "DROP TABLE bad"),
        ("; ;-- none\n;SELECT 1;", "SELECT 1"),
        ("SELECT 1 AS a\xa0", "SELECT 1 AS a\xa0"),
        ("not SQL at all", "not SQL at all"),
    ],
)
def test_a_text_with_one_statement(text: str, statement: str) -> None:
    assert single_statement(text, MAX_CHARS) == statement


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 'open; SELECT 2",
        "SELECT 'it''; SELECT 2",
        'SELECT "open; SELECT 2',
        "SELECT `open; SELECT 2",
        "SELECT [open; SELECT 2",
        "SELECT 1 /* open; SELECT 2",
        "SELECT 1 /*/; SELECT 2",
        "SELECT 1 -- open; SELECT 2",
    ],
)
def test_an_open_quote_or_comment_goes_to_the_end(text: str) -> None:
    assert single_statement(text, MAX_CHARS) == text


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("", "not_a_query"),
        (" \n\t\r\f", "not_a_query"),
        ("\ufeff", "not_a_query"),
        ("-- only", "not_a_query"),
        ("/* only */\n-- that", "not_a_query"),
        ("/* open; SELECT 1", "not_a_query"),
        ("-- open; SELECT 1", "not_a_query"),
        (";", "not_a_query"),
        (" ; /* ; */ ;; -- ;", "not_a_query"),
        ("```sql\n```", "not_a_query"),
        ("```sql\n-- only\n```", "not_a_query"),
        ("SELECT 1; DROP TABLE bad", "denied"),
        ("SELECT 1;DROP TABLE bad;", "denied"),
        ("SELECT 1; -- one\n DROP TABLE bad", "denied"),
        ("SELECT 1;/**/DROP TABLE bad", "denied"),
        ("SELECT ''';'; DROP TABLE bad", "denied"),
        ("SELECT 1 /* ' */; DROP TABLE bad -- '", "denied"),
        ("SELECT 1 -- '\n; DROP TABLE bad -- '", "denied"),
        ("SELECT [']; DROP TABLE bad --']", "denied"),
        ("SELECT 1;;", "denied"),
        ("SELECT 1; 'text'", "denied"),
        ("SELECT 1; x", "denied"),
        ("```sql\nSELECT 1; SELECT 2\n```", "denied"),
        ("SELECT 1\0", "sql_error"),
        ("\0", "sql_error"),
        ("SELECT '\ud800'", "sql_error"),
        ("```sql\nSELECT '\udfff'\n```", "sql_error"),
        ("-- only \udc80", "sql_error"),
    ],
)
def test_a_text_that_is_refused(text: str, status: Status) -> None:
    found = refusal(text)
    assert found.status == status
    assert found.limit is None


def test_a_refusal_says_what_is_wrong() -> None:
    assert "no SQL statement" in refusal(" ").message
    assert "one statement only" in refusal("SELECT 1; SELECT 2").message
    assert "null character" in refusal("SELECT '\0'").message
    assert "character 9 (U+D800)" in refusal("SELECT '\ud800'").message


@pytest.mark.parametrize("text", ["x" * 1001, " " * 1001, "```sql\n" + "x" * 994, "🦸" * 1001])
def test_a_text_longer_than_allowed_names_both_lengths(text: str) -> None:
    found = refusal(text)
    assert (found.status, found.limit) == ("sql_error", "max_sql_chars")
    assert found.message == "the SQL has 1,001 characters; the limit is 1,000"


@pytest.mark.parametrize("text", ["x" * 1000, "🦸" * 1000])
def test_a_text_of_the_allowed_length_is_taken(text: str) -> None:
    assert single_statement(text, MAX_CHARS) == text


@pytest.mark.parametrize(
    "fenced",
    [
        "```sql\nSELECT 1\n```",
        "```SQL\nSELECT 1;\n```",
        "```sqlite\nSELECT 1\n```",
        "```sqlite3\nSELECT 1\n```",
        "``` sql \nSELECT 1\n```",
        "```\nSELECT 1\n```",
        "```python\nSELECT 1\n```",
        "~~~\nSELECT 1\n~~~",
        "~~~sql\nSELECT 1\n~~~",
        "````sql\nSELECT 1\n````",
        "```sql\nSELECT 1",
        "```sql\nSELECT 1;",
        "```sql SELECT 1```",
        "```SELECT 1```",
        "```sql SELECT 1; ```",
        " \n```sql\n\n  SELECT 1  \n\n```\n ",
        "```sql\n-- one\nSELECT 1; -- end\n```",
        "```sql\r\nSELECT 1\r\n```\r\n",
        "```\r\nSELECT 1\r\n```",
        "```python\r\nSELECT 1\r\n```",
    ],
)
def test_a_fence_around_the_whole_text_comes_off(fenced: str) -> None:
    assert single_statement(fenced, MAX_CHARS) == "SELECT 1"


@pytest.mark.parametrize(
    "text",
    [
        "SELECT '```'",
        "SELECT '```sql\nSELECT 1\n```'",
        "SELECT 1 AS ```a```",
        "Here it is:\n```sql\nSELECT 1\n```",
        "-- ```sql\nSELECT 1 -- ```",
        "``\nSELECT 1\n``",
        "~~sql\nSELECT 1\n~~",
    ],
)
def test_what_is_no_fence_around_the_whole_text_stays(text: str) -> None:
    assert without_fence(text) == text


def test_a_fence_within_a_fence_s_text_stays() -> None:
    assert single_statement("```sql\nSELECT '```', '~~~'\n```", MAX_CHARS) == "SELECT '```', '~~~'"


def test_the_place_of_a_bad_character_counts_from_1() -> None:
    for place in (1, 2, 50):
        text = "x" * (place - 1) + "\udcff" + "x\ud800"
        assert re.search(rf"\bcharacter {place} \(U\+DCFF\)", refusal(text).message)
