"""The claims that runs are scored on: a published split, the sample, or a references file."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from claimdb_loader.claim_rows import BadLineError
from claimdb_loader.exclusions import read_known_issues
from claimdb_loader.notices import hidden_labels_expected
from claimdb_loader.prediction_files import read_rows
from claimdb_loader.prediction_problems import Problem, refuse
from claimdb_loader.prediction_rows import claim_id_of, label_of
from claimdb_loader.sources import chosen_data_dir
from claimdb_metric.errors import DataError, HiddenLabelsError
from claimdb_metric.labels import CATEGORIES, HIDDEN, HIDDEN_NAME, label_name
from claimdb_metric.signature import NO_KNOWN_ISSUES

SAMPLE: Final = "sample"
"""The split name of the embedded sample, which needs no network."""


@dataclass(frozen=True)
class LabelledClaims:
    """Claims column by column; labels are names or "HIDDEN", categories names or None.

    Attributes:
        name: the split, or the file.
        columns: claim_id, label and whatever else is known of the claims, equally long.
        left_out: claim_ids that predictions may name and that are not scored.
        known_issues: what was left out, as the signature names it.
    """

    name: str
    columns: dict[str, list[object]]
    left_out: frozenset[int] = frozenset()
    known_issues: str = NO_KNOWN_ISSUES

    @property
    def claim_ids(self) -> list[int]:
        """The claim_id of each claim."""
        return [int(str(value)) for value in self.columns["claim_id"]]

    @property
    def is_hidden(self) -> bool:
        """Whether some label is withheld."""
        return HIDDEN_NAME in self.column("label")

    @property
    def labels(self) -> list[object]:
        """The label of each claim.

        Raises:
            HiddenLabelsError: labels are hidden.
        """
        labels = self.column("label")
        n_hidden = labels.count(HIDDEN_NAME)
        if n_hidden:
            raise HiddenLabelsError(
                f"{n_hidden:,} of {len(labels):,} labels of {self.name} are hidden: check your"
                f" predictions with `claimdb validate` and submit them, or use a labelled split"
            )
        return labels

    def column(self, name: str) -> list[object]:
        """Return one column.

        Raises:
            DataError: there is no such column.

        >>> LabelledClaims("z", {"claim_id": [7]}).column("claim")
        Traceback (most recent call last):
        claimdb_metric.errors.DataError: the claims of z have no column 'claim'; they have claim_id
        """
        if name not in self.columns:
            there = ", ".join(self.columns)
            raise DataError(f"the claims of {self.name} have no column {name!r}; they have {there}")
        return self.columns[name]


def from_split(
    split: str, data_dir: str | None = None, repo_id: str | None = None
) -> LabelledClaims:
    """Return the claims of a split: train, test_public, test_private or sample.

    Args:
        data_dir: folder of a local copy; default is CLAIMDB_DATA_DIR, then the Hub.
        repo_id: Hub repository to read instead of upstream's.

    Raises:
        DataError: there is no such split.
        UnavailableError: nothing local and no network.

    >>> len(from_split("sample").claim_ids)
    144
    """
    with hidden_labels_expected():
        columns = _builder(split, data_dir, repo_id).as_dataset(_split_of(split)).to_dict()
    columns["label"] = [label_name(label) for label in columns["label"]]
    columns["category"] = [
        None if category == HIDDEN else CATEGORIES[category] for category in columns["category"]
    ]
    return LabelledClaims(split, columns)


def ids_by_split(
    split: str, data_dir: str | None = None, repo_id: str | None = None
) -> dict[str, list[int]]:
    """Return the claim_ids of every split that stands beside this one, itself included.

    Raises:
        DataError: there is no such split.

    >>> {name: len(ids) for name, ids in ids_by_split("sample").items()}
    {'sample': 144}
    """
    builder = _builder(split, data_dir, repo_id)
    with hidden_labels_expected():
        splits = builder.as_dataset()
        if _split_of(split) not in splits:
            builder.as_dataset(split)  # says which splits are there, and where
    if split == SAMPLE:
        return {SAMPLE: list(splits[_split_of(split)]["claim_id"])}
    return {name: list(rows["claim_id"]) for name, rows in splits.items()}


def _builder(split: str, data_dir: str | None, repo_id: str | None) -> Any:
    import claimdb

    if split == SAMPLE:
        builder = claimdb.ClaimDB(config_name=SAMPLE)
    else:
        builder = claimdb.ClaimDB(data_dir=data_dir, repo_id=repo_id)
    builder.download_and_prepare()
    return builder


def _split_of(split: str) -> str:
    return "test" if split == SAMPLE else split


def from_file(path: str) -> LabelledClaims:
    """Return the claims of a references file: claim_id, label if it is known, other columns.

    Args:
        path: JSONL, a JSON list, {claim_id: label}, CSV or Parquet, as predictions files are.

    Raises:
        PredictionFileError: rows that cannot be read, or without a claim_id of their own.
        OSError: the file is missing, or may not be read.
    """
    file = read_rows(path)
    rows: dict[int, dict[str, Any]] = {}
    problems = list(file.problems)
    for place, values in file.rows:
        try:
            claim_id = claim_id_of(values.get("claim_id"))
        except BadLineError as error:
            problems.append(Problem("claim-id", str(error), place))
            continue
        if claim_id in rows:
            problems.append(Problem("duplicate", f"claim_id {claim_id} stands twice", place))
        rows[claim_id] = values | {"claim_id": claim_id, "label": _label(values, file.format)}
    if problems:
        what_to_do = "mend {path}: each claim needs one row"
        refuse(path, file.place_name, problems, what_to_do, role="references")
    names = dict.fromkeys(["claim_id", "label", *(name for row in rows.values() for name in row)])
    columns = {name: [row.get(name) for row in rows.values()] for name in names}
    return LabelledClaims(Path(path).name, columns)


def _label(values: dict[str, Any], format_name: str) -> object:
    given = values.get("label", values.get("verdict", HIDDEN_NAME))
    return label_of(given, digits_count=format_name == "CSV") or given


def without_known_issues(claims: LabelledClaims, data_dir: str | None = None) -> LabelledClaims:
    """Return the claims without the known issues, as the signature will name them.

    Args:
        data_dir: folder of a local copy that may hold a known_issues.jsonl of its own.

    Raises:
        DataError: the claims have no column db_name, by which an issue is known.
    """
    issues = read_known_issues(chosen_data_dir(data_dir))
    known = {(issue["claim_id"], issue["db_name"]) for issue in issues}
    rows = list(zip(claims.claim_ids, claims.column("db_name"), strict=True))
    kept = [place for place, row in enumerate(rows) if row not in known]
    left_out = sorted(row[0] for row in rows if row in known)
    digest = hashlib.sha256(repr(left_out).encode()).hexdigest()[:8]
    return LabelledClaims(
        claims.name,
        {name: [values[place] for place in kept] for name, values in claims.columns.items()},
        frozenset(left_out),
        f"{len(left_out)}-{digest}",
    )
