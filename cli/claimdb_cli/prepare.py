"""`claimdb prepare`: both names load in any process, also one that never imports claimdb."""

from __future__ import annotations

from dataclasses import asdict

import typer

from claimdb_cli.output import AsJson, DataDir, print_json

HELP = (
    'Fill the local caches, so that load_dataset("claimdb") and evaluate.load("claimdb_metric") '
    "work without `import claimdb` and without a network."
)


def prepare(data_dir: DataDir = None, as_json: AsJson = False) -> None:
    """Prepare the default config and the metric, and say what was done and where."""
    import claimdb
    from claimdb_loader import prepare as caches

    done = caches.prepare(claimdb.ClaimDB(data_dir=""), data_dir)
    if as_json:
        print_json(asdict(done))
        return
    rows = ", ".join(f"{split} {count:,}" for split, count in done.n_rows.items())
    verb = "already there" if done.was_there else f"prepared from {done.source}"
    typer.echo(f"claims  {verb}: {rows}\n        in {done.claims_folder}")
    typer.echo(f"metric  copied\n        to {done.metric_folder}")
    typer.echo(
        'Now load_dataset("claimdb") and evaluate.load("claimdb_metric") work in any process.'
    )
