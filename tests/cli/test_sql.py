"""`claimdb sql`, called as its users call it."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.children import child_env
from tests.cli.conftest import Call
from tests.sandbox.made_databases import folder_state, heroes_database
from tests.sandbox.processes import happens_within, needs_proc

TWO_HEROES = "SELECT id, name, NULL AS note FROM heroes ORDER BY id LIMIT 2"
FOREVER = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r) SELECT count(*) FROM r"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return heroes_database(tmp_path / "heroes.sqlite")


def test_rows_as_a_table(claimdb_command: Call, database: Path) -> None:
    code, out, err = claimdb_command("sql", database, TWO_HEROES)
    title, *table = out.split("\n")
    assert (code, err) == (0, "")
    assert title.startswith("2 rows in ")
    assert table == [
        "id  name    note",
        "────────────────",
        " 1  Hero 1  NULL",
        " 2  Hero 2  NULL",
        "",
    ]


def test_a_title_wider_than_its_table_stays_one_line(claimdb_command: Call, database: Path) -> None:
    _, out, _ = claimdb_command("sql", database, "SELECT 1 AS a")
    assert out.split("\n")[1:] == ["a", "─", "1", ""]


def test_a_line_break_in_a_value_does_not_end_its_row(
    claimdb_command: Call, database: Path
) -> None:
    _, out, _ = claimdb_command("sql", database, "SELECT 'a' || char(10) || 'b' AS t, char(27) e")
    assert out.split("\n")[3] == "a\\nb  \N{REPLACEMENT CHARACTER}"


def test_a_database_by_name(claimdb_command: Call) -> None:
    code, out, _ = claimdb_command("sql", "ferry_lines", "SELECT count(*) AS n FROM port")
    assert code == 0
    assert out.split("\n")[3] == "12"


def test_a_database_of_a_local_copy(claimdb_command: Call, tmp_path: Path) -> None:
    heroes_database(tmp_path / "mine" / "heroes" / "heroes.sqlite")
    arguments = ("SELECT count(*) AS n FROM heroes", "--data-dir", "mine")
    assert "2000" in claimdb_command("sql", "heroes", *arguments)[1]


def test_sql_from_stdin(
    claimdb_command: Call, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        sys, "stdin", io.StringIO("-- how many\nSELECT count(*) AS n FROM heroes;\n")
    )
    assert claimdb_command("sql", database, "-")[1].split("\n")[3] == "2000"


def test_json_for_programs(claimdb_command: Call, database: Path) -> None:
    code, out, err = claimdb_command("sql", database, TWO_HEROES, "--json")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert found.pop("elapsed_ms") > 0
    assert found == {
        "status": "ok",
        "columns": ["id", "name", "note"],
        "rows": [[1, "Hero 1", None], [2, "Hero 2", None]],
        "truncated": False,
        "ticks": 0,
        "message": None,
        "limit": None,
        "flags": [],
        "notes": [],
    }


def test_json_of_a_refusal(claimdb_command: Call, database: Path) -> None:
    code, out, err = claimdb_command("sql", database, "DROP TABLE heroes", "--json")
    assert (code, err, json.loads(out)["status"]) == (1, "", "denied")


def test_more_rows_than_shown(claimdb_command: Call, database: Path) -> None:
    code, out, err = claimdb_command("sql", database, "SELECT id FROM heroes", "--max-rows", 3)
    assert code == 0
    assert out.split("\n")[0].endswith("; there are more than 3 rows")
    assert len(out.split("\n")) == 3 + 3 + 1
    assert err == "note: --max-rows N shows more\n"


def test_notes_go_to_stderr(claimdb_command: Call, database: Path) -> None:
    sql = 'SELECT count(*) AS n, 9e999 AS i FROM heroes WHERE name = "Hero 1"'
    code, _, err = claimdb_command("sql", database, sql)
    assert code == 0
    assert '"Hero 1" is no column, so SQLite took it as text' in err
    assert "Infinity" in err


def test_sql_that_begins_with_a_comment_is_no_option(claimdb_command: Call, database: Path) -> None:
    code, out, _ = claimdb_command("sql", database, "-- one\nSELECT 1 AS a", "--max-rows", 5)
    assert (code, out.split("\n")[3]) == (0, "1")
    code, _, err = claimdb_command("sql", database, "SELECT 1", "--max-row", 5)
    assert (code, "extra argument" in err) == (2, True)


ESCAPE = "\x1b]0;owned\x07"


@pytest.mark.parametrize(
    "sql",
    [
        f'SELECT 1 AS "{ESCAPE}"',
        f"SELECT '{ESCAPE}' AS a",
        f'SELECT "{ESCAPE}" AS a',
        f'SELECT * FROM "{ESCAPE}\n"',
        f'SELECT 1 AS "a\nb{ESCAPE}"',
    ],
)
def test_what_commands_a_terminal_is_not_printed(
    claimdb_command: Call, database: Path, sql: str
) -> None:
    code, out, err = claimdb_command("sql", database, sql)
    assert "\x1b" not in out + err
    assert len(out.split("\n")) == (5 if code == 0 else 1)
    assert len(err.split("\n")) <= 2


def test_a_long_value_is_cut_but_in_json(claimdb_command: Call, database: Path) -> None:
    sql = "SELECT hex(zeroblob(1000)) AS a"
    assert "0…(+1,000 characters)" in claimdb_command("sql", database, sql)[1]
    assert "…" not in claimdb_command("sql", database, sql, "--json")[1]


REFUSED: dict[str, tuple[str, str]] = {
    "a write": ("DELETE FROM heroes", "denied: DELETE is not allowed"),
    "two statements": ("SELECT 1; SELECT 2", "denied: one statement only"),
    "bad SQL": ("SELEC 1", 'sql_error: near "SELEC": syntax error'),
    "nothing": ("  ", "not_a_query: there is no SQL statement"),
    "a shell command": (".tables", "note: .tables is a command of the sqlite3 program"),
    "too long": (FOREVER, "timeout: stopped after 0.2 s"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_sql_that_is_refused_or_fails_is_exit_code_1(
    claimdb_command: Call, database: Path, case: str
) -> None:
    sql, message = REFUSED[case]
    before = folder_state(database.parent)
    code, out, err = claimdb_command("sql", database, sql, "--limit-s", "0.2")
    assert (code, out) == (1, "")
    assert message in err
    assert folder_state(database.parent) == before


BAD_INPUT: dict[str, tuple[tuple[Any, ...], str]] = {
    "no such name": (("ferry_line", "SELECT 1"), "did you mean ferry_lines"),
    "no such file": (("gone.sqlite", "SELECT 1"), "gone.sqlite cannot be read: No such file"),
    "a folder": (("./", "SELECT 1"), ". is a folder"),
    "no database": (("page.html", "SELECT 1"), "page.html is an HTML page, not SQLite"),
    "no SQL": (("heroes.sqlite",), "Missing argument 'SQL'"),
    "no time": (("heroes.sqlite", "SELECT 1", "--limit-s", "0"), "--limit-s"),
    "no rows": (("heroes.sqlite", "SELECT 1", "--max-rows", "0"), "--max-rows"),
}


@pytest.mark.parametrize("case", BAD_INPUT)
def test_bad_input_is_exit_code_2(claimdb_command: Call, database: Path, case: str) -> None:
    (database.parent / "page.html").write_text("<html>")
    arguments, message = BAD_INPUT[case]
    code, out, err = claimdb_command("sql", *arguments)
    assert (code, out) == (2, "")
    assert message in err


@needs_proc
def test_ctrl_c_ends_the_command_and_its_worker(tmp_path: Path, database: Path) -> None:
    command = [sys.executable, "-P", "-m", "claimdb_cli", "sql", str(database), FOREVER]
    env = child_env(tmp_path)
    with subprocess.Popen(
        [*command, "--limit-s", "60"], env=env, start_new_session=True, stderr=subprocess.PIPE
    ) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        assert happens_within(lambda: bool(children.read_text()), 20)
        (worker,) = map(int, children.read_text().split())
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert happens_within(lambda: not Path(f"/proc/{worker}").exists(), 5)
