"""Means over databases and over claims; the paper's own numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from claimdb_builder.stats.averages import mean_sizes, totals
from claimdb_builder.stats.claim_counts import claims_in_files
from claimdb_builder.stats.database_stats import DatabaseStats, TableStats
from claimdb_builder.stats.report import report_on_counts
from claimdb_metric.errors import DataError

SMALL = DatabaseStats("small", (TableStats("t", 10, 2, 100, 3.0, 5),), 1000)
LARGE = DatabaseStats(
    "large", (TableStats("t", 90, 4, 700, 4.0, 5), TableStats("u", 0, 2, 0, 0.0, 0)), 5000
)


def test_sums() -> None:
    found = totals([SMALL, LARGE])
    assert (found.n, found.n_tables, found.n_rows, found.n_columns) == (2, 3, 100, 8)
    assert (found.n_bytes, found.n_tokens, found.tokens_error_95) == (6000, 800, 5)
    assert found.rows_per_table == pytest.approx(100 / 3)


def test_means_over_databases() -> None:
    found = mean_sizes([SMALL, LARGE])
    assert (found.n, found.n_tables, found.n_rows) == (2, 1.5, 50)
    assert (found.n_columns, found.n_bytes, found.n_tokens) == (4, 3000, 400)
    assert found.tokens_error_95 == 2.5


def test_means_over_claims() -> None:
    found = mean_sizes([SMALL, LARGE], {"small": 3, "large": 1, "elsewhere": 96})
    assert (found.n, found.n_tables, found.n_rows, found.n_tokens) == (4, 1.25, 30, 250)
    assert found.tokens_error_95 == pytest.approx((9**2 + 4**2) ** 0.5 / 4)


def test_what_is_not_known_of_one_is_not_known_of_all() -> None:
    found = mean_sizes([SMALL, DatabaseStats("counted", (TableStats("t", 5),))])
    assert (found.n_columns, found.n_bytes, found.n_tokens, found.tokens_error_95) == (None,) * 4
    assert found.n_rows == 7.5


@pytest.mark.parametrize("weights", [{}, {"small": 0}, {"elsewhere": 3}])
def test_nothing_to_average(weights: dict[str, int]) -> None:
    with pytest.raises(DataError, match="no claim is about any of the databases"):
        mean_sizes([SMALL, LARGE], weights)


def test_no_table_has_no_mean_size() -> None:
    assert totals([DatabaseStats("bare", ())]).rows_per_table is None


def test_the_papers_averages_per_database(shared: Path) -> None:
    report = report_on_counts(str(shared / "data/reference/db_info.json"), [], None)
    assert (report.totals.n, report.totals.n_tables) == (80, 618)
    assert report.totals.n_rows == 366_826_767
    assert f"{report.per_database.n_tables:.2f}" == "7.72"
    assert f"{report.per_database.n_rows:,.2f}" == "4,585,334.59"
    assert f"{report.totals.rows_per_table:,.2f}" == "593,570.82"


@pytest.mark.parametrize(
    ("file", "n", "n_tables", "n_rows"),
    [
        ("test-public.jsonl", 1000, "9.38", "359,185"),
        ("test-private.jsonl", 999, "9.48", "381,326"),
    ],
)
def test_the_papers_averages_per_claim(
    shared: Path, file: str, n: int, n_tables: str, n_rows: str
) -> None:
    claims = claims_in_files([str(shared / "data/claimdb" / file)])
    report = report_on_counts(str(shared / "data/reference/db_info.json"), [], claims)
    found = report.per_claim
    assert found is not None
    assert (claims.n, len(report.databases), found.n) == (n, 11, n)
    assert (f"{found.n_tables:.2f}", f"{found.n_rows:,.0f}") == (n_tables, n_rows)
