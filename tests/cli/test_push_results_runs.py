"""`claimdb push-results` with a run's folder: only one of which each claim has an outcome."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from claimdb_harness.runs.folder import claims_bytes, write_run
from claimdb_harness.runs.settings import Settings
from claimdb_harness.runs.traces import Trace
from claimdb_metric.labels import LABELS
from tests.cli.conftest import Call
from tests.cli.test_push_results import (
    HERE,
    LABEL_OF,
    nothing_sent,
    result,
    sha,  # noqa: F401 - a fixture
)
from tests.hub import LocalHub
from tests.pushes import OLD_CLIENT

pytestmark = [OLD_CLIENT, pytest.mark.usefixtures("sha")]


def made(path: Path, n_done: int) -> None:
    """A run of the benchmark's twelve public claims, so many of them done and right."""
    columns: dict[str, list[Any]] = {
        "claim_id": [*LABEL_OF],
        "label": [LABELS[label] for label in LABEL_OF.values()],
    }
    sha256 = hashlib.sha256(claims_bytes(columns)).hexdigest()
    rows = [*LABEL_OF.items()][:n_done]
    traces = [Trace(claim_id, "answered", LABELS[label]) for claim_id, label in rows]
    write_run(path, Settings("you/model", "test_public", sha256), columns, traces)


def test_a_whole_run(claimdb_command: Call, hub: LocalHub, tmp_path: Path) -> None:
    made(tmp_path / "run", 12)
    code, out, err = claimdb_command("push-results", "run", *HERE[1:], "--dry-run")
    assert (code, err) == (0, "")
    assert result(out.rsplit("you/model would", 1)[0])["value"] == 1
    assert nothing_sent(hub)


def test_an_incomplete_run(claimdb_command: Call, hub: LocalHub, tmp_path: Path) -> None:
    made(tmp_path / "run", 11)
    code, out, err = claimdb_command("push-results", "run", *HERE[1:])
    assert (code, out) == (2, "")
    assert "run is incomplete: 11 of 12 claims were run" in err
    assert nothing_sent(hub)
