"""A result as a model reads it: the exact words, for results of each kind."""

from __future__ import annotations

from typing import Any

import pytest

from claimdb_sandbox import Result

TWO_ROWS = Result("ok", ("name", "n"), (("Vita", 3), (None, 1)))
CUT_ROWS = Result(
    "truncated",
    ("n",),
    ((1,), (2,)),
    truncated=True,
    message="there are more than 2 rows",
    limit="max_rows",
)
DENIED = Result("denied", message="DROP is not allowed: this database can only be read")
WITH_NOTES = Result(
    "ok", ("x",), (("X'00'",),), flags=("blob", "infinite", "replaced_text"), notes=("a hint",)
)
MISSED = Result("sql_error", message="no such column: Bbo", notes=('"Bbo" is no column',))
STOPPED = Result("timeout", message="stopped after 10 s", limit="time_limit_s")
WIDE = Result("ok", tuple(f"c{n:03}" for n in range(200)), ((7,) * 200,) * 3)
LONG = Result("ok", ("n", "text"), tuple((n, "z" * 50) for n in range(50)))


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (TWO_ROWS, "name | n\nVita | 3\nNULL | 1\n(2 rows)"),
        (Result("ok", ("a", "b"), (("x", 1.5),)), "a | b\nx | 1.5\n(1 row)"),
        (Result("ok", ("a",)), "a\n(0 rows)"),
        (CUT_ROWS, "n\n1\n2\n(2 rows; there are more than 2 rows)"),
        (DENIED, "denied: DROP is not allowed: this database can only be read"),
        (MISSED, 'sql_error: no such column: Bbo\nnote: "Bbo" is no column'),
        (STOPPED, "timeout: stopped after 10 s"),
        (
            WITH_NOTES,
            "x\nX'00'\n(1 row)\n"
            "note: a hint\n"
            "note: X'…' is binary data in hexadecimal\n"
            "note: Infinity and -Infinity are numbers out of range, written as text\n"
            "note: bytes that are no UTF-8 are shown as \ufffd",
        ),
    ],
)
def test_the_text_of_a_result(result: Result, text: str) -> None:
    assert result.to_text() == text


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (TWO_ROWS, '{"status":"ok","columns":["name","n"],"rows":[["Vita",3],[null,1]]}'),
        (Result("ok", ("é",), (("🦸",),)), '{"status":"ok","columns":["é"],"rows":[["🦸"]]}'),
        (Result("ok", ("a",)), '{"status":"ok","columns":["a"],"rows":[]}'),
        (
            CUT_ROWS,
            '{"status":"truncated","columns":["n"],"rows":[[1],[2]],"truncated":true,'
            '"message":"there are more than 2 rows","limit":"max_rows"}',
        ),
        (
            DENIED,
            '{"status":"denied","message":"DROP is not allowed: this database can only be read"}',
        ),
        (
            MISSED,
            '{"status":"sql_error","message":"no such column: Bbo",'
            '"notes":["\\"Bbo\\" is no column"]}',
        ),
        (
            STOPPED,
            '{"status":"timeout","message":"stopped after 10 s","limit":"time_limit_s"}',
        ),
    ],
)
def test_the_json_of_a_result(result: Result, text: str) -> None:
    assert result.to_json() == text


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "NULL"),
        ("NULL", '"NULL"'),
        ("null", "null"),
        ("NULLs", "NULLs"),
        ("", '""'),
        (" ", '" "'),
        (" a", '" a"'),
        ("a ", '"a "'),
        ("a b", "a b"),
        ("a|b", '"a|b"'),
        ("a\nb", r'"a\nb"'),
        ("a\rb", r'"a\rb"'),
        ("a\tb", r'"a\tb"'),
        ("a\n", r'"a\n"'),
        ("\0", r'"\u0000"'),
        ("\x1b[31m", r'"\u001b[31m"'),
        ('"a"', r'"\"a\""'),
        ('a "b"', 'a "b"'),
        ("it's", "it's"),
        ("\\", "\\"),
        ("a\u2028b", '"a\u2028b"'),
        ("naïve 名 🦸", "naïve 名 🦸"),
        (3, "3"),
        ("3", "3"),
        (-(2**63), "-9223372036854775808"),
        (0.1, "0.1"),
        (1e300, "1e+300"),
    ],
)
def test_text_is_quoted_only_where_it_would_be_read_as_something_else(
    value: Any, shown: str
) -> None:
    assert Result("ok", ("c",), ((value,),)).to_text() == f"c\n{shown}\n(1 row)"
    if isinstance(value, str):
        assert Result("ok", (value, "d")).to_text() == f"{shown} | d\n(0 rows)"


