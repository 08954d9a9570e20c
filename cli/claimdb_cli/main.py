"""The `claimdb` command: its verbs, and how errors become exit codes."""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer

from claimdb_cli import (
    analyze,
    baseline,
    build,
    check,
    compare,
    databases,
    demo,
    import_run,
    mcp,
    predictions,
    prepare,
    push,
    push_results,
    run_claims,
    score,
    sql,
    stats,
    validate,
)
from claimdb_metric.errors import ClaimDBError
from claimdb_sandbox.errors import SandboxError

EXIT_BAD_INPUT = 2

app = typer.Typer(
    name="claimdb",
    help="Fact verification over databases too large to read.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    epilog="Exit codes: 0 done, 1 a negative result, 2 bad input, 130 interrupted.",
)
app.command(help=prepare.HELP)(prepare.prepare)
app.command(help=demo.HELP)(demo.demo)
app.command(help=score.HELP)(score.score)
app.command(help=compare.HELP)(compare.compare)
app.command(help=validate.HELP)(validate.validate)
app.command("run", help=run_claims.HELP)(run_claims.run_claims)
app.command(help=predictions.HELP)(predictions.predictions)
app.command(help=analyze.HELP)(analyze.analyze)
app.command("import", help=import_run.HELP)(import_run.import_run)
app.command(help=check.HELP)(check.check)
app.command(help=mcp.HELP)(mcp.mcp)
app.command(help=baseline.HELP)(baseline.baseline)
# SQL may begin with a comment, which looks like an option.
app.command(help=sql.HELP, context_settings={"ignore_unknown_options": True})(sql.sql)
app.command(help=build.HELP)(build.build)
app.command(help=stats.HELP)(stats.stats)
app.command(help=push.HELP)(push.push)
app.command("push-results", help=push_results.HELP)(push_results.push_results)
app.add_typer(databases.app, name="databases")


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"claimdb {version('claimdb')}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Take the options that stand before a verb."""


def run() -> None:
    """Run the command; an error of ours, or of the disk, is one line on stderr and exit code 2."""
    # Where stdout is not UTF-8, a "–" or a name is printed as "?", and is no traceback.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        app()
    except (ClaimDBError, SandboxError) as error:
        typer.echo(f"claimdb: {error}", err=True)
        sys.exit(EXIT_BAD_INPUT)
    except OSError as error:
        where = f": {error.filename}" if error.filename and error.strerror else ""
        typer.echo(f"claimdb: {error.strerror or error}{where}", err=True)
        sys.exit(EXIT_BAD_INPUT)
