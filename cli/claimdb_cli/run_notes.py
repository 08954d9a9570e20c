"""What `score` and `compare` say of a run beside its numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from claimdb_metric.labels import nearest_label

if TYPE_CHECKING:
    from claimdb_harness.scored_runs import ScoredRun
    from claimdb_metric.intervals import Interval
    from claimdb_metric.score_tables import TextTable

MAX_LISTED = 10


def headline(name: str, split: str, run: ScoredRun) -> str:
    """Return the line that one pastes: what was scored, accuracy, macro-F1, what is missing."""
    from claimdb_metric.score_tables import bounds, number

    rates = [
        f"{shown} {number(value, 3)} {bounds(run.score.intervals[rate], 3)}"
        for rate, shown, value in (
            ("accuracy", "accuracy", run.score.accuracy),
            ("macro_f1", "macro-F1", run.score.macro_f1),
        )
    ]
    n_missing = len(run.missing)
    counts = f"{n_missing:,} missing, {run.score.n_invalid - n_missing:,} invalid"
    return f"{name} on {split}: {', '.join(rates)}, {counts}"


def notes(run: ScoredRun) -> list[str]:
    """Return a line for each thing that a reader should know of a run."""
    lines = []
    if run.missing:
        shown = _listed([str(claim_id) for claim_id in run.missing])
        claims = "claim has" if len(run.missing) == 1 else "claims have"
        lines.append(f"{len(run.missing):,} {claims} no prediction, counted as wrong: {shown}")
    if run.invalid:
        spellings = Counter(row.shown for row in run.invalid)
        shown = _listed([_spelling(text, count) for text, count in spellings.most_common()])
        answers = "answer is" if len(run.invalid) == 1 else "answers are"
        lines.append(f"{len(run.invalid):,} {answers} no label, counted as wrong: {shown}")
    if run.normalised:
        shown = _listed([f"{text!r} ({count:,})" for text, count in run.normalised.items()])
        lines.append(f"taken for a label: {shown}")
    return [*lines, *run.notes]


def intervals_table(intervals: Mapping[str, Mapping[str, Interval]], digits: int) -> TextTable:
    """Return the intervals of `clustered_intervals` as a table: what is resampled, a row each."""
    from claimdb_metric.score_tables import TextTable, bounds

    rows = tuple(
        (unit, *(bounds(rates[rate], digits) for rate in ("accuracy", "macro_f1")))
        for unit, rates in intervals.items()
    )
    columns = ("resampled", "accuracy", "macro-F1")
    return TextTable("95 % intervals", columns, rows, frozenset(columns[1:]))


def _spelling(text: str, count: int) -> str:
    near = nearest_label(text)
    hint = f", did you mean {near}?" if near else ""
    return f"{text} ({count:,}{hint})"


def _listed(texts: Sequence[str]) -> str:
    return ", ".join(texts[:MAX_LISTED]) + (", …" if len(texts) > MAX_LISTED else "")
