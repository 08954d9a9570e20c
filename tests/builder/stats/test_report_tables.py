"""The tables of text: which there are, what they show, and that they fit a terminal."""

from __future__ import annotations

import pytest

from claimdb_builder.stats.claim_counts import ClaimCounts
from claimdb_builder.stats.database_stats import DatabaseStats, TableStats
from claimdb_builder.stats.report import StatsReport
from claimdb_builder.stats.report_tables import (
    error_percent,
    report_tables,
    short_bytes,
    short_number,
)
from claimdb_metric.score_tables import plain

ZOO = DatabaseStats("zoo", (TableStats("owl", 1200, 3, 9000, 45.0, 100),), 57_344)
PARK = DatabaseStats("park", (TableStats("tree", 10, 2, 60, 0.0, 10),), 999)


def test_one_database() -> None:
    databases, tables = map(plain, report_tables(StatsReport((ZOO,))))
    assert databases == (
        "1 database\n"
        "database  tables  cols   rows     size  tokens   ±%\n"
        "zoo            1     3  1,200  57.3 kB   9,000  0.5"
    )
    assert (
        tables == "1 table of zoo\ntable  cols   rows  tokens   ±%\nowl       3  1,200   9,000  0.5"
    )


def test_databases_of_claims() -> None:
    report = StatsReport((PARK, ZOO), ClaimCounts("mine", {"park": 1, "zoo": 3, "gone": 9}))
    databases, averages = map(plain, report_tables(report))
    assert databases.split("\n")[0] == "2 databases named by 4 claims of mine"
    assert averages == (
        "Averages; 605.00 rows per table\n"
        "           in all  per database  per claim\n"
        "tables          2          1.00       1.00\n"
        "rows        1,210        605.00     902.50\n"
        "columns         5          2.50       2.75\n"
        "bytes      58,343        29,172     43,258\n"
        "tokens      9,060         4,530      6,765\n"
        "tokens ±%     0.5           0.5        0.5"
    )


def test_what_is_not_known_has_no_column() -> None:
    counted = DatabaseStats("zoo", (TableStats("owl", 3),))
    assert plain(report_tables(StatsReport((counted,)))[0]).split("\n")[1:] == [
        "database  tables  rows",
        "zoo            1     3",
    ]


def test_what_is_known_of_some_is_a_dash_for_others() -> None:
    counted = DatabaseStats("den", (TableStats("fox", 3),))
    table, _ = report_tables(StatsReport((counted, ZOO)))
    assert table.rows[0] == ("den", "1", "–", "3", "–", "–", "–")


def test_the_largest_databases_fit_80_characters() -> None:
    tables = tuple(TableStats(f"t{i}", 2_428_000, 5, 170_000_000, 9e5, 20_000) for i in range(65))
    names = ("debit_card_specializing", "language_corpus")
    report = StatsReport(
        tuple(DatabaseStats(name, tables, 45_600_000_000) for name in names),
        ClaimCounts("train", dict.fromkeys(names, 2_299)),
    )
    for table in report_tables(report):
        assert max(map(len, plain(table).split("\n"))) <= 80


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"),
        (999.4, "999"),
        (99_999, "99,999"),
        (100_000, "100 k"),
        (999_499, "999 k"),
        (999_500, "1.00 M"),
        (12_340_000, "12.3 M"),
        (4.2e12, "4.20 T"),
        (1.1e22, "11,000 E"),
    ],
)
def test_short_numbers(value: float, shown: str) -> None:
    assert short_number(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"), [(0, "0 B"), (999, "999 B"), (1000, "1.00 kB"), (33_400_000_000, "33.4 GB")]
)
def test_short_bytes(value: int, shown: str) -> None:
    assert short_bytes(value) == shown


@pytest.mark.parametrize(
    ("value", "error", "shown"),
    [(None, None, "–"), (0, 0.0, "–"), (10, 0.0, "–"), (1000, 12.0, "1.2"), (10**6, 1.0, "<0.1")],
)
def test_errors_in_percent(value: float | None, error: float | None, shown: str) -> None:
    assert error_percent(value, error) == shown
