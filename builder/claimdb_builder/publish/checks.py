"""What must never be published: labels that are to stay hidden, names that break loading."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from claimdb_builder.publish.benchmark import Benchmark, is_hidden
from claimdb_loader.strict_json import json_lines
from claimdb_metric.errors import DataError, HiddenLabelsError
from claimdb_metric.labels import HIDDEN, HIDDEN_NAME

PRIVATE_SPLIT: Final = "test_private"
PRIVATE_LABELS: Final = "private-labels.jsonl"
"""Where a benchmark folder keeps the labels of its private split; it is never published."""

MAX_LISTED: Final = 10
_SPLIT_NAME: Final = re.compile(r"\w+")
_SPLIT_WORDS: Final = "train|training|validation|valid|dev|val|test|testing|eval|evaluation"
_SPLIT_FOLDER: Final = re.compile(rf"(?:.*[-._ 0-9])?(?:{_SPLIT_WORDS})(?:[-._ 0-9].*)?", re.S)
"""What `datasets` takes for the folder of a split, by its patterns of data files."""


def check_benchmark(benchmark: Benchmark) -> None:
    """Raise DataError where a benchmark must not be published as it is.

    Raises:
        HiddenLabelsError: a label that is to stay hidden would become public.
        DataError: there is nothing to publish, or a split has a name that `datasets` refuses.
    """
    if not benchmark.claims:
        raise DataError("there is no claim to publish")
    bad_names = [name for name in benchmark.claims if not _SPLIT_NAME.fullmatch(name)]
    if bad_names:
        raise DataError(f"splits may be named by letters, digits and _ only, not {bad_names}")
    for split, table in benchmark.claims.items():
        fault = _split_fault(split, table)
        if fault is not None:
            raise HiddenLabelsError(f"{split} cannot be published: {fault}")
    _check_shared_claims(benchmark)
    _check_private_labels(benchmark)


def check_database_names(names: Iterable[str]) -> None:
    """Raise DataError where the folder of a database would be taken for that of a split.

    >>> check_database_names(["trains", "drug_test"])
    Traceback (most recent call last):
    claimdb_metric.errors.DataError: `datasets` takes a folder named drug_test for a split: rename \
the database, in the claims too
    """
    bad = [name for name in names if _SPLIT_FOLDER.fullmatch(name)]
    if bad:
        raise DataError(
            f"`datasets` takes a folder named {' or '.join(bad)} for a split: rename the database, "
            "in the claims too"
        )


def _split_fault(split: str, table: pa.Table) -> str | None:
    """Why the labels of a split rule it out, None if they do not."""
    if is_hidden(table):
        for column in ("category", "bird_id"):
            given = pc.not_equal(table[column], HIDDEN)
            if pc.any(given).as_py():
                which = _listed(table.filter(given)["claim_id"].to_pylist())
                return f"its labels are hidden, but {column} gives them away in claim_id {which}"
        return None
    hidden = table.filter(pc.equal(table["label"], HIDDEN))
    if split == PRIVATE_SPLIT:
        shown = table.filter(pc.not_equal(table["label"], HIDDEN))
        which = _listed(shown["claim_id"].to_pylist())
        return f"column label must be -1 in every row, and is not in claim_id {which}"
    if hidden.num_rows:
        which = _listed(hidden["claim_id"].to_pylist())
        return f"labels are hidden in claim_id {which}: a split is labelled or hidden as a whole"
    return None


def _check_shared_claims(benchmark: Benchmark) -> None:
    """Raise where a hidden claim stands with its label in another split."""
    rows = benchmark.rows
    is_labelled = rows["label"] != HIDDEN_NAME
    key = rows["db_name"] + "\n" + rows["claim"].map(_words)
    shared = rows[~is_labelled & key.isin(set(key[is_labelled]))]
    if len(shared):
        which = _listed(shared["claim_id"].tolist())
        raise HiddenLabelsError(
            f"hidden claims stand with their label in another split: claim_id {which}; take them "
            "out of one of the two"
        )


def _check_private_labels(benchmark: Benchmark) -> None:
    """Raise where a labelled split holds a claim that the folder lists as private."""
    path = benchmark.folder / PRIVATE_LABELS if benchmark.folder else None
    if path is None or not path.is_file():
        return
    private = _private_ids(path)
    rows = benchmark.rows
    shown = rows[(rows["label"] != HIDDEN_NAME) & rows["claim_id"].isin(private)]
    if len(shown):
        which = _listed(shown["claim_id"].tolist())
        raise HiddenLabelsError(
            f"{path} lists labels as private that {', '.join(sorted(set(shown['split'])))} shows: "
            f"claim_id {which}"
        )


def _private_ids(path: Path) -> set[int]:
    try:
        entries = list(json_lines(path.read_text("utf-8")))
    except UnicodeDecodeError:
        raise HiddenLabelsError(f"{path} is not UTF-8, so it cannot be checked") from None
    private: set[int] = set()
    for entry in entries:
        claim_id = entry.value.get("claim_id") if isinstance(entry.value, dict) else None
        if entry.fault or type(claim_id) is not int:
            reason = entry.fault or "it has no claim_id that is an integer"
            raise HiddenLabelsError(f"{path}:{entry.place} cannot be checked: {reason}")
        private.add(claim_id)
    return private


def _words(claim: str) -> str:
    """A claim without what does not change it: case, space, how its letters are composed."""
    return " ".join(unicodedata.normalize("NFKC", claim).casefold().split())


def _listed(values: Sequence[object]) -> str:
    return ", ".join(map(str, values[:MAX_LISTED])) + (", …" if len(values) > MAX_LISTED else "")
