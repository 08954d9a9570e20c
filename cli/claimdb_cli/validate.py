"""`claimdb validate`: every problem of a predictions file, before it is sent."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from claimdb_cli.claims_options import (
    References,
    check_files,
    hint_at_options,
    quiet_in_a_pipe,
)
from claimdb_cli.output import AsJson, DataDir, RepoId, print_json, print_table
from claimdb_cli.score import Predictions

if TYPE_CHECKING:
    from claimdb_loader.submissions import Validation

MAX_SHOWN = 1_000
HELP = "Check a predictions file and list every problem; exit code 1 if any is left."


def validate(
    predictions: Predictions,
    split: Annotated[
        str | None,
        typer.Option(
            help="The split it is for: train, test_public, test_private or sample.",
            show_default=False,
        ),
    ] = None,
    references: References = None,
    fix: Annotated[
        str | None,
        typer.Option(
            metavar="OUT",
            help="Write a sorted, normalised copy (JSONL), if nothing in it needs a decision.",
            show_default=False,
        ),
    ] = None,
    data_dir: DataDir = None,
    repo_id: RepoId = None,
    as_json: AsJson = False,
) -> None:
    """Check a predictions file against the claims it is for; labels may be hidden."""
    from claimdb_loader.fixed_submissions import check_out
    from claimdb_loader.submissions import validate as validated

    if bool(split) == bool(references):
        raise typer.BadParameter("give --split or --references: what the predictions are for")
    check_files(predictions)
    if fix is not None:
        check_out(fix)
    name, ids, others = _ids(split, references, data_dir, repo_id)
    found = validated(predictions, ids, others)
    n_fixed = _fix(found, fix) if fix is not None else None
    if as_json:
        print_json(_document(found, n_fixed))
    else:
        _show(found, name)
    remaining = [problem for problem in found.problems if n_fixed is None or not problem.fixable]
    if n_fixed is not None and not as_json:
        typer.echo(f"wrote {n_fixed:,} rows to {fix}; {_counted(len(remaining))} left in it")
    if fix is not None and n_fixed is None:
        typer.echo(f"claimdb: {fix} not written: some problems need a decision of yours", err=True)
    if remaining:
        raise typer.Exit(1)


def _ids(
    split: str | None, references: str | None, data_dir: str | None, repo_id: str | None
) -> tuple[str, list[int], dict[str, list[int]]]:
    """The name of the claims, their ids, and the ids of each other split."""
    from claimdb_harness.labelled_claims import from_file, ids_by_split

    if references:
        check_files(references)
        claims = from_file(references)
        return claims.name, claims.claim_ids, {}
    name = str(split)
    quiet_in_a_pipe()
    with hint_at_options():
        others = ids_by_split(name, data_dir, repo_id)
    return name, others.pop(name), others


def _fix(found: Validation, out: str) -> int | None:
    """The number of rows written, None where a problem needs a decision."""
    from claimdb_loader.fixed_submissions import write_fixed
    from claimdb_metric.errors import PredictionFileError

    try:
        return write_fixed(found, out)
    except PredictionFileError:
        return None


def _document(found: Validation, n_fixed: int | None) -> dict[str, object]:
    return {
        "n_rows": found.n_rows,
        "n_claims": found.n_claims,
        "problems": [asdict(problem) for problem in found.problems],
        "missing": list(found.missing),
        "normalised": found.normalised,
        "notes": found.notes,
        "n_fixed": n_fixed,
    }


def _show(found: Validation, name: str) -> None:
    counts = f"{found.n_rows:,} rows for {found.n_claims:,} claims of {name}"
    title = f"{Path(found.path).name}: {_counted(len(found.problems))}, {counts}"
    if found.problems:
        print_table(
            title,
            (found.place_name, "kind", "problem"),
            [(str(p.place or "–"), p.kind, p.message) for p in found.problems[:MAX_SHOWN]],
        )
        if len(found.problems) > MAX_SHOWN:
            typer.echo(f"and {len(found.problems) - MAX_SHOWN:,} more: --json lists all of them")
    else:
        typer.echo(title)
    for spelling, count in found.normalised.items():
        typer.echo(f"{spelling!r} was taken for a label: {count:,}")
    for note in found.notes:
        typer.echo(note)


def _counted(n: int) -> str:
    return f"{n:,} problem{'s' * (n != 1)}"
