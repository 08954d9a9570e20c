"""A disk that is full: what cannot be written is not paid for again and again."""

from __future__ import annotations

import errno
from contextlib import closing
from pathlib import Path

import pytest

from claimdb_harness.agents.run import evaluate
from claimdb_harness.agents.tasks import build_task
from claimdb_harness.agents.watch import Watch
from claimdb_harness.labelled_claims import from_split
from claimdb_harness.runs.asked import Asked
from claimdb_harness.runs.folder import TraceWriter
from claimdb_harness.runs.plans import plan_run
from tests.harness.agents.scripts import MODEL, YES, Recorder, collected, recording

N_IN_FLIGHT = 20
FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="only Linux has /dev/full")
def test_no_more_claims_are_asked(tmp_path: Path) -> None:
    plan, recorder = plan_run(from_split("sample"), 100), Recorder()
    model = recording({"default": [{"verdict": YES}]}, recorder, max_connections=N_IN_FLIGHT)
    watch = Watch(plan.databases)
    with FULL.open("wb", buffering=0) as full, collected(), closing(watch):
        writer = TraceWriter(full.fileno())
        evaluate(build_task(plan, Asked(model=MODEL), watch, writer.add), model, tmp_path)
    assert watch.disk_error is not None
    assert watch.disk_error.errno == errno.ENOSPC
    assert len(recorder.askings) <= 2 * N_IN_FLIGHT
