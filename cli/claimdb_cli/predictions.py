"""`claimdb predictions`: what runs said, as one predictions file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from claimdb_cli.claims_options import AllowPartial
from claimdb_cli.output import AsJson, print_json

HELP = "Write the verdicts of a run, or of the parts of one, as a predictions file."


def predictions(
    runs: Annotated[
        list[str], typer.Argument(metavar="RUN…", help="Folders of runs, or .eval logs.")
    ],
    out: Annotated[str, typer.Option(metavar="FILE", help="The file to write (JSONL).")],
    allow_partial: AllowPartial = False,
    as_json: AsJson = False,
) -> None:
    """Write runs' verdicts; a claim without one has an empty label, which counts as wrong."""
    from claimdb_harness.runs.predictions import check_complete, predictions_bytes
    from claimdb_harness.runs.runs import read_run
    from claimdb_loader.fixed_submissions import check_out
    from claimdb_loader.storage import replace_atomically

    check_out(out)
    found = [read_run(Path(run)) for run in runs]
    if not allow_partial:
        for run in found:
            check_complete(run)
    replace_atomically(Path(out), predictions_bytes(found))
    n_rows = sum(len(run.done) for run in found)
    n_empty = sum(trace.verdict is None for run in found for trace in run.done)
    if as_json:
        print_json({"out": out, "rows": n_rows, "without_verdict": n_empty})
        return
    typer.echo(f"{out}: {n_rows:,} claims, {n_empty:,} of them without a verdict")
