"""One line of a claims file -> one claim row, or the reasons why it is none.

This is the authority on what a row may hold; `claim_tables` is the fast road to the same answer.
Upstream's three shapes (no `category` on ENTAILED and CONTRADICTED rows; no `label`, `category`
and `bird_id` on hidden rows) all become the one row of design.md §3.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Final, NoReturn

from claimdb_metric.labels import CATEGORIES, HIDDEN, LABELS, NOT_ENOUGH_INFO

ClaimRow = dict[str, Any]
INT64_MAX: Final = 2**63 - 1


class BadLineError(ValueError):
    """A line is not one strict JSON object in UTF-8."""


def parse_line(line: bytes) -> dict[str, Any]:
    """Return the JSON object on one line.

    Strict: no NaN or Infinity, no key twice, no lone surrogate, UTF-8 only.

    Raises:
        BadLineError: with the reason.

    >>> parse_line(b'{"claim_id": 7}')
    {'claim_id': 7}
    """
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadLineError(f"invalid UTF-8 at byte {error.start + 1} of the line") from None
    try:
        value = json.loads(text, object_pairs_hook=_unique_keys, parse_constant=_no_constant)
    except BadLineError:
        raise
    except json.JSONDecodeError as error:
        raise BadLineError(f"not JSON ({error.msg} at character {error.colno})") from None
    except (ValueError, RecursionError) as error:
        raise BadLineError(f"not JSON ({error})") from None
    if not isinstance(value, dict):
        raise BadLineError(f"not a JSON object but {type(value).__name__}")
    return value


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    if len(set(keys)) < len(keys):
        twice = next(key for key in keys if keys.count(key) > 1)
        raise BadLineError(f"key {twice!r} stands twice")
    return dict(pairs)


def _no_constant(name: str) -> NoReturn:
    raise BadLineError(f"not JSON ({name} is no JSON value)")


def _claim_id(value: object) -> int:
    if value is None:
        raise BadLineError("claim_id is missing")
    return _integer("claim_id", value, least=0)


def _bird_id(value: object) -> int:
    return HIDDEN if value is None else _integer("bird_id", value, least=HIDDEN)


def _integer(key: str, value: object, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= INT64_MAX:
        raise BadLineError(f"{key} must be an integer of at least {least}, got {shown(value)}")
    return value


def _text(key: str) -> Callable[[object], str]:
    def check(value: object) -> str:
        if not isinstance(value, str) or not value.strip():
            raise BadLineError(f"{key} must be a text that is not empty, got {shown(value)}")
        return _encodable(key, value)

    return check


def _extra_info(value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadLineError(f"extra_info must be a text, got {shown(value)}")
    return _encodable("extra_info", value)


def _encodable(key: str, value: str) -> str:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise BadLineError(f"{key} holds a lone surrogate (\\ud800-\\udfff)") from None
    return value


def _class_label(key: str, names: Sequence[str]) -> Callable[[object], int]:
    """A check for a name, its ClassLabel integer, or -1 and null for "hidden"."""

    def check(value: object) -> int:
        if value is None:
            return HIDDEN
        if isinstance(value, str) and value in names:
            return names.index(value)
        if type(value) is int and HIDDEN <= value < len(names):
            return value
        raise BadLineError(f"unknown {key} {shown(value)}; it must be one of {', '.join(names)}")

    return check


def shown(value: object) -> str:
    """Return a value as JSON in ASCII, cut to 60 characters, for a message.

    >>> shown("Zoë"), shown(None)
    ('"Zo\\\\u00eb"', 'null')
    """
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= 60 else text[:57] + "..."


COLUMNS: Final[dict[str, Callable[[object], Any]]] = {
    "claim_id": _claim_id,
    "bird_id": _bird_id,
    "db_name": _text("db_name"),
    "claim": _text("claim"),
    "extra_info": _extra_info,
    "label": _class_label("label", LABELS),
    "category": _class_label("category", CATEGORIES),
}
"""The columns of a claim row in order, each with the check that gives its value."""


def check_row(raw: dict[str, Any]) -> tuple[ClaimRow, list[str]]:
    """Return the claim row of a JSON object and what is wrong with it.

    Args:
        raw: the object as read; a missing key counts as null, unknown keys are left out.

    >>> row, faults = check_row({"claim_id": 7, "db_name": "zoo", "claim": "It has 3 owls."})
    >>> row["label"], row["bird_id"], row["extra_info"], faults
    (-1, -1, '', [])
    >>> check_row({"claim_id": "7", "db_name": "zoo", "claim": "It has 3 owls."})[1]
    ['claim_id must be an integer of at least 0, got "7"']
    """
    row: ClaimRow = {}
    faults = []
    for key, check in COLUMNS.items():
        try:
            row[key] = check(raw.get(key))
        except BadLineError as fault:
            faults.append(str(fault))
    if not faults and row["category"] != HIDDEN and row["label"] != NOT_ENOUGH_INFO:
        faults.append("a category is given, but the label is not NOT ENOUGH INFO")
    return row, faults
