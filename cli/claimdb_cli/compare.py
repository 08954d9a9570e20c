"""`claimdb compare`: whether one run is better than another."""

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
from claimdb_cli.output import AsJson, DataDir, RepoId, print_json, print_table, print_text_table
from claimdb_cli.score import DIGITS

if TYPE_CHECKING:
    from claimdb_metric import Score

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

    claims = claims_of(split, references, data_dir, repo_id, exclude_known_issues)
    scores, pairs = compare_runs(predictions, claims, baseline, group_by)
    if as_json:
        systems = {name: found.to_dict() for name, found in scores.items()}
        print_json({"systems": systems, "pairs": [pair.to_dict() for pair in pairs]})
        return
    print_table(
        f"{len(scores)} systems on {pairs[0].n:,} claims",
        ("system", "accuracy", "macro-F1", "abstains", "invalid"),
        [_row(name, found) for name, found in scores.items()],
    )
    typer.echo()
    for table in comparison_tables(pairs, DIGITS):
        print_text_table(table)
    typer.echo(pairs[0].signature)


def _row(name: str, found: Score) -> tuple[str, str, str, str, int]:
    from claimdb_metric.score_tables import bounds, number

    accuracy, macro_f1 = (
        f"{number(getattr(found, rate), DIGITS)} {bounds(found.intervals[rate], DIGITS)}"
        for rate in ("accuracy", "macro_f1")
    )
    return (name, accuracy, macro_f1, number(found.abstention_rate, DIGITS), found.n_invalid)
