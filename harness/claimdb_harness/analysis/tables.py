"""The analysis of runs as tables of text: one row for each run where that is possible."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from claimdb_harness.analysis.calls import ERROR_KINDS
from claimdb_harness.analysis.faithfulness import PARTS, Support
from claimdb_harness.analysis.run_analysis import RunAnalysis
from claimdb_metric.labels import CATEGORIES, LABELS
from claimdb_metric.score_tables import DASH, TextTable, bounds, number

RATE_DIGITS: Final = 3
_SHORT: Final = ("E", "C", "NEI")
BINS: Final = ((0, 0), (1, 1), (2, 2), (3, 4), (5, 6), (7, 8), (9, 12), (13, 20), (21, 10**9))
"""Of SQL calls, both ends included; the published means lie between 0.1 and 11.9."""


def analysis_tables(runs: Sequence[RunAnalysis]) -> list[TextTable]:
    """Return the tables of some runs; those that would hold nothing are left out.

    Args:
        runs: in the order of the rows.
    """
    traced = [run for run in runs if run.knows_calls]
    tables = (
        _verdicts(runs),
        _calls(traced),
        _bins("Claims by SQL calls", traced, _claims_in),
        _bins("Accuracy by SQL calls", traced, _accuracy_in),
        _errors(traced),
        _counts("Without a verdict, by reason", runs, lambda run: run.verdicts.invalid),
        _counts("Without a verdict, by how it ended", runs, lambda run: run.verdicts.stops),
        _categories(runs),
        _costs(runs),
        *(_evidence(traced, part) for part in PARTS),
        _bare(traced),
    )
    return [table for table in tables if any(set(row[1:]) - {DASH} for row in table.rows)]


def percent(part: float, whole: float) -> str:
    """Return a share in percent, a dash where there is no whole.

    >>> percent(1, 8), percent(0, 0)
    ('12.5 %', '–')
    """
    return f"{part / whole:.1%}".replace("%", " %") if whole else DASH


def bin_name(first: int, last: int) -> str:
    """Return a bin of SQL calls as a table's head.

    >>> [bin_name(*ends) for ends in ((0, 0), (3, 4), (21, 10**9))]
    ['0', '3–4', '>20']
    """
    if first == last:
        return str(first)
    return f">{first - 1}" if last == BINS[-1][1] else f"{first}–{last}"


def _table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> TextTable:
    return TextTable(title, tuple(columns), tuple(map(tuple, rows)), frozenset(columns[1:]))


def _verdicts(runs: Sequence[RunAnalysis]) -> TextTable:
    columns = ("run", "done", "accuracy", "95 %", "macro-F1", "no verdict", "forced")
    rows = []
    for run in runs:
        found, score = run.verdicts, run.score
        rows.append(
            (
                run.name,
                f"{run.n_done:,}" + ("" if run.is_complete else f"/{run.n_claims:,}"),
                number(found.accuracy, RATE_DIGITS),
                bounds(score.intervals["accuracy"] if score else None, RATE_DIGITS),
                number(score.macro_f1 if score else None, RATE_DIGITS),
                f"{run.n_done - found.n_answered:,}",
                f"{found.n_forced:,}",
                number(found.accuracy_unforced, RATE_DIGITS),
                percent(found.nei_share or 0, found.nei_share is not None),
                percent(found.gold_nei_share or 0, found.gold_nei_share is not None),
            )
        )
    return _table("Verdicts", (*columns, "acc. unforced", "says NEI", "is NEI"), rows)


def _calls(runs: Sequence[RunAnalysis]) -> TextTable:
    columns = ("run", "SQL calls", "mean", "median", "with verdict")
    rows = []
    for run in runs:
        found = run.calls
        rows.append(
            (
                run.name,
                f"{found.n_sql:,}",
                number(found.mean, 2),
                number(found.median, 1),
                number(found.mean_answered, 2),
                percent(found.n_schema_first, found.n_with_calls),
                percent(found.n_errors, found.n_sql),
                percent(found.n_repeated, found.n_sql),
            )
        )
    title = "SQL calls per claim, those that failed and claims without a verdict included"
    return _table(title, (*columns, "schema first", "errors", "repeated"), rows)


def _bins(
    title: str, runs: Sequence[RunAnalysis], cell: Callable[[RunAnalysis, int, int], str]
) -> TextTable:
    rows = [(run.name, *(cell(run, *ends) for ends in BINS)) for run in runs]
    return _table(title, ("run", *(bin_name(*ends) for ends in BINS)), rows)


def _claims_in(run: RunAnalysis, first: int, last: int) -> str:
    return f"{sum(run.calls.histogram[first : last + 1]):,}"


def _accuracy_in(run: RunAnalysis, first: int, last: int) -> str:
    by_calls = run.calls.right_by_calls or {}
    inside = [pair for calls, pair in by_calls.items() if first <= calls <= last]
    if not inside:
        return DASH
    return number(sum(right for _, right in inside) / sum(n for n, _ in inside), RATE_DIGITS)


def _errors(runs: Sequence[RunAnalysis]) -> TextTable:
    """Only kinds that were met, so that the table stays narrow."""
    kinds = [kind for kind in ERROR_KINDS if any(run.calls.errors[kind] for run in runs)]
    rows = [
        (run.name, *(percent(run.calls.errors[kind], run.calls.n_sql) for kind in kinds))
        for run in runs
    ]
    return _table("SQL calls that brought no rows or not all", ("run", *kinds), rows)


def _counts(
    title: str, runs: Sequence[RunAnalysis], counts: Callable[[RunAnalysis], Mapping[str, int]]
) -> TextTable:
    names = [name for name in counts(runs[0]) if any(counts(run)[name] for run in runs)]
    rows = [(run.name, *(f"{counts(run)[name]:,}" for name in names)) for run in runs]
    return _table(title, ("run", *(name.replace("_", " ") for name in names)), rows)


def _categories(runs: Sequence[RunAnalysis]) -> TextTable:
    rows = []
    for run in runs:
        pairs = [run.verdicts.nei_by_category.get(name, (0, 0)) for name in CATEGORIES]
        rows.append((run.name, *(percent(n_nei, n) for n, n_nei in pairs)))
    return _table("Verdicts NOT ENOUGH INFO, by the claim's category", ("run", *CATEGORIES), rows)


def _costs(runs: Sequence[RunAnalysis]) -> TextTable:
    columns = ("run", "input", "cached", "output", "reasoning", "turns", "seconds", "$", "$ total")
    rows = []
    for run in runs:
        found = run.costs
        tokens = (found.input, found.cached, found.output, found.reasoning)
        rows.append(
            (
                run.name,
                *(DASH if value is None else f"{value:,.0f}" for value in tokens),
                number(found.turns, 1),
                number(found.seconds, 1),
                number(found.usd, 5),
                number(found.usd_total, 2),
            )
        )
    return _table("Tokens, seconds and dollars per claim", columns, rows)


def _evidence(runs: Sequence[RunAnalysis], part: str) -> TextTable:
    rows = []
    for run in runs:
        of_labels = [run.faithfulness.support[label][part] for label in LABELS]
        rows.append((run.name, *(share for found in of_labels for share in _shares(found))))
    columns = [f"{label} {what}" for label in _SHORT for what in ("numbers", "names", "all")]
    title = f"Of each {part}, found in what SQL returned, by verdict"
    return _table(title, ("run", *columns), rows)


def _bare(runs: Sequence[RunAnalysis]) -> TextTable:
    rows = []
    for run in runs:
        found = run.faithfulness
        right = found.n_right_without_evidence
        share = percent(found.n_without_evidence, run.verdicts.n_answered)
        shown = DASH if right is None else f"{right:,}"
        rows.append((run.name, f"{found.n_without_evidence:,}", share, shown))
    columns = ("run", "verdicts", "of all", "right")
    return _table("Verdicts without a single row of data", columns, rows)


def _shares(found: Support) -> tuple[str, str, str]:
    return (
        percent(found.numbers, found.n_numbers),
        percent(found.names, found.n_names),
        percent(found.n_whole, found.n_texts),
    )
