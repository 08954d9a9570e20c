"""Runs a plan's claims through Inspect into a folder; what is done already is not asked again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final, Literal, TypeAlias

from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.model import Model

from claimdb_harness.agents.tasks import build_task
from claimdb_harness.agents.watch import Watch
from claimdb_harness.labelled_claims import LabelledClaims
from claimdb_harness.runs.asked import Asked
from claimdb_harness.runs.folder import RunFolder
from claimdb_harness.runs.plans import Plan
from claimdb_harness.runs.runs import Run, read_run
from claimdb_metric.errors import ClaimDBError

Display: TypeAlias = Literal["full", "rich", "plain", "none"]

CLAIMS_PER_LOG: Final = 5000
"""Inspect keeps what a log is about in memory: 560 MB for 5,000 claims, 2.4 GB for 41,000."""


class RunFailedError(ClaimDBError):
    """Inspect ended a run for another reason than a claim: its message says which."""


def run_claims(
    folder: RunFolder,
    plan: Plan,
    asked: Asked,
    model: Model,
    display: Display = "none",
    claims_per_log: int = CLAIMS_PER_LOG,
) -> Run:
    """Return the run, after each of its claims was asked that had no outcome yet.

    Args:
        folder: of a run that was begun here with the same settings, or not there yet.
        plan: the claims and their databases.
        asked: how the model is asked.
        model: from `open_model`.
        display: how Inspect shows progress.
        claims_per_log: claims of one log of Inspect's at most.

    Raises:
        DataError: the folder holds another run, or another process works on it.
        OSError: a trace cannot be written.
        RunFailedError: a database changed meanwhile, or Inspect ended the run.
    """
    if folder.exists:
        folder.check_not_failed()
    watch = Watch(plan.databases)
    settings = asked.settings(plan, watch.fingerprints())
    if folder.exists:
        folder.check_same(settings)
    else:
        folder.begin(settings, plan.claims_file)
    with folder.appending() as writer, closing(watch):
        so_far = read_run(folder.path)
        # What failed before comes last: failures in a row would end the run before the others.
        pending = sorted(so_far.pending, key=so_far.traces.__contains__)
        shards = [*_shards(plan.claims, pending, claims_per_log)]
        for claims in shards:
            watch.last_of = model if claims is shards[-1] else None
            shard = Plan(claims, plan.limit, plan.databases)
            task = build_task(shard, asked, watch, writer.add)
            try:
                evaluate(task, model, folder.logs, display)
            except RunFailedError:
                if watch.changed is not None:
                    folder.fail(str(watch.changed))
                raise
            if watch.disk_error is not None:
                raise watch.disk_error
            if watch.gave_up:
                break
    return read_run(folder.path)


def evaluate(task: Task, model: Model, logs: Path, display: Display = "none") -> None:
    """Ask a task's claims; what became of them is in its traces.

    Args:
        task: from `build_task`.
        model: from `open_model`.
        logs: the folder for Inspect's log.
        display: how Inspect shows progress.

    Raises:
        RunFailedError: Inspect ended it early; claims that the provider failed are no such end.
        KeyboardInterrupt: the user did.
    """
    found = inspect_eval(
        task,
        model=model,
        log_dir=str(logs),
        log_format="eval",
        display=display,
        log_header_only=True,
        score_display=False,
        max_retries=model.config.max_retries,  # else the task's own number would win
    )
    # After a Ctrl-C there is a log that says so, or none.
    if not found or found[0].status == "cancelled":
        raise KeyboardInterrupt
    error = found[0].error
    if found[0].status == "error" and error is not None:
        raise RunFailedError(error.message)


def _shards(claims: LabelledClaims, wanted: Sequence[int], size: int) -> Iterator[LabelledClaims]:
    """The wanted claims in their order, so many at a time."""
    place_of = {claim_id: place for place, claim_id in enumerate(claims.claim_ids)}
    places = [place_of[claim_id] for claim_id in wanted]
    for start in range(0, len(places), size):
        part = places[start : start + size]
        columns = {name: [values[at] for at in part] for name, values in claims.columns.items()}
        yield LabelledClaims(claims.name, columns)
