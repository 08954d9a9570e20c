"""Scores predictions files against labelled claims, and compares them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from claimdb_harness.labelled_claims import LabelledClaims
from claimdb_loader.predictions import InvalidLabel, Joined, join
from claimdb_metric import Comparison, Score, compare_systems, score
from claimdb_metric.errors import DataError
from claimdb_metric.labels import LABELS


@dataclass(frozen=True)
class ScoredRun:
    """A score, and what its predictions file did not say as it should.

    Attributes:
        missing: claims without a prediction; each counts as wrong.
        invalid: claims with something else in place of a label; each counts as wrong.
        normalised: spellings that were taken for a label, with a count.
        notes: sentences about whatever else a reader should know.
    """

    score: Score
    missing: list[int]
    invalid: list[InvalidLabel]
    normalised: dict[str, int]
    notes: list[str]


def score_run(
    path: str, claims: LabelledClaims, by: Sequence[str] = (), group_by: str | None = None
) -> ScoredRun:
    """Return the score of a predictions file.

    Confidences are scored where the file has a column `confidence` (of the predicted label) or
    `probabilities` (three, in the order of the labels or by name), and no valid answer lacks one.

    Args:
        path: the file.
        claims: what it is scored on.
        by: columns of the claims or of the file; each adds a score for each of its values.
        group_by: the column whose groups are resampled as a whole; None resamples claims.

    Raises:
        PredictionFileError: rows that cannot be joined with the claims.
        HiddenLabelsError: the claims' labels are hidden.
        DataError: a column is not there, or a value cannot be scored.
        OSError: the file is missing, or may not be read.
    """
    references = claims.labels
    joined = _joined(path, claims)
    labels = joined.labels[: len(references)]
    confidences, notes = _confidences(joined, labels)
    found = score(
        labels,
        references,
        categories=claims.columns.get("category"),
        groups=_groups(claims, group_by),
        confidences=confidences,
        by={name: _column(name, claims, joined) for name in by},
        split=claims.name,
        known_issues=claims.known_issues,
    )
    return ScoredRun(
        score=found,
        missing=[claim_id for claim_id in joined.missing if claim_id not in claims.left_out],
        invalid=[row for row in joined.invalid if row.claim_id not in claims.left_out],
        normalised=joined.normalised,
        notes=[*notes, *(f"{what}: {count:,}" for what, count in joined.notes.items())],
    )


def compare_runs(
    paths: Sequence[str],
    claims: LabelledClaims,
    baseline: str | None = None,
    group_by: str | None = None,
) -> tuple[dict[str, Score], list[Comparison]]:
    """Return the score of each predictions file under its name, and how the pairs differ.

    Args:
        paths: the files; each is named by its own name without suffix, and by its folder where
            that is not enough.
        baseline: the name that all others are compared with; None compares every pair.
        claims, group_by: as for `score_run`.

    Raises:
        PredictionFileError, HiddenLabelsError, DataError, OSError: as `score_run`.
    """
    references = claims.labels
    systems = {
        name: _joined(path, claims).labels[: len(references)]
        for name, path in zip(run_names(paths), paths, strict=True)
    }
    options: dict[str, Any] = {
        "groups": _groups(claims, group_by),
        "split": claims.name,
        "known_issues": claims.known_issues,
    }
    pairs = compare_systems(systems, references, baseline=baseline, **options)
    categories = claims.columns.get("category")
    scores = {
        name: score(labels, references, categories=categories, **options)
        for name, labels in systems.items()
    }
    return scores, pairs


def run_names(paths: Sequence[str]) -> list[str]:
    """Return a name for each file: the shortest end of its path that no other one has.

    Raises:
        DataError: the same file twice.

    >>> run_names(["runs/gpt/predictions.jsonl", "runs/qwen/predictions.jsonl", "mine.csv"])
    ['gpt/predictions', 'qwen/predictions', 'mine']
    """
    parts = [Path(path).absolute().with_suffix("").parts for path in paths]
    if len(set(parts)) < len(parts):
        raise DataError(f"the same file twice: {', '.join(paths)}")
    names = []
    for own in parts:
        others = [other for other in parts if other != own]
        length = next(
            length
            for length in range(1, len(own) + 1)
            if all(other[-length:] != own[-length:] for other in others)
        )
        names.append("/".join(own[-length:]))
    return names


def _joined(path: str, claims: LabelledClaims) -> Joined:
    # Predictions may name the claims that were left out, too.
    return join(path, [*claims.claim_ids, *sorted(claims.left_out)])


def _groups(claims: LabelledClaims, name: str | None) -> dict[str, list[object]] | None:
    return None if name is None else {name: claims.column(name)}


def _column(name: str, claims: LabelledClaims, joined: Joined) -> list[object]:
    if name not in claims.columns and name in joined.columns:
        return joined.columns[name][: len(claims.claim_ids)]
    return claims.column(name)


def _confidences(joined: Joined, labels: Sequence[object]) -> tuple[list[object] | None, list[str]]:
    name = next((name for name in ("probabilities", "confidence") if name in joined.columns), None)
    if name is None:
        return None, []
    values = [_in_order(value) for value in joined.columns[name][: len(labels)]]
    lacking = sum(
        value is None and label is not None for value, label in zip(values, labels, strict=True)
    )
    if lacking:
        return None, [f"{name} not scored: {lacking:,} valid answers have none"]
    return values, []


def _in_order(value: object) -> object:
    """Probabilities by label name, in the order of the labels."""
    if isinstance(value, dict) and set(value) == set(LABELS):
        return [value[label] for label in LABELS]
    return value
