"""What a run took: tokens, seconds and dollars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from claimdb_harness.analysis.prices import Prices
from claimdb_harness.runs.traces import Trace

RECORDED: Final = "recorded"
LIST_PRICES: Final = "list prices"


@dataclass(frozen=True)
class Costs:
    """What the claims that have an outcome took.

    Attributes:
        n_counted: claims whose tokens the provider counted.
        input, cached, output, reasoning: tokens per counted claim, None where there is none.
        seconds: per claim; None where no claim took any.
        turns: per claim.
        n_priced: claims whose cost is known.
        usd: dollars per priced claim; None where there is none.
        usd_total: of all priced claims.
        sources: where dollars come from: `recorded` by what made the run, or `list prices`.
    """

    n_counted: int
    input: float | None
    cached: float | None
    output: float | None
    reasoning: float | None
    seconds: float | None
    turns: float | None
    n_priced: int
    usd: float | None
    usd_total: float | None
    sources: tuple[str, ...]


def count_costs(traces: Sequence[Trace], model: str, prices: Prices) -> Costs:
    """Return what traces took; a cost that a trace has of its own wins over list prices.

    Args:
        traces: of the claims that are done.
        model: as the run's settings name it.
        prices: of models.

    >>> from claimdb_harness.analysis.prices import packaged_prices
    >>> traces = [Trace(7, "answered", "ENTAILED", cost_usd=0.25), Trace(8, "no_verdict")]
    >>> found = count_costs(traces, "mine", packaged_prices())
    >>> found.usd, found.n_priced, found.sources
    (0.25, 1, ('recorded',))
    """
    counted = [trace.tokens for trace in traces if trace.tokens.total]
    recorded = [trace.cost_usd for trace in traces if trace.cost_usd is not None]
    by_list = [
        cost
        for trace in traces
        if trace.cost_usd is None and (cost := prices.cost_usd(model, trace.tokens)) is not None
    ]
    usd = [*recorded, *by_list]
    return Costs(
        n_counted=len(counted),
        input=_mean([tokens.input for tokens in counted]),
        cached=_mean([tokens.cached for tokens in counted]),
        output=_mean([tokens.output for tokens in counted]),
        reasoning=_mean([tokens.reasoning for tokens in counted]),
        seconds=_mean([trace.seconds for trace in traces if trace.seconds]),
        turns=_mean([trace.turns for trace in traces if trace.turns]),
        n_priced=len(usd),
        usd=_mean(usd),
        usd_total=sum(usd) if usd else None,
        sources=(RECORDED,) * bool(recorded) + (LIST_PRICES,) * bool(by_list),
    )


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
