"""Validates a predictions file against its claims: every problem at once, before it is sent."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from claimdb_loader.claim_rows import BadLineError
from claimdb_loader.prediction_confidences import confidence_column, confidence_of
from claimdb_loader.prediction_problems import PathLike, PlaceName, Problem, in_order
from claimdb_loader.prediction_rows import Prediction, Predictions, read_predictions
from claimdb_loader.predictions import duplicate_problems, unknown_problems

_SHOWN: Final = 10
_NO_SPLITS: Final[Mapping[str, Collection[int]]] = MappingProxyType({})


@dataclass(frozen=True)
class Validation:
    """What is wrong with a predictions file, and what was normalised in reading it.

    Args:
        path: the file.
        place_name: what the places of problems are: lines or rows.
        n_rows: how many rows could be read.
        n_claims: how many claims there are.
        problems: all of them, in the order of the file.
        missing: every claim without a row, also where no problem says so, because no row at all
            names one of the claims.
        notes: what was normalised besides labels, with a count.
        normalised: each spelling of a label that is not its name, with a count.
        predictions: the rows that name a claim, in the order of the file.
    """

    path: str
    place_name: PlaceName
    n_rows: int
    n_claims: int
    problems: tuple[Problem, ...]
    missing: tuple[int, ...] = field(repr=False)
    notes: dict[str, int]
    normalised: dict[str, int]
    predictions: tuple[Prediction, ...] = field(repr=False)


def validate(
    path: PathLike,
    claim_ids: Iterable[int],
    other_splits: Mapping[str, Collection[int]] = _NO_SPLITS,
) -> Validation:
    r"""Return every problem of a predictions file.

    Args:
        path: a predictions file in any format of `read_rows`.
        claim_ids: the claims that need a prediction.
        other_splits: the claim_ids of other splits by name, to tell a file of the wrong split.

    Raises:
        OSError: the file is missing, a folder, or may not be read.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "predictions.jsonl")
    ...     _ = path.write_text('{"claim_id": 7, "label": "TRUE"}\n{"claim_id": 9, "label": 0}')
    ...     validation = validate(path, [7, 8])
    >>> [(problem.kind, problem.place) for problem in validation.problems]
    [('label', 1), ('unknown-id', 2), ('missing-id', None)]
    """
    return _validation(read_predictions(path), set(claim_ids), other_splits)


def _validation(
    found: Predictions, known: set[int], other_splits: Mapping[str, Collection[int]]
) -> Validation:
    given = {prediction.claim_id for prediction in found.predictions}
    missing = tuple(sorted(int(claim_id) for claim_id in known - given))
    problems = [
        *found.problems,
        *duplicate_problems(found),
        *_foreign_problems(found, known, other_splits),
        *_confidence_problems(found),
    ]
    # Where no row names one of the claims, that is said already, and a list of all adds nothing.
    if missing and known & given:
        problems.append(_missing_problem(missing, len(known)))
    return Validation(
        path=found.path,
        place_name=found.place_name,
        n_rows=found.n_rows,
        n_claims=len(known),
        problems=in_order(problems),
        missing=missing,
        notes=found.notes,
        normalised=found.normalised,
        predictions=found.predictions,
    )


def _confidence_problems(found: Predictions) -> list[Problem]:
    """What keeps confidences from being scored; labels are scored all the same."""
    valid = [row for row in found.predictions if row.label is not None]
    filled = (name for row in valid for name, value in row.extra.items() if value is not None)
    column = confidence_column(filled)
    if column is None:
        return []
    problems = []
    n_missing = 0
    for row in valid:
        try:
            n_missing += confidence_of(column, row.extra.get(column)) is None
        except BadLineError as error:
            problems.append(Problem("confidence", str(error), row.place, row.claim_id))
    if n_missing:
        message = (
            f"{n_missing:,} of {len(valid):,} labels have no {column}; add it, or remove the column"
            " (none is scored while some are missing)"
        )
        problems.append(Problem("confidence", message))
    return problems


def _missing_problem(missing: tuple[int, ...], n_claims: int) -> Problem:
    return Problem(
        "missing-id",
        f"{len(missing):,} of {n_claims:,} claims have no prediction: {_first_ids(missing)}; "
        "add a row for each (a missing one counts as wrong)",
        claim_ids=missing,
    )


def _foreign_problems(
    found: Predictions, known: set[int], other_splits: Mapping[str, Collection[int]]
) -> list[Problem]:
    """Rows that name none of the claims: one problem where most are of one other split."""
    problems = unknown_problems(found, known)
    unknown = {problem.claim_id for problem in problems if problem.claim_id is not None}
    for name, ids in other_splits.items():
        of_split = unknown & set(ids)
        if 2 * len(of_split) > len(unknown):
            rest = [problem for problem in problems if problem.claim_id not in of_split]
            return [_wrong_split(name, sorted(of_split)), *rest]
    return problems


def _wrong_split(name: str, ids: list[int]) -> Problem:
    return Problem(
        "wrong-split",
        f"{len(ids):,} of the ids are of split {name}, not of the split that is validated: "
        f"{_first_ids(ids)}; name the right split or remove these rows",
        claim_ids=tuple(ids),
    )


def _first_ids(ids: Collection[int]) -> str:
    first = ", ".join(str(claim_id) for claim_id in list(ids)[:_SHOWN])
    return first + (", …" if len(ids) > _SHOWN else "")
