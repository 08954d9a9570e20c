"""What can be wrong with a predictions file, and the words in which it is told."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, NoReturn, TypeAlias

from claimdb_loader.problems import MAX_LISTED, shown_path
from claimdb_metric.errors import PredictionFileError

PathLike: TypeAlias = str | os.PathLike[str]
PlaceName: TypeAlias = Literal["line", "row"]
Kind: TypeAlias = Literal[
    "no-rows",
    "encoding",
    "not-json",
    "not-csv",
    "not-parquet",
    "columns",
    "claim-id",
    "label",
    "confidence",
    "conflict",
    "duplicate",
    "unknown-id",
    "wrong-split",
    "missing-id",
]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a predictions file.

    Args:
        kind: a short code.
        message: what is wrong and what to do.
        place: the 1-based line or row; None where the whole file is concerned.
        claim_id: the claim that is concerned, where it is one.
        fixable: whether a fixed copy can be written without guessing.
        claim_ids: every claim that is concerned, where one problem stands for many.
    """

    kind: Kind
    message: str
    place: int | None = None
    claim_id: int | None = None
    fixable: bool = False
    claim_ids: tuple[int, ...] = ()


def located(problem: Problem, path: PathLike, place_name: PlaceName) -> str:
    """Return a problem as one line of text: file, place, message.

    Args:
        place_name: what the places of the file are.

    >>> problem = Problem("label", "label 3 is no label", place=12)
    >>> located(problem, "run/predictions.jsonl", "line")
    'run/predictions.jsonl:12: label 3 is no label'
    >>> located(problem, "run/predictions.json", "row")
    'run/predictions.json: row 12: label 3 is no label'
    """
    name = shown_path(os.fspath(path))
    if problem.place is None:
        return f"{name}: {problem.message}"
    separator = ":" if place_name == "line" else ": row "
    return f"{name}{separator}{problem.place}: {problem.message}"


def in_order(problems: Sequence[Problem]) -> tuple[Problem, ...]:
    """Return problems in the order of their places; those of the whole file come last.

    >>> problems = [Problem("missing-id", "b"), Problem("label", "a", place=3)]
    >>> [problem.message for problem in in_order(problems)]
    ['a', 'b']
    """
    return tuple(sorted(problems, key=lambda problem: (problem.place is None, problem.place or 0)))


_MEND: Final = "mend them; `claimdb validate`, with the same --split, lists every problem of a file"


def refuse(
    path: PathLike,
    place_name: PlaceName,
    problems: Sequence[Problem],
    what_to_do: str = _MEND,
    role: str = "predictions",
) -> NoReturn:
    """Raise PredictionFileError with the first 20 of some problems.

    Args:
        what_to_do: the last line of the message, with {path} for the file.
        role: what the file is.

    >>> refuse("p.jsonl", "line", [Problem("not-json", "not JSON", place=2)])
    Traceback (most recent call last):
    claimdb_metric.errors.PredictionFileError: 1 problem in a predictions file:
      p.jsonl:2: not JSON
    mend them; `claimdb validate`, with the same --split, lists every problem of a file
    """
    lines = [located(problem, path, place_name) for problem in in_order(problems)[:MAX_LISTED]]
    if len(problems) > MAX_LISTED:
        lines.append(f"and {len(problems) - MAX_LISTED:,} more")
    raise PredictionFileError(
        f"{len(problems):,} problem{'s' if len(problems) > 1 else ''} in a {role} file:\n  "
        + "\n  ".join(lines)
        + f"\n{what_to_do.format(path=os.fspath(path))}"
    )
