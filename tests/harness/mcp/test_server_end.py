"""How the MCP server ends: quietly, whatever it was doing, with no process left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from claimdb_harness.mcp.call_trace import read_trace
from tests.children import child_env
from tests.harness.mcp.clients import STUCK, ferries
from tests.sandbox.processes import ends_within, happens_within, needs_proc


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return ferries(tmp_path / "ferries.sqlite")


HANDSHAKE = (
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",'
    '"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}\n'
    '{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
    '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"execute_sql",'
    f'"arguments":{{"sql":"{STUCK}"}}}}}}\n'
)


@needs_proc
@pytest.mark.parametrize(
    ("end", "code"), [("EOF", 0), (signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)]
)
def test_the_end_is_quiet_while_a_query_runs_and_leaves_no_worker(
    db: Path, tmp_path: Path, end: Any, code: int
) -> None:
    trace = tmp_path / "calls.jsonl"
    command = [sys.executable, "-P", "-m", "claimdb_cli", "mcp", "--db", str(db)]
    with subprocess.Popen(
        [*command, "--trace", str(trace)],
        env=child_env(tmp_path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as server:
        assert server.stdin
        assert server.stdout
        server.stdin.write(HANDSHAKE.encode())
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["id"] == 1
        children = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()
        time.sleep(0.2)  # the query is under way
        started = time.monotonic()
        if end == "EOF":
            server.stdin.close()
        else:
            os.kill(server.pid, end)
        assert server.wait(20) == code
        assert time.monotonic() - started < 3  # the query alone takes longer
        rest, error = server.stdout.read(), server.stderr.read() if server.stderr else b""
        assert error == b""
    assert [line for line in rest.split(b"\n") if line and b'"jsonrpc"' not in line] == []
    assert len(children) == 1
    assert ends_within(int(children[0]), 5)
    assert happens_within(lambda: len(read_trace(trace)) == (end == "EOF"), 2)


def test_a_client_that_no_longer_reads_ends_it_quietly(db: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-P", "-m", "claimdb_cli", "mcp", "--db", str(db)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=child_env(tmp_path), **pipes) as server:  # type: ignore[call-overload]
        server.stdin.write(HANDSHAKE.replace(STUCK, "SELECT 1").encode())
        server.stdout.close()
        server.stdin.close()
        assert server.stderr.read() == b""
    assert server.returncode == 0