@pytest.mark.parametrize(
    ("n", "shown"),
    [
        (1000, "é" * 1000),
        (1001, "é" * 1000 + "…(+1 characters)"),
        (50_000, "é" * 1000 + "…(+49,000 characters)"),
    ],
)
def test_a_long_cell_says_how_much_of_it_was_cut(n: int, shown: str) -> None:
    result = Result("ok", ("c",), (("é" * n,),))
    assert result.to_text() == f"c\n{shown}\n(1 row)"
    assert result.to_json() == f'{{"status":"ok","columns":["c"],"rows":[["{shown}"]]}}'


def test_rows_that_do_not_fit_are_counted() -> None:
    lines = LONG.to_text(400).split("\n")
    assert lines[0] == "n | text"
    assert lines[1:-1] == [f"{n} | {'z' * 50}" for n in range(len(lines) - 2)]
    n_shown = len(lines) - 2
    assert 3 <= n_shown <= 6
    assert lines[-1] == f"({n_shown} of 50 rows shown, the others do not fit in 400 bytes)"
    assert '"rows_left_out":45}' in LONG.to_json(400)


def test_thousands_of_rows_that_do_not_fit_are_counted_with_commas() -> None:
    result = Result("ok", ("n",), tuple((n,) for n in range(20_000)))
    last = result.to_text().rsplit("\n", 1)[1]
    assert " of 20,000 rows shown, the others do not fit in 16,000 bytes)" in last


def test_rows_cut_twice_say_both() -> None:
    rows = tuple((n, "z" * 50) for n in range(50))
    message = "there are more than 50 rows"
    cut = Result("truncated", ("n", "text"), rows, True, message=message, limit="max_rows")
    last = cut.to_text(400).rsplit("\n", 1)[1]
    assert " of 50 rows shown, the others do not fit in 400 bytes; there are more than" in last


def test_names_that_do_not_fit_are_cut_and_no_row_is_shown() -> None:
    first, last = WIDE.to_text(1000).split("\n")
    assert first.startswith("c000 | c001 | c002 | ")
    assert first.endswith("…")
    assert last == "(0 of 3 rows shown, the others do not fit in 1,000 bytes)"
    assert WIDE.to_json(1000) == (
        '{"status":"ok","rows_left_out":3,"message":"the answer does not fit in 1,000 bytes"}'
    )


def test_200_columns_fit_where_there_is_room() -> None:
    lines = WIDE.to_text().split("\n")
    assert lines[0] == " | ".join(WIDE.columns)
    assert lines[1:] == [" | ".join(["7"] * 200)] * 3 + ["(3 rows)"]


def test_long_notes_take_no_more_than_half() -> None:
    result = Result("ok", ("n",), tuple((n,) for n in range(20)), notes=("m" * 300,) * 9)
    text = result.to_text(400)
    assert text.startswith("n\n0\n1\n")
    assert text.count("m") <= 200
    assert text.endswith("…")
    assert "(20 rows)" in text


@pytest.mark.parametrize("max_bytes", [199, 0, -1, True, 200.0, "200", None])
def test_too_little_room_to_say_anything_is_refused(max_bytes: Any) -> None:
    for form in (TWO_ROWS.to_text, TWO_ROWS.to_json):
        with pytest.raises(ValueError, match=f"max_bytes={max_bytes!r} must be an integer of 200"):
            form(max_bytes)


def test_200_bytes_are_enough_for_every_kind() -> None:
    for result in (TWO_ROWS, CUT_ROWS, DENIED, WITH_NOTES, MISSED, STOPPED, WIDE, LONG):
        assert 0 < len(result.to_text(200).encode()) <= 200
        assert 0 < len(result.to_json(200).encode()) <= 200


def test_many_small_rows_fill_the_room_to_the_last_byte_and_no_further() -> None:
    result = Result("ok", ("n",), tuple((n % 10,) for n in range(5000)))
    for max_bytes in range(200, 1200, 7):
        assert max_bytes - 70 < len(result.to_text(max_bytes).encode()) <= max_bytes
        assert max_bytes - 4 <= len(result.to_json(max_bytes).encode()) <= max_bytes


def test_the_default_is_16_000_bytes() -> None:
    rows = tuple((f"{n:05} " + "é" * 100,) for n in range(1000))
    result = Result("ok", ("text",), rows)
    assert 15_700 < len(result.to_text().encode()) <= 16_000
    assert 15_700 < len(result.to_json().encode()) <= 16_000
