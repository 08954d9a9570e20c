"""The domain of each database: as a file says, else the database's name in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from claimdb_builder.stats.database_stats import DatabaseStats
from claimdb_builder.stats.json_files import read_object
from claimdb_loader.claim_rows import shown
from claimdb_metric.errors import DataError


@dataclass(frozen=True)
class DomainStats:
    """One domain; n_claims is None where no claims are looked at."""

    domain: str
    n_databases: int
    n_rows: int
    n_claims: int | None


def domain_from_name(db_name: str) -> str:
    """Return a database's name in words, as the benchmark's generator was told it.

    >>> domain_from_name("debit_card_specializing")
    'Debit Card Specializing'
    """
    return db_name.replace("_", " ").title()


def read_domains(path: str) -> dict[str, str]:
    """Return the domain of each database that a file names.

    Args:
        path: JSON, {db_name: domain}.

    Raises:
        DataError: it holds something else; it names the file and the database.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "domains.json")
    ...     _ = file.write_text('{"zoo": "Animals"}')
    ...     read_domains(str(file))
    {'zoo': 'Animals'}
    """
    domains = {}
    for db_name, domain in read_object(path).items():
        if not isinstance(domain, str) or not domain.strip():
            raise DataError(
                f"{path}: the domain of {db_name} is to be a text that is not empty, "
                f"got {shown(domain)}"
            )
        domains[db_name] = domain
    return domains


def domain_stats(
    databases: Iterable[DatabaseStats],
    domains: Mapping[str, str],
    n_claims: Mapping[str, int] | None,
) -> list[DomainStats]:
    """Return what is in each domain, by name.

    Args:
        domains: the domain of each of the databases.
        n_claims: the claims of each database; None where no claims are looked at.

    >>> zoo, farm = DatabaseStats("zoo", ()), DatabaseStats("farm", ())
    >>> domain_stats([zoo, farm], {"zoo": "Animals", "farm": "Animals"}, {"zoo": 3, "farm": 4})
    [DomainStats(domain='Animals', n_databases=2, n_rows=0, n_claims=7)]
    """
    members: dict[str, list[DatabaseStats]] = {}
    for database in databases:
        members.setdefault(domains[database.db_name], []).append(database)
    return [
        DomainStats(
            domain,
            len(inside),
            sum(database.n_rows for database in inside),
            None if n_claims is None else sum(n_claims.get(one.db_name, 0) for one in inside),
        )
        for domain, inside in sorted(members.items())
    ]
