"""`claimdb push`: a benchmark, or the metric, on the Hugging Face Hub."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer

from claimdb_cli.claims_options import quiet_in_a_pipe
from claimdb_cli.output import AsJson, DataDir, print_json, printable_line

if TYPE_CHECKING:
    from claimdb_loader.hub_commit import Sent
    from claimdb_loader.hub_head import Changes, Repo

HELP = "Publish a benchmark as a dataset on the Hugging Face Hub, or the metric as a Space."

Databases: TypeAlias = Literal["none", "split", "all"]


def push(
    folder: Annotated[
        str | None,
        typer.Argument(
            metavar="FOLDER",
            help="Folder of the benchmark; the same as --data-dir.",
            show_default=False,
        ),
    ] = None,
    repo_id: Annotated[
        str | None,
        typer.Option(
            metavar="NAME/claimdb", help="Dataset repository to write.", show_default=False
        ),
    ] = None,
    data_dir: DataDir = None,
    databases: Annotated[
        Databases,
        typer.Option(help="Databases to send: none, those that claims name, or all of the folder."),
    ] = "none",
    dry_run: Annotated[
        str | None,
        typer.Option(
            metavar="TREE",
            help="Write all files to this folder and say what would change; nothing is sent.",
            show_default=False,
        ),
    ] = None,
    metric: Annotated[bool, typer.Option("--metric", help="Publish the metric instead.")] = False,
    space_id: Annotated[
        str | None,
        typer.Option(metavar="NAME/claimdb_metric", help="Space for --metric.", show_default=False),
    ] = None,
    private: Annotated[bool, typer.Option("--private", help="Create it as a private one.")] = False,
    revision: Annotated[
        str | None, typer.Option(help="Branch to write.", show_default="main")
    ] = None,
    create_pr: Annotated[bool, typer.Option("--create-pr", help="Open a pull request.")] = False,
    message: Annotated[
        str | None, typer.Option(help="Message of the commit.", show_default=False)
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace something else that is there.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Send a benchmark or the metric to the Hub in one commit; the same content makes none."""
    from claimdb_loader.hub_head import Repo

    _check(folder, data_dir, repo_id, metric, space_id, dry_run, databases)
    if dry_run == "" or (message is not None and not message.strip()):
        raise typer.BadParameter("--dry-run and --message take a text that is not empty")
    quiet_in_a_pipe()
    if metric:
        from claimdb_builder.publish.metric_space import push_metric

        space = Repo(str(space_id), "space", revision)
        changes, sent = push_metric(space, private, create_pr, message, force)
        _report(space, changes, sent, as_json)
        return
    from claimdb_builder.publish import dataset_push
    from claimdb_builder.publish.benchmark import read_benchmark

    repo = Repo(str(repo_id), "dataset", revision)
    options = dataset_push.Push(databases, private, create_pr, message, force)
    if dry_run is None:
        pushed = dataset_push.push(read_benchmark(folder or data_dir), repo, options)
        _report(repo, pushed.changes, pushed.sent, as_json)
        if pushed.made_branch and not as_json:
            typer.echo(f"branch {revision} was made from main")
        _tell(pushed.tree.notes)
        return
    pushed = dataset_push.dry_run(read_benchmark(folder or data_dir), repo, Path(dry_run), options)
    _report(repo, pushed.changes, None, as_json, tree=dry_run)
    if not pushed.is_compared:
        typer.echo("the Hub could not be reached, so everything counts as added", err=True)
    _tell(pushed.tree.notes)


def _tell(notes: Sequence[str]) -> None:
    for note in notes:
        typer.echo(f"note: {printable_line(note)}", err=True)


def _check(
    folder: str | None,
    data_dir: str | None,
    repo_id: str | None,
    metric: bool,
    space_id: str | None,
    dry_run: str | None,
    databases: str,
) -> None:
    """Raise BadParameter where options exclude each other or one is missing."""
    if folder and data_dir:
        raise typer.BadParameter("give the folder or --data-dir, not both")
    if not metric:
        if space_id:
            raise typer.BadParameter("--space-id goes with --metric")
        if not repo_id:
            raise typer.BadParameter("--repo-id NAME/claimdb says where to publish")
        return
    if not space_id:
        raise typer.BadParameter("--metric needs --space-id NAME/claimdb_metric")
    given = {
        "a folder": folder,
        "--data-dir": data_dir,
        "--repo-id": repo_id,
        "--dry-run": dry_run,
        "--databases": databases != "none",
    }
    excluded = [name for name, value in given.items() if value]
    if excluded:
        raise typer.BadParameter(f"--metric publishes no claims: leave out {excluded[0]}")


def _report(
    repo: Repo, changes: Changes, sent: Sent | None, as_json: bool, tree: str | None = None
) -> None:
    if as_json:
        told: dict[str, Any] = {"repo_id": repo.repo_id, "repo_type": repo.repo_type, "tree": tree}
        print_json(told | asdict(changes) | {"commit": asdict(sent) if sent else None})
        return
    marks = (("+", changes.added), ("~", changes.changed), ("-", changes.removed))
    for mark, names in marks:
        for name in names:
            typer.echo(f"{mark} {printable_line(name)}")
    counts = (
        f"{len(changes.added)} added, {len(changes.changed)} changed, "
        f"{len(changes.removed)} removed, {len(changes.unchanged)} unchanged"
    )
    if tree is not None:
        typer.echo(f"{repo.repo_id} would have {counts}; its files are in {tree}")
    elif sent is None:
        typer.echo(f"{repo.repo_id} is as it was: {counts}; no commit made")
    else:
        typer.echo(f"{repo.repo_id}: {counts}")
        typer.echo(sent.pull_request or sent.url)
