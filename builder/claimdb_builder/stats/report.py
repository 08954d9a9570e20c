"""The size of databases, and of what is behind each claim: what `claimdb stats` shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from claimdb_builder.stats.averages import Sizes, mean_sizes, totals
from claimdb_builder.stats.claim_counts import ClaimCounts
from claimdb_builder.stats.database_choice import (
    Place,
    files_here,
    files_in_folder,
    named_entries,
    named_files,
)
from claimdb_builder.stats.database_stats import DatabaseStats, measure
from claimdb_builder.stats.domains import DomainStats, domain_from_name, domain_stats
from claimdb_builder.stats.known_sizes import read_known_sizes
from claimdb_builder.stats.token_counters import TokenCounting
from claimdb_metric.errors import DataError

MAX_NAMED = 10
"""So many missing databases are named in a line of text; JSON has all."""


@dataclass(frozen=True)
class StatsReport:
    """The size of some databases.

    Attributes:
        databases: by name.
        claims: the claims by which the databases were chosen, if any.
        missing: the databases that claims name and that are not here; averages are without them.
        counting: how tokens were counted; None where they were not.
        given_domains: what a file says of domains.
    """

    databases: tuple[DatabaseStats, ...]
    claims: ClaimCounts | None = None
    missing: tuple[str, ...] = ()
    counting: TokenCounting | None = None
    given_domains: Mapping[str, str] = field(default_factory=dict)

    @property
    def totals(self) -> Sizes:
        """Everything in all databases."""
        return totals(self.databases)

    @property
    def per_database(self) -> Sizes:
        """The mean database."""
        return mean_sizes(self.databases)

    @property
    def per_claim(self) -> Sizes | None:
        """The mean of what is behind a claim; None where no claims are looked at."""
        return mean_sizes(self.databases, self.claims.by_database) if self.claims else None

    @cached_property
    def domains(self) -> dict[str, str]:
        """The domain of each database."""
        names = [database.db_name for database in self.databases]
        return {name: self.given_domains.get(name) or domain_from_name(name) for name in names}

    @property
    def by_domain(self) -> list[DomainStats]:
        """What is in each domain."""
        counts = self.claims.by_database if self.claims else None
        return domain_stats(self.databases, self.domains, counts)

    def n_claims(self, db_name: str) -> int | None:
        """Return how many claims are about a database; None where no claims are looked at."""
        return self.claims.by_database.get(db_name, 0) if self.claims else None

    def notes(self) -> list[str]:
        """Return what a reader of the numbers has to know, a line each."""
        notes = []
        if self.missing and self.claims:
            n_behind = sum(self.claims.by_database[name] for name in self.missing)
            more = len(self.missing) - MAX_NAMED
            named = ", ".join(self.missing[:MAX_NAMED]) + (f" and {more} more" if more > 0 else "")
            notes.append(
                f"not here and left out: {named} ({n_behind:,} of {self.claims.n:,} claims); "
                "`claimdb databases fetch` brings them"
            )
        unnamed = [name for name in self.domains if name not in self.given_domains]
        if self.given_domains and unnamed:
            notes.append(f"called after themselves, as no domain is given: {', '.join(unnamed)}")
        if self.counting is not None:
            notes.append(_tokens_note(self.counting, self.databases))
        return notes

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as one JSON document."""
        per_claim = self.per_claim
        return {
            "databases": [self._entry(database) for database in self.databases],
            "totals": asdict(self.totals),
            "per_database": asdict(self.per_database),
            "per_claim": None if per_claim is None else asdict(per_claim),
            "rows_per_table": self.totals.rows_per_table,
            "domains": [asdict(domain) for domain in self.by_domain],
            "claims": None
            if self.claims is None
            else {"name": self.claims.name, "n": self.claims.n},
            "missing_databases": {name: self.n_claims(name) for name in self.missing},
            "tokens": None if self.counting is None else _counting_entry(self.counting),
        }

    def _entry(self, database: DatabaseStats) -> dict[str, Any]:
        return {
            "db_name": database.db_name,
            "domain": self.domains[database.db_name],
            "n_claims": self.n_claims(database.db_name),
            "n_tables": database.n_tables,
            "n_rows": database.n_rows,
            "n_columns": database.n_columns,
            "n_bytes": database.n_bytes,
            "n_tokens": database.n_tokens,
            "tokens_error_95": database.tokens_error_95,
            "tables": [asdict(table) for table in database.tables],
        }


