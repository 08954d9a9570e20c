"""The mean size of a database: over databases, or over the claims that are about them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from claimdb_builder.stats.database_stats import DatabaseStats
from claimdb_metric.errors import DataError


@dataclass(frozen=True)
class Sizes:
    """Sums, or means, over databases; what is not known of each of them is None.

    Attributes:
        n: how many databases, or claims, it is over.
        tokens_error_95: half the width of the 95 % interval of the tokens.
    """

    n: int
    n_tables: float
    n_rows: float
    n_columns: float | None
    n_bytes: float | None
    n_tokens: float | None
    tokens_error_95: float | None

    @property
    def rows_per_table(self) -> float | None:
        """The rows of the mean table; None where there is no table."""
        return self.n_rows / self.n_tables if self.n_tables else None


def totals(databases: Sequence[DatabaseStats]) -> Sizes:
    """Return the sums over databases.

    >>> from claimdb_builder.stats.database_stats import TableStats
    >>> totals([DatabaseStats("zoo", (TableStats("owl", 3),), n_bytes=8192)]).n_bytes
    8192
    """
    return _weighted(databases, [1] * len(databases), None)


def mean_sizes(
    databases: Sequence[DatabaseStats], weights: Mapping[str, int] | None = None
) -> Sizes:
    """Return the means over databases, each with its weight.

    Args:
        weights: how many claims each database has, so that the mean is one over claims; None
            weighs all the same.

    Raises:
        DataError: the weights are all 0, or there is no database.

    >>> from claimdb_builder.stats.database_stats import TableStats
    >>> zoo = DatabaseStats("zoo", (TableStats("owl", 3), TableStats("heron", 4)))
    >>> farm = DatabaseStats("farm", (TableStats("cow", 99),))
    >>> mean_sizes([zoo, farm]).n_rows, mean_sizes([zoo, farm], {"zoo": 1, "farm": 3}).n_rows
    (53.0, 76.0)
    """
    chosen = [1 if weights is None else weights.get(one.db_name, 0) for one in databases]
    if sum(chosen) == 0:
        raise DataError("there is nothing to average: no claim is about any of the databases")
    return _weighted(databases, chosen, sum(chosen))


def _weighted(
    databases: Sequence[DatabaseStats], weights: Sequence[int], divisor: int | None
) -> Sizes:
    def over(values: Iterable[int | None]) -> float | None:
        known = [v * w for v, w in zip(values, weights, strict=True) if v is not None]
        if len(known) < len(weights):
            return None
        return sum(known) if divisor is None else sum(known) / divisor

    errors = [one.tokens_error_95 for one in databases]
    known = [error * w for error, w in zip(errors, weights, strict=True) if error is not None]
    return Sizes(
        n=sum(weights),
        n_tables=over(one.n_tables for one in databases) or 0,
        n_rows=over(one.n_rows for one in databases) or 0,
        n_columns=over(one.n_columns for one in databases),
        n_bytes=over(one.n_bytes for one in databases),
        n_tokens=over(one.n_tokens for one in databases),
        tokens_error_95=math.hypot(*known) / (divisor or 1) if len(known) == len(errors) else None,
    )
