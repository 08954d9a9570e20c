"""A worker that was taken over sends what it likes: its parent neither fails, fills nor waits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from claimdb_sandbox import Executor, pipes, worker_process
from claimdb_sandbox.pipes import Pipes, WorkerDied, WorkerLate
from tests.sandbox.long_queries import PATIENT
from tests.sandbox.processes import forget_peak, memory_bytes, needs_proc

MEGABYTE = 2**20

STAND_IN = """
import json, struct, sys, time

def receive():
    (n_bytes,) = struct.unpack(">I", sys.stdin.buffer.read(4))
    return json.loads(sys.stdin.buffer.read(n_bytes))

def send(data):
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()

def frame(body):
    return struct.pack(">I", len(body)) + body

"""
"""The beginning of a program that is started in the worker's place."""

READY = STAND_IN + "receive(); send(frame(b'{\"ready\":true}')); receive()\n"

NO_JSON = {
    "not JSON": "send(frame(b'not json'))",
    "nothing": "send(frame(b''))",
    "not UTF-8": r"send(frame(b'\xff\xfe\x00'))",
    "half a value": "send(frame(b'{\"status\":'))",
    "a number too long for Python": "send(frame(b'{\"rows\":[[' + b'9' * 100_000 + b']]}'))",
    "deep lists": "send(frame(b'[' * 1_000_000))",
    "deep objects": "send(frame(b'{\"a\":' * 300_000))",
    "deep lists that are closed": "send(frame(b'[' * 500_000 + b']' * 500_000))",
    "a length of 4 GiB": r"send(b'\xff\xff\xff\xff' + bytes(100_000))",
    "less than it said": r"send(b'\0\0\0\x09' + b'12345'); sys.exit()",
    "half a length": r"send(b'\0\0'); sys.exit()",
    "no answer": "sys.exit()",
}

OK: dict[str, Any] = {"status": "ok", "columns": ["n"], "rows": [[1]]}
NO_RESULT: dict[str, Any] = {
    "a list": [OK],
    "null": None,
    "text": "ok",
    "nothing in it": {},
    "no rows": {"status": "ok"},
    "no status": {"rows": []},
    "an unknown field": OK | {"more": 1},
    "rows are a number": OK | {"rows": 5},
    "rows are null": OK | {"rows": None},
    "a row is a number": OK | {"rows": [1]},
    "columns are a number": OK | {"columns": 5},
    "flags are null": OK | {"flags": None},
}
WRONG_TYPES: dict[str, Any] = {
    "a status of its own": OK | {"status": "hacked"},
    "a status that is a list": OK | {"status": ["ok"]},
    "rows are text": OK | {"rows": "ab"},
    "a row is text": OK | {"rows": ["a"]},
    "a row is an object": OK | {"rows": [{"n": 1}]},
    "a value is a list": OK | {"rows": [[[1]]]},
    "a value is an object": OK | {"rows": [[{}]]},
    "a value is no finite number": OK | {"rows": [[float("nan")]]},
    "a value is no Unicode": OK | {"rows": [["\ud800"]]},
    "a row of another width": OK | {"rows": [[1, 2]]},
    "rows beside a refusal": OK | {"status": "denied"},
    "columns are not text": OK | {"columns": [1]},
    "an unknown flag": OK | {"flags": ["hacked"]},
    "flags are text": OK | {"flags": "blob"},
    "notes are an object": OK | {"notes": {"a": 1}},
    "a message that is a number": OK | {"message": 5},
    "a message that is an object": OK | {"message": {}},
    "a limit that is a number": OK | {"limit": 5},
    "truncated is text": OK | {"truncated": "yes"},
    "a time that is text": OK | {"elapsed_ms": "1"},
    "ticks that are a list": OK | {"ticks": []},
    "a fault of the file that is no text": {"unusable": 5},
}


