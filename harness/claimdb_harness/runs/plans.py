"""What a run is about to do: which claims, on which files. All is checked before it costs."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from claimdb_harness.labelled_claims import LabelledClaims
from claimdb_harness.runs.folder import claims_bytes
from claimdb_loader.database_files import locate
from claimdb_loader.sqlite_file import check_file
from claimdb_metric.errors import ClaimDBError, DataError

_COLUMNS: Final = ("claim", "db_name")
"""What an agent must know of a claim."""

_DEFAULTS: Final = {"extra_info": "", "bird_id": -1, "category": None}


@dataclass(frozen=True)
class Plan:
    """The claims of a run, and the files that they are about.

    Args:
        claims: those that are asked.
        limit: which of the split these are, as `limited` writes it; None for all.
        databases: the file of each database by name.
    """

    claims: LabelledClaims
    limit: str | None
    databases: dict[str, Path]

    @property
    def claims_file(self) -> bytes:
        """What the run's claims file holds."""
        return claims_bytes(self.claims.columns)

    @property
    def claims_sha256(self) -> str:
        """The hash of the claims file."""
        return hashlib.sha256(self.claims_file).hexdigest()


def plan_run(
    claims: LabelledClaims,
    limit: str | int | None = None,
    data_dir: str | None = None,
    repo_id: str | None = None,
) -> Plan:
    """Return the plan of a run on some claims.

    Args:
        claims: all claims of a split or file.
        limit: "A-B", the first being 1 and B among them; "N" or N for the first N; None for all.
        data_dir, repo_id: where the databases are, as for `open_database`.

    Raises:
        DataError: the limit is out of range, a column is missing, or databases are: all are listed.

    >>> from claimdb_harness.labelled_claims import from_split
    >>> plan = plan_run(from_split("sample"), "3-5")
    >>> len(plan.claims.claim_ids), sorted(plan.databases)
    (3, ['city_library', 'ferry_lines'])
    """
    chosen, shown = limited(claims, limit)
    for name in _COLUMNS:
        _check_text(chosen, name)
    columns = dict(chosen.columns)
    for name, value in _DEFAULTS.items():
        given = columns.get(name, [None] * len(chosen.claim_ids))
        columns[name] = [value if one is None else one for one in given]
    chosen = LabelledClaims(chosen.name, columns)
    return Plan(chosen, shown, database_paths(chosen, data_dir, repo_id))


def limited(claims: LabelledClaims, limit: str | int | None) -> tuple[LabelledClaims, str | None]:
    """Return the claims from the Ath to the Bth, and the limit as "A-B".

    Raises:
        DataError: it is no such range, or the claims are fewer.

    >>> claims = LabelledClaims("z", {"claim_id": [7, 8, 9]})
    >>> limited(claims, 2)[0].claim_ids, limited(claims, "2-3")[1]
    ([7, 8], '2-3')
    """
    if limit is None:
        return claims, None
    n = len(claims.claim_ids)
    first, last = limit_range(limit)
    if not 1 <= first <= last <= n:
        raise DataError(f"limit {limit} is out of range: {claims.name} has the claims 1-{n}")
    columns = {name: values[first - 1 : last] for name, values in claims.columns.items()}
    return LabelledClaims(claims.name, columns), f"{first}-{last}"


def limit_range(limit: str | int) -> tuple[int, int]:
    """Return the first and the last claim of a limit, from 1.

    Raises:
        DataError: it is neither N nor A-B.

    >>> limit_range("20"), limit_range("21-40")
    ((1, 20), (21, 40))
    """
    match = re.fullmatch(r"(?:(\d{1,9})-)?(\d{1,9})", str(limit).strip())
    if match is None:
        raise DataError(f"limit {limit!r} is neither N nor A-B, such as 20 or 21-40")
    return int(match[1] or 1), int(match[2])


def _check_text(claims: LabelledClaims, name: str) -> None:
    values = zip(claims.claim_ids, claims.column(name), strict=True)
    lacking = [one for one, value in values if not (isinstance(value, str) and value.strip())]
    if lacking:
        shown = ", ".join(map(str, lacking[:5])) + (", …" if len(lacking) > 5 else "")
        raise DataError(
            f"{len(lacking):,} claims of {claims.name} have no text as their {name}: {shown}"
        )


def database_paths(
    claims: LabelledClaims, data_dir: str | None = None, repo_id: str | None = None
) -> dict[str, Path]:
    """Return the file of each database that claims are about, by name.

    Raises:
        DataError: some are not here and cannot be had, or are no SQLite files; all are listed.
    """
    counts = Counter(str(name) for name in claims.column("db_name"))
    found: dict[str, Path] = {}
    missing: list[str] = []
    for name in sorted(counts):
        try:
            found[name] = locate(name, data_dir, repo_id, None)
            check_file(found[name])
        except (ClaimDBError, OSError) as error:
            missing.append(f"{name} ({counts[name]:,} claims): {error}")
    if missing:
        listed = "\n  ".join(missing)
        raise DataError(
            f"{len(missing)} of {len(counts)} databases are missing, and nothing was asked yet; "
            f"`claimdb databases fetch` has them:\n  {listed}"
        )
    return found
