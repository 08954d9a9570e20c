"""The tools as a server holds them: one call at a time, counted, traced, and then closed."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from claimdb_harness.mcp.call_trace import CallTrace, read_trace
from claimdb_harness.mcp.database_tools import DatabaseTools
from claimdb_harness.mcp.traced_tools import TracedTools
from claimdb_harness.runs.budgets import NO_QUERY_LEFT
from claimdb_harness.runs.traces import Call
from claimdb_sandbox import ClosedError
from tests.harness.mcp.clients import FOREVER, ferries


@pytest.fixture
def tools(tmp_path: Path) -> DatabaseTools:
    return DatabaseTools(ferries(tmp_path / "ferries.sqlite"))


def test_a_query_that_runs_when_it_is_closed_is_in_the_trace(
    tools: DatabaseTools, tmp_path: Path
) -> None:
    traced = TracedTools(tools, CallTrace(tmp_path / "calls.jsonl"))
    calls: list[Call] = []
    thread = threading.Thread(target=lambda: calls.append(traced.call("execute_sql", FOREVER)))
    thread.start()
    time.sleep(0.3)
    traced.close()
    assert [call.status for call in read_trace(tmp_path / "calls.jsonl")] == ["worker_died"]
    thread.join(5)
    assert [call.status for call in calls] == ["worker_died"]
    with pytest.raises(ClosedError):
        traced.call("execute_sql", "SELECT 1")


@pytest.mark.parametrize(("earlier", "left"), [(0, 2), (1, 1), (2, 0), (3, 0)])
def test_queries_in_the_trace_count_but_not_refused_ones_or_other_tools(
    tools: DatabaseTools, tmp_path: Path, earlier: int, left: int
) -> None:
    path = tmp_path / "calls.jsonl"
    trace = CallTrace(path)
    for _ in range(earlier):
        trace.add(Call("execute_sql", "", "not_a_query", ""))
    trace.add(Call("execute_sql", "", "refused", ""))
    trace.add(Call("list_tables", "", "ok", ""))
    trace.close()
    traced = TracedTools(tools, CallTrace(path), max_sql_calls=2)
    calls = [traced.call("execute_sql", "SELECT 1") for _ in range(3)]
    traced.close()
    assert [call.status for call in calls] == ["ok"] * left + ["refused"] * (3 - left)
    assert calls[-1].output == NO_QUERY_LEFT


def test_without_a_trace_and_a_budget(tools: DatabaseTools) -> None:
    traced = TracedTools(tools)
    assert {traced.call("execute_sql", "SELECT 1").status for _ in range(50)} == {"ok"}
    assert traced.call("describe_table", "vessel").ok
    assert traced.call("list_tables").ok
    traced.close()
