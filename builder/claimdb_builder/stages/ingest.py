"""Stage 1: reads questions from files, whatever their format, each with an id of its own."""

from __future__ import annotations

import os
import re
import reprlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from claimdb_builder.pipeline.records import Question
from claimdb_builder.pipeline.stage import Context, Outcome, Stage
from claimdb_builder.stages.question_files import read_rows, values
from claimdb_metric.errors import DataError

MAX_LISTED: Final = 20
MAX_SHOWN_CHARS: Final = 40
_INTEGER: Final = re.compile(r"[0-9]{1,19}(?:\.0)?")

COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "bird_id": ("bird_id", "question_id"),
    "db_name": ("db_id", "db_name"),
    "question": ("question",),
    "evidence": ("evidence", "extra_info"),
    "sql": ("SQL", "sql", "query", "gold_sql"),
    "difficulty": ("difficulty",),
}
"""Names under which files have a field; the first that is there is taken."""

_OPTIONAL: Final = frozenset({"evidence", "difficulty"})
_MAY_BE_BLANK: Final = _OPTIONAL | {"question", "sql"}
_SAFE_NAME: Final = re.compile(r"[^./\\:\0-\x1f][^/\\:\0-\x1f]{,99}")


def read_questions(paths: Sequence[Path]) -> Iterator[Question]:
    """Return the questions of files, in their order.

    A row's id is its bird_id or question_id, else its running number over all files, from 0: for
    BIRD's dev.json and train.json, in this order, that is the published bird_id.

    Args:
        paths: question files.

    Raises:
        DataError: rows are wrong, or two have the same id; lists up to 20 of them.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "dev.csv")
    ...     _ = path.write_text("db_id,question,SQL\\nzoo,How many?,SELECT count(*) FROM pet\\n")
    ...     [(question.bird_id, question.sql) for question in read_questions([path])]
    [(0, 'SELECT count(*) FROM pet')]
    """
    problems: list[str] = []
    seen: set[int] = set()
    number = -1
    for path, source in zip(paths, source_names(paths), strict=True):
        what, entries = read_rows(path)
        for entry in entries:
            number += 1
            row, fault = values(entry)
            where = f"{source}, {what} {entry.place}"
            fields, faults = _fields(row, number) if fault is None else ({}, [fault])
            if not faults and fields["bird_id"] in seen:
                faults = [f"id {fields['bird_id']} stands in an earlier row, too{_order(paths)}"]
            seen.add(fields.get("bird_id", -1))
            problems += [f"{where}: {fault}" for fault in faults]
            if len(problems) >= MAX_LISTED:
                raise _error(problems)
            if not problems:
                yield Question(**fields, source=source, place=entry.place)
    if problems:
        raise _error(problems)
    if number < 0:
        raise DataError(f"no question in {', '.join(map(str, paths))}")


def source_names(paths: Sequence[Path]) -> list[str]:
    """Return what records call files: their names, with the folder's where two have the same.

    >>> source_names([Path("a/dev.json"), Path("train.json")])
    ['dev.json', 'train.json']
    """
    names = [path.name for path in paths]
    told = [
        path.name if names.count(path.name) == 1 else f"{path.absolute().parent.name}/{path.name}"
        for path in paths
    ]
    return [os.fsencode(name).decode(errors="replace") for name in told]


def _order(paths: Sequence[Path]) -> str:
    return "; of BIRD's files, dev comes first" if len(paths) > 1 else ""


def _error(problems: Sequence[str]) -> DataError:
    more = ", and perhaps more" if len(problems) >= MAX_LISTED else ""
    listed = "\n  ".join(problems[:MAX_LISTED])
    n_listed = min(len(problems), MAX_LISTED)
    return DataError(
        f"{n_listed} problem{'s' * (n_listed > 1)}{more} in question files; mend them "
        f"and build again (nothing was built):\n  {listed}"
    )


def _fields(row: Mapping[str, Any], number: int) -> tuple[dict[str, Any], list[str]]:
    """The fields of a question, and what is wrong with them."""
    fields: dict[str, Any] = {}
    faults = []
    for field, names in COLUMNS.items():
        name = next((name for name in names if not _is_absent(row.get(name))), None)
        if field == "bird_id":
            fields[field], fault = _id(row, name, number)
        else:
            fields[field], fault = _text(row, name, field)
        faults += [fault] if fault else []
    if not faults and not _SAFE_NAME.fullmatch(fields["db_name"]):
        faults = [f"{fields['db_name']!r} cannot be the name of a database"]
    return fields, faults


def _is_absent(value: object) -> bool:
    """Whether there is no value; pandas writes NaN for none."""
    return value is None or value != value


def _id(row: Mapping[str, Any], name: str | None, number: int) -> tuple[int, str | None]:
    if name is None or row[name] == "":
        return number, None
    value = row[name]
    # Cells of CSV are text, and pandas writes a column of integers that lacks one as 1.0.
    if isinstance(value, str) and _INTEGER.fullmatch(value):
        value = int(value.removesuffix(".0"))
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if type(value) is not int or not 0 <= value < 2**63:
        return number, f"{name} must be an integer of at least 0, got {_short(value)}"
    return value, None


def _text(row: Mapping[str, Any], name: str | None, field: str) -> tuple[str, str | None]:
    if name is None:
        if field in _OPTIONAL:
            return "", None
        return "", f"has no {' or '.join(COLUMNS[field])}"
    value = row[name]
    if not isinstance(value, str):
        return "", f"{name} must be text, got {_short(value)}"
    if not value.strip() and field not in _MAY_BE_BLANK:
        return "", f"{name} is empty"
    return value, None


def _short(value: object) -> str:
    shown = reprlib.repr(value)
    return shown if len(shown) <= MAX_SHOWN_CHARS else shown[:MAX_SHOWN_CHARS] + "…"


def ingest(questions: Iterable[Question], context: Context) -> Outcome:
    """Return the questions that were read; none is dropped, a wrong one stops the build.

    >>> ingest([], Context())
    ([], [])
    """
    return list(questions), []


INGEST: Final = Stage(name="ingest", version=1, takes=None, function=ingest)
