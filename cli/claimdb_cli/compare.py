"""`claimdb compare`: whether one run is better than another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from claimdb_cli.claims_options import (
    ExcludeKnownIssues,
    GroupBy,
    References,
    Split,
    check_files,
    claims_of,
    grouping_note,
)
from claimdb_cli.output import AsJson, DataDir, RepoId, print_json, print_table, print_text_table
from claimdb_cli.run_notes import notes
from claimdb_cli.score import DIGITS

if TYPE_CHECKING:
    from claimdb_harness.scored_runs import ScoredRun

HELP = "Compare runs on the same claims: paired bootstrap and exact McNemar test, Holm-corrected."


def compare(
    predictions: Annotated[
        list[str], typer.Argument(metavar="A B [C …]", help="Predictions files, at least two.")
    ],
    baseline: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Compare all others with this one (its name in the table), and not every pair.",
            show_default=False,
        ),
    ] = None,
    split: Split = None,
    references: References = None,
    group_by: GroupBy = None,
    exclude_known_issues: ExcludeKnownIssues = False,
    data_dir: DataDir = None,
    repo_id: RepoId = None,
    as_json: AsJson = False,
) -> None:
    """Print how the systems differ, and how likely that is chance."""
    from claimdb_harness.scored_runs import compare_runs
    from claimdb_metric.comparisons import comparison_tables

    check_files(*predictions)
    claims = claims_of(split, references, data_dir, repo_id, exclude_known_issues)
    runs, pairs = compare_runs(predictions, claims, baseline, group_by)
    if as_json:
        systems = {name: run.score.to_dict() | run.issues() for name, run in runs.items()}
        print_json({"systems": systems, "pairs": [pair.to_dict() for pair in pairs]})
        return
    print_table(
        f"{len(runs)} systems on {pairs[0].n:,} claims of {claims.name}",
        ("system", "accuracy", "macro-F1", "abstains", "missing", "invalid"),
        [_row(name, run) for name, run in runs.items()],
    )
    for name, run in runs.items():
        for note in notes(run):
            typer.echo(f"{name}: {note}")
    for note in grouping_note(claims, group_by, has_p_values=True):
        typer.echo(note)
    typer.echo(next(iter(runs.values())).score.signature)
    for table in comparison_tables(pairs, DIGITS):
        typer.echo()
        print_text_table(table)
    typer.echo(pairs[0].signature)


def _row(name: str, run: ScoredRun) -> tuple[Any, ...]:
    from claimdb_metric.score_tables import bounds, number

    accuracy, macro_f1 = (
        f"{number(getattr(run.score, rate), DIGITS)} {bounds(run.score.intervals[rate], DIGITS)}"
        for rate in ("accuracy", "macro_f1")
    )
    n_missing = len(run.missing)
    abstains = number(run.score.abstention_rate, DIGITS)
    return (name, accuracy, macro_f1, abstains, n_missing, run.score.n_invalid - n_missing)
