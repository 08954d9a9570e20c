"""What a reader should know of the numbers of an analysis, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from claimdb_harness.analysis.costs import LIST_PRICES
from claimdb_harness.analysis.prices import Prices
from claimdb_harness.analysis.run_analysis import RunAnalysis

EVIDENCE: Final = (
    "numbers and quoted names are looked for in the rows that SQL returned, rounding and percent"
    " allowed, arithmetic over several values not; a claim that is contradicted, or about which"
    " nothing is known, need not be found itself"
)

_SHARED: Final[Mapping[str, Callable[[RunAnalysis], bool]]] = {
    "labels are hidden, so that only what needs none is shown": lambda run: run.score is None,
    "no price is known, give --prices FILE": lambda run: (
        run.costs.n_counted > 0 and not run.costs.n_priced
    ),
    "what was asked of the databases is not known": lambda run: not run.knows_calls,
    "tokens were not counted": lambda run: not run.costs.n_counted,
}
"""What is said once, of all runs of which it is true."""


def analysis_notes(runs: Sequence[RunAnalysis], prices: Prices) -> list[str]:
    """Return a sentence for each thing that a reader should know of some runs.

    Args:
        runs: the runs.
        prices: with which they were analysed.
    """
    notes = [note for run in runs for note in _notes_of(run)]
    for why, is_so in _SHARED.items():
        names = [run.name for run in runs if run.n_done and is_so(run)]
        if names:
            notes.append(f"{why}: {', '.join(names)}")
    if any(LIST_PRICES in run.costs.sources for run in runs):
        notes.append(f"dollars are list prices as of {prices.as_of} ({prices.source})")
    return [*notes, EVIDENCE]


def _notes_of(run: RunAnalysis) -> list[str]:
    notes = []
    if not run.is_complete:
        left = f"{run.n_claims - run.n_done:,} not run and left out"
        notes.append(f"{run.name}: incomplete, {run.n_done:,}/{run.n_claims:,} claims; {left}")
    costs = run.costs
    if costs.n_priced and costs.n_priced < run.n_done:
        notes.append(f"{run.name}: dollars of {costs.n_priced:,} of {run.n_done:,} claims")
    return notes
