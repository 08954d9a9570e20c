"""Checks what a worker answers before it is a Result: one that was taken over may say anything."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, Final

from claimdb_sandbox.limits import Limits
from claimdb_sandbox.pipes import WorkerDied
from claimdb_sandbox.results import FLAG_NOTES, STATUSES, Result

VALUE_TYPES: Final = frozenset({str, int, float, type(None)})
LIMIT_NAMES: Final = frozenset(field.name for field in fields(Limits))


def result_of(answer: dict[str, Any]) -> Result:
    """Return the Result in a worker's answer.

    Raises:
        WorkerDied: it is none, and so not from our code: the worker is not trusted any more.

    >>> result_of({"status": "ok", "columns": ["n"], "rows": [[1]]}).rows
    ((1,),)
    """
    if {"status", "rows"} - answer.keys() or answer.keys() - _CHECKS.keys():
        raise WorkerDied
    if not all(_CHECKS[name](value) for name, value in answer.items()):
        raise WorkerDied
    result = Result(
        **{name: _frozen(value) for name, value in answer.items() if name != "rows"},
        rows=tuple(map(tuple, answer["rows"])),
    )
    if not all(_is_row(row, len(result.columns)) for row in result.rows):
        raise WorkerDied
    if not result.ok and (result.rows or result.columns):
        raise WorkerDied
    return result


def _is_row(row: tuple[Any, ...], n_columns: int) -> bool:
    if len(row) != n_columns or not set(map(type, row)) <= VALUE_TYPES:
        return False
    texts = [value for value in row if type(value) is str]
    return _is_unicode("".join(texts)) and all(map(_is_finite, row))


def _is_finite(value: object) -> bool:
    return type(value) is not float or math.isfinite(value)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_text(value: object) -> bool:
    return type(value) is str and _is_unicode(value)


def _is_texts(value: object) -> bool:
    return type(value) is list and all(map(_is_text, value))


_CHECKS: Final[Mapping[str, Callable[[Any], bool]]] = {
    "status": lambda value: type(value) is str and value in STATUSES,
    "columns": _is_texts,
    "rows": lambda value: type(value) is list and all(type(row) is list for row in value),
    "truncated": lambda value: type(value) is bool,
    "elapsed_ms": lambda value: type(value) in (int, float) and _is_finite(value),
    "ticks": lambda value: type(value) is int,
    "message": lambda value: value is None or _is_text(value),
    "limit": lambda value: value is None or (_is_text(value) and value in LIMIT_NAMES),
    "flags": lambda value: _is_texts(value) and set(value) <= FLAG_NOTES.keys(),
    "notes": _is_texts,
}


def _frozen(value: Any) -> Any:
    return tuple(value) if type(value) is list else value
