"""The trace file of an MCP server: what is written comes back, and nothing else is touched."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from claimdb_harness.mcp.call_trace import CallTrace, read_trace
from claimdb_harness.runs.traces import CALL_STATUSES, Call
from claimdb_metric.errors import DataError

CALL = Call("execute_sql", "SELECT 1", "ok", "1\n1\n(1 row)", None, 1, 0.25)
REFUSED = Call("execute_sql", "SELECT 2", "refused", "no", "no")

CALLS = st.builds(
    Call,
    tool=st.text(),
    sql=st.text(),
    status=st.sampled_from(CALL_STATUSES),
    output=st.text(),
    message=st.none() | st.text(),
    n_rows=st.none() | st.integers(0, 10**9),
    elapsed_ms=st.none() | st.floats(0, 1e6),
    turn=st.integers(0, 10**4),
)


def write(path: Path, *calls: Call) -> Path:
    trace = CallTrace(path)
    for call in calls:
        trace.add(call)
    trace.close()
    return path


@given(calls=st.lists(CALLS))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_written_is_read(tmp_path: Path, calls: list[Call]) -> None:
    path = tmp_path / "calls.jsonl"
    path.unlink(missing_ok=True)
    assert read_trace(write(path, *calls)) == tuple(calls)
    assert path.read_bytes().count(b"\n") == len(calls)


def test_half_of_a_surrogate_pair_comes_back(tmp_path: Path) -> None:
    call = Call("execute_sql", "SELECT '\ud800'", "sql_error", "no", "no")
    assert read_trace(write(tmp_path / "calls.jsonl", call)) == (call,)


def test_a_later_server_goes_on_with_the_file(tmp_path: Path) -> None:
    path = write(tmp_path / "calls.jsonl", CALL)
    trace = CallTrace(path)
    assert trace.earlier == (CALL,)
    trace.close()
    assert read_trace(write(path, REFUSED)) == (CALL, REFUSED)


def test_each_call_is_in_the_file_at_once(tmp_path: Path) -> None:
    trace = CallTrace(tmp_path / "calls.jsonl")
    assert read_trace(tmp_path / "calls.jsonl") == ()
    trace.add(CALL)
    assert read_trace(tmp_path / "calls.jsonl") == (CALL,)
    trace.close()


@pytest.mark.parametrize("n_bytes", [1, 5, 9, 30])
def test_a_torn_last_line_is_left_out_and_then_cut_off(tmp_path: Path, n_bytes: int) -> None:
    path = write(tmp_path / "calls.jsonl", CALL)
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:n_bytes])
    assert read_trace(path) == (CALL,)
    assert read_trace(write(path, REFUSED)) == (CALL, REFUSED)


NO_TRACES = {
    "a database": b"SQLite format 3\0" + bytes(100),
    "a database with line breaks": b"SQLite format 3\0\n\n",
    "other JSON on one line": b'{"name": "a package"}',
    "other JSON lines": b'{"claim_id": 1}\n',
    "a list": b"[]\n",
    "a blank line": b"\n",
    "a status of nobody": b'{"tool":"execute_sql","sql":"","status":"fine","output":""}\n',
    "a number for SQL": b'{"tool":"execute_sql","sql":5,"status":"ok","output":""}\n',
    "no output": b'{"tool":"execute_sql","sql":"","status":"ok"}\n',
    "bytes": b"\xff\xfe\n",
}


@pytest.mark.parametrize("case", NO_TRACES)
def test_a_file_that_is_no_trace_is_an_error_and_stays_as_it_is(tmp_path: Path, case: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(NO_TRACES[case])
    for reader in (read_trace, CallTrace):
        with pytest.raises(DataError, match=r"file(, line 1: no call| is no trace of calls)"):
            reader(path)
    assert path.read_bytes() == NO_TRACES[case]


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_trace(tmp_path / "gone.jsonl")
    with pytest.raises(FileNotFoundError):
        CallTrace(tmp_path / "gone" / "calls.jsonl")
