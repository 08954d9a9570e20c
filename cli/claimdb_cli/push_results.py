"""`claimdb push-results`: a run's score in the repository of the model that it is of."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from claimdb_cli.claims_options import (
    DEFAULT_SPLIT,
    ExcludeKnownIssues,
    check_files,
    claims_of,
)
from claimdb_cli.output import AsJson, DataDir, print_json

HELP = "Publish a run's accuracy as an evaluation result in its model's repository on the Hub."


def push_results(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The run's predictions file.")],
    model_id: Annotated[str, typer.Option(metavar="NAME/model", help="Model repository to write.")],
    repo_id: Annotated[
        str, typer.Option(metavar="NAME/claimdb", help="Dataset repository of the benchmark.")
    ],
    notes: Annotated[
        str, typer.Option(help='How the model was asked: "no tools", "20 turns with SQL".')
    ],
    split: Annotated[str, typer.Option(help="Split that the run is of.")] = DEFAULT_SPLIT,
    task_id: Annotated[
        str | None,
        typer.Option(help="Task in the benchmark's eval.yaml.", show_default="the only one"),
    ] = None,
    source_url: Annotated[
        str | None, typer.Option(help="Where logs or a write-up are.", show_default=False)
    ] = None,
    data_dir: DataDir = None,
    exclude_known_issues: ExcludeKnownIssues = False,
    create_pr: Annotated[bool, typer.Option("--create-pr", help="Open a pull request.")] = False,
    message: Annotated[
        str | None, typer.Option(help="Message of the commit.", show_default=False)
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the result; nothing is sent.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Score a run and publish the result."""
    from claimdb_harness import eval_results
    from claimdb_harness.scored_runs import score_run
    from claimdb_loader.hub_head import Repo
    from claimdb_loader.sources import SAMPLE

    check_files(run)
    if split == SAMPLE:
        raise typer.BadParameter("the embedded sample is of no repository: score a split of yours")
    if source_url and not source_url.startswith(("https://", "http://")):
        raise typer.BadParameter(f"--source-url {source_url!r} is no web address")
    dataset = Repo(repo_id)
    head = eval_results.benchmark_head(dataset)
    # Of the repository, what is scored is the commit that the result names.
    revision = None if data_dir else head.sha
    claims = claims_of(
        split, None, data_dir, None if data_dir else repo_id, exclude_known_issues, revision
    )
    scored = score_run(run, claims)
    task = eval_results.checked_task(dataset, head, task_id, split)
    reported = eval_results.Reported(repo_id, task, notes, source_url, revision)
    sent = None
    if dry_run:
        text = eval_results.results_text(scored, reported)
    else:
        model = Repo(model_id, "model")
        text, sent = eval_results.push_results(scored, reported, model, create_pr, message)
    path = eval_results.result_path(repo_id)
    if as_json:
        told: dict[str, Any] = {"model_id": model_id, "path": path, "yaml": text}
        print_json(told | {"commit": asdict(sent) if sent else None})
        return
    typer.echo(text, nl=False)
    if dry_run:
        typer.echo(f"{model_id} would get this result in {path}")
    elif sent is None:
        typer.echo(f"{model_id} is as it was: this is in {path} already; no commit made")
    else:
        typer.echo(f"{model_id}: {path}\n{sent.pull_request or sent.url}")
