"""`claimdb baseline`: predictions that read no database, as a floor for those that do."""

from __future__ import annotations

import shlex
from typing import Annotated, Literal, TypeAlias

import typer

from claimdb_cli.claims_options import hint_at_options, quiet_in_a_pipe
from claimdb_cli.output import AsJson, DataDir, RepoId, print_json

HELP = "Write the predictions of a baseline that reads no database: the floor for one that does."
DEFAULT_SPLIT = "test_public"

Name: TypeAlias = Literal["majority", "random", "claim-only"]


def baseline(
    name: Annotated[Name, typer.Argument(help="Which baseline.")],
    out: Annotated[str, typer.Option(metavar="PREDICTIONS", help="The file to write (JSONL).")],
    split: Annotated[
        str, typer.Option(help="train, test_public, test_private (random only) or sample.")
    ] = DEFAULT_SPLIT,
    group_by: Annotated[
        Literal["bird_id", "db_name"],
        typer.Option(
            help="claim-only: what a claim's own training fold must not share with it, its"
            " question or its database."
        ),
    ] = "bird_id",
    seed: Annotated[int, typer.Option(help="Of the random labels.")] = 12345,
    data_dir: DataDir = None,
    repo_id: RepoId = None,
    as_json: AsJson = False,
) -> None:
    """Write a baseline's predictions for a split."""
    from claimdb_harness.baselines import predictions_of
    from claimdb_harness.labelled_claims import from_split
    from claimdb_loader.fixed_submissions import check_out, write_rows

    check_out(out)
    quiet_in_a_pipe()
    with hint_at_options():
        claims = from_split(split, data_dir, repo_id)
    labels = predictions_of(name, claims, group_by, seed)
    rows = [
        {"claim_id": claim_id, "label": label}
        for claim_id, label in zip(claims.claim_ids, labels, strict=True)
    ]
    write_rows(rows, out)
    if as_json:
        print_json({"baseline": name, "split": split, "n": len(rows), "out": out})
        return
    typer.echo(f"{name}: {len(rows):,} predictions for {split} in {out}")
    verb = "validate" if claims.is_hidden else "score"
    places = (("--data-dir", data_dir), ("--repo-id", repo_id))
    where = "".join(f" {option} {shlex.quote(value)}" for option, value in places if value)
    typer.echo(f"Next: claimdb {verb} {shlex.quote(out)} --split {split}{where}")
