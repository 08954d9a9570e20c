"""`claimdb score`: a predictions file against its claims."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from claimdb_cli.claims_options import (
    ExcludeKnownIssues,
    GroupBy,
    References,
    Split,
    claims_of,
)
from claimdb_cli.output import AsJson, DataDir, RepoId, print_json, print_text_table

if TYPE_CHECKING:
    from claimdb_harness.scored_runs import ScoredRun

HELP = "Score a predictions file: accuracy, F1, abstention, with 95 % intervals and a signature."
DIGITS = 3
MAX_LISTED = 10

Predictions = Annotated[
    str,
    typer.Argument(
        metavar="PREDICTIONS",
        help="JSONL, JSON list, {claim_id: label}, CSV or Parquet; joined by claim_id.",
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
    data_dir: DataDir = None,
    repo_id: RepoId = None,
    as_json: AsJson = False,
) -> None:
    """Print the score of a predictions file; missing and invalid predictions count as wrong."""
    from claimdb_harness.scored_runs import score_run
    from claimdb_metric.score_tables import score_tables

    claims = claims_of(split, references, data_dir, repo_id, exclude_known_issues)
    run = score_run(predictions, claims, by or (), group_by)
    if as_json:
        print_json(
            run.score.to_dict()
            | {
                "missing": run.missing,
                "invalid": dict(run.invalid),
                "normalised": run.normalised,
                "notes": run.notes,
            }
        )
        return
    for table in score_tables(run.score, DIGITS):
        print_text_table(table)
    for note in _notes(run):
        typer.echo(note)
    typer.echo(run.score.signature)


def _notes(run: ScoredRun) -> list[str]:
    missing = [str(claim_id) for claim_id in run.missing]
    invalid = [f"{row.shown} ({row.claim_id})" for row in run.invalid]
    spelled = [f"{spelling!r} ({count:,})" for spelling, count in run.normalised.items()]
    parts = {
        "without a prediction, counted as wrong": missing,
        "no label, counted as wrong": invalid,
        "spellings taken for a label": spelled,
    }
    lists = [
        f"{len(shown):,} {what}: {', '.join(shown[:MAX_LISTED])}{', …' * (len(shown) > MAX_LISTED)}"
        for what, shown in parts.items()
        if shown
    ]
    return [*lists, *run.notes]
