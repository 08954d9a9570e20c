"""From what a user said to a run: the model first, then claims and databases, then the asking."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inspect_ai.model import GenerateConfig

from claimdb_harness.agents.models import NO_MODEL, open_model
from claimdb_harness.agents.run import Display, run_claims
from claimdb_harness.agents.tasks import MAX_RETRIES
from claimdb_harness.runs.folder import RunFolder
from claimdb_harness.runs.requests import Request
from claimdb_harness.runs.runs import Run
from claimdb_metric.errors import DataError


def launch(
    request: Request,
    out: Path,
    resume: bool = False,
    base_url: str | None = None,
    model_args: Mapping[str, Any] | None = None,
    max_connections: int | None = None,
    max_retries: int = MAX_RETRIES,
    display: Display = "none",
) -> Run:
    """Return the run that a request asks for, after its claims were asked.

    Args:
        request: what was said.
        out: the run's folder.
        resume: whether the folder holds a run that goes on.
        base_url, model_args: of the model's provider; not recorded, as they may hold secrets.
        max_connections: calls of the model at a time; None leaves it to Inspect.
        max_retries: of a call that the provider fails.
        display: how Inspect shows progress.

    Raises:
        DataError: what is said is wrong, or something is missing.
        RunFailedError: a database changed meanwhile, or Inspect ended the run.
    """
    folder = RunFolder(out)
    if folder.exists and not resume:
        raise DataError(f"{out} holds a run already: go on with --resume, or give another --out")
    if resume and not folder.exists:
        raise DataError(f"{out} holds no run to go on with: leave --resume out to begin one")
    earlier = folder if resume else None
    asked = request.asked(earlier)
    config = GenerateConfig(
        max_connections=max_connections, max_retries=max_retries, **dict(asked.generation)
    )
    name = asked.model if asked.command is None else NO_MODEL
    model = open_model(name, config, base_url, model_args)
    return run_claims(folder, request.plan(earlier), asked, model, display)


def default_folder(model: str, split: str) -> Path:
    """Return the folder that a run gets where none is named: by model, split and time.

    >>> str(default_folder("openai/gpt-5-mini", "sample")).startswith("runs/gpt-5-mini-sample-")
    True
    """
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", model.split("/")[-1]).strip("-.") or "model"
    return Path("runs", f"{name}-{split}-{time.strftime('%Y%m%d-%H%M%S')}")
