"""`claimdb check`: a verdict on the user's own data, with the SQL that proves it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from claimdb_cli.database_argument import database_path
from claimdb_cli.model_options import (
    BaseUrl,
    ModelArgs,
    Temperature,
    agents_room,
    model_arguments,
)
from claimdb_cli.output import AsJson, DataDir, RepoId, print_json
from claimdb_cli.verdicts import Checked, exit_code, print_verdict, print_verdicts

if TYPE_CHECKING:
    from claimdb_harness.own_data.claim_lists import OwnClaim

HELP = (
    "Judge claims on your own data, and print the SQL that proves each verdict.\n\n"
    "Exit code 0: entailed, 1: contradicted, 3: not enough info, 2: an error or no verdict;"
    " of many claims the worst counts: 2, then 1, then 3, then 0."
)

MaxTurns = Annotated[
    int | None, typer.Option(help="How often the model is asked.", show_default="20")
]
MaxTokens = Annotated[
    int | None, typer.Option(help="Tokens read and written, for a claim.", show_default="200000")
]
MaxSeconds = Annotated[int | None, typer.Option(help="Seconds for a claim.", show_default="900")]


def check(
    claim: Annotated[
        str | None,
        typer.Argument(help="The claim, a sentence; - reads it from stdin.", show_default=False),
    ] = None,
    *,
    db: Annotated[
        str,
        typer.Option(
            help="A SQLite file, a CSV or Parquet file or a folder of them, or the name of a "
            "benchmark database.",
            show_default=False,
        ),
    ],
    model: Annotated[
        str, typer.Option(metavar="PROVIDER/MODEL", help="Who judges.", show_default=False)
    ],
    info: Annotated[
        str | None,
        typer.Option(help="What the claim does not say itself.", show_default=False),
    ] = None,
    claims: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Many claims: .txt (one a line), .jsonl or .csv (claim, extra_info).",
            show_default=False,
        ),
    ] = None,
    base_url: BaseUrl = None,
    model_arg: ModelArgs = None,
    temperature: Temperature = None,
    protocol: Annotated[
        str, typer.Option(help="tools, json, or constrained for models that know no tools.")
    ] = "tools",
    max_turns: MaxTurns = None,
    max_tokens: MaxTokens = None,
    max_seconds: MaxSeconds = None,
    data_dir: DataDir = None,
    repo_id: RepoId = None,
    as_json: AsJson = False,
) -> None:
    """Print the verdict on each claim; the exit code says it, too."""
    from claimdb_harness.runs.budgets import Budget

    limits = {"max_turns": max_turns, "max_tokens": max_tokens, "max_seconds": max_seconds}
    budget = Budget(**{name: limit for name, limit in limits.items() if limit is not None})
    options = {
        "budget": budget,
        "base_url": base_url,
        "model_args": model_arguments(model_arg),
        "temperature": temperature,
        "protocol": protocol,
    }
    asked = _claims(claim, info, claims)
    agents_room("check")  # what it needs is here, or nothing is loaded
    with _database(db, data_dir, repo_id) as path:
        results = _check(asked, path, model, options)
    if as_json:
        print_json({"model": model, "results": [result.to_dict() for result in results]})
    elif claims is None:
        print_verdict(results[0], model)
    else:
        print_verdicts(results, model)
    _tell_failures(results)
    raise typer.Exit(exit_code(results))


def _claims(claim: str | None, info: str | None, file: Path | None) -> list[OwnClaim]:
    from claimdb_harness.own_data.claim_lists import OwnClaim, read_claims

    if (claim is None) == (file is None):
        raise typer.BadParameter("give a claim, or --claims FILE instead")
    if file is not None:
        if info is not None:
            raise typer.BadParameter("--info is of one claim: in a file, write extra_info")
        return read_claims(file)
    text = sys.stdin.read() if claim == "-" else claim or ""
    return [OwnClaim(text.strip(), (info or "").strip())]


@contextmanager
def _database(db: str, data_dir: str | None, repo_id: str | None) -> Iterator[Path]:
    """The SQLite file; one that is made of tables is removed afterwards, also on Ctrl-C."""
    from claimdb_harness.own_data.table_folders import is_table_file, sqlite_of
    from claimdb_loader.sqlite_file import check_file

    source = Path(db)
    if not source.is_dir() and not is_table_file(source):
        path = database_path(db, data_dir, repo_id)
        check_file(path)
        yield path
        return
    with TemporaryDirectory(prefix="claimdb-check-") as folder:
        path = Path(folder, f"{source.name.split('.')[0] or 'tables'}.sqlite")
        sqlite_of(source, path)
        yield path


def _check(
    claims: Sequence[OwnClaim], database: Path, model: str, options: dict[str, Any]
) -> list[Checked]:
    """Each claim with its trace, and the calls that support the verdict."""
    from tqdm import tqdm

    from claimdb_harness.analysis.proof import proof

    with tqdm(total=len(claims), unit=" claims", disable=None, leave=False) as bar:
        ask = agents_room("check").check_claims
        traces = ask(claims, database, model, on_done=bar.update, **options)
    by_place = {trace.claim_id: trace for trace in traces}
    return [
        Checked(claim, by_place[place], proof(by_place[place], claim.claim))
        for place, claim in enumerate(claims)
    ]


def _tell_failures(results: Sequence[Checked]) -> None:
    failures = [result.failure for result in results if result.failure is not None]
    if not failures:
        return
    of_many = f" on {len(failures):,} of {len(results):,} claims" if len(results) > 1 else ""
    first = "; the first: " if len(failures) > 1 else ": "
    typer.echo(f"claimdb: no verdict{of_many}{first}{failures[0]}", err=True)
