"""A stats report as tables of text."""

from __future__ import annotations

from typing import Final

from claimdb_builder.stats.averages import Sizes
from claimdb_builder.stats.database_stats import DatabaseStats
from claimdb_builder.stats.report import StatsReport
from claimdb_metric.score_tables import DASH, TextTable

_ROWS: Final = {
    "tables": "n_tables",
    "rows": "n_rows",
    "columns": "n_columns",
    "bytes": "n_bytes",
    "tokens": "n_tokens",
}
_PREFIXES: Final = ("", "k", "M", "G", "T", "P", "E")


def report_tables(report: StatsReport) -> list[TextTable]:
    """Return a report's tables: databases, of a single one its tables, averages, domains.

    Args:
        report: what is shown.

    >>> from claimdb_builder.stats.database_stats import TableStats
    >>> zoo = DatabaseStats("zoo", (TableStats("owl", 3),))
    >>> [table.title for table in report_tables(StatsReport((zoo,)))]
    ['1 database', '1 table of zoo']
    """
    tables = [_databases(report)]
    if len(report.databases) == 1:
        tables.append(_tables(report.databases[0]))
    if len(report.databases) > 1:
        tables.append(_averages(report))
    n_domains = len(set(report.domains.values()))
    if n_domains < len(report.databases):
        tables.append(_domains(report))
    return tables


def short_number(value: float | None) -> str:
    """Return a number in three digits and a prefix; whole where it is under 100,000.

    >>> short_number(99_999), short_number(123_456), short_number(7.9e9), short_number(None)
    ('99,999', '123 k', '7.90 G', '–')
    """
    if value is None:
        return DASH
    if value < 100_000:
        return f"{value:,.0f}"
    return _with_prefix(value)


def short_bytes(value: float | None) -> str:
    """Return a number of bytes in three digits.

    >>> short_bytes(512), short_bytes(57_344), short_bytes(999_999), short_bytes(None)
    ('512 B', '57.3 kB', '1.00 MB', '–')
    """
    if value is None:
        return DASH
    return f"{value:,.0f} B" if value < 1000 else f"{_with_prefix(value)}B"


def _with_prefix(value: float) -> str:
    place = 0
    while value >= 999.5 and place < len(_PREFIXES) - 1:
        value, place = value / 1000, place + 1
    digits = 2 if value < 9.995 else 1 if value < 99.95 else 0
    return f"{value:,.{digits}f} {_PREFIXES[place]}"


def error_percent(value: float | None, error: float | None) -> str:
    """Return an error in percent of the value, a dash where there is none.

    >>> error_percent(2000.0, 10.0), error_percent(2000.0, 0.0), error_percent(1e9, 1.0)
    ('0.5', '–', '<0.1')
    """
    if not value or not error:
        return DASH
    percent = 100 * error / value
    return f"{percent:,.1f}" if percent >= 0.05 else "<0.1"


def _databases(report: StatsReport) -> TextTable:
    heads = ["database", "claims", "tables", "cols", "rows", "size", "tokens", "±%"]
    rows = []
    for found in report.databases:
        n_claims = report.n_claims(found.db_name)
        rows.append(
            [
                found.db_name,
                DASH if n_claims is None else f"{n_claims:,}",
                f"{found.n_tables:,}",
                _whole(found.n_columns),
                f"{found.n_rows:,}",
                short_bytes(found.n_bytes),
                short_number(found.n_tokens),
                error_percent(found.n_tokens, found.tokens_error_95),
            ]
        )
    title = f"{_counted(len(rows), 'database')}"
    if report.claims is not None:
        n_here = sum(report.n_claims(found.db_name) or 0 for found in report.databases)
        title += f" named by {_counted(n_here, 'claim')} of {report.claims.name}"
    return _without_empty(title, heads, rows)


def _tables(database: DatabaseStats) -> TextTable:
    rows = [
        [
            table.name,
            _whole(table.n_columns),
            f"{table.n_rows:,}",
            short_number(table.n_tokens),
            error_percent(table.n_tokens, table.tokens_error_95),
        ]
        for table in database.tables
    ]
    title = f"{_counted(len(rows), 'table')} of {database.db_name}"
    return _without_empty(title, ["table", "cols", "rows", "tokens", "±%"], rows)


def _averages(report: StatsReport) -> TextTable:
    columns = {"in all": report.totals, "per database": report.per_database}
    if report.per_claim is not None:
        columns["per claim"] = report.per_claim
    rows = [
        (name, *(_size(sizes, field) for sizes in columns.values()))
        for name, field in _ROWS.items()
        if getattr(report.totals, field) is not None
    ]
    if report.totals.tokens_error_95:
        errors = [error_percent(s.n_tokens, s.tokens_error_95) for s in columns.values()]
        rows.append(("tokens ±%", *errors))
    per_table = report.totals.rows_per_table
    title = "Averages" if per_table is None else f"Averages; {per_table:,.2f} rows per table"
    return TextTable(title, ("", *columns), tuple(rows), frozenset(columns))


def _size(sizes: Sizes, field: str) -> str:
    value = getattr(sizes, field)
    # Sums are whole numbers, and nobody asks for hundredths of a byte.
    is_whole = isinstance(value, int) or field in ("n_bytes", "n_tokens")
    return f"{value:,.0f}" if is_whole else f"{value:,.2f}"


def _domains(report: StatsReport) -> TextTable:
    rows = [
        [found.domain, f"{found.n_databases:,}", _whole(found.n_claims), f"{found.n_rows:,}"]
        for found in report.by_domain
    ]
    return _without_empty(
        _counted(len(rows), "domain"), ["domain", "databases", "claims", "rows"], rows
    )


def _without_empty(title: str, heads: list[str], rows: list[list[str]]) -> TextTable:
    """A table without the columns of which nothing is known, so that it fits 80 characters."""
    kept = [i for i in range(len(heads)) if i == 0 or any(row[i] != DASH for row in rows)]
    columns = tuple(heads[i] for i in kept)
    cells = tuple(tuple(row[i] for i in kept) for row in rows)
    return TextTable(title, columns, cells, frozenset(columns[1:]))


def _whole(value: int | None) -> str:
    return DASH if value is None else f"{value:,}"


def _counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'s' * (n != 1)}"
