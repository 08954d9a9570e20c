"""`python -m claimdb_cli` is the `claimdb` command."""

from claimdb_cli.main import run

run()
