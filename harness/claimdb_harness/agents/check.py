"""Verdicts on claims of one's own about a database of one's own; nothing is kept of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from inspect_ai.model import GenerateConfig

from claimdb_harness.agents.models import open_model
from claimdb_harness.agents.run import evaluate
from claimdb_harness.agents.tasks import MAX_RETRIES, build_task
from claimdb_harness.agents.watch import Watch
from claimdb_harness.labelled_claims import LabelledClaims
from claimdb_harness.own_data.claim_lists import OwnClaim
from claimdb_harness.runs.asked import Asked
from claimdb_harness.runs.budgets import Budget
from claimdb_harness.runs.plans import Plan
from claimdb_harness.runs.traces import Trace
from claimdb_metric.labels import HIDDEN_NAME


def check_claims(
    claims: Sequence[OwnClaim],
    database: Path,
    model: str,
    *,
    budget: Budget,
    prompt: str = "taxonomy",
    protocol: str = "tools",
    temperature: float | None = None,
    base_url: str | None = None,
    model_args: Mapping[str, Any] | None = None,
    on_done: Callable[[], object] | None = None,
) -> list[Trace]:
    """Return the trace of each claim, in their order; its claim_id is the claim's place, from 0.

    Args:
        claims: what is to be checked.
        database: the SQLite file that they are about.
        model: as Inspect names it.
        budget: what may be spent on each claim.
        prompt, protocol: how the model is asked.
        temperature: of the sampling; None leaves it to the provider.
        base_url, model_args: of the model's provider.
        on_done: is called when a claim is done.

    Raises:
        DataError: there is no such model, or it has no key.
        ChangedDatabaseError: the database changed meanwhile.
        RunFailedError: a database changed meanwhile, or Inspect ended the work.
    """
    asked = Asked(prompt=prompt, protocol=protocol, budget=budget, model=model)
    config = GenerateConfig(max_retries=MAX_RETRIES, temperature=temperature)
    opened = open_model(model, config, base_url, model_args)
    plan = Plan(_labelled(claims, database.stem), None, {database.stem: database})
    traces: dict[int, Trace] = {}

    def keep(trace: Trace) -> None:
        traces[trace.claim_id] = trace
        if on_done is not None:
            on_done()

    watch = Watch(plan.databases)
    watch.last_of = opened
    with TemporaryDirectory(prefix="claimdb-check-") as logs, closing(watch):
        evaluate(build_task(plan, asked, watch, keep), opened, Path(logs))
    return [traces.get(place, _not_begun(place)) for place in range(len(claims))]


def _not_begun(place: int) -> Trace:
    return Trace(place, "not_run", stop="error", error="not asked: the provider failed before")


def _labelled(claims: Sequence[OwnClaim], db_name: str) -> LabelledClaims:
    n = len(claims)
    columns: dict[str, list[object]] = {
        "claim_id": [*range(n)],
        "bird_id": [-1] * n,
        "db_name": [db_name] * n,
        "claim": [one.claim for one in claims],
        "extra_info": [one.extra_info for one in claims],
        "label": [HIDDEN_NAME] * n,
        "category": [None] * n,
    }
    return LabelledClaims("check", columns)
