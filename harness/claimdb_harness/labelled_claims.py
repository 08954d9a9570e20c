"""The claims that runs are scored on: a published split, the sample, or a references file."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from claimdb_loader.exclusions import issues_folder, read_known_issues
from claimdb_loader.notices import hidden_labels_expected
from claimdb_loader.prediction_problems import refuse
from claimdb_loader.prediction_rows import read_predictions
from claimdb_loader.predictions import duplicate_problems
from claimdb_loader.sources import SPLIT_FILES, chosen_data_dir, upstream
from claimdb_metric.errors import DataError, HiddenLabelsError
from claimdb_metric.grouping import own_groups
from claimdb_metric.labels import CATEGORIES, HIDDEN, HIDDEN_NAME, label_name
from claimdb_metric.signature import NO_KNOWN_ISSUES

_HIDDEN: Final = (None, HIDDEN, str(HIDDEN), HIDDEN_NAME)
# As names, or as integers where a split was exported with its ClassLabels.
_CATEGORIES: Final = (*CATEGORIES, *range(len(CATEGORIES)), HIDDEN, None, "")
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

    @property
    def categories(self) -> list[object] | None:
        """The NEI category of each claim; None where the column is not there, or means another."""
        values = self.columns.get("category", [])
        # Not by a set: a file of one's own may hold lists here.
        is_ours = bool(values) and all(value in _CATEGORIES for value in values)
        return values if is_ours else None

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

    def groups(self, name: str) -> list[object]:
        """Return a column by which claims are grouped; an unknown question is one of its own.

        >>> LabelledClaims("z", {"claim_id": [7, 8], "bird_id": [3, -1]}).groups("bird_id")
        [3, -9]
        """
        values = self.column(name)
        return own_groups(values, self.claim_ids) if name == "bird_id" else values


def from_split(
    split: str,
    data_dir: str | None = None,
    repo_id: str | None = None,
    revision: str | None = None,
) -> LabelledClaims:
    """Return the claims of a split: train, test_public, test_private or sample.

    Args:
        data_dir: folder of a local copy; default is CLAIMDB_DATA_DIR, then the Hub.
        repo_id: Hub repository to read instead of upstream's.
        revision: branch, tag or commit of the repository.

    Raises:
        DataError: there is no such split.
        UnavailableError: nothing local and no network.

    >>> len(from_split("sample").claim_ids)
    144
    """
    with hidden_labels_expected():
        builder = _builder(split, data_dir, repo_id, revision)
        columns = builder.as_dataset(_split_of(split)).to_dict()
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


def _builder(
    split: str, data_dir: str | None, repo_id: str | None, revision: str | None = None
) -> Any:
    import claimdb

    if split not in (*SPLIT_FILES, SAMPLE):
        known = [*SPLIT_FILES, SAMPLE]
        near = get_close_matches(split, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
        raise DataError(f"no split {split!r}; {hint}")
    if split == SAMPLE:
        builder = claimdb.ClaimDB(config_name=SAMPLE)
    else:
        builder = claimdb.ClaimDB(data_dir=data_dir, repo_id=repo_id, revision=revision)
    builder.download_and_prepare()
    return builder


def _split_of(split: str) -> str:
    return "test" if split == SAMPLE else split


def from_file(path: str) -> LabelledClaims:
    """Return the claims of a references file: claim_id, label if it is known, other columns.

    Args:
        path: JSONL, a JSON list, {claim_id: label}, CSV or Parquet, as predictions files are.

    Raises:
        PredictionFileError: rows that cannot be read, without a claim_id of their own, or with
            something else in place of a label.
        OSError: the file is missing, or may not be read.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "gold.csv")
    ...     _ = file.write_text("claim_id,label,hops\\n7,ENTAILED,2\\n")
    ...     claims = from_file(str(file))
    >>> claims.name, claims.labels, claims.column("hops")
    ('gold.csv', ['ENTAILED'], [2])
    """
    found = read_predictions(path, needs_label=False)
    hidden = {row.place for row in found.predictions if row.given in _HIDDEN}
    problems = [p for p in found.problems if p.kind != "label" or p.place not in hidden]
    problems += duplicate_problems(found)
    if problems:
        what_to_do = "mend {path}: each claim needs one row, and one label if it has any"
        refuse(path, found.place_name, problems, what_to_do, role="references")
    names = dict.fromkeys(name for row in found.predictions for name in row.extra)
    columns: dict[str, list[object]] = {
        "claim_id": [row.claim_id for row in found.predictions],
        "label": [row.label or HIDDEN_NAME for row in found.predictions],
    }
    columns |= {name: [row.extra.get(name) for row in found.predictions] for name in names}
    # The name goes into the signature, which is one line of fields.
    name = "".join(c if c.isprintable() and c != "|" else "_" for c in Path(path).name)
    return LabelledClaims(name, columns)


def without_known_issues(
    claims: LabelledClaims, data_dir: str | None = None, repo_id: str | None = None
) -> LabelledClaims:
    """Return the claims without the known issues, as the signature will name them.

    Args:
        data_dir: folder of a local copy that may hold a known_issues.jsonl of its own.
        repo_id: Hub repository that may hold one; it wins over CLAIMDB_DATA_DIR.

    Raises:
        DataError: the claims have no column db_name, by which an issue is known.

    >>> mine = {"claim_id": [4697, 7], "label": ["ENTAILED"] * 2, "db_name": ["formula_1", "zoo"]}
    >>> without_known_issues(LabelledClaims("mine", mine)).claim_ids
    [7]
    """
    folder = chosen_data_dir(data_dir)
    if repo_id is not None and data_dir is None:
        snapshot = upstream(repo_id, None, None).snapshot
        folder = issues_folder(snapshot, None) if snapshot else None
    issues = read_known_issues(folder)
    known: dict[object, list[object]] = {}
    for issue in issues:
        known.setdefault(issue["claim_id"], []).append(issue["db_name"])
    rows = list(zip(claims.claim_ids, claims.column("db_name"), strict=True))
    kept = [
        place for place, (claim_id, name) in enumerate(rows) if name not in known.get(claim_id, [])
    ]
    left_out = sorted({claim_id for claim_id, _ in rows} - {rows[place][0] for place in kept})
    digest = hashlib.sha256(repr(left_out).encode()).hexdigest()[:8]
    return LabelledClaims(
        claims.name,
        {name: [values[place] for place in kept] for name, values in claims.columns.items()},
        frozenset(left_out),
        f"{len(left_out)}-{digest}",
    )
