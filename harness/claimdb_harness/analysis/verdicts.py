"""What verdicts a run gave: why some are missing, which were forced, how often it abstained."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from claimdb_harness.runs.traces import INVALIDS, STOPS, Trace
from claimdb_metric.labels import CATEGORIES, LABELS, NOT_ENOUGH_INFO


@dataclass(frozen=True)
class Verdicts:
    """The verdicts of the claims that have an outcome.

    Attributes:
        n_answered: claims with a verdict.
        invalid: claims without one, by reason; `unknown` where the trace gives none.
        stops: claims without one, by why the agent stopped.
        n_forced: verdicts given where nothing else was offered any more.
        n_forced_right: those that are right; None where labels are hidden.
        accuracy: right verdicts of all claims done; None where labels are hidden.
        accuracy_unforced: the same, with forced verdicts counted as none.
        predicted: verdicts by label.
        gold_nei_share: claims whose label is NOT ENOUGH INFO; None where labels are hidden.
        nei_by_category: category -> (its verdicts, those NOT ENOUGH INFO).
    """

    n_answered: int
    invalid: dict[str, int]
    stops: dict[str, int]
    n_forced: int
    n_forced_right: int | None
    accuracy: float | None
    accuracy_unforced: float | None
    predicted: dict[str, int]
    gold_nei_share: float | None
    nei_by_category: dict[str, tuple[int, int]]

    @property
    def nei_share(self) -> float | None:
        """Verdicts NOT ENOUGH INFO of all verdicts, as the published shares are."""
        return (
            self.predicted[LABELS[NOT_ENOUGH_INFO]] / self.n_answered if self.n_answered else None
        )


def count_verdicts(
    traces: Sequence[Trace],
    labels: Sequence[object] | None,
    categories: Sequence[str | None] | None = None,
) -> Verdicts:
    """Return what verdicts traces that have an outcome gave.

    Args:
        traces: of the claims that are done.
        labels: the right label of each; None where they are hidden.
        categories: the NEI category of each, None where it has none or where they are not known.

    >>> traces = [Trace(7, "answered", "ENTAILED", forced=True), Trace(8, "answered", "ENTAILED")]
    >>> found = count_verdicts(traces, ["ENTAILED", "ENTAILED"])
    >>> found.accuracy, found.accuracy_unforced
    (1.0, 0.5)
    """
    without = [trace for trace in traces if trace.verdict is None]
    invalid = Counter[str](trace.invalid or "unknown" for trace in without)
    stops = Counter(trace.stop for trace in without)
    predicted = Counter(trace.verdict for trace in traces)
    pairs = zip(traces, labels or [None] * len(traces), strict=True)
    right = [trace for trace, label in pairs if label is not None and trace.verdict == label]
    forced_right = sum(trace.forced for trace in right)
    is_known = labels is not None and len(traces) > 0
    n = max(len(traces), 1)
    return Verdicts(
        n_answered=len(traces) - len(without),
        invalid={name: invalid[name] for name in (*INVALIDS, "unknown")},
        stops={name: stops[name] for name in STOPS},
        n_forced=sum(trace.forced for trace in traces if trace.verdict is not None),
        n_forced_right=forced_right if is_known else None,
        accuracy=len(right) / n if is_known else None,
        accuracy_unforced=(len(right) - forced_right) / n if is_known else None,
        predicted={label: predicted[label] for label in LABELS},
        gold_nei_share=list(labels or ()).count(LABELS[NOT_ENOUGH_INFO]) / n if is_known else None,
        nei_by_category=_nei_by_category(traces, categories),
    )


def _nei_by_category(
    traces: Sequence[Trace], categories: Sequence[str | None] | None
) -> dict[str, tuple[int, int]]:
    found = dict.fromkeys(CATEGORIES, (0, 0)) if categories is not None else {}
    for trace, category in zip(traces, categories or [None] * len(traces), strict=True):
        if category is not None and trace.verdict is not None:
            n, n_nei = found[category]
            found[category] = (n + 1, n_nei + (trace.verdict == LABELS[NOT_ENOUGH_INFO]))
    return found
