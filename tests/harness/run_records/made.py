"""A run's folder for the tests: claims 1 to n, each ENTAILED, and traces by hand."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from claimdb_harness.runs.folder import RunFolder, claims_bytes
from claimdb_harness.runs.settings import Settings
from claimdb_harness.runs.traces import Trace
from tests.harness.analysis.made_runs import E, claims_of


def answered(claim_id: int, label: str = E, **given: Any) -> Trace:
    return Trace(claim_id, "answered", label, **given)


def unanswered(claim_id: int) -> Trace:
    return Trace(claim_id, "no_verdict", stop="turns", invalid="no_answer")


def not_run(claim_id: int, error: str = "429") -> Trace:
    return Trace(claim_id, "not_run", stop="error", error=error)


def settings_of(claims: dict[str, list[Any]], **given: Any) -> Settings:
    sha256 = hashlib.sha256(claims_bytes(claims)).hexdigest()
    return Settings("openai/gpt-5-mini", "mine", sha256, **given)


def begun(path: Path, n: int = 3, **given: Any) -> RunFolder:
    """A run that was begun and of which no claim is done."""
    claims = claims_of(n)
    folder = RunFolder(path)
    folder.begin(settings_of(claims, **given), claims_bytes(claims))
    return folder


def append(folder: RunFolder, *traces: Trace) -> None:
    with folder.appending() as writer:
        for trace in traces:
            writer.add(trace)
