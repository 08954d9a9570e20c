"""Whether values are of the kinds that a dataclass declares: Python itself does not ask."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

_PLAIN: Final = frozenset({str, int, bool, NoneType})
"""Classes whose values need no second look."""

_UNIONS: Final = (Union, UnionType)


def check_kinds(thing: Any) -> None:
    """Raise ValueError at the first field of a dataclass whose value is not as its type says.

    >>> from claimdb_harness.runs.traces import Tokens
    >>> check_kinds(Tokens(input="many"))
    Traceback (most recent call last):
    ValueError: input is 'many'
    """
    # mypy takes the __hash__ of instances for that of the class.
    for name, hint, plain in _hints(type(thing)):  # type: ignore[arg-type]
        value = getattr(thing, name)
        if type(value) not in plain and not _is(value, hint):
            raise ValueError(f"{name} is {value!r}"[:200])


@lru_cache(maxsize=16)
def _hints(kind: type) -> list[tuple[str, Any, frozenset[Any]]]:
    """Name and type of each field, and which classes are enough to know: half of the time."""
    found = []
    for name, hint in get_type_hints(kind).items():
        classes = get_args(hint) if get_origin(hint) in _UNIONS else (hint,)
        found.append((name, hint, frozenset(_PLAIN & {*classes})))
    return found


def _is(value: object, hint: Any) -> bool:
    """Whether a value is of a type; an integer is a number, True is no integer, NaN no number."""
    if hint is Any:
        return True
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal:
        return isinstance(value, str) and value in inner
    if origin in _UNIONS:
        return any(_is(value, one) for one in inner)
    if origin is Mapping:
        return isinstance(value, dict) and all(_is(one, inner[1]) for one in value.values())
    if hint is float:
        return type(value) in (int, float) and math.isfinite(value)  # type: ignore[arg-type]
    return type(value) is (origin or hint)
