"""`claimdb run`: a model, or any command-line agent, verifies the claims of a split."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from claimdb_cli.model_options import (
    PANEL,
    BaseUrl,
    Model,
    ModelArgs,
    Temperature,
    agents_room,
    display,
    interrupted,
    model_arguments,
    said,
)
from claimdb_cli.output import AsJson, DataDir, RepoId, print_json, printable_line

if TYPE_CHECKING:
    from claimdb_harness.runs.runs import Run
    from claimdb_harness.runs.summary import Summary

HELP = "Have a model verify claims with SQL; exit code 1 if its provider left some out."
CLAIMS = "The claims"
HOW = "How it is asked"
BUDGET = "The budget of each claim"
MAX_ERRORS = 3


def run_claims(
    model: Model = None,
    command: Annotated[
        str | None, said("An agent's command line instead; {mcp_config} in it.", PANEL)
    ] = None,
    base_url: BaseUrl = None,
    model_arg: ModelArgs = None,
    temperature: Temperature = None,
    seed: Annotated[int | None, said("Of the sampling, where heeded.", PANEL)] = None,
    reasoning_effort: Annotated[str | None, said("Such as low or high.", PANEL)] = None,
    max_connections: Annotated[
        int | None, said("Calls at a time.", PANEL, min=1, max=10_000)
    ] = None,
    max_retries: Annotated[
        int, said("Of a call that fails.", PANEL, min=0, max=100, show_default=True)
    ] = 5,
    split: Annotated[
        str | None, said("train, test_* or sample.", CLAIMS, show_default="test_public")
    ] = None,
    references: Annotated[str | None, said("Claims of your own instead.", CLAIMS, "FILE")] = None,
    limit: Annotated[str | None, said("The first N, or the Ath to Bth.", CLAIMS, "N|A-B")] = None,
    data_dir: DataDir = None,
    repo_id: RepoId = None,
    task: Annotated[
        str | None, said("verify, closed_book or schema_only.", HOW, show_default="verify")
    ] = None,
    prompt: Annotated[
        str | None, said("minimal, taxonomy, schema-first, a file.", HOW, show_default="minimal")
    ] = None,
    protocol: Annotated[
        str | None, said("tools, json or constrained.", HOW, show_default="tools")
    ] = None,
    final: Annotated[
        str | None,
        said("forced: the last turn offers only the verdict; none.", HOW, show_default="forced"),
    ] = None,
    max_turns: Annotated[int | None, said("Calls of the model.", BUDGET, show_default="20")] = None,
    max_sql_calls: Annotated[
        int | None, said("Queries, failed ones too.", BUDGET, show_default="40")
    ] = None,
    max_tokens: Annotated[
        int | None, said("Read and written.", BUDGET, show_default="200,000")
    ] = None,
    max_seconds: Annotated[
        int | None, said("Of model and queries.", BUDGET, show_default="900")
    ] = None,
    max_output_bytes: Annotated[
        int | None, said("Of a query's answer.", BUDGET, show_default="16,000")
    ] = None,
    out: Annotated[
        Path | None, said("Folder of the run.", "The run", "DIR", show_default="runs/…")
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Go on with the run in --out; what is done stays.",
            rich_help_panel="The run",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Run the claims of a split, and say what came of it."""
    from claimdb_harness.runs.requests import DEFAULT_SPLIT, Request
    from claimdb_harness.runs.summary import summarise

    if resume and out is None:
        raise typer.BadParameter("--resume needs --out: the folder of the run that goes on")
    launcher = agents_room("launch")
    budget = {
        "max_turns": max_turns,
        "max_sql_calls": max_sql_calls,
        "max_tokens": max_tokens,
        "max_seconds": max_seconds,
        "max_output_bytes": max_output_bytes,
    }
    sampling = {"temperature": temperature, "seed": seed, "reasoning_effort": reasoning_effort}
    request = Request(
        model=model,
        split=split,
        references=references,
        limit=limit,
        data_dir=data_dir,
        repo_id=repo_id,
        task=task,
        prompt=prompt,
        protocol=protocol,
        final=final,
        command=command,
        budget={name: value for name, value in budget.items() if value is not None},
        generation={name: value for name, value in sampling.items() if value is not None},
    )
    folder = out or launcher.default_folder(model or "command", split or DEFAULT_SPLIT)
    with interrupted(f"claimdb run --out {folder} --resume goes on where this was"):
        run = launcher.launch(
            request,
            folder,
            resume=resume,
            base_url=base_url,
            model_args=model_arguments(model_arg),
            max_connections=max_connections,
            max_retries=max_retries,
            display=display(),
        )
    summary = summarise(run)
    if as_json:
        print_json({"run": str(folder), **summary.to_dict(), "signature": run.settings.signature()})
    else:
        _show(run, summary, folder)
    if not summary.is_complete:
        raise typer.Exit(1)


def _show(run: Run, summary: Summary, folder: Path) -> None:
    for line in _lines(run, summary, folder):
        typer.echo(printable_line(line))


def _lines(run: Run, summary: Summary, folder: Path) -> list[str]:
    n_verdicts = summary.outcomes.get("answered", 0)
    parts: list[Any] = [f"{summary.n_done:,} of {summary.n:,} claims", f"{n_verdicts:,} verdicts"]
    if summary.n_right is not None:
        parts.append(f"{summary.n_right:,} right")
    parts += [f"{summary.n_sql:,} queries", f"{summary.n_tokens:,} tokens"]
    lines = [f"{folder}: {', '.join(parts)}"]
    if summary.stops:
        stops = ", ".join(f"{stop} ({n:,})" for stop, n in summary.stops.items())
        lines.append(f"without a verdict, because of: {stops}")
    for error, n in [*summary.errors.items()][:MAX_ERRORS]:
        lines.append(f"not run ({n:,}): {error}")
    lines.append(run.settings.signature())
    if not summary.is_complete:
        lines.append(f"incomplete: claimdb run --out {folder} --resume asks the others again")
    elif run.claims.is_hidden:
        lines.append(f"next: claimdb predictions {folder} --out predictions.jsonl")
    else:
        lines.append(f"next: claimdb score {folder}")
    return lines
