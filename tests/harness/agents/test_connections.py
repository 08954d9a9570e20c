"""A run closes its connections to the provider: nothing is left for the garbage collector."""

from __future__ import annotations

import gc
import warnings
from pathlib import Path

import pytest
from inspect_ai.model import GenerateConfig

from claimdb_harness.agents.models import open_model
from claimdb_harness.agents.run import run_claims
from claimdb_harness.labelled_claims import from_split
from claimdb_harness.runs.asked import Asked
from claimdb_harness.runs.folder import RunFolder
from claimdb_harness.runs.plans import plan_run
from claimdb_metric.labels import LABELS
from tests.openai_server import OpenAIServer

NAME = "openai-api/local/some-model"


def test_no_connection_is_left_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_API_KEY", "none")
    plan = plan_run(from_split("sample"), 4)
    with OpenAIServer({"": [{"verdict": LABELS[0]}]}) as server, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Inspect itself
        gc.collect()  # what other tests left
        model = open_model(NAME, GenerateConfig(), server.base_url)
        run = run_claims(RunFolder(tmp_path / "run"), plan, Asked(model=NAME), model)
        with warnings.catch_warnings(record=True) as left:
            warnings.simplefilter("always")
            del model
            gc.collect()
    assert len(run.done) == 4
    assert [str(one.message) for one in left if "transport" in str(one.message)] == []
