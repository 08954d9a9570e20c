"""A log of `inspect eval claimdb/…` as a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from inspect_ai.log import EvalSample, read_eval_log, read_eval_log_samples

from claimdb_harness.agents.recording import TRACE_KEY, trace_values
from claimdb_harness.agents.tasks import SETTINGS_KEY
from claimdb_harness.labelled_claims import LabelledClaims
from claimdb_harness.runs.runs import Run
from claimdb_harness.runs.settings import settings_from
from claimdb_harness.runs.traces import Trace, from_values
from claimdb_metric.errors import DataError
from claimdb_metric.labels import HIDDEN_NAME

_NOT_READ: Final = {"messages", "events", "attachments", "output"}
"""Of a sample: what was said, which its trace has as far as a run needs it."""


def run_of_log(path: Path) -> Run:
    """Return the run that a log holds; a claim whose sample failed was not run.

    Raises:
        DataError: it is no log, or of another task.
    """
    try:
        log = read_eval_log(str(path), header_only=True)
        samples = [*_samples(path)]
    except (OSError, ValueError, KeyError) as error:
        raise DataError(f"{path} is no log that Inspect can read: {error}") from error
    values = (log.eval.metadata or {}).get(SETTINGS_KEY)
    if values is None:
        raise DataError(f"{path} is a log of task {log.eval.task}, not of a task of claimdb's")
    if (log.eval.config.epochs or 1) > 1:
        raise DataError(f"{path} has several answers to each claim (--epochs): one is scored")
    settings = replace(settings_from(values), model=log.eval.model)
    traces = {trace.claim_id: trace for sample in samples if (trace := _trace(sample))}
    claims = _claims(samples, settings.split)
    begun = set(claims.claim_ids)
    asked = [int(str(one)) for one in log.eval.dataset.sample_ids or []]
    return Run(path, settings, claims, traces, tuple(one for one in asked if one not in begun))


def _samples(path: Path) -> Iterator[EvalSample]:
    yield from read_eval_log_samples(
        str(path), all_samples_required=False, exclude_fields=_NOT_READ
    )


def _trace(sample: EvalSample) -> Trace | None:
    values = trace_values(sample.store.get(TRACE_KEY))
    return from_values(values) if values else None


def _claims(samples: list[EvalSample], split: str) -> LabelledClaims:
    """The claims as their samples have them; those not begun are in no sample."""
    rows: list[dict[str, Any]] = [dict(sample.metadata) for sample in samples]
    rows.sort(key=lambda row: row["claim_id"])
    columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else {})}
    columns["category"] = [category or None for category in columns.get("category", [])]
    columns.setdefault("claim_id", [])
    columns.setdefault("label", [HIDDEN_NAME] * len(rows))
    return LabelledClaims(split, columns)
