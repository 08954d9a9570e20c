"""The options by which `score`, `compare` and `validate` name the claims they work on."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from claimdb_harness.labelled_claims import LabelledClaims

DEFAULT_SPLIT = "test_public"

Split = Annotated[
    str | None,
    typer.Option(help="train, test_public or sample.", show_default=DEFAULT_SPLIT),
]
References = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Claims of your own with claim_id and label (any format of predictions).",
        show_default=False,
    ),
]
GroupBy = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="bird_id or db_name: intervals resample whole questions or databases.",
        show_default="claims",
    ),
]
ExcludeKnownIssues = Annotated[
    bool, typer.Option("--exclude-known-issues", help="Leave out claims known to be wrong.")
]


def claims_of(
    split: str | None,
    references: str | None,
    data_dir: str | None,
    repo_id: str | None,
    exclude_known_issues: bool,
) -> LabelledClaims:
    """Return the claims that the options name."""
    from claimdb_harness import labelled_claims

    if split and references:
        raise typer.BadParameter("give --split or --references, not both")
    quiet_in_a_pipe()
    if references:
        claims = labelled_claims.from_file(references)
    else:
        claims = labelled_claims.from_split(split or DEFAULT_SPLIT, data_dir, repo_id)
    if exclude_known_issues:
        return labelled_claims.without_known_issues(claims, data_dir)
    return claims


def quiet_in_a_pipe() -> None:
    """Keep the progress bars of `datasets` off a stderr that nobody watches."""
    if not sys.stderr.isatty():
        import datasets

        datasets.disable_progress_bars()
