"""`claimdb stats`: how large databases are, and what is behind the claims about them."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING, Annotated

import typer

from claimdb_cli.claims_options import hint_at_options, quiet_in_a_pipe
from claimdb_cli.output import AsJson, DataDir, RepoId, print_json, print_text_table, printable_line

if TYPE_CHECKING:
    from claimdb_builder.stats.claim_counts import ClaimCounts
    from claimdb_builder.stats.report import StatsReport

HELP = "Show how large databases are: tables, rows, columns, bytes, tokens; also per claim."
NOTE_CHARS = 80
DEFAULT_SAMPLE_ROWS = 20_000
DEFAULT_SEED = 12345


Names = Annotated[
    list[str] | None,
    typer.Argument(metavar="DB", help="Names or files of databases.", show_default=False),
]
Folder = Annotated[
    str | None,
    typer.Option(
        metavar="DIR",
        help="Folder of databases; all of them without DB, --claims or --split.",
        show_default="--data-dir",
    ),
]
ClaimFiles = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FILE",
        help="The databases that claims name (JSONL, Parquet); may be given again.",
        show_default=False,
    ),
]
Split = Annotated[
    str | None,
    typer.Option(
        help="Those that a split names: train, test_public, test_private or sample.",
        show_default=False,
    ),
]
Counts = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help='Tables and rows from JSON, {"databases": {NAME: {"tables": {TABLE: ROWS}}}},'
        " instead of databases.",
        show_default=False,
    ),
]
Domains = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Domains from JSON, {NAME: DOMAIN}; default is each database's name.",
        show_default=False,
    ),
]
Tokens = Annotated[
    str,
    typer.Option(
        metavar="METHOD",
        help="auto, none, estimate, tiktoken:ENCODING or tokenizers:FILE.",
    ),
]
SampleRows = Annotated[
    int,
    typer.Option(min=2, help="Tokens of a table with more rows are judged by so many."),
]
Seed = Annotated[int, typer.Option(help="Of the draw of these rows.")]
Figure = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Also draw it: *.svg or *.png.", show_default=False),
]


def stats(
    names: Names = None,
    databases: Folder = None,
    claims: ClaimFiles = None,
    split: Split = None,
    counts: Counts = None,
    domains: Domains = None,
    tokens: Tokens = "auto",
    sample_rows: SampleRows = DEFAULT_SAMPLE_ROWS,
    seed: Seed = DEFAULT_SEED,
    figure: Figure = None,
    data_dir: DataDir = None,
    repo_id: RepoId = None,
    as_json: AsJson = False,
) -> None:
    """Print the size of databases, and of what is behind each claim."""
    from claimdb_builder.stats.database_choice import Place
    from claimdb_builder.stats.domains import read_domains
    from claimdb_builder.stats.figure import check_figure, write_figure
    from claimdb_builder.stats.report import report_on_counts, report_on_files
    from claimdb_builder.stats.token_counters import TokenCounting, token_counter

    _check_one_of({"DB": names, "--claims": claims, "--split": split})
    _check_one_of({"--databases": databases, "--counts": counts})
    if figure is not None:
        check_figure(figure)
    given_domains = read_domains(domains) if domains is not None else None
    counter = token_counter(tokens)
    chosen = _claims(claims, split, data_dir, repo_id)
    if counts is not None:
        report = report_on_counts(counts, names or (), chosen, given_domains)
    else:
        counting = None if counter is None else TokenCounting(counter, sample_rows, seed)
        place = Place(databases if databases is not None else data_dir, repo_id)
        report = report_on_files(names or (), chosen, place, counting, given_domains)
    if figure is not None:
        write_figure(report, figure)
    if as_json:
        print_json(report.to_dict())
    else:
        _show(report)


def _check_one_of(options: dict[str, object]) -> None:
    given = [name for name, value in options.items() if value]
    if len(given) > 1:
        raise typer.BadParameter(f"give {' or '.join(given)}, not both")


def _claims(
    files: list[str] | None, split: str | None, data_dir: str | None, repo_id: str | None
) -> ClaimCounts | None:
    from claimdb_builder.stats.claim_counts import claims_in_files, counted_claims

    if files:
        return claims_in_files(files)
    if split is None:
        return None
    from claimdb_harness.labelled_claims import from_split

    quiet_in_a_pipe()
    with hint_at_options():
        return counted_claims(split, from_split(split, data_dir, repo_id).column("db_name"))


def _show(report: StatsReport) -> None:
    from claimdb_builder.stats.report_tables import report_tables

    for number, table in enumerate(report_tables(report)):
        if number:
            typer.echo()
        print_text_table(table)
    for number, note in enumerate(report.notes()):
        if not number:
            typer.echo()
        typer.echo(fill(printable_line(note), NOTE_CHARS, subsequent_indent="  "))
