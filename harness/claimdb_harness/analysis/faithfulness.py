"""Whether a run's verdicts rest on what its SQL returned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from claimdb_harness.analysis.calls import is_evidence
from claimdb_harness.analysis.evidence import Found, find, returned_by
from claimdb_harness.runs.traces import Trace
from claimdb_metric.labels import LABELS

PARTS: Final = ("claim", "justification")


@dataclass(frozen=True)
class Support:
    """How much of some texts SQL returned.

    Attributes:
        n_texts: texts with a number or a quoted name.
        n_whole: those of which everything was returned.
        n_numbers, numbers: numbers in them, and those that were returned.
        n_names, names: quoted names, likewise.
    """

    n_texts: int = 0
    n_whole: int = 0
    n_numbers: int = 0
    numbers: int = 0
    n_names: int = 0
    names: int = 0

    def with_text(self, found: Found) -> Support:
        """Return the counts with one more text; one that has nothing to look for is left out."""
        if not found.n:
            return self
        return replace(
            self,
            n_texts=self.n_texts + 1,
            n_whole=self.n_whole + (found.hits == found.n),
            n_numbers=self.n_numbers + found.n_numbers,
            numbers=self.numbers + found.numbers,
            n_names=self.n_names + found.n_names,
            names=self.names + found.names,
        )


@dataclass(frozen=True)
class Faithfulness:
    """Whether verdicts rest on what SQL returned.

    The numbers of a claim that is contradicted, or about which nothing is known, need not be in the
    database: claims and justifications are counted apart, and each verdict apart.

    Attributes:
        support: verdict -> `claim` and `justification` -> how much of them was returned.
        n_without_evidence: verdicts without a single row of data: no call, only failed ones, or
            only reads of the schema.
        n_right_without_evidence: those that are right; None where labels are hidden.
    """

    support: dict[str, dict[str, Support]]
    n_without_evidence: int
    n_right_without_evidence: int | None


def faithfulness_of(
    traces: Sequence[Trace], claims: Sequence[str], labels: Sequence[object] | None
) -> Faithfulness:
    """Return whether verdicts rest on what SQL returned.

    Args:
        traces: of the claims that are done; those without a verdict are left out.
        claims: the sentence of each; "" where it is not known.
        labels: the right label of each; None where they are hidden.

    >>> trace = Trace(7, "answered", "ENTAILED", "There are 3.")
    >>> found = faithfulness_of([trace], ["Three ships sail."], ["ENTAILED"])
    >>> found.n_right_without_evidence, found.support["ENTAILED"]["claim"].n_numbers
    (1, 1)
    """
    support = {label: dict.fromkeys(PARTS, Support()) for label in LABELS}
    n_bare, n_right_bare = 0, 0
    golds = labels or [None] * len(traces)
    for trace, claim, gold in zip(traces, claims, golds, strict=True):
        if trace.verdict is None:
            continue
        returned = returned_by(trace.calls)
        counts = support[trace.verdict]
        for part, text in zip(PARTS, (claim, trace.justification), strict=True):
            counts[part] = counts[part].with_text(find(text, returned))
        is_bare = not any(map(is_evidence, trace.calls))
        n_bare += is_bare
        n_right_bare += is_bare and trace.verdict == gold
    return Faithfulness(support, n_bare, None if labels is None else n_right_bare)
