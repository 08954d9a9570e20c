"""Joins predictions with claims by claim_id, never by position."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from claimdb_loader.claim_rows import shown
from claimdb_loader.prediction_problems import PathLike, Problem, refuse
from claimdb_loader.prediction_rows import Prediction, Predictions, read_predictions


class InvalidLabel(NamedTuple):
    """A claim whose prediction is no label, and what stands there instead, for a message."""

    claim_id: int
    shown: str


class Columns(Mapping[str, list[object]]):
    """The extra columns by name, each with one value for each claim.

    A list is made when it is asked for: rows with a thousand keys of their own cost nothing.
    """

    def __init__(self, predictions: Sequence[Prediction | None]) -> None:
        self._predictions = predictions
        extras = [prediction.extra for prediction in predictions if prediction is not None]
        self._names = dict.fromkeys(name for extra in extras for name in extra)

    def __getitem__(self, name: str) -> list[object]:
        if name not in self._names:
            raise KeyError(name)
        return [
            None if prediction is None else prediction.extra.get(name)
            for prediction in self._predictions
        ]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


@dataclass(frozen=True)
class Joined:
    """Predictions in the order of the claims.

    Args:
        labels: the label of each claim; None where it is missing or invalid.
        missing: the claims without a row, in the order of the claims.
        invalid: the claims whose prediction is no label, likewise.
        normalised: each spelling of a label that is not its name, with a count.
        notes: what else was normalised, with a count.
        columns: the other columns of the file; None where a row lacks the value.
    """

    labels: list[object]
    missing: list[int]
    invalid: list[InvalidLabel]
    normalised: dict[str, int]
    notes: dict[str, int]
    columns: Mapping[str, list[object]]


def join(path: PathLike, claim_ids: Sequence[int]) -> Joined:
    r"""Return the predictions of a file in the order of some claims, for scoring.

    A missing or invalid prediction is no error: it counts as wrong, and is listed.

    Args:
        path: a predictions file in any format of `read_rows`.
        claim_ids: the claims that are scored.

    Raises:
        PredictionFileError: rows are unreadable, name no claim, or name an unknown one or the same
            twice; up to 20 are listed.
        OSError: the file is missing, a folder, or may not be read.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "predictions.jsonl")
    ...     _ = path.write_text('{"claim_id": 8, "label": "entailed"}\n{"claim_id": 7, "label": 9}')
    ...     joined = join(path, [7, 8, 9])
    >>> joined.labels, joined.missing, joined.invalid
    ([None, 'ENTAILED', None], [9], [InvalidLabel(claim_id=7, shown='9')])
    """
    wanted = [int(claim_id) for claim_id in claim_ids]
    found = read_predictions(path)
    _check(found, set(wanted))
    by_id = {prediction.claim_id: prediction for prediction in found.predictions}
    aligned = [by_id.get(claim_id) for claim_id in wanted]
    return Joined(
        labels=[None if row is None else row.label for row in aligned],
        missing=[claim_id for claim_id in wanted if claim_id not in by_id],
        invalid=[
            InvalidLabel(row.claim_id, shown(row.given))
            for row in aligned
            if row is not None and row.label is None
        ],
        normalised=found.normalised,
        notes=found.notes,
        columns=Columns(aligned),
    )


def _check(found: Predictions, known: set[int]) -> None:
    problems = [problem for problem in found.problems if problem.kind != "label"]
    problems += duplicate_problems(found)
    problems += _unjoined_problems(found, known)
    if problems:
        refuse(found.path, found.place_name, problems)


def _unjoined_problems(found: Predictions, known: set[int]) -> list[Problem]:
    unknown = unknown_problems(found, known)
    n_rows = len(found.predictions)
    if len(unknown) < 2 or 2 * len(unknown) <= n_rows:
        return unknown
    message = (
        f"{len(unknown):,} of {n_rows:,} rows are of none of the {len(known):,} claims: "
        "name the split that the file is for"
    )
    return [Problem("wrong-split", message)]


def duplicate_problems(found: Predictions) -> list[Problem]:
    """Return a problem for each row whose claim has a row already.

    It is fixable where the two rows are wholly equal.

    >>> row = Prediction(1, 7, "ENTAILED", 0, {})
    >>> again = (row, row._replace(place=2))
    >>> found = Predictions("p.csv", "line", 2, again, (), {}, {})
    >>> [(problem.place, problem.fixable) for problem in duplicate_problems(found)]
    [(2, True)]
    """
    first: dict[int, Prediction] = {}
    again: list[Prediction] = []
    for prediction in found.predictions:
        if first.setdefault(prediction.claim_id, prediction) is not prediction:
            again.append(prediction)
    texts = {claim_id: _text(first[claim_id]) for claim_id in {row.claim_id for row in again}}
    return [
        _duplicate(row, first[row.claim_id], _text(row) == texts[row.claim_id], found.place_name)
        for row in again
    ]


def _duplicate(row: Prediction, first: Prediction, is_equal: bool, place_name: str) -> Problem:
    has_same_label = row.label == first.label and (row.label or row.given == first.given)
    how = "the same label" if has_same_label else "another label"
    if has_same_label and not is_equal:
        how += " but other values"
    return Problem(
        "duplicate",
        f"claim_id {row.claim_id} stands already at {place_name} {first.place} with {how}; "
        "keep one of them",
        place=row.place,
        claim_id=row.claim_id,
        fixable=is_equal,
    )


def _text(prediction: Prediction) -> str:
    """A text that is the same for equal rows; Python holds 1, 1.0 and True equal, this does not."""
    label = prediction.given if prediction.label is None else prediction.label
    return json.dumps({"label": label, "extra": prediction.extra}, sort_keys=True)


def unknown_problems(found: Predictions, known: Collection[int]) -> list[Problem]:
    """Return a problem for each row that names none of the known claims.

    Args:
        known: a set of claim_ids.

    >>> rows = (Prediction(1, 7, "ENTAILED", 0, {}), Prediction(2, 8, "ENTAILED", 0, {}))
    >>> found = Predictions("p.csv", "line", 2, rows, (), {}, {})
    >>> [problem.claim_id for problem in unknown_problems(found, {7})]
    [8]
    """
    return [
        Problem(
            "unknown-id",
            f"claim_id {prediction.claim_id} is none of the {len(known):,} claims; remove the row",
            place=prediction.place,
            claim_id=prediction.claim_id,
        )
        for prediction in found.predictions
        if prediction.claim_id not in known
    ]
