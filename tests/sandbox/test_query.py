"""One query on a guarded connection: its rows within the limits, and how they differ from SQLite's.

In this process: no worker, no kill. What comes out is the JSON that a worker would send.
"""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimdb_sandbox import Limits
from claimdb_sandbox.guards import GuardedConnection
from claimdb_sandbox.query import run_query
from tests.sandbox.made_databases import heroes_database

BAD_TEXT = "CAST(x'61ff62' AS TEXT)"
ROWS = "SELECT name, id FROM heroes ORDER BY id LIMIT 20"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return heroes_database(tmp_path_factory.mktemp("secret-folder") / "secret-name.sqlite")


def asked(path: Path, sql: str, **limits: Any) -> dict[str, Any]:
    with closing(GuardedConnection(path, Limits(**limits))) as guarded:
        answer: dict[str, Any] = json.loads(run_query(guarded, sql))
    return answer


def n_json_bytes(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


def n_answer_bytes(columns: list[str], rows: list[list[Any]]) -> int:
    """Of columns and rows as JSON, with a comma to each row."""
    return n_json_bytes(columns) + sum(n_json_bytes(row) + 1 for row in rows)


@pytest.mark.parametrize(
    ("n_rows", "n_kept", "status"), [(0, 0, "ok"), (4, 4, "ok"), (5, 5, "ok"), (6, 5, "truncated")]
)
def test_as_many_rows_as_allowed_are_all_and_one_more_is_cut(
    path: Path, n_rows: int, n_kept: int, status: str
) -> None:
    sql = f"SELECT id FROM heroes ORDER BY id LIMIT {n_rows}"
    answer = asked(path, sql, max_rows=5)
    assert answer["status"] == status
    assert answer["columns"] == ["id"]
    assert answer["rows"] == [[n + 1] for n in range(n_kept)]
    assert answer.get("truncated", False) is (status == "truncated")
    if status == "truncated":
        assert (answer["limit"], answer["message"]) == ("max_rows", "there are more than 5 rows")
    else:
        assert "limit" not in answer
        assert "message" not in answer


def test_as_many_bytes_as_allowed_are_all_and_one_less_cuts_the_last_row(path: Path) -> None:
    rows = [[f"Hero {n}", n] for n in range(1, 21)]
    n_bytes = n_answer_bytes(["name", "id"], rows)
    assert asked(path, ROWS, max_bytes=n_bytes)["rows"] == rows
    cut = asked(path, ROWS, max_bytes=n_bytes - 1)
    assert cut["rows"] == rows[:-1]
    assert (cut["status"], cut["limit"], cut["truncated"]) == ("truncated", "max_bytes", True)
    assert cut["message"] == f"further rows do not fit in {n_bytes - 1:,} bytes"


@settings(deadline=None)
@given(
    texts=st.lists(st.text("aé🦸\"\\'\n\x01", max_size=20), min_size=1, max_size=20),
    max_bytes=st.integers(20, 600),
)
def test_bytes_are_those_of_utf_8_and_json(path: Path, texts: list[str], max_bytes: int) -> None:
    rows: list[list[Any]] = [[n, text] for n, text in enumerate(texts)]
    values = ", ".join("({}, '{}')".format(n, text.replace("'", "''")) for n, text in rows)
    columns = ["column1", "column2"]
    kept = max(
        (n for n in range(len(rows) + 1) if n_answer_bytes(columns, rows[:n]) <= max_bytes),
        default=None,
    )
    answer = asked(path, f"VALUES {values}", max_bytes=max_bytes)
    if kept is None:
        assert answer["status"] == "sql_error"
    else:
        assert answer["rows"] == rows[:kept]
        assert answer["status"] == ("ok" if kept == len(rows) else "truncated")


@pytest.mark.parametrize("value", ["hex(zeroblob(600))", "zeroblob(600)", "printf('%1200d', 1)"])
def test_a_first_row_that_is_too_large_leaves_none_and_says_what_to_do(
    path: Path, value: str
) -> None:
    answer = asked(path, f"SELECT {value} AS x FROM heroes", max_bytes=1000)
    assert (answer["status"], answer["limit"], answer["rows"]) == ("truncated", "max_bytes", [])
    assert answer["message"] == (
        "further rows do not fit in 1,000 bytes; "
        "select fewer columns, or parts of them with substr()"
    )
    assert answer["flags"] == []


def test_a_later_row_that_is_too_large_gives_no_such_advice(path: Path) -> None:
    answer = asked(path, "SELECT 1 UNION ALL SELECT hex(zeroblob(600))", max_bytes=1000)
    assert answer["rows"] == [[1]]
    assert answer["message"] == "further rows do not fit in 1,000 bytes"


def test_a_small_row_after_a_large_one_is_not_taken(path: Path) -> None:
    sql = "SELECT 1 UNION ALL SELECT hex(zeroblob(600)) UNION ALL SELECT 2"
    assert asked(path, sql, max_bytes=1000)["rows"] == [[1]]


def test_names_of_columns_that_are_too_long_are_refused(path: Path) -> None:
    sql = f'SELECT 1 AS "{"x" * 96}"'
    assert asked(path, sql, max_bytes=104)["status"] == "ok"  # ["xx"] is 100, and [1], is 4
    answer = asked(path, sql, max_bytes=99)
    assert (answer["status"], answer["limit"]) == ("sql_error", "max_bytes")
    assert answer["message"] == "the names of the columns are too long"


@pytest.mark.parametrize(
    ("value", "shown", "flag"),
    [
        ("x'00ff'", "X'00FF'", "blob"),
        ("9e999", "Infinity", "infinite"),
        ("-9e999", "-Infinity", "infinite"),
        (BAD_TEXT, "a\ufffdb", "replaced_text"),
    ],
)
def test_what_json_has_not_is_flagged(path: Path, value: str, shown: str, flag: str) -> None:
    sql = f"SELECT 'x' UNION ALL SELECT {value}"
    kept = asked(path, sql, max_rows=2)
    assert (kept["status"], kept["rows"], kept["flags"]) == ("ok", [["x"], [shown]], [flag])
    assert "message" not in kept


@pytest.mark.parametrize("value", ["zeroblob(20)", "9e999", f"{BAD_TEXT} || 'tail'"])
@pytest.mark.parametrize("limits", [{"max_rows": 1}, {"max_bytes": 20}], ids=str)
def test_a_row_that_is_left_out_sets_no_flag(
    path: Path, value: str, limits: dict[str, int]
) -> None:
    cut = asked(path, f"SELECT 'x' AS c UNION ALL SELECT {value}", **limits)
    assert (cut["status"], cut["rows"], cut["flags"]) == ("truncated", [["x"]], [])


def test_flags_are_of_the_query_alone(path: Path) -> None:
    all_flags = ["blob", "infinite", "replaced_text"]
    row = f"SELECT {BAD_TEXT}, x'00', 9e999"
    with closing(GuardedConnection(path, Limits(max_rows=1))) as guarded:
        # The row is kept, then left out; neither is a matter of the query after it.
        for sql, flags in ((row, all_flags), (f"SELECT 1, 2, 3 UNION ALL {row}", [])):
            assert json.loads(run_query(guarded, sql))["flags"] == flags
            assert json.loads(run_query(guarded, "SELECT 1"))["flags"] == []


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("SELECT id, id, name AS id FROM heroes", ["id", "id_2", "id_3"]),
        ("SELECT id AS id_2, id, id FROM heroes", ["id_2", "id", "id_3"]),
        ("SELECT a.id, b.id FROM heroes a JOIN heroes b USING (id)", ["id", "id_2"]),
        ("SELECT 1, 1", ["1", "1_2"]),
        ('SELECT \'\' AS "", 1 AS ""', ["", "_2"]),
        ('SELECT 1 AS "naïve 名 🦸"', ["naïve 名 🦸"]),
    ],
)
def test_columns_of_one_name_get_numbers(path: Path, sql: str, columns: list[str]) -> None:
    answer = asked(path, sql, max_rows=1)
    assert answer["columns"] == columns
    assert len(answer["rows"][0]) == len(columns)


def test_the_answer_says_what_it_took(path: Path) -> None:
    for sql in ("SELECT count(*) FROM heroes a, heroes b WHERE a.id < 100", "nonsense"):
        answer = asked(path, sql)
        assert 0 < answer["elapsed_ms"] < 10_000
        assert type(answer["ticks"]) is int
    assert asked(path, "SELECT 1")["ticks"] == 0
