"""Agents of the command line, as small programs: one uses the tools, the others misbehave."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from claimdb_harness.mcp.command_agents import CommandResult, run_command, split_command
from claimdb_harness.runs.budgets import Budget
from claimdb_metric.errors import DataError
from tests.harness.mcp.clients import STUCK, ferries
from tests.sandbox.processes import ends_within, happens_within, needs_proc

USES_TOOLS = """
import asyncio, json, os, sys
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

async def main():
    with open(sys.argv[1]) as file:
        server = json.load(file)["mcpServers"]["claimdb"]
    parameters = StdioServerParameters(**server, env=dict(os.environ))
    async with Client(stdio_client(parameters)) as client:
        await client.call_tool("list_tables", {})
        for sql in ("SELECT name FROM vessel", "DROP TABLE vessel", "SELECT 3", "SELECT 4"):
            answer = await client.call_tool("execute_sql", {"sql": sql})
            print(answer.content[0].text)
    print(json.dumps({"verdict": sys.stdin.read()}))

asyncio.run(main())
"""
HANGS = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
print(child.pid, flush=True)
time.sleep(60)
"""
LEAVES_A_CHILD = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
print(child.pid)
"""
FAILS = "import sys; print('half'); print('é' * 3000 + 'no key', file=sys.stderr); sys.exit(3)"
LOOKS_AROUND = """
import json, os, sys
print(json.dumps({
    "files": os.listdir(), "argv": sys.argv[1:], "prompt": sys.stdin.buffer.read().decode(),
    "trace": os.environ.get("CLAIMDB_TRACE"), "key": os.environ.get("PROVIDER_KEY"),
}))
"""


@pytest.fixture
def db(tmp_path: Path) -> Path:
    (tmp_path / "databases").mkdir()
    return ferries(tmp_path / "databases" / "ferries.sqlite")


def program(code: str, *arguments: str) -> list[str]:
    return [sys.executable, "-c", code, *(arguments or ("{mcp_config}",))]


def ran(command: str | list[str], db: Path, prompt: str = "?", **budget: int) -> CommandResult:
    return asyncio.run(run_command(command, prompt, db, Budget(**budget), db.parents[1]))


def test_an_agent_that_uses_the_tools(db: Path) -> None:
    result = ran(program(USES_TOOLS), db, "ENTAILED", max_seconds=60, max_sql_calls=3)
    *_, last = result.stdout.strip().split("\n")
    assert (result.exit_code, result.timed_out, result.stderr_tail) == (0, False, "")
    assert json.loads(last) == {"verdict": "ENTAILED"}
    assert [(call.tool, call.status) for call in result.calls] == [
        ("list_tables", "ok"),
        ("execute_sql", "ok"),
        ("execute_sql", "denied"),
        ("execute_sql", "ok"),
        ("execute_sql", "refused"),
    ]
    assert all(call.output in result.stdout for call in result.calls[1:])
    assert result.seconds > 0
    assert [path.name for path in db.parents[1].iterdir()] == ["databases"]


def test_what_an_agent_finds(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAIMDB_TRACE", "/secret/calls.jsonl")
    monkeypatch.setenv("PROVIDER_KEY", "k")
    command = program(
        LOOKS_AROUND, "{mcp_config}", "-c", "a={mcp_args}", "{mcp_command}", '{"b": 1}'
    )
    result = ran(command, db, 'Is "é\r\n" {mcp_config}?\n')
    seen = json.loads(result.stdout)
    config, _, arguments, server, braces = seen["argv"]
    assert (seen["files"], seen["trace"], seen["key"]) == ([], None, "k")
    assert seen["prompt"] == 'Is "é\r\n" {mcp_config}?\n'
    assert (server, braces) == (sys.executable, '{"b": 1}')
    assert json.loads(arguments.removeprefix("a="))[4:6] == ["--db", str(db)]
    assert not Path(config).exists()
    assert db.parent not in Path(config).parents
    assert (result.calls, result.exit_code) == ((), 0)


def test_a_command_as_one_text(db: Path) -> None:
    result = ran(
        f"'{sys.executable}' -c 'import sys; print(sys.argv[2])' {{mcp_config}} 'a b; c'", db
    )
    assert result.stdout == "a b; c\n"


def test_an_agent_that_fails(db: Path) -> None:
    result = ran(program(FAILS), db)
    assert (result.exit_code, result.timed_out, result.stdout) == (3, False, "half\n")
    assert result.stderr_tail == ("é" * 3000 + "no key\n")[-2000:]


@needs_proc
def test_an_agent_that_hangs_is_killed_with_its_children(db: Path) -> None:
    started = time.monotonic()
    result = ran(program(HANGS), db, max_seconds=1)
    assert 1 <= time.monotonic() - started < 5
    assert (result.exit_code, result.timed_out) == (-9, True)
    assert ends_within(int(result.stdout), 2)


@needs_proc
def test_what_an_agent_leaves_behind_is_killed(db: Path) -> None:
    result = ran(program(LEAVES_A_CHILD), db)
    assert (result.exit_code, result.timed_out) == (0, False)
    assert ends_within(int(result.stdout), 2)


@needs_proc
def test_a_task_that_is_cancelled_kills_its_agent(db: Path) -> None:
    pids = db.parents[1] / "pids"
    code = f"import os, time; open({str(pids)!r}, 'w').write(str(os.getpid())); time.sleep(60)"

    async def cancelled() -> None:
        task = asyncio.create_task(run_command(program(code), "?", db, Budget(), db.parents[1]))
        while not (pids.exists() and pids.read_text()):
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert ends_within(int(pids.read_text()), 2)
    assert sorted(path.name for path in db.parents[1].iterdir()) == ["databases", "pids"]


@needs_proc
def test_an_agent_that_is_killed_in_a_query_leaves_no_server(db: Path) -> None:
    began = db.parents[1] / "began"
    tables = 'await client.call_tool("list_tables", {})'
    code = USES_TOOLS.replace("SELECT name FROM vessel", STUCK)
    code = code.replace(tables, f"{tables}; open({str(began)!r}, 'w').close()")

    async def cancelled() -> None:
        task = asyncio.create_task(run_command(program(code), "?", db, Budget(), db.parents[1]))
        while not began.exists():
            await asyncio.sleep(0.01)
        assert servers_of(db)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert happens_within(lambda: not servers_of(db), 10)


def servers_of(db: Path) -> list[Path]:
    """The processes that have the database among their arguments."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if os.fsencode(db) in path.read_bytes().split(b"\0"):
                found.append(path)
    return found


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("no-such-agent {mcp_config}", "'no-such-agent' cannot be started: No such file"),
        ("claude -p", r"'claude -p' gives the agent no way to the database: put \{mcp_config\}"),
        ("{mcp_config}", "no way to the database"),
        ("", "no way to the database"),
        ([], "no way to the database"),
        ("claude 'p {mcp_config}", "cannot be read: No closing quotation"),
        ([os.devnull, "{mcp_config}"], "cannot be started: Permission denied"),
    ],
)
def test_a_command_that_cannot_be_run(db: Path, command: str | list[str], message: str) -> None:
    with pytest.raises(DataError, match=message):
        ran(command, db)
    assert [path.name for path in db.parents[1].iterdir()] == ["databases"]


def test_words_are_kept_as_they_are() -> None:
    assert split_command(["a b", "{mcp_args}'"]) == ["a b", "{mcp_args}'"]
