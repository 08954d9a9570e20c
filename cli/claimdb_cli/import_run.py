"""`claimdb import`: another program's run as a run of ours."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from claimdb_cli.claims_options import References, Split, check_files, claims_of
from claimdb_cli.output import AsJson, DataDir, RepoId, print_json, printable_line

if TYPE_CHECKING:
    from claimdb_harness.imports.imported import ImportedRun

HELP = "Import another program's run: predictions, or transcripts with their SQL calls."


def import_run(
    run: Annotated[
        str,
        typer.Argument(metavar="RUN", help="A file of rows, or a folder of <claim_id>.jsonl."),
    ],
    source: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="FORMAT",
            help="predictions or openai-agents (a file), claude-code or codex (a folder).",
        ),
    ],
    out: Annotated[str, typer.Option(metavar="DIR", help="The folder of the run to write.")],
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Name of the model; default is what the run says, or its own name.",
            show_default=False,
        ),
    ] = None,
    split: Split = None,
    references: References = None,
    data_dir: DataDir = None,
    repo_id: RepoId = None,
    as_json: AsJson = False,
) -> None:
    """Write the folder of a run; claims that RUN does not name are pending."""
    from claimdb_harness.imports.imported import import_into

    check_files(run)
    claims = claims_of(split, references, data_dir, repo_id, exclude_known_issues=False)
    found = import_into(Path(out), Path(run), source, claims, model)
    if as_json:
        print_json(found.to_dict())
        return
    for line in _lines(found, claims.name):
        typer.echo(printable_line(line))


def _lines(found: ImportedRun, split: str) -> list[str]:
    counts = found.to_dict()
    invalid = Counter(trace.invalid for trace in found.traces if trace.invalid)
    why = ", ".join(f"{n:,} {name}" for name, n in invalid.most_common())
    lines = [
        f"{found.out}: {found.model} on {split}, {counts['answered']:,} claims answered, "
        f"{counts['no_verdict']:,} without a verdict" + (f" ({why})" if why else ""),
        f"SQL calls: {counts['sql_calls']:,}",
    ]
    if counts["not_run"] or found.pending:
        lines.append(
            f"not run: {counts['not_run']:,} where the provider failed, "
            f"{len(found.pending):,} that the run does not name"
        )
    lines += [f"left aside: {word} ({n:,})" for word, n in found.left_aside.items()]
    return lines