def assert_worker_died(database: Path, monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    """The query's worker counts as dead, is dead, and is replaced by a real one."""
    with Executor(database, PATIENT) as executor:
        with monkeypatch.context() as patch:
            patch.setattr(worker_process, "_START", program)
            result = executor.run("SELECT 1 AS n")
        assert result.status == "worker_died"
        assert result.rows == ()
        assert executor.worker_pid is None
        assert executor.run("SELECT 2 AS n").rows == ((2,),)


@pytest.mark.parametrize("nonsense", NO_JSON.values(), ids=NO_JSON)
def test_what_is_no_json_is_the_end_of_the_worker(
    database: Path, monkeypatch: pytest.MonkeyPatch, nonsense: str
) -> None:
    assert_worker_died(database, monkeypatch, f"{READY}{nonsense}\nreceive()")


@pytest.mark.parametrize("answer", NO_RESULT.values(), ids=NO_RESULT)
def test_json_of_another_shape_is_the_end_of_the_worker(
    database: Path, monkeypatch: pytest.MonkeyPatch, answer: object
) -> None:
    body = json.dumps(answer).encode()
    assert_worker_died(database, monkeypatch, f"{READY}send(frame({body!r}))\nreceive()")


@pytest.mark.parametrize("answer", WRONG_TYPES.values(), ids=WRONG_TYPES)
def test_a_result_with_fields_of_other_types_is_the_end_of_the_worker(
    database: Path, monkeypatch: pytest.MonkeyPatch, answer: object
) -> None:
    """Else a status, flag or value that no Result can have fails in the code that reads it."""
    body = json.dumps(answer).encode()
    assert_worker_died(database, monkeypatch, f"{READY}send(frame({body!r}))\nreceive()")


@contextmanager
def stand_in(program: str, max_frame_bytes: int = MEGABYTE) -> Iterator[Pipes]:
    """The pipes of a process that runs a program in a worker's place."""
    command = [sys.executable, "-I", "-S", "-c", STAND_IN + program]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    ) as process:
        try:
            yield Pipes(process, max_frame_bytes)
        finally:
            process.kill()


@pytest.fixture(params=["poll", "timer"])
def waiting(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where a pipe can be waited for; and as on Windows, where a timer kills the worker."""
    monkeypatch.setattr(pipes, "HAS_POLL", request.param == "poll")


def test_requests_and_answers_go_to_and_fro(waiting: None) -> None:
    text = "ä\ud800" * 50_000
    with stand_in("while True: send(frame(json.dumps(receive()).encode()))") as echo:
        for request in ({}, {"sql": text}, {"sql": "SELECT 1"}):
            assert echo.ask(request, 60) == request


LATE = {
    "nothing": "time.sleep(600)",
    "a length, then nothing": "send(b'\\0\\0\\0\\x09'); time.sleep(600)",
    "one byte at a time": "send(b'\\0\\0\\1\\0')\nwhile True: send(b' '); time.sleep(0.01)",
}


@pytest.mark.parametrize("program", LATE.values(), ids=LATE)
def test_an_answer_that_does_not_end_in_time_is_late(waiting: None, program: str) -> None:
    with stand_in(f"receive()\n{program}") as late, pytest.raises(WorkerLate):
        late.ask({}, 0.5)


def test_a_worker_that_reads_nothing_is_late(waiting: None) -> None:
    with stand_in("time.sleep(600)") as deaf, pytest.raises(WorkerLate):
        deaf.ask({"sql": "x" * MEGABYTE}, 0.5)


@pytest.mark.parametrize("n_chars", [8, MEGABYTE])
def test_a_worker_that_ends_is_no_late_one(waiting: None, n_chars: int) -> None:
    with stand_in("sys.stdin.buffer.read(1)") as ended, pytest.raises(WorkerDied):
        ended.ask({"sql": "x" * n_chars}, 60)


@needs_proc
@pytest.mark.parametrize(
    "length", [r"\xff\xff\xff\xff", r"\0\x10\0\1"], ids=["4 GiB", "1 too many"]
)
def test_an_answer_longer_than_allowed_is_not_read(waiting: None, length: str) -> None:
    endless = f"receive(); send(b'{length}')\nwhile True: send(bytes(2**20))"
    with stand_in(endless) as flood:
        forget_peak(os.getpid())
        before = memory_bytes(os.getpid())
        with pytest.raises(WorkerDied):
            flood.ask({}, 60)
        assert memory_bytes(os.getpid(), "VmHWM") - before < 8 * MEGABYTE


def test_the_longest_answer_that_is_allowed_is_read(waiting: None) -> None:
    program = "receive(); send(frame(b'{}'.ljust(2**20)))"
    with stand_in(program) as long:
        assert long.ask({}, 60) == {}
