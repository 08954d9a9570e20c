"""What each config makes of the claims files: its splits, and the rows of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from claimdb_loader.claim_reader import ClaimReader
from claimdb_loader.claim_tables import CLAIM_SCHEMA
from claimdb_loader.features import DATABASE_FEATURES, NEI_SPLITS
from claimdb_loader.fingerprints import known_databases
from claimdb_metric.labels import NOT_ENOUGH_INFO

DATABASE_SCHEMA: Final = DATABASE_FEATURES.arrow_schema


@dataclass(frozen=True)
class Plan:
    """One split of a config, and how its rows come out of the claims files."""

    split: str
    rows: Callable[[ClaimReader], Iterator[pa.Table]]


def plan_claims(splits: Iterable[str]) -> list[Plan]:
    """Return one plan for each split that is there: its own rows.

    >>> [plan.split for plan in plan_claims(["train", "test_public"])]
    ['train', 'test_public']
    """
    return [Plan(split, partial(_claims, split=split)) for split in splits]


def _claims(reader: ClaimReader, split: str) -> Iterator[pa.Table]:
    return reader.rows(split)


def plan_nei(splits: Iterable[str]) -> list[Plan]:
    """Return one plan for each NEI category: the labelled claims of all splits that have it."""
    sources = tuple(splits)
    return [
        Plan(split, partial(_of_category, splits=sources, category=category))
        for category, split in enumerate(NEI_SPLITS)
    ]


def _of_category(reader: ClaimReader, splits: tuple[str, ...], category: int) -> Iterator[pa.Table]:
    yield CLAIM_SCHEMA.empty_table()
    for table in (table for split in splits for table in reader.rows(split)):
        is_nei = pc.equal(table["label"], NOT_ENOUGH_INFO)
        yield table.filter(pc.and_(is_nei, pc.equal(table["category"], category)))


def plan_databases(splits: Iterable[str]) -> list[Plan]:
    """Return the plans of `train` and `test`: one row for each database that their claims name."""
    there = list(splits)
    groups = {
        "train": tuple(split for split in there if split == "train"),
        "test": tuple(split for split in there if split != "train"),
    }
    return [
        Plan(group, partial(_databases, splits=sources))
        for group, sources in groups.items()
        if sources
    ]


def _databases(reader: ClaimReader, splits: tuple[str, ...]) -> Iterator[pa.Table]:
    n_claims: Counter[str] = Counter()
    for table in (table for split in splits for table in reader.rows(split)):
        for count in pc.value_counts(table["db_name"]):
            n_claims[count["values"].as_py()] += count["counts"].as_py()
    known = known_databases()
    rows = []
    for name, count in sorted(n_claims.items()):
        database = known.get(name)
        fingerprint = database.fingerprints[0] if database and database.fingerprints else None
        rows.append(
            {
                "db_name": name,
                "n_claims": count,
                "n_tables": database.n_tables if database else -1,
                "n_rows": database.n_rows if database else -1,
                "n_bytes": fingerprint.n_bytes or -1 if fingerprint else -1,
                "sha256": fingerprint.sha256 if fingerprint else "",
            }
        )
    yield pa.Table.from_pylist(rows, schema=DATABASE_SCHEMA)


PLANNERS: Final[Mapping[str, Callable[[Iterable[str]], list[Plan]]]] = {
    "claims": plan_claims,
    "nei": plan_nei,
    "databases": plan_databases,
    "sample": plan_claims,
}
"""The planner of each config."""
