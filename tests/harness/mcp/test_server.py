"""The MCP server as the SDK's client finds it: the real command, over stdin and stdout."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from claimdb_harness.mcp.call_trace import read_trace
from claimdb_harness.runs.budgets import NO_QUERY_LEFT
from tests.harness.mcp.clients import A_SECOND, FOREVER, STUCK, asked, connected, ferries
from tests.sandbox.made_databases import folder_state


@pytest.fixture
def db(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    return ferries(tmp_path / "data" / "ferries.sqlite")


def run(what: Coroutine[Any, Any, Any]) -> Any:
    async def limited() -> Any:
        async with asyncio.timeout(60):
            return await what

    return asyncio.run(limited())


def test_three_tools_that_read(db: Path) -> None:
    async def listed() -> Any:
        async with connected(db) as client:
            return client.server_info, (await client.list_tools()).tools

    server, tools = run(listed())
    assert server.name == "claimdb"
    assert {
        tool.name: (tool.input_schema.get("required"), bool(tool.description)) for tool in tools
    } == {
        "list_tables": (None, True),
        "describe_table": (["name"], True),
        "execute_sql": (["sql"], True),
    }
    types = [part["type"] for tool in tools for part in tool.input_schema["properties"].values()]
    assert types == ["string", "string"]
    # Without this hint, clients that ask nobody refuse the call.
    assert all(tool.annotations.read_only_hint for tool in tools)


CALLS: dict[str, tuple[str, dict[str, Any], str, str]] = {
    "tables": ("list_tables", {}, "ok", "name | type\nvessel | table\n(1 row)"),
    "a table": ("describe_table", {"name": "vessel"}, "ok", "table vessel, 2 rows\n"),
    "no such table": ("describe_table", {"name": "vesel"}, "sql_error", "did you mean vessel?"),
    "a query": ("execute_sql", {"sql": "SELECT name FROM vessel"}, "ok", "name\nVita\nAlma\n"),
    "a write": ("execute_sql", {"sql": "DELETE FROM vessel"}, "denied", "denied: DELETE is not"),
    "another file": ("execute_sql", {"sql": "ATTACH 'x.db' AS x"}, "denied", "denied: ATTACH is"),
    "no such column": (
        "execute_sql",
        {"sql": "SELECT nme FROM vessel"},
        "sql_error",
        "column: nme",
    ),
    "no SQL": ("execute_sql", {"sql": "5"}, "sql_error", 'sql_error: near "5"'),
    "a line break": ("execute_sql", {"sql": "SELECT 'é\u2028\n' AS a"}, "ok", 'a\n"é'),
}


def test_calls_and_their_trace(db: Path, tmp_path: Path) -> None:
    trace = tmp_path / "calls.jsonl"
    before, started = folder_state(db.parent), datetime.now(UTC)

    async def all_asked() -> list[tuple[bool, str]]:
        async with connected(db, "--trace", trace) as client:
            return [await asked(client, tool, **args) for tool, args, _, _ in CALLS.values()]

    answers = run(all_asked())
    calls = read_trace(trace)
    assert folder_state(db.parent) == before
    assert [call.tool for call in calls] == [tool for tool, _, _, _ in CALLS.values()]
    assert [call.output for call in calls] == [text for _, text in answers]
    for (is_error, text), call, (tool, args, status, part) in zip(
        answers, calls, CALLS.values(), strict=True
    ):
        assert (call.status, is_error) == (status, status != "ok")
        assert part in text
        assert tool != "execute_sql" or call.sql == args["sql"]
    lines = trace.read_text("utf-8").rstrip("\n").split("\n")
    times = [datetime.fromisoformat(json.loads(line)["at"]) for line in lines]
    assert times == sorted(times)
    assert started - timedelta(milliseconds=1) <= times[0] <= datetime.now(UTC)


@pytest.mark.slow
def test_a_query_without_an_end_is_an_error(db: Path, tmp_path: Path) -> None:
    async def asked_once() -> tuple[bool, str]:
        async with connected(db, "--trace", tmp_path / "calls.jsonl") as client:
            return await asked(client, "execute_sql", sql=FOREVER)

    # By the clock where the machine has other work.
    is_error, text = run(asked_once())
    assert (is_error, text.split(" after ")[0]) == (True, "timeout: stopped")
    assert [call.status for call in read_trace(tmp_path / "calls.jsonl")] == ["timeout"]


def test_wrong_arguments_are_errors_and_no_calls(db: Path, tmp_path: Path) -> None:
    async def all_asked() -> list[tuple[bool, str]]:
        async with connected(db, "--trace", tmp_path / "calls.jsonl") as client:
            return [
                await asked(client, "execute_sql"),
                await asked(client, "execute_sql", sql=5),
                await asked(client, "describe_table", sql="SELECT 1"),
                await asked(client, "drop_table", name="vessel"),
            ]

    assert [is_error for is_error, _ in run(all_asked())] == [True] * 4
    assert read_trace(tmp_path / "calls.jsonl") == ()


def test_calls_at_the_same_time_and_others_while_a_query_runs(db: Path) -> None:
    async def both() -> tuple[bool, list[tuple[bool, str]]]:
        async with connected(db) as client:
            slow = asyncio.create_task(asked(client, "execute_sql", sql=A_SECOND))
            quick = asyncio.create_task(asked(client, "execute_sql", sql="SELECT 1 AS a"))
            await client.list_tools()
            went_on = not slow.done()
            return went_on, [await slow, await quick]

    went_on, answers = run(both())
    assert went_on
    assert answers == [(False, "count(*)\n3000000\n(1 row)"), (False, "a\n1\n(1 row)")]


def test_many_slow_calls_leave_the_server_free(db: Path) -> None:
    async def listed() -> int:
        async with connected(db) as client:
            # More than the 40 threads that the SDK reads and writes with, too.
            calls = [
                asyncio.create_task(asked(client, "execute_sql", sql=STUCK)) for _ in range(45)
            ]
            await asyncio.sleep(0.3)
            async with asyncio.timeout(3):
                n_tools = len((await client.list_tools()).tools)
            for call in calls:
                call.cancel()
            await asyncio.gather(*calls, return_exceptions=True)
            return n_tools

    assert run(listed()) == 3


def test_no_more_queries_than_the_budget_allows(db: Path, tmp_path: Path) -> None:
    trace = tmp_path / "calls.jsonl"

    async def asked_for(sqls: list[str]) -> list[tuple[bool, str]]:
        async with connected(db, "--trace", trace, "--max-sql-calls", 2) as client:
            await asked(client, "describe_table", name="vessel")
            return [await asked(client, "execute_sql", sql=sql) for sql in sqls]

    answers = run(asked_for(["SELECT gone", "SELECT 1 AS a", "SELECT 2"]))
    assert answers[1:] == [(False, "a\n1\n(1 row)"), (True, NO_QUERY_LEFT)]
    # A client that starts the server again goes on with the same budget.
    assert run(asked_for(["SELECT 3"])) == [(True, NO_QUERY_LEFT)]
    statuses = [call.status for call in read_trace(trace) if call.tool == "execute_sql"]
    assert statuses == ["sql_error", "ok", "refused", "refused"]


def test_a_budget_of_nothing_and_short_answers(db: Path) -> None:
    async def all_asked() -> list[tuple[bool, str]]:
        options = ("--max-sql-calls", 0, "--max-output-bytes", 200)
        async with connected(db, *options) as client:
            described = await asked(client, "describe_table", name="vessel")
            return [described, await asked(client, "execute_sql", sql="SELECT 1")]

    described, refused = run(all_asked())
    assert refused == (True, NO_QUERY_LEFT)
    assert len(described[1].encode()) <= 200


def test_a_database_that_is_gone_later_is_an_error_without_its_path(
    db: Path, tmp_path: Path
) -> None:
    async def asked_twice() -> tuple[bool, str]:
        async with connected(db, "--trace", tmp_path / "calls.jsonl") as client:
            await asked(client, "list_tables")
            db.write_bytes(b"no database any more" * 1000)
            return await asked(client, "execute_sql", sql="SELECT name FROM vessel")

    assert run(asked_twice()) == (True, "worker_died: the database cannot be read any more")
    assert [c.status for c in read_trace(tmp_path / "calls.jsonl")] == ["ok", "worker_died"]
