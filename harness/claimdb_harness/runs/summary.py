"""What a run came to, in a few numbers: for whoever waits for its end."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from claimdb_harness.runs.runs import Run


@dataclass(frozen=True)
class Summary:
    """What a run came to.

    Args:
        n: claims that were asked for.
        n_done: claims with an outcome.
        outcomes: how many of each; not_run holds those that the provider failed.
        stops: why the agent stopped, of the claims without a verdict.
        errors: what the provider said, with a count.
        n_sql: SQL queries.
        n_tokens: read and written.
        n_right: verdicts that are right; None where the labels are hidden.
    """

    n: int
    n_done: int
    outcomes: dict[str, int]
    stops: dict[str, int]
    errors: dict[str, int]
    n_sql: int
    n_tokens: int
    n_right: int | None

    @property
    def is_complete(self) -> bool:
        """Whether each claim has an outcome."""
        return self.n_done == self.n

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as values for JSON."""
        return dict(vars(self)) | {"complete": self.is_complete}


def summarise(run: Run) -> Summary:
    """Return the numbers of a run."""
    traces = run.traces.values()
    return Summary(
        n=run.n_asked,
        n_done=len(run.done),
        outcomes=dict(Counter(trace.outcome for trace in traces)),
        stops=dict(Counter(trace.stop for trace in run.done if trace.verdict is None)),
        errors=dict(Counter(trace.error for trace in traces if trace.error).most_common()),
        n_sql=sum(trace.n_sql for trace in traces),
        n_tokens=sum(trace.tokens.total for trace in traces),
        n_right=_n_right(run),
    )


def _n_right(run: Run) -> int | None:
    if run.claims.is_hidden:
        return None
    gold = dict(zip(run.claims.claim_ids, run.claims.labels, strict=True))
    return sum(trace.verdict == gold[trace.claim_id] for trace in run.done)
