"""Which claims an option leaves out: known issues, and train rows that share with the tests."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import resources
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from claimdb_loader import hub
from claimdb_loader.claim_rows import INT64_MAX
from claimdb_loader.strict_json import json_lines
from claimdb_metric.errors import DataError, UnavailableError
from claimdb_metric.labels import HIDDEN

KNOWN_ISSUES: Final = "known_issues.jsonl"
"""The name of the list that is shipped, and of the one that a copy or repository may bring."""

TRAIN_EXCLUDES: Final = {
    "test_questions": ("bird_id", ("test_public",)),
    "test_databases": ("db_name", ("test_public", "test_private")),
}
"""Each value of `train_excludes=`: the column that must not be shared, and with which splits.

Hidden rows carry no bird_id, so the questions of test_private cannot be excluded by name.
"""


def check_train_excludes(value: str | None, splits: Iterable[str]) -> None:
    """Raise DataError when `train_excludes=` is none of its values, or needs a split not there.

    Args:
        splits: the splits that are there.
    """
    if value is None:
        return
    if value not in TRAIN_EXCLUDES:
        raise DataError(f"train_excludes={value!r} must be one of {', '.join(TRAIN_EXCLUDES)}")
    absent = [name for name in TRAIN_EXCLUDES[value][1] if name not in set(splits)]
    if absent:
        raise DataError(
            f"train_excludes={value!r} needs {', '.join(absent)}, which this copy lacks"
        )


def shared_values(column: str, tables: Iterable[pa.Table]) -> pa.Array:
    """Return the distinct values of a column over some tables, hidden ones left out."""
    values: set[object] = set()
    for table in tables:
        values.update(table[column].unique().to_pylist())
    values.discard(HIDDEN)
    return pa.array(sorted(values, key=str), type=_type_of(column))


def without_values(table: pa.Table, column: str, values: pa.Array) -> pa.Table:
    """Return the rows whose column holds none of the values."""
    return table.filter(pc.invert(pc.is_in(table[column], value_set=values)))


def _type_of(column: str) -> pa.DataType:
    return pa.string() if column == "db_name" else pa.int64()


def issues_folder(snapshot: hub.Snapshot, token: hub.Token) -> str | None:
    """Return the folder of the Hub cache with a repository's own known_issues.jsonl, now fetched.

    None where the repository has none.

    Raises:
        UnavailableError: without network nobody knows whether it has one.
    """
    if KNOWN_ISSUES in snapshot.names:
        return str(Path(hub.fetch(snapshot, KNOWN_ISSUES, token)).parent)
    if snapshot.is_online:
        return None
    cached = hub.cached_file(snapshot.repo_id, KNOWN_ISSUES, snapshot.sha)
    if cached is None and snapshot.repo_id != hub.UPSTREAM_REPO:
        raise UnavailableError(
            f"without network, whether {snapshot.repo_id} has a {KNOWN_ISSUES} of its own is not "
            "known: load it once with network, or without exclude_known_issues="
        )
    return str(Path(cached).parent) if cached else None


def read_known_issues(folder: str | None) -> list[dict[str, object]]:
    """Return the known issues shipped with this release and those that the data brings along.

    Args:
        folder: a local copy, or a folder of the Hub cache, that may hold a known_issues.jsonl.

    Raises:
        DataError: a line is not an object with claim_id and db_name.
    """
    shipped = resources.files("claimdb_card") / KNOWN_ISSUES
    texts = {KNOWN_ISSUES: shipped.read_text("utf-8")}
    if folder is not None and (own := Path(folder) / KNOWN_ISSUES).is_file():
        try:
            texts[str(own)] = own.read_text("utf-8")
        except UnicodeDecodeError:
            raise DataError(f"{own} is not UTF-8") from None
    return [
        _known_issue(line, f"{path}:{number}")
        for path, text in texts.items()
        for number, line in enumerate(text.split("\n"), 1)
        if line.strip()
    ]


def _known_issue(line: str, place: str) -> dict[str, object]:
    (entry,) = json_lines(f"{line}\n")
    if entry.fault:
        raise DataError(f"{place}: {entry.fault}")
    issue: Any = entry.value
    is_named = isinstance(issue, dict) and isinstance(issue.get("db_name"), str)
    if not is_named or type(issue.get("claim_id")) is not int or abs(issue["claim_id"]) > INT64_MAX:
        raise DataError(f"{place}: a known issue needs claim_id (integer) and db_name (text)")
    return dict(issue)


def without_known_issues(table: pa.Table, issues: list[dict[str, object]]) -> pa.Table:
    """Return the rows that no known issue names by claim_id and db_name.

    Both must agree, because another benchmark numbers its claims from 0 too.
    """
    named: dict[str, list[object]] = {}
    for issue in issues:
        named.setdefault(str(issue["db_name"]), []).append(issue["claim_id"])
    is_named = pa.array([False] * table.num_rows, type=pa.bool_())
    for db_name, claim_ids in named.items():
        of_name = pc.equal(table["db_name"], db_name)
        of_ids = pc.is_in(table["claim_id"], value_set=pa.array(claim_ids, type=pa.int64()))
        is_named = pc.or_(is_named, pc.and_(of_name, of_ids))
    return table.filter(pc.invert(is_named))
