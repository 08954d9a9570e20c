"""`claimdb databases`: list, fetch, verify and find the databases that claims are about."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from claimdb_cli.output import AsJson, DataDir, RepoId, print_json, print_table

app = typer.Typer(
    help="List, fetch, verify and find the databases that claims are about.", no_args_is_help=True
)
Names = Annotated[list[str] | None, typer.Argument(help="Names of databases.", show_default=False)]
Revision = Annotated[
    str | None, typer.Option(help="Branch, tag or commit of the repository.", show_default=False)
]
HERE = ("local copy", "sample", "cache")
"""Where a database's own file is on this machine."""


@app.command("list")
def list_databases(
    data_dir: DataDir = None,
    repo_id: RepoId = None,
    revision: Revision = None,
    as_json: AsJson = False,
) -> None:
    """Show every database, its tables and rows, and whether it is on this machine."""
    from claimdb_loader.catalog import catalog

    entries = catalog(data_dir, repo_id, revision)
    if as_json:
        print_json([asdict(entry) for entry in entries])
        return
    here = sum(entry.place in HERE for entry in entries)
    print_table(
        f"{len(entries)} databases, {here} on this machine",
        ("database", "split", "tables", "rows", "where"),
        [(e.db_name, e.split, e.n_tables, e.n_rows, e.place) for e in entries],
    )


@app.command()
def fetch(
    names: Names = None,
    split: Annotated[
        str | None, typer.Option(help="All that a split's claims name.", show_default=False)
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="All published databases.")] = False,
    data_dir: DataDir = None,
    repo_id: RepoId = None,
    revision: Revision = None,
) -> None:
    """Bring databases to this machine, one by one; what is already here is left alone."""
    from claimdb_loader.catalog import catalog
    from claimdb_loader.database_files import check_name, find_local, locate

    if (bool(names) + bool(split) + everything) != 1:
        raise typer.BadParameter("give NAMES, or --split SPLIT, or --all")
    chosen = names or []
    if split:
        chosen = _named_by(split, data_dir, repo_id, revision)
    if everything:
        chosen = [entry.db_name for entry in catalog(data_dir, repo_id, revision)]
    for name in chosen:
        if find_local(name, data_dir, repo_id, revision) is None:
            check_name(name, data_dir, repo_id, revision)
    for name in chosen:
        typer.echo(str(locate(name, data_dir, repo_id, revision)))


def _named_by(
    split: str, data_dir: str | None, repo_id: str | None, revision: str | None
) -> list[str]:
    import claimdb

    builder = claimdb.ClaimDB(data_dir=data_dir, repo_id=repo_id, revision=revision)
    builder.download_and_prepare()
    return sorted(set(builder.as_dataset(split)["db_name"]))


@app.command()
def verify(
    names: Names = None,
    data_dir: DataDir = None,
    repo_id: RepoId = None,
    revision: Revision = None,
    as_json: AsJson = False,
) -> None:
    """Check databases on this machine: hash where known, SQLite's quick_check, tables."""
    from claimdb_loader.catalog import catalog
    from claimdb_loader.verify import verify_database

    if not names:
        entries = catalog(data_dir, repo_id, revision)
        names = [entry.db_name for entry in entries if entry.place in HERE]
    verdicts = [verify_database(name, data_dir, repo_id, revision) for name in names]
    if as_json:
        print_json([asdict(verdict) for verdict in verdicts])
    else:
        print_table(
            f"{len(verdicts)} database{'s' * (len(verdicts) != 1)} verified",
            ("database", "tables", "bytes", "state"),
            [(v.db_name, v.n_tables, v.n_bytes, v.state) for v in verdicts],
        )
        for verdict in verdicts:
            if verdict.fault:
                typer.echo(f"{verdict.db_name}: {verdict.fault}")
    if any(verdict.fault for verdict in verdicts):
        raise typer.Exit(1)


@app.command()
def path(
    name: Annotated[str, typer.Argument(help="Name of a database.")],
    data_dir: DataDir = None,
    repo_id: RepoId = None,
    revision: Revision = None,
) -> None:
    """Print where a database's file is; fetches it if it is not here yet."""
    from claimdb_loader.database_files import locate

    typer.echo(str(locate(name, data_dir, repo_id, revision)))
