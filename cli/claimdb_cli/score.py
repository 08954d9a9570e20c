"""`claimdb score`: a predictions file against its claims."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from claimdb_cli.claims_options import (
    AllowPartial,
    ExcludeKnownIssues,
    GroupBy,
    References,
    Split,
    check_files,
    claims_of,
    claims_of_run,
    grouping_note,
)
from claimdb_cli.output import AsJson, DataDir, RepoId, print_json, print_text_table
from claimdb_cli.run_notes import headline, intervals_table, notes

HELP = "Score predictions or a run: accuracy, F1, abstention, 95 % intervals and a signature."
DIGITS = 3

Predictions = Annotated[
    str,
    typer.Argument(
        metavar="PREDICTIONS",
        help="JSONL, JSON list, {claim_id: label}, CSV or Parquet, joined by claim_id; or a run's"
        " folder or .eval log.",
    ),
]


def score(
    predictions: Predictions,
    split: Split = None,
    references: References = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Also score each value of a column (db_name, …); may be given again.",
            show_default=False,
        ),
    ] = None,
    group_by: GroupBy = None,
    exclude_known_issues: ExcludeKnownIssues = False,
    allow_partial: AllowPartial = False,
    data_dir: DataDir = None,
    repo_id: RepoId = None,
    as_json: AsJson = False,
) -> None:
    """Print the score of a predictions file; missing and invalid predictions count as wrong."""
    from claimdb_harness.scored_runs import clustered_intervals, score_run
    from claimdb_metric.score_tables import score_tables

    check_files(predictions)
    own = None if split or references else claims_of_run(predictions, allow_partial)
    claims = claims_of(split, references, data_dir, repo_id, exclude_known_issues, own=own)
    run = score_run(predictions, claims, by or (), group_by, allow_partial)
    intervals = clustered_intervals(run, claims) if run.run_signature else {}
    if as_json:
        shown = {"intervals_by": intervals} if intervals else {}
        print_json(run.score.to_dict() | run.issues() | shown)
        return
    typer.echo(headline(Path(predictions).name, claims.name, run))
    for note in (*notes(run), *grouping_note(claims, group_by)):
        typer.echo(note)
    for table in score_tables(run.score, DIGITS):
        typer.echo()
        print_text_table(table)
    if intervals:
        typer.echo()
        print_text_table(intervals_table(intervals, DIGITS))
    typer.echo(f"\n{run.score.signature}")
    if run.run_signature:
        typer.echo(run.run_signature)
