"""A folder with a transcript for each claim: <claim_id>.jsonl, a JSON object a line."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, Final

from claimdb_loader.claim_rows import BadLineError
from claimdb_loader.prediction_problems import Problem, refuse
from claimdb_loader.prediction_rows import claim_id_of
from claimdb_loader.strict_json import json_lines
from claimdb_metric.errors import DataError

Event = dict[str, Any]

SUFFIX: Final = ".jsonl"
_WHAT_TO_DO: Final = "name each <claim_id>.jsonl, and give the claims that {path} is about"


def transcript_files(folder: Path, known: Collection[int]) -> dict[int, Path]:
    """Return the transcript of each claim in a folder; files of other kinds are left aside.

    Raises:
        DataError: it is no folder, or holds no transcripts.
        PredictionFileError: a file is named for no claim, an unknown one, or one that another file
            is named for, too; up to 20 are listed.
    """
    if not folder.is_dir():
        raise DataError(f"{folder} is a file; give a folder with a <claim_id>{SUFFIX} for a claim")
    paths = sorted(path for path in folder.iterdir() if path.suffix == SUFFIX)
    if not paths:
        raise DataError(f"{folder} holds no <claim_id>{SUFFIX}")
    found: dict[int, Path] = {}
    problems: list[Problem] = []
    for path in paths:
        try:
            claim_id = claim_id_of(path.stem)
        except BadLineError:
            problems.append(Problem("claim-id", f"{path.name} is named for no claim"))
            continue
        first = found.setdefault(claim_id, path)
        if claim_id not in known:
            message = f"{path.name} is named for none of the {len(known):,} claims"
            problems.append(Problem("unknown-id", message, claim_id=claim_id))
        elif first != path:
            message = f"{path.name} and {first.name} are named for the same claim"
            problems.append(Problem("duplicate", message, claim_id=claim_id))
    if problems:
        refuse(folder, "line", problems, _WHAT_TO_DO, role="transcript")
    return found


def events_in(path: Path) -> Iterator[Event]:
    """Return the JSON objects of a transcript.

    Raises:
        DataError: a line is no JSON object, or there is none.
        OSError: the file cannot be read.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: byte {error.start + 1} is not UTF-8 text") from None
    is_empty = True
    for place, value, fault in json_lines(text):
        if fault is None and not isinstance(value, dict):
            fault = f"not a JSON object but {type(value).__name__}"
        if fault is not None or not isinstance(value, dict):
            raise DataError(f"{path}, line {place}: {fault}; mend or remove the line")
        is_empty = False
        yield value
    if is_empty:
        raise DataError(f"{path} is empty: remove it, and its claim counts as not run")
