"""A provider that fails: retried where that may help, never a wrong answer, asked again."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from claimdb_harness.agents.watch import MAX_FAILURES
from claimdb_harness.labelled_claims import from_split
from claimdb_harness.runs.plans import Plan, plan_run
from claimdb_harness.runs.summary import summarise
from claimdb_metric.errors import DataError
from tests.harness.agents.scripts import YES, Asking, Played, Recorder, play, run

SQL: Any = {"sql": "SELECT 1"}
VERDICT: Any = {"verdict": YES}
N_IN_FLIGHT = 20
"""Of the scripted model, at most."""


def fails(status: int, times: int = 99) -> dict[str, Any]:
    return {"error": status, "times": times}


def sample(n: int) -> Plan:
    return plan_run(from_split("sample"), n)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    return play(
        tmp_path_factory.mktemp("errors"),
        {
            "429 twice": [fails(429, 2), VERDICT],
            "500 later": [SQL, fails(500, 3), VERDICT],
            "503 for good": [SQL, fails(503)],
            "401": [fails(401), VERDICT],
            "400 later": [SQL, fails(400)],
            "none": [VERDICT],
        },
    )


@pytest.mark.parametrize(
    ("name", "outcome", "error", "n_asked", "n_calls"),
    [
        ("429 twice", "answered", None, 3, 0),
        ("500 later", "answered", None, 5, 1),
        # Asked once more than there are retries, of which there are three.
        ("503 for good", "not_run", "ScriptedError: the script says 503", 5, 1),
        ("401", "not_run", "ScriptedError: the script says 401", 1, 0),
        ("400 later", "not_run", "ScriptedError: the script says 400", 2, 1),
        ("none", "answered", None, 1, 0),
    ],
)
def test_what_comes_of_an_error(
    played: Played, name: str, outcome: str, error: str | None, n_asked: int, n_calls: int
) -> None:
    trace = played.traces[name]
    assert (trace.outcome, trace.error, trace.verdict) == (
        outcome,
        error,
        YES if outcome == "answered" else None,
    )
    assert trace.stop == ("verdict" if error is None else "error")
    assert (trace.invalid, len(trace.calls)) == (None, n_calls)
    assert len(played.askings[name]) == n_asked


@pytest.mark.parametrize(("max_retries", "n_asked"), [(0, 1), (1, 2)])
def test_the_number_of_retries_is_the_users(tmp_path: Path, max_retries: int, n_asked: int) -> None:
    recorder = Recorder()
    script = {"default": [fails(500)]}
    run(tmp_path / "run", sample(1), script, recorder, {"max_retries": max_retries})
    assert len(recorder.askings) == n_asked


def test_only_what_failed_is_asked_again(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    failing = {str(claim_id): [fails(401)] for claim_id in (3, 7)}
    begun = run(folder, sample(9), {"default": [VERDICT], "claims": failing})
    summary = summarise(begun)
    assert (begun.pending, summary.n_done, summary.is_complete) == ([3, 7], 7, False)
    assert summary.errors == {"ScriptedError: the script says 401": 2}

    # A kill in the midst of a line: its claim is asked again, too.
    traces = folder / "traces.jsonl"
    lines = traces.read_bytes().split(b"\n")
    torn = next(line for line in lines if b'"claim_id":5,' in line)
    kept = [line for line in lines if line and line != torn]
    traces.write_bytes(b"\n".join([*kept, torn[:100]]))

    recorder = Recorder()
    ended = run(folder, sample(9), {"default": [VERDICT]}, recorder)
    assert Counter(asking.claim_id for asking in recorder.askings) == {3: 1, 5: 1, 7: 1}
    assert (ended.pending, summarise(ended).is_complete) == ([], True)
    assert summarise(ended).errors == {}
    assert [trace.outcome for trace in ended.done] == ["answered"] * 9

    nothing = Recorder()
    run(folder, sample(9), {"default": [VERDICT]}, nothing)
    assert nothing.askings == []


def test_many_failures_in_a_row_end_the_run(tmp_path: Path) -> None:
    n = 60
    ended = run(tmp_path / "run", sample(n), {"default": [fails(401)]})
    n_failed = len(ended.traces)
    assert MAX_FAILURES <= n_failed <= MAX_FAILURES + N_IN_FLIGHT
    assert {trace.outcome for trace in ended.traces.values()} == {"not_run"}
    assert len(ended.pending) == n

    # Every other one fails, never so many in a row.
    claims = {str(claim_id): [VERDICT] for claim_id in range(0, n + 1, 2)}
    script = {"default": [fails(401)], "claims": claims}
    going_on = run(tmp_path / "run", sample(n), script)
    assert (len(going_on.traces), len(going_on.done)) == (n, n // 2)


def test_later_logs_are_not_begun_after_that(tmp_path: Path) -> None:
    recorder = Recorder()
    ended = run(
        tmp_path / "run",
        sample(70),
        {"default": [fails(401)]},
        recorder,
        claims_per_log=25,
    )
    assert len([*(tmp_path / "run" / "logs").iterdir()]) == 1
    assert (len(recorder.askings), len(ended.pending)) == (25, 70)


def test_a_run_in_several_logs(tmp_path: Path) -> None:
    ended = run(tmp_path / "run", sample(7), {"default": [VERDICT]}, claims_per_log=3)
    assert (ended.pending, len(ended.done)) == ([], 7)
    assert len([*(tmp_path / "run" / "logs").iterdir()]) == 3


def test_two_runs_in_one_folder_at_a_time(tmp_path: Path) -> None:
    folder, told = tmp_path / "run", []

    def begin_another(_: Asking) -> None:
        from claimdb_harness.runs.folder import RunFolder

        with pytest.raises(DataError) as caught, RunFolder(folder).appending():
            pass
        told.append(str(caught.value))

    ended = run(folder, sample(1), {"default": [VERDICT]}, Recorder(begin_another))
    assert told == [f"another process works on {folder}: wait for its end"]
    assert ended.pending == []


def test_claims_that_fail_again_do_not_keep_the_others_from_being_asked(tmp_path: Path) -> None:
    n_failing = 2 * MAX_FAILURES
    failing = {str(claim_id): [fails(400)] for claim_id in range(1, n_failing + 1)}
    script = {"default": [VERDICT], "claims": failing}
    n = n_failing + 30
    first = run(tmp_path / "run", sample(n), script)
    assert len(first.done) < 30
    second = run(tmp_path / "run", sample(n), script)
    assert [trace.claim_id for trace in second.done] == [*range(n_failing + 1, n + 1)]
