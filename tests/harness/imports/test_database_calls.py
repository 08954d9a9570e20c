"""Which tool calls and shell commands ask the database, and what."""

from __future__ import annotations

import pytest

from claimdb_harness.imports.database_calls import Asked, database_call, shell_call

SQL = "SELECT name FROM ferry WHERE note = 'a > 2'"


@pytest.mark.parametrize(
    ("name", "arguments", "asked"),
    [
        ("execute_sql", {"sql": SQL}, Asked("execute_sql", SQL)),
        ("execute_sql", {"query": SQL}, Asked("execute_sql", SQL)),
        ("zoo_execute_sql", f'{{"sql": "{SQL}"}}', Asked("execute_sql", SQL)),
        ("mcp__claimdb__execute_sql", {"sql": SQL}, Asked("execute_sql", SQL)),
        ("execute_sql", {"text": SQL}, Asked("execute_sql", f'{{"text": "{SQL}"}}')),
        ("execute_sql", "SELECT 1", Asked("execute_sql", "SELECT 1")),
        ("execute_sql", None, Asked("execute_sql", "{}")),
        ("mcp__db__list_tables", {}, Asked("list_tables", "")),
        ("describe_table", {"name": "ferry"}, Asked("describe_table", "ferry")),
        ("run", {"sql": SQL}, Asked("execute_sql", SQL)),
        ("read_query", {"query": SQL}, Asked("execute_sql", SQL)),
        ("run_sql", {"statement": SQL}, Asked("execute_sql", SQL)),
        ("web_search", {"query": "ferries"}, None),
        ("run_sql", {"sql": 7}, None),
        ("run_sql", "{", None),
        ("final_result", {"sql": SQL}, None),
        ("final_result_Verdict", {"verdict": "ENTAILED"}, None),
        ("submit_verdict", {"verdict": "ENTAILED"}, None),
        ("mcp__x__submit_verdict", {"query": "x"}, None),
        ("StructuredOutput", {"sql": SQL}, None),
    ],
)
def test_tool_calls(name: str, arguments: object, asked: Asked | None) -> None:
    assert database_call(name, arguments) == asked


@pytest.mark.parametrize(
    ("command", "sql"),
    [
        (f'sqlite3 zoo.sqlite "{SQL}"', SQL),
        (f'sqlite3 -readonly -separator , zoo.sqlite "{SQL}"', SQL),
        (f'cd /db && /usr/bin/sqlite3 zoo.sqlite "{SQL}" 2>&1 | head -5', SQL),
        (f'timeout 30 sqlite3 -json zoo.sqlite "{SQL}" 2>/dev/null; echo done', SQL),
        (f'cd /db\nsqlite3 zoo.sqlite "{SQL}"', SQL),
        ('sqlite3 zoo.sqlite "SELECT 1\nFROM ferry"', "SELECT 1\nFROM ferry"),
        ("bash -lc 'sqlite3 zoo.sqlite \"SELECT 1\"'", "SELECT 1"),
        ("/bin/zsh -c \"sqlite3 zoo.sqlite 'SELECT 1'\"", "SELECT 1"),
    ],
)
def test_the_sql_of_a_command(command: str, sql: str) -> None:
    assert shell_call(command) == Asked("execute_sql", sql)


@pytest.mark.parametrize(
    "command",
    [
        "sqlite3 zoo.sqlite <<'EOF'\nSELECT 1;\nEOF",
        "sqlite3 zoo.sqlite <<EOF\nSELECT 'it''s', \"a;\nEOF",
        "sqlite3 zoo.sqlite < q.sql",
        "echo 'SELECT 1' | sqlite3 zoo.sqlite",
        "sqlite3 zoo.sqlite 'SELECT 1'; sqlite3 zoo.sqlite 'SELECT 2'",
        "sqlite3 zoo.sqlite 'SELECT 1' 'SELECT 2'",
        "python3 -c \"import sqlite3; print(sqlite3.connect('zoo.sqlite').execute('SELECT 1'))\"",
    ],
)
def test_the_whole_command_stands_for_it(command: str) -> None:
    assert shell_call(command) == Asked("execute_sql", command)


@pytest.mark.parametrize(
    ("command", "asked"),
    [
        ("sqlite3 zoo.sqlite .tables", Asked("list_tables", "")),
        ("sqlite3 zoo.sqlite '.schema ferry'", Asked("describe_table", "ferry")),
        ("ls -la", None),
        ("which sqlite3 python3", None),
        ("sqlite3 --version", None),
        ("ls *.sqlite3 'unpaired", None),
        ("pip install pysqlite3 && cat sqlite3.txt", None),
        ("", None),
    ],
)
def test_other_commands(command: str, asked: Asked | None) -> None:
    assert shell_call(command) == asked
