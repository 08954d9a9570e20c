"""Scores predictions files against labelled claims, and compares them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from claimdb_harness.labelled_claims import LabelledClaims
from claimdb_harness.run_names import run_names
from claimdb_harness.runs.predictions import as_predictions_file, check_complete, forced_note
from claimdb_harness.runs.runs import is_run, read_run
from claimdb_loader.claim_rows import BadLineError
from claimdb_loader.prediction_confidences import (
    COLUMNS,
    Confidence,
    confidence_column,
    confidence_of,
)
from claimdb_loader.predictions import InvalidLabel, Joined, join
from claimdb_metric import Comparison, Score, compare_systems, score


@dataclass(frozen=True)
class ScoredRun:
    """A score, and what its predictions file did not say as it should.

    Attributes:
        labels: the answer to each claim; None where it is missing or no label.
        missing: claims without a prediction; each counts as wrong.
        invalid: claims with something else in place of a label; each counts as wrong.
        normalised: spellings that were taken for a label, with a count.
        notes: sentences about whatever else a reader should know.
        run_signature: of a run's folder or log, what was asked; None for a predictions file.
    """

    score: Score
    labels: list[object]
    missing: list[int]
    invalid: list[InvalidLabel]
    normalised: dict[str, int]
    notes: list[str]
    run_signature: str | None = None

    def issues(self) -> dict[str, object]:
        """Return what is not as it should be, as plain Python values."""
        shown: dict[str, object] = {
            "missing": self.missing,
            "invalid": dict(self.invalid),
            "normalised": self.normalised,
            "notes": self.notes,
        }
        return shown | ({"run": self.run_signature} if self.run_signature else {})


def score_run(
    path: str,
    claims: LabelledClaims,
    by: Sequence[str] = (),
    group_by: str | None = None,
    allow_partial: bool = False,
) -> ScoredRun:
    """Return the score of a predictions file, or of a run's folder or log.

    Confidences are scored where the file has a column `confidence` (of the predicted label) or
    `probabilities` (three, in the order of the labels or by name), and no label lacks one.

    Args:
        path: the file or folder.
        claims: what it is scored on.
        by: columns of the claims or of the file; each adds a score for each of its values.
        group_by: the column whose groups are resampled as a whole; None resamples claims.
        allow_partial: whether a run may lack claims; those that `claims` has count as wrong.

    Raises:
        PredictionFileError: rows that cannot be joined with the claims.
        HiddenLabelsError: the claims' labels are hidden.
        DataError: a column is not there, a value cannot be scored, or a run is incomplete.
        OSError: the file is missing, or may not be read.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> claims = LabelledClaims("mine", {"claim_id": [7, 8], "label": ["ENTAILED"] * 2})
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "run.json")
    ...     _ = path.write_text('{"7": "ENTAILED"}')
    ...     run = score_run(str(path), claims)
    >>> run.score.accuracy, run.missing
    (0.5, [8])
    """
    if is_run(Path(path)):
        run = read_run(Path(path))
        if not allow_partial:
            check_complete(run)
        with as_predictions_file(run) as file:
            scored = score_run(file, claims, by, group_by)
        notes = [*scored.notes, *forced_note(run, claims)]
        return replace(scored, notes=notes, run_signature=run.settings.signature())
    references = claims.labels
    # Predictions may name the claims that were left out, too.
    joined = join(path, [*claims.claim_ids, *sorted(claims.left_out)])
    labels = joined.labels[: len(references)]
    confidences, notes = _confidences(joined, labels)
    found = score(
        labels,
        references,
        categories=claims.categories,
        groups=_groups(claims, group_by),
        confidences=confidences,
        by={name: _column(name, claims, joined) for name in by},
        split=claims.name,
        known_issues=claims.known_issues,
    )
    return ScoredRun(
        score=found,
        labels=labels,
        missing=sorted(set(joined.missing) - claims.left_out),
        invalid=[row for row in joined.invalid if row.claim_id not in claims.left_out],
        normalised=joined.normalised,
        notes=[*notes, *joined.notes],
    )


def clustered_intervals(run: ScoredRun, claims: LabelledClaims) -> dict[str, dict[str, Any]]:
    """Return the 95 % intervals of accuracy and macro-F1 over claims, questions and databases.

    Over questions they are for other claims on these databases, over databases for other databases.

    Args:
        run: from `score_run`.
        claims: what it was scored on.

    >>> claims = LabelledClaims("mine", {"claim_id": [7, 8], "label": ["ENTAILED"] * 2})
    >>> run = ScoredRun(score(["ENTAILED"] * 2, claims.labels), ["ENTAILED"] * 2, [], [], {}, [])
    >>> clustered_intervals(run, claims)
    {'claims': {'accuracy': (1.0, 1.0), 'macro_f1': (0.3333333333333333, 0.3333333333333333)}}
    """
    units = {"claims": None, "questions": "bird_id", "databases": "db_name"}
    found: dict[str, dict[str, Any]] = {}
    for unit, column in units.items():
        if column is not None and column not in claims.columns:
            continue
        # With categories as in `score_run`: what is drawn depends on how finely claims are counted.
        groups = _groups(claims, column)
        one = score(run.labels, claims.labels, categories=claims.categories, groups=groups)
        found[unit] = {rate: one.intervals[rate] for rate in ("accuracy", "macro_f1")}
    return found


def compare_runs(
    paths: Sequence[str],
    claims: LabelledClaims,
    baseline: str | None = None,
    group_by: str | None = None,
) -> tuple[dict[str, ScoredRun], list[Comparison]]:
    """Return the score of each predictions file under its name, and how the pairs differ.

    Args:
        paths: the files, named as `run_names` names them.
        baseline: the name that all others are compared with; None compares every pair.
        claims, group_by: as for `score_run`.

    Raises:
        PredictionFileError, HiddenLabelsError, DataError, OSError: as `score_run`.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> claims = LabelledClaims("mine", {"claim_id": [7, 8], "label": ["ENTAILED"] * 2})
    >>> with TemporaryDirectory() as folder:
    ...     paths = [str(Path(folder, f"{name}.json")) for name in "ab"]
    ...     for path, label in zip(paths, ("ENTAILED", "CONTRADICTED")):
    ...         _ = Path(path).write_text(f'{{"7": "{label}", "8": "ENTAILED"}}')
    ...     runs, pairs = compare_runs(paths, claims)
    >>> list(runs), pairs[0].accuracy.effect
    (['a', 'b'], 0.5)
    """
    names = run_names(paths)
    runs = {
        name: score_run(path, claims, group_by=group_by)
        for name, path in zip(names, paths, strict=True)
    }
    pairs = compare_systems(
        {name: run.labels for name, run in runs.items()},
        claims.labels,
        baseline=baseline,
        groups=_groups(claims, group_by),
        split=claims.name,
        known_issues=claims.known_issues,
    )
    return runs, pairs


def _groups(claims: LabelledClaims, name: str | None) -> dict[str, list[object]] | None:
    return None if name is None else {name: claims.groups(name)}


def _column(name: str, claims: LabelledClaims, joined: Joined) -> list[object]:
    if name not in claims.columns and name in joined.columns:
        return joined.columns[name][: len(claims.claim_ids)]
    return claims.column(name)


def _confidences(
    joined: Joined, labels: Sequence[object]
) -> tuple[list[Confidence | None] | None, list[str]]:
    """The confidences, or None and why they are not scored."""
    filled = {name for name in COLUMNS if any(v is not None for v in joined.columns.get(name, ()))}
    column = confidence_column(filled)
    if column is None:
        return None, []
    given: Sequence[Any] = joined.columns[column]
    values = [
        None if label is None else _confidence(column, value)
        for value, label in zip(given, labels, strict=False)
    ]
    n_lacking = sum(
        value is None and label is not None for value, label in zip(values, labels, strict=True)
    )
    if not n_lacking:
        return values, []
    of_them = f"{n_lacking:,} of {len(labels):,} answers have none that is a probability"
    return None, [f"{column} not scored: {of_them} (`claimdb validate` says where)"]


def _confidence(column: str, value: object) -> Confidence | None:
    try:
        return confidence_of(column, value)
    except BadLineError:
        return None
