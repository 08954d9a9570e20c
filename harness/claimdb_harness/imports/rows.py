"""The rows of a file about claims, each of which is known and has one row."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from claimdb_loader.prediction_problems import refuse
from claimdb_loader.prediction_rows import Predictions, read_predictions
from claimdb_loader.predictions import duplicate_problems, unknown_problems

_WHAT_TO_DO = "mend them, or name with --split the claims that {path} is about"


def checked_rows(path: Path, known: Collection[int], needs_label: bool = True) -> Predictions:
    """Return the rows of a file; a label that is none is no problem here.

    Args:
        path: in any format of predictions.
        known: the claim_ids that rows may name.
        needs_label: whether a file in which no row has a label is refused as a whole.

    Raises:
        PredictionFileError: rows that cannot be read, or name no claim, an unknown one or the same
            twice; up to 20 are listed.
        OSError: the file is missing, a folder, or may not be read.
    """
    found = read_predictions(path, needs_label)
    problems = [problem for problem in found.problems if problem.kind != "label"]
    problems += duplicate_problems(found)
    problems += unknown_problems(found, set(known))
    if problems:
        refuse(path, found.place_name, problems, _WHAT_TO_DO)
    return found
