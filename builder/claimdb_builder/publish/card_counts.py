"""The card's numbers of what is there: claims by split, label, category and database; lengths."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from claimdb_builder.publish.benchmark import Benchmark
from claimdb_builder.publish.databases import DatabaseEntry
from claimdb_builder.publish.markdown import counted, table
from claimdb_loader.fingerprints import known_databases
from claimdb_metric.labels import CATEGORIES, HIDDEN_NAME, LABELS

if TYPE_CHECKING:
    import pandas as pd


def splits(benchmark: Benchmark) -> str:
    """Return the table of claims by split and label."""
    heads = ["split", "claims", *LABELS, "hidden", "databases", "questions"]
    rows = [[name, *_counts(rows)] for name, rows in _by_split(benchmark)]
    if len(rows) > 1:
        rows.append(["all", *_counts(benchmark.rows)])
    return table(heads, rows)


def _counts(rows: pd.DataFrame) -> list[int | None]:
    of_label = rows["label"].value_counts()
    labels = [int(of_label.get(name, 0)) for name in (*LABELS, HIDDEN_NAME)]
    questions = int(rows.loc[rows["bird_id"] >= 0, "bird_id"].nunique())
    return [len(rows), *labels, int(rows["db_name"].nunique()), questions or None]


def categories(benchmark: Benchmark) -> str:
    """Return the table of labelled NOT ENOUGH INFO claims by split and category."""
    rows = []
    for name, of_split in _by_split(benchmark):
        of_category = of_split["category"].value_counts()
        counts = [int(of_category.get(category, 0)) for category in CATEGORIES]
        if sum(counts):
            rows.append([name, *counts])
    if not rows:
        return "No claim has a category."
    return table(["split", *CATEGORIES], rows)


def databases(benchmark: Benchmark, entries: Iterable[DatabaseEntry]) -> str:
    """Return the table of databases: their claims, and what is known of their size.

    Args:
        entries: the databases that lie in the repository.
    """
    published = {entry.db_name: entry for entry in entries}
    names = list(benchmark.claims)
    rows = []
    for db_name, claims in benchmark.rows.groupby("db_name", sort=True):
        of_split = claims["split"].value_counts()
        of_label = claims["label"].value_counts()
        rows.append(
            [
                str(db_name),
                *(int(of_split.get(name, 0)) for name in names),
                *(int(of_label.get(name, 0)) for name in LABELS),
                *_size(benchmark, str(db_name), published),
            ]
        )
    heads = ["database", *names, *LABELS, "tables", "rows", "MB here"]
    n_bytes = sum(entry.n_bytes for entry in published.values())
    here = f"{counted(len(published), 'database')} here, {n_bytes:,} bytes"
    if not published:
        here = "none of them lies in this repository"
    note = f"Claims name {counted(len(rows), 'database')}; {here}."
    if published:
        note += " `databases/manifest.json` has the size and sha256 of each."
    return f"{note}\n\n{table(heads, rows)}"


def _size(benchmark: Benchmark, db_name: str, published: dict[str, DatabaseEntry]) -> list[object]:
    """Tables, rows and megabytes; the last only of a database that lies in the repository."""
    entry = published.get(db_name)
    if entry is not None:
        return [entry.n_tables, entry.n_rows, round(entry.n_bytes / 1e6, 3)]
    known = known_databases().get(db_name) if benchmark.is_claimdb else None
    return [known.n_tables, known.n_rows, None] if known else [None, None, None]


def lengths(benchmark: Benchmark) -> str:
    """Return the table of how long claims are, in characters and in words between spaces."""
    rows = []
    for name, of_split in _by_split(benchmark):
        rows.append([name, "all", *_lengths(of_split)])
        for label in LABELS:
            of_label = of_split[of_split["label"] == label]
            if len(of_label):
                rows.append([name, label, *_lengths(of_label)])
    shown = ("shortest", "mean", "median", "95 %", "longest")
    heads = [*(f"characters: {shown[0]}", *shown[1:]), *(f"words: {shown[0]}", *shown[1:])]
    return table(["split", "label", *heads], rows)


def _lengths(rows: pd.DataFrame) -> list[object]:
    claims = rows["claim"]
    found: list[object] = []
    for values in (claims.str.len(), claims.map(lambda claim: len(claim.split()))):
        found += [
            int(values.min()),
            f"{values.mean():.1f}",
            f"{values.median():.0f}",
            f"{values.quantile(0.95):.0f}",
            int(values.max()),
        ]
    return found


def _by_split(benchmark: Benchmark) -> list[tuple[str, pd.DataFrame]]:
    rows = benchmark.rows
    return [(name, rows[rows["split"] == name]) for name in benchmark.claims]


def configs(benchmark: Benchmark) -> str:
    """Return the table of configs that are there."""
    there = {name for name, splits in benchmark.configs.items() if splits}
    if benchmark.labelled:
        there.add("inspect")
    rows = [[f"`{name}`", meaning] for name, meaning in _CONFIGS.items() if name in there]
    return table(["config", "one row is"], rows)


_CONFIGS: Final = {
    "claims": "a claim to judge (the default)",
    "nei": "a labelled NOT ENOUGH INFO claim; its splits are the categories",
    "databases": 'a database that claims name; -1 and "" where its size and sha256 are not known',
    "inspect": "a labelled claim as a prompt with three choices, for models without tools",
}
