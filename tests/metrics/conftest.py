"""A metric of its own for each test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(name="make")
def maker(tmp_path: Path) -> Callable[..., Any]:
    """Return the metric's class with its cache under tmp_path."""
    from claimdb_metric.claimdb_metric import ClaimdbMetric

    return lambda **options: ClaimdbMetric(cache_dir=str(tmp_path), **options)


@pytest.fixture(name="metric")
def fresh_metric(make: Callable[..., Any]) -> Any:
    return make()