def _tokens_note(counting: TokenCounting, databases: Sequence[DatabaseStats]) -> str:
    counter = counting.counter
    note = f"tokens as CSV text, by {counter.name}"
    if counter.is_estimate:
        note = f"tokens as CSV text, estimated without a tokenizer: {counter.rule}"
    tables = [table for database in databases for table in database.tables]
    n_sampled = sum(table.n_rows_read != table.n_rows for table in tables)
    if n_sampled:
        note += (
            f"; ± is 95 %, as {n_sampled:,} of {len(tables):,} tables were judged by "
            f"{counting.sample_rows:,} rows drawn with seed {counting.seed}"
        )
    return note


def _counting_entry(counting: TokenCounting) -> dict[str, Any]:
    counter = counting.counter
    return {
        "counter": counter.name,
        "rule": counter.rule,
        "is_estimate": counter.is_estimate,
        "sample_rows": counting.sample_rows,
        "seed": counting.seed,
    }


def report_on_files(
    names: Sequence[str],
    claims: ClaimCounts | None,
    place: Place,
    counting: TokenCounting | None = None,
    domains: Mapping[str, str] | None = None,
) -> StatsReport:
    """Return the size of databases: those named, those of claims, else all of a folder.

    Args:
        names: databases, by name or file; may be fetched.
        claims: the claims whose databases are looked at; none is fetched, the missing are listed.
        place: where databases are looked for.
        counting: how tokens are counted; None counts none.
        domains: the domain of databases by name.

    Raises:
        DataError: nothing was asked for, or none of it is there.
        DatabaseFileError: files are no readable databases.

    >>> report_on_files(["ferry_lines"], None, Place()).totals.n_tables
    7
    """
    missing: tuple[str, ...] = ()
    if claims is not None:
        files = files_here(claims.by_database, place)
        missing = tuple(name for name in claims.by_database if name not in files)
        _check_some_there(claims, missing, "on this machine; `claimdb databases fetch` brings them")
    elif names:
        files = named_files(names, place)
    else:
        files = files_in_folder(place)
    return StatsReport(measure(files, counting), claims, missing, counting, domains or {})


def report_on_counts(
    path: str,
    names: Sequence[str],
    claims: ClaimCounts | None,
    domains: Mapping[str, str] | None = None,
) -> StatsReport:
    """Return the size of databases as a file of counts tells it; the databases are not read.

    Args:
        path: as `read_known_sizes` takes it.
        names: the databases to look at; none means all.
        claims: the claims whose databases are looked at, instead of names.
        domains: the domain of databases by name.

    Raises:
        DataError: the file is wrong, or holds none of what was asked for.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "sizes.json")
    ...     _ = file.write_text('{"databases": {"zoo": {"tables": {"owl": 3, "heron": 5}}}}')
    ...     report_on_counts(str(file), [], None).totals.rows_per_table
    4.0
    """
    known = read_known_sizes(path)
    missing: tuple[str, ...] = ()
    chosen = named_entries(names, known, path) if names else list(known.values())
    if claims is not None:
        chosen = [known[name] for name in claims.by_database if name in known]
        missing = tuple(name for name in claims.by_database if name not in known)
        _check_some_there(claims, missing, f"in {path}")
    chosen.sort(key=lambda database: database.db_name)
    return StatsReport(tuple(chosen), claims, missing, None, domains or {})


def _check_some_there(claims: ClaimCounts, missing: Sequence[str], where: str) -> None:
    if len(missing) == len(claims.by_database):
        raise DataError(
            f"none of the databases of the claims of {claims.name} is {where}: {', '.join(missing)}"
        )
