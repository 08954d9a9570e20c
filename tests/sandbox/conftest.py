"""A small database, and the executor on it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from claimdb_sandbox import Executor, Limits
from tests.sandbox.made_databases import heroes_database

QUICK = Limits(time_limit_s=0.3, grace_s=1.0)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """2,000 rows in table `heroes`, alone in its folder."""
    return heroes_database(tmp_path / "db" / "heroes.sqlite")


@pytest.fixture
def sandbox(database: Path) -> Iterator[Executor]:
    """An executor with a short time limit."""
    with Executor(database, QUICK) as executor:
        yield executor
