"""A run's verdicts as a predictions file, in which a claim without one is invalid, not missing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from claimdb_harness.labelled_claims import LabelledClaims
from claimdb_harness.runs.runs import Run
from claimdb_harness.runs.settings import IMPORTED
from claimdb_harness.runs.traces import Trace
from claimdb_metric.errors import DataError


def check_complete(run: Run) -> None:
    """Raise DataError where claims of a run have no outcome: these are not wrong, but not known."""
    if not run.pending:
        return
    n_done = run.n_asked - len(run.pending)
    errors = [trace.error for trace in run.traces.values() if trace.error]
    why = f"; the provider said: {errors[-1]}" if errors else ""
    go_on = "" if run.settings.task == IMPORTED else "Go on with `claimdb run --resume`, or "
    raise DataError(
        f"{run.path} is incomplete: {n_done:,} of {run.n_asked:,} claims were run{why}. "
        f"{go_on}take what there is with --allow-partial"
    )


def predictions_bytes(runs: Sequence[Run]) -> bytes:
    """Return a row for each claim of some runs that has an outcome, as JSON lines.

    Args:
        runs: of different claims, as the parts of one split that were run apart.

    Raises:
        DataError: a claim is in two of them, or none has an outcome.
    """
    seen: dict[int, Path] = {}
    lines: list[str] = []
    for run in runs:
        for trace in run.done:
            first = seen.setdefault(trace.claim_id, run.path)
            if first is not run.path:
                raise DataError(f"claim {trace.claim_id} is in {first} and in {run.path}")
            lines.append(json.dumps(_row(trace), ensure_ascii=False, allow_nan=False) + "\n")
    if not lines:
        paths = ", ".join(str(run.path) for run in runs)
        raise DataError(f"no claim of {paths} has an outcome yet")
    return "".join(lines).encode("utf-8", "backslashreplace")


def _row(trace: Trace) -> dict[str, object]:
    return {
        "claim_id": trace.claim_id,
        # An empty label is one that no reader takes for a verdict, and that is not missing.
        "label": trace.verdict or "",
        "justification": trace.justification,
        "stop": trace.stop,
        "forced": trace.forced,
        "sql_calls": trace.n_sql,
        "tokens": trace.tokens.total,
        "seconds": trace.seconds,
    }


@contextmanager
def as_predictions_file(run: Run) -> Iterator[str]:
    """Yield the path of a run's predictions, in a folder that is gone afterwards."""
    with TemporaryDirectory(prefix="claimdb-run-") as folder:
        path = Path(folder, "predictions.jsonl")
        path.write_bytes(predictions_bytes([run]))
        yield str(path)


def claims_with_outcome(run: Run) -> LabelledClaims:
    """Return those of a run's claims that have an outcome."""
    done = {trace.claim_id for trace in run.done}
    ids = run.claims.claim_ids
    return LabelledClaims(
        run.claims.name,
        {
            name: [value for value, claim_id in zip(values, ids, strict=True) if claim_id in done]
            for name, values in run.claims.columns.items()
        },
    )


def forced_note(run: Run, claims: LabelledClaims) -> list[str]:
    """Return a sentence on verdicts that came where nothing else was offered any more, if any.

    Args:
        run: what was said.
        claims: those that are scored, with their labels.
    """
    gold = dict(zip(claims.claim_ids, claims.labels, strict=True))
    scored = [trace for trace in run.done if trace.claim_id in gold]
    forced = [trace for trace in scored if trace.forced]
    if not forced:
        return []
    n_right = sum(trace.verdict == gold[trace.claim_id] and not trace.forced for trace in scored)
    share = n_right / len(gold)
    verdicts = "verdict was" if len(forced) == 1 else "verdicts were"
    return [
        f"{len(forced):,} {verdicts} forced, nothing else being offered: "
        f"counted as no verdict, accuracy is {share:.3f}"
    ]
