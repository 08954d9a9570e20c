"""`claimdb run` killed and interrupted: what is done stays, and only the rest is asked again."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import read_eval_log

from claimdb_harness.labelled_claims import from_split
from claimdb_harness.runs.runs import read_run
from tests.children import child_env, run_claimdb
from tests.harness.agents.scripts import ENDLESS, NO, UNKNOWN, YES
from tests.sandbox.processes import happens_within, needs_proc

pytestmark = pytest.mark.slow

N = 1000
SQL: Any = {"sql": "SELECT 1"}
SHAPES: Sequence[tuple[list[Any], str]] = (
    ([{"verdict": YES}], "answered"),
    ([SQL, {"verdict": NO}], "answered"),
    ([{"error": 429, "times": 2}, {"verdict": YES}], "answered"),
    ([{"error": 500}, {"sql": "SELECT nothing"}, {"verdict": UNKNOWN}], "answered"),
    ([{"verdict": "SUPPORTS"}, {"verdict": YES}], "answered"),
    ([{"text": "{"}, {"tool": "nothing"}, {"text": ""}], "no_verdict"),
    ([{"error": 401, "times": 1}, {"verdict": YES}], "not_run"),
)


def begin(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "claimdb_cli", "run", "--out", "run", *arguments],
        cwd=folder,
        env=child_env(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def resume(folder: Path) -> Mapping[str, Any]:
    arguments = ("run", "--out", "run", "--resume", "-M", "script=script.json", "--json")
    done = run_claimdb(*arguments, cwd=folder, env=child_env(folder), timeout_s=300)
    assert done.returncode in (0, 1), done.stderr
    return dict(json.loads(done.stdout), exit_code=done.returncode)


def asked(folder: Path) -> list[set[object]]:
    """The claims that each evaluation was about, the oldest first."""
    logs = sorted((folder / "run" / "logs").glob("*.eval"))
    headers = [read_eval_log(str(log), header_only=True) for log in logs]
    return [set(header.eval.dataset.sample_ids or []) for header in headers]


def lines_of(folder: Path) -> list[bytes]:
    path = folder / "run" / "traces.jsonl"
    return path.read_bytes().split(b"\n") if path.exists() else []


def test_a_thousand_claims_with_faults_and_a_kill(tmp_path: Path) -> None:
    names = sorted({str(name) for name in from_split("sample").column("db_name")})
    rows = [
        {"claim_id": n, "claim": f"Claim {n}.", "db_name": names[n % 3], "label": YES}
        for n in range(N)
    ]
    (tmp_path / "claims.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    claims = {str(n): SHAPES[n % len(SHAPES)][0] for n in range(N)}
    (tmp_path / "script.json").write_text(json.dumps({"default": [], "claims": claims}))
    model = ("--model", "claimdb-scripted/drill", "-M", "script=script.json")
    running = begin(tmp_path, *model, "--references", "claims.jsonl", "--max-turns", "3")
    n_lines = random.randrange(100, 400)
    try:
        assert happens_within(lambda: len(lines_of(tmp_path)) > n_lines, 120)
    finally:
        os.killpg(running.pid, signal.SIGKILL)
        running.communicate()
    traces = tmp_path / "run" / "traces.jsonl"
    before = lines_of(tmp_path)[:-1]
    assert n_lines <= len(before) < N
    with traces.open("ab") as file:
        file.write(b'{"claim_id":999,"label":"ENTAI')

    # Those that failed with 401 do so again: to a new process its script is new.
    summary = resume(tmp_path)
    expected = Counter(SHAPES[n % len(SHAPES)][1] for n in range(N))
    assert summary["outcomes"] == expected
    assert (summary["exit_code"], summary["n"]) == (1, N)
    assert summary["n_done"] == N - expected["not_run"]

    *lines, end = lines_of(tmp_path)
    assert end == b""
    assert lines[: len(before)] == before
    by_claim = Counter(json.loads(line)["claim_id"] for line in lines)
    assert set(by_claim) == {*range(N)}
    done_before = {
        values["claim_id"] for values in map(json.loads, before) if values["outcome"] != "not_run"
    }
    assert {by_claim[claim_id] for claim_id in done_before} == {1}
    assert asked(tmp_path) == [{*range(N)}, {*range(N)} - done_before]
    run = read_run(tmp_path / "run")
    assert {n: trace.outcome for n, trace in run.traces.items()} == {
        n: SHAPES[n % len(SHAPES)][1] for n in range(N)
    }

    # With the provider well again, the run comes to its end, and asks only what failed.
    healthy = {"default": [{"verdict": YES}]}
    (tmp_path / "script.json").write_text(json.dumps(healthy))
    summary = resume(tmp_path)
    assert (summary["exit_code"], summary["complete"]) == (0, True)
    assert len(asked(tmp_path)[2]) == expected["not_run"]
    assert len(lines_of(tmp_path)) - 1 == len(lines) + expected["not_run"]


def workers_of(group: int) -> list[int]:
    """The processes of a process group, the first of them left out."""
    found = []
    for path in Path("/proc").iterdir():
        try:
            if path.name.isdigit() and os.getsid(int(path.name)) == group:
                found.append(int(path.name))
        except (ProcessLookupError, PermissionError):
            continue
    return [pid for pid in found if pid != group]


@needs_proc
@pytest.mark.parametrize(("n_signals", "gap_s"), [(1, 0.0), (2, 0.05), (3, 0.05), (2, 0.5)])
def test_ctrl_c_ends_it_and_leaves_nothing_behind(
    tmp_path: Path, n_signals: int, gap_s: float
) -> None:
    claims = {
        "1": [{"verdict": YES}],
        "2": [SQL, {"verdict": YES}],
        "3": [{"sql": ENDLESS}, {"verdict": YES}],
        "4": [{"sql": ENDLESS}, {"verdict": YES}],
    }
    hang = {"default": [{"verdict": YES, "wait_s": 600}], "claims": claims}
    (tmp_path / "script.json").write_text(json.dumps(hang))
    model = ("--model", "claimdb-scripted/test", "-M", "script=script.json")
    running = begin(tmp_path, *model, "--split", "sample", "--limit", "8")
    try:
        assert happens_within(lambda: len(lines_of(tmp_path)) > 2, 60)
        assert workers_of(running.pid)
        for _ in range(n_signals):
            running.send_signal(signal.SIGINT)
            time.sleep(gap_s)
        _, err = running.communicate(timeout=60)
    finally:
        running.kill()
        running.communicate()
    hint = "claimdb: interrupted; claimdb run --out run --resume goes on where this was\n"
    assert err.endswith(hint)
    assert running.returncode == 130
    assert happens_within(lambda: not workers_of(running.pid), 5)

    *lines, end = lines_of(tmp_path)
    assert end == b""
    assert {json.loads(line)["claim_id"] for line in lines} == {1, 2}
    if (n_signals, gap_s) != (1, 0.0):
        return
    (tmp_path / "script.json").write_text(json.dumps({"default": [{"verdict": NO}]}))
    assert resume(tmp_path)["complete"]
    verdicts = {n: trace.verdict for n, trace in read_run(tmp_path / "run").traces.items()}
    assert verdicts == {1: YES, 2: YES} | dict.fromkeys(range(3, 9), NO)


def test_a_second_process_on_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "script.json").write_text('{"default": [{"text": "", "wait_s": 600}]}')
    model = ("--model", "claimdb-scripted/test", "-M", "script=script.json")
    running = begin(tmp_path, *model, "--split", "sample", "--limit", "1")
    try:
        logs = tmp_path / "run" / "logs"
        assert happens_within(lambda: logs.is_dir() and any(logs.iterdir()), 60)
        arguments = ("run", "--out", "run", "--resume", "-M", "script=script.json")
        second = run_claimdb(*arguments, cwd=tmp_path, env=child_env(tmp_path))
    finally:
        os.killpg(running.pid, signal.SIGKILL)
        running.communicate()
    assert second.returncode == 2
    assert re.fullmatch("claimdb: another process works on run: wait for its end\n", second.stderr)
