"""`claimdb analyze`: what agents did, and whether their verdicts rest on what they read."""

from __future__ import annotations

from textwrap import fill
from typing import Annotated

import typer

from claimdb_cli.output import AsJson, print_json, print_text_table, printable_line

HELP = "Analyze runs: SQL calls, errors, evidence, tokens and cost; figures as papers have them."
NOTE_CHARS = 80

Runs = Annotated[
    list[str],
    typer.Argument(metavar="RUN", help="Folders of `claimdb run`, or logs of `inspect eval`."),
]
Figures = Annotated[
    str | None,
    typer.Option(
        metavar="DIR",
        help="Also draw confusions, SQL calls, and accuracy against them: SVG and PNG.",
        show_default=False,
    ),
]
PriceFile = Annotated[
    str | None,
    typer.Option(
        "--prices",
        metavar="FILE",
        help="Prices of your own in place of the list prices: JSON with as_of, source and"
        " usd_per_million_tokens {MODEL: {input, cached, output}}.",
        show_default=False,
    ),
]


def analyze(
    runs: Runs, figures: Figures = None, price_file: PriceFile = None, as_json: AsJson = False
) -> None:
    """Print what runs did about their claims; those that were not run are left out, and counted."""
    from claimdb_harness.analysis.figures import check_figures, write_figures
    from claimdb_harness.analysis.notes import analysis_notes
    from claimdb_harness.analysis.prices import packaged_prices, read_prices
    from claimdb_harness.analysis.run_analysis import analyze_runs
    from claimdb_harness.analysis.tables import analysis_tables

    if figures is not None:
        check_figures(figures)
    prices = packaged_prices() if price_file is None else read_prices(price_file)
    found = analyze_runs(runs, prices)
    written = [] if figures is None else write_figures(found, figures)
    notes = analysis_notes(found, prices)
    if as_json:
        print_json(
            {
                "runs": [run.to_dict() for run in found],
                "prices": {"as_of": prices.as_of, "source": prices.source},
                "figures": [str(path) for path in written],
                "notes": notes,
            }
        )
        return
    for table in analysis_tables(found):
        print_text_table(table)
        typer.echo()
    for note in (*notes, *(f"wrote {path}" for path in written)):
        typer.echo(fill(printable_line(note), NOTE_CHARS, subsequent_indent="  "))
