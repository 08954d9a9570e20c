"""`claimdb run`: a model, or any command-line agent, verifies the claims of a split."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from claimdb_cli import run_options as options
from claimdb_cli.model_options import (
    BaseUrl,
    Model,
    ModelArgs,
    Temperature,
    agents_room,
    display,
    interrupted,
    model_arguments,
)
from claimdb_cli.output import AsJson, DataDir, RepoId, print_json, printable_line

if TYPE_CHECKING:
    from claimdb_harness.runs.runs import Run
    from claimdb_harness.runs.summary import Summary

HELP = "Have a model verify claims with SQL; exit code 1 if its provider left some out."
MAX_ERRORS = 3


def run_claims(
    model: Model = None,
    command: options.Command = None,
    base_url: BaseUrl = None,
    model_arg: ModelArgs = None,
    temperature: Temperature = None,
    seed: options.Seed = None,
    reasoning_effort: options.ReasoningEffort = None,
    max_connections: options.MaxConnections = None,
    max_retries: options.MaxRetries = 5,
    split: options.Split = None,
    references: options.References = None,
    limit: options.Limit = None,
    data_dir: DataDir = None,
    repo_id: RepoId = None,
    task: options.Task = None,
    prompt: options.Prompt = None,
    protocol: options.Protocol = None,
    final: options.Final = None,
    max_turns: options.MaxTurns = None,
    max_sql_calls: options.MaxSqlCalls = None,
    max_tokens: options.MaxTokens = None,
    max_seconds: options.MaxSeconds = None,
    max_output_bytes: options.MaxOutputBytes = None,
    out: options.Out = None,
    resume: options.Resume = False,
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
