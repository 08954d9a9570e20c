"""What each config makes of the claims files: its splits, and the rows of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

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
    by_name = {row["db_name"]: row for row in reader.listed_databases}
    rows = [
        {"db_name": name, "n_claims": count} | UNKNOWN_SIZE | (by_name.get(name) or _known(name))
        for name, count in sorted(n_claims.items())
    ]
    yield pa.Table.from_pylist(rows, schema=DATABASE_SCHEMA)


UNKNOWN_SIZE: Final = {"n_tables": -1, "n_rows": -1, "n_bytes": -1, "sha256": ""}


def _known(db_name: str) -> dict[str, Any]:
    """What this package knows of the size of a published database; nothing of another."""
    database = known_databases().get(db_name)
    if database is None:
        return {}
    mark = database.fingerprints[0] if database.fingerprints else None
    return {
        "n_tables": database.n_tables,
        "n_rows": database.n_rows,
        "n_bytes": mark.n_bytes or -1 if mark else -1,
        "sha256": mark.sha256 if mark else "",
    }


PLANNERS: Final[Mapping[str, Callable[[Iterable[str]], list[Plan]]]] = {
    "claims": plan_claims,
    "nei": plan_nei,
    "databases": plan_databases,
    "sample": plan_claims,
}
"""The planner of each config."""
