"""The options by which `score`, `compare` and `validate` name the claims they work on."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from claimdb_metric.errors import DataError, UnavailableError

if TYPE_CHECKING:
    from claimdb_harness.labelled_claims import LabelledClaims

DEFAULT_SPLIT = "test_public"
FEW_GROUPS = 30
"""In a simulation (group effects of SD 0.08, 400 runs each) 95 % intervals over 40 groups held the
truth in 95 % of runs, over 11 in 91 %, over 3 in 79 %."""

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

AllowPartial = Annotated[
    bool,
    typer.Option("--allow-partial", help="Score the claims that a run got to, and no others."),
]


def check_files(*paths: str) -> None:
    """Raise DataError that names every file that is not there, before anything is loaded."""
    absent = [path for path in paths if not Path(path).exists()]
    if absent:
        raise DataError(f"no such file: {', '.join(absent)}")


def claims_of(
    split: str | None,
    references: str | None,
    data_dir: str | None,
    repo_id: str | None,
    exclude_known_issues: bool,
    revision: str | None = None,
    own: LabelledClaims | None = None,
) -> LabelledClaims:
    """Return the claims that the options name.

    Args:
        revision: of the Hub repository.
        own: the claims of a run, which are taken where they are given.
    """
    from claimdb_harness import labelled_claims

    if split and references:
        raise typer.BadParameter("give --split or --references, not both")
    quiet_in_a_pipe()
    if own is not None:
        claims = own
    elif references:
        check_files(references)
        claims = labelled_claims.from_file(references)
    else:
        with hint_at_options():
            claims = labelled_claims.from_split(split or DEFAULT_SPLIT, data_dir, repo_id, revision)
    if exclude_known_issues:
        return labelled_claims.without_known_issues(claims, data_dir, repo_id)
    return claims


def claims_of_run(path: str, allow_partial: bool) -> LabelledClaims | None:
    """Return the claims that a run was asked, None where the path is that of a predictions file.

    Args:
        allow_partial: whether claims without an outcome are left out, and not refused.
    """
    from claimdb_harness.runs.predictions import check_complete, claims_with_outcome
    from claimdb_harness.runs.runs import is_run, read_run

    if not is_run(Path(path)):
        return None
    run = read_run(Path(path))
    if allow_partial:
        return claims_with_outcome(run)
    check_complete(run)
    return run.claims


def grouping_note(
    claims: LabelledClaims, group_by: str | None, has_p_values: bool = False
) -> list[str]:
    """Return a line where claims share questions and the intervals do not know of it, or where
    groups are so few that intervals are too narrow."""
    if group_by is not None:
        return _few_groups(_n_different(claims.groups(group_by)), has_p_values)
    questions = claims.groups("bird_id") if "bird_id" in claims.columns else []
    n_questions, n = _n_different(questions), len(questions)
    if n_questions in (0, n):
        return []
    shared = f"{n:,} claims on {n_questions:,} questions are not independent"
    return [f"{shared}: consider --group-by bird_id"]


def _n_different(values: Sequence[object]) -> int:
    # By their text: a file of one's own may hold lists, which a set refuses.
    return len(set(map(repr, values)))


def _few_groups(n: int, has_p_values: bool) -> list[str]:
    if n >= FEW_GROUPS:
        return []
    if n == 1:
        return ["only one group: there is nothing to resample, and so no interval"]
    note = f"only {n:,} groups: intervals are too narrow"
    if has_p_values:
        # Exchanging the systems group by group gives no p-value under 2^(1 - n): 0.0625 for five.
        note += ", and no p-value can be under 0.05" if n < 6 else ", and p-values too small"
    return [note]


@contextmanager
def hint_at_options() -> Iterator[None]:
    """Say in the words of the command what to do where the claims cannot be had."""
    try:
        yield
    except UnavailableError as error:
        raise UnavailableError(
            f"{error}\nclaimdb: or give --data-dir DIR or --split sample"
        ) from None


def quiet_in_a_pipe() -> None:
    """Keep the progress bars of `datasets` off a stderr that nobody watches."""
    if not sys.stderr.isatty():
        import datasets

        datasets.disable_progress_bars()
