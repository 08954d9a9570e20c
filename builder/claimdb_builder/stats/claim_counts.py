"""How many claims are about each database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from claimdb_metric.errors import DataError


@dataclass(frozen=True)
class ClaimCounts:
    """The claims of a split or of files, by database.

    Attributes:
        name: the split, or the files.
    """

    name: str
    by_database: dict[str, int]

    @property
    def n(self) -> int:
        """How many claims there are."""
        return sum(self.by_database.values())


def counted_claims(name: str, db_names: Iterable[object]) -> ClaimCounts:
    """Return how many claims are about each database, by its name.

    Args:
        name: of the claims, for messages.
        db_names: the database of each claim.

    Raises:
        DataError: there is no claim.

    >>> counted_claims("mine", ["zoo", "farm", "zoo"]).by_database
    {'farm': 1, 'zoo': 2}
    """
    found = Counter(map(str, db_names))
    if not found:
        raise DataError(f"{name} holds no claim; there is nothing to average over")
    return ClaimCounts(name, dict(sorted(found.items())))


def claims_in_files(paths: Sequence[str]) -> ClaimCounts:
    """Return how many claims of some files are about each database.

    Args:
        paths: claims files, JSONL or Parquet; labels may be hidden.

    Raises:
        ClaimFileError: rows are wrong; it lists file, line and reason.
        DataError: a file is not there, or they hold no claim.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "claims.jsonl")
    ...     _ = file.write_text('{"claim_id": 7, "db_name": "zoo", "claim": "It has 3 owls."}')
    ...     claims_in_files([str(file)])
    ClaimCounts(name='claims.jsonl', by_database={'zoo': 1})
    """
    from claimdb_loader.claim_reader import ClaimReader, Exclusions
    from claimdb_loader.sources import Source

    absent = [path for path in paths if not Path(path).is_file()]
    if absent:
        raise DataError(f"no such file: {', '.join(absent)}")
    files = {"claims": tuple(paths)}
    reader = ClaimReader(Source("files", files), files, Exclusions(), _open, streams=False)
    db_names = (name for table in reader.rows("claims") for name in table["db_name"].to_pylist())
    return counted_claims(", ".join(Path(path).name for path in paths), db_names)


def _open(path: str) -> BinaryIO:
    return Path(path).open("rb")
