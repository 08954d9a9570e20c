"""How a run used SQL: calls per claim, errors, repeats, and whether it read the schema first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Final

from claimdb_harness.analysis.calls import (
    ERROR_KINDS,
    NO_ERROR,
    SQL_TOOL,
    error_kind,
    is_schema_read,
    n_repeated,
)
from claimdb_harness.runs.traces import Trace

MOST_SHOWN: Final = 20
"""The last bar of its own; the published figures end there, too."""


@dataclass(frozen=True)
class CallCounts:
    """How a run used SQL, over all claims that have an outcome, also where it is no verdict.

    Attributes:
        histogram: claims by their number of SQL calls, 0 to 20, and those with more.
        histogram_no_verdict: of these, the claims that ended without a verdict.
        mean, median: SQL calls per claim; None where no claim is done.
        mean_answered: of the claims with a verdict, as the published means are.
        n_sql: all SQL calls.
        errors: SQL calls by `ERROR_KINDS`; `truncated` and `refused` are no errors of the SQL.
        n_errors: those that are.
        n_repeated: SQL calls that asked what was asked before about the same claim.
        n_repeating: claims with such a call.
        n_with_calls: claims with a call of any tool.
        n_schema_first: of these, the claims whose first call asked for the schema.
        right_by_calls: SQL calls -> (claims, right ones); None where labels are hidden.
    """

    histogram: tuple[int, ...]
    histogram_no_verdict: tuple[int, ...]
    mean: float | None
    median: float | None
    mean_answered: float | None
    n_sql: int
    errors: dict[str, int]
    n_errors: int
    n_repeated: int
    n_repeating: int
    n_with_calls: int
    n_schema_first: int
    right_by_calls: dict[int, tuple[int, int]] | None


def count_calls(traces: Sequence[Trace], labels: Sequence[object] | None) -> CallCounts:
    """Return how SQL was used in traces that have an outcome.

    Args:
        traces: of the claims that are done.
        labels: the right label of each; None where they are hidden.

    >>> from claimdb_harness.runs.traces import Call
    >>> calls = (Call("execute_sql", "SELECT 1", "ok", ""),) * 2
    >>> found = count_calls([Trace(7, "answered", "ENTAILED", calls=calls)], ["ENTAILED"])
    >>> found.mean, found.n_repeated, found.right_by_calls
    (2.0, 1, {2: (1, 1)})
    """
    numbers = [trace.n_sql for trace in traces]
    answered = [trace.n_sql for trace in traces if trace.verdict is not None]
    sql = [call for trace in traces for call in trace.calls if call.tool == SQL_TOOL]
    kinds = Counter(map(error_kind, sql))
    repeated = [n_repeated(trace.calls) for trace in traces]
    begun = [trace.calls[0] for trace in traces if trace.calls]
    return CallCounts(
        histogram=_histogram(numbers),
        histogram_no_verdict=_histogram([t.n_sql for t in traces if t.verdict is None]),
        mean=fmean(numbers) if numbers else None,
        median=float(median(numbers)) if numbers else None,
        mean_answered=fmean(answered) if answered else None,
        n_sql=len(sql),
        errors={kind: kinds[kind] for kind in ERROR_KINDS},
        n_errors=sum(kinds[kind] for kind in ERROR_KINDS if kind not in NO_ERROR),
        n_repeated=sum(repeated),
        n_repeating=sum(map(bool, repeated)),
        n_with_calls=len(begun),
        n_schema_first=sum(map(is_schema_read, begun)),
        right_by_calls=None if labels is None else _right_by_calls(traces, labels),
    )


def _histogram(numbers: Sequence[int]) -> tuple[int, ...]:
    counts = Counter(min(number, MOST_SHOWN + 1) for number in numbers)
    return tuple(counts[number] for number in range(MOST_SHOWN + 2))


def _right_by_calls(
    traces: Sequence[Trace], labels: Sequence[object]
) -> dict[int, tuple[int, int]]:
    claims = Counter(trace.n_sql for trace in traces)
    pairs = zip(traces, labels, strict=True)
    right = Counter(trace.n_sql for trace, label in pairs if trace.verdict == label)
    return {number: (claims[number], right[number]) for number in sorted(claims)}
