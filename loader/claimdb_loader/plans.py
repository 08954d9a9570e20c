"""What each config makes of the claims files: its splits, and the rows of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from claimdb_loader import exclusions
from claimdb_loader.claim_tables import CLAIM_SCHEMA
from claimdb_loader.features import DATABASE_FEATURES, NEI_SPLITS
from claimdb_loader.fingerprints import known_databases
from claimdb_metric.errors import DataError
from claimdb_metric.labels import NOT_ENOUGH_INFO

Files = tuple[tuple[str, str], ...]
"""Pairs of (split the file belongs to, path or hf:// address)."""

Read = Callable[[Files], Iterator[pa.Table]]
FilesOfSplit = Mapping[str, tuple[str, ...]]
DATABASE_SCHEMA: Final = DATABASE_FEATURES.arrow_schema


@dataclass(frozen=True)
class Options:
    """What the user asked to leave out."""

    exclude_known_issues: bool = False
    train_excludes: str | None = None
    folder: str | None = None


@dataclass(frozen=True)
class Plan:
    """One split: the files that it is read from and what is done with their rows."""

    split: str
    files: Files
    rows: Callable[[Iterator[pa.Table], Read], Iterator[pa.Table]]


def plan_claims(files: FilesOfSplit, options: Options) -> list[Plan]:
    """Return one plan for each split that is there: its own rows, less what is excluded.

    Raises:
        DataError: train_excludes= needs a test split that is not there.
    """
    exclusions.check_train_excludes(options.train_excludes)
    plans = []
    for split in files:
        sharing = _sharing(files, split, options.train_excludes)
        rows = partial(_claims, options=options, sharing=sharing)
        plans.append(Plan(split, _pairs(files, split), rows))
    return plans


def _sharing(files: FilesOfSplit, split: str, train_excludes: str | None) -> Files:
    """The files of the splits that the train split must share nothing with."""
    if train_excludes is None or split != "train":
        return ()
    _, test_splits = exclusions.TRAIN_EXCLUDES[train_excludes]
    absent = [name for name in test_splits if name not in files]
    if absent:
        raise DataError(
            f"train_excludes={train_excludes!r} needs {', '.join(absent)}, which this copy lacks"
        )
    return _pairs(files, *test_splits)


def _claims(
    tables: Iterator[pa.Table], read: Read, *, options: Options, sharing: Files
) -> Iterator[pa.Table]:
    issues = exclusions.read_known_issues(options.folder) if options.exclude_known_issues else []
    column = shared = None
    if sharing and options.train_excludes is not None:
        column, _ = exclusions.TRAIN_EXCLUDES[options.train_excludes]
        shared = exclusions.shared_values(column, read(sharing))
    for table in tables:
        if issues:
            table = exclusions.without_known_issues(table, issues)
        if column is not None:
            table = exclusions.without_values(table, column, shared)
        yield table


def plan_nei(files: FilesOfSplit, options: Options) -> list[Plan]:
    """Return one plan for each NEI category: the labelled claims of all splits that have it."""
    labelled = Plan("", _pairs(files, *files), partial(_claims, options=options, sharing=()))
    return [
        Plan(split, labelled.files, partial(_of_category, labelled=labelled, category=category))
        for category, split in enumerate(NEI_SPLITS)
    ]


def _of_category(
    tables: Iterator[pa.Table], read: Read, *, labelled: Plan, category: int
) -> Iterator[pa.Table]:
    yield CLAIM_SCHEMA.empty_table()
    for table in labelled.rows(tables, read):
        is_nei = pc.equal(table["label"], NOT_ENOUGH_INFO)
        yield table.filter(pc.and_(is_nei, pc.equal(table["category"], category)))


def plan_databases(files: FilesOfSplit, options: Options) -> list[Plan]:
    """Return the plans of `train` and `test`: one row for each database that their claims name."""
    groups = {
        "train": [split for split in files if split == "train"],
        "test": [split for split in files if split != "train"],
    }
    return [
        Plan(group, _pairs(files, *splits), partial(_databases, folder=options.folder))
        for group, splits in groups.items()
        if splits
    ]


def _databases(tables: Iterator[pa.Table], read: Read, *, folder: str | None) -> Iterator[pa.Table]:
    n_claims: Counter[str] = Counter()
    for table in tables:
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


def _pairs(files: FilesOfSplit, *splits: str) -> Files:
    return tuple((split, path) for split in splits for path in files[split])


PLANNERS: Final[Mapping[str, Callable[[FilesOfSplit, Options], list[Plan]]]] = {
    "claims": plan_claims,
    "nei": plan_nei,
    "databases": plan_databases,
    "sample": plan_claims,
}
"""The planner of each config."""
