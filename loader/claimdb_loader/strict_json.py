"""Reads JSON value by value: lines, the items of a list, the pairs of an object.

Strict: what Python reads but JSON does not allow (NaN, a key twice, half of a surrogate pair) is a
fault of that value, and the values after it are still read.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple, TypeAlias

MAX_DEPTH: Final = 100
"""Deeper nesting is refused, long before Python's own limit would stop a writer or a reader."""

_TOO_DEEP: Final = f"nested deeper than {MAX_DEPTH} levels"
_SPACE: Final = re.compile(r"[ \t\n\r]*")
_SURROGATE_ESCAPE: Final = re.compile(r"\\u[dD][89a-fA-F]")


class Entry(NamedTuple):
    """A value at a 1-based line or row, or the fault for which it cannot be taken."""

    place: int
    value: object
    fault: str | None


Reading: TypeAlias = tuple[object, int, str | None]
"""A value, the position after it, and its fault."""


class JsonSyntaxError(ValueError):
    """The text is no JSON from a position on."""

    def __init__(self, reason: str, position: int) -> None:
        super().__init__(reason)
        self.position = position

    def in_line(self) -> str:
        """The fault, for a text of one line."""
        return f"not JSON ({self} at character {self.position + 1})"

    def in_text(self, text: str) -> str:
        """The fault, for a text of many lines."""
        line = text.count("\n", 0, self.position) + 1
        column = self.position - text.rfind("\n", 0, self.position)
        return f"not JSON ({self} at line {line}, character {column}); nothing after it is read"


class StrictJson:
    """Reads one value after the other; keeps no state between two values."""

    def __init__(self) -> None:
        self._faults: list[str] = []
        self._decoder = json.JSONDecoder(
            object_pairs_hook=self._object,
            parse_constant=self._constant,
            parse_float=self._float,
        )

    def value_at(self, text: str, start: int) -> Reading:
        """Return the value that starts at a position.

        Raises:
            JsonSyntaxError: no JSON value starts there.

        >>> StrictJson().value_at('[1, {"a": NaN}]', 4)
        ({'a': None}, 14, 'not JSON (NaN is no JSON value)')
        """
        self._faults.clear()
        try:
            value, end = self._decoder.raw_decode(text, start)
        except json.JSONDecodeError as error:
            raise JsonSyntaxError(error.msg.removesuffix(" at"), error.pos) from None
        except RecursionError:
            raise JsonSyntaxError(_TOO_DEEP, start) from None
        except ValueError:
            # Python refuses to convert so many digits, because it takes quadratic time.
            raise JsonSyntaxError("an integer of more than 4,300 digits", start) from None
        return value, end, self._fault(text, start, end, value)

    def whole(self, text: str) -> tuple[object, str | None]:
        """Return the only value of a text of one line, and its fault.

        >>> StrictJson().whole('{"a": 1, "a": 2}')
        ({'a': 2}, "key 'a' stands twice")
        >>> StrictJson().whole("[1] 2")
        (None, 'not JSON (Extra data at character 5)')
        """
        try:
            value, end, fault = self.value_at(text, _skip(text, 0))
            end = _skip(text, end)
            if end < len(text):
                raise JsonSyntaxError("Extra data", end)
        except JsonSyntaxError as error:
            return None, error.in_line()
        return value, fault

    def _fault(self, text: str, start: int, end: int, value: object) -> str | None:
        if self._faults:
            return self._faults[0]
        n_open = text.count("[", start, end) + text.count("{", start, end)
        if n_open > MAX_DEPTH and _is_too_deep(value):
            return _TOO_DEEP
        if _SURROGATE_ESCAPE.search(text, start, end) and not _is_encodable(value):
            return "holds a lone surrogate (\\ud800-\\udfff)"
        return None

    def _object(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        result = dict(pairs)
        if len(result) < len(pairs):
            self._faults.append(f"key {first_repeated(key for key, _ in pairs)!r} stands twice")
        return result

    def _constant(self, name: str) -> None:
        self._faults.append(f"not JSON ({name} is no JSON value)")

    def _float(self, text: str) -> float:
        value = float(text)
        if math.isinf(value):
            self._faults.append(f"number {text[:40]} is too large")
        return value


def json_lines(text: str) -> Iterator[Entry]:
    r"""Return the value of each line that is not blank; only "\n" ends a line.

    >>> [entry.place for entry in json_lines('{"a": 1}\r\n\n{"a": "\u2028"}')]
    [1, 3]
    """
    reader = StrictJson()
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if not line or line.isspace():
            continue
        value, fault = reader.whole(line)
        if fault and number == len(lines):
            fault += "; the last line has no line break, so the file may be cut short"
        yield Entry(number, value, fault)


def json_list(text: str) -> Iterator[Entry]:
    """Return the items of a JSON list, up to the first that is no JSON.

    >>> [entry.value for entry in json_list("[1, [2]]")]
    [1, [2]]
    """
    return _items(text, "]", StrictJson().value_at)


def json_map(text: str) -> Iterator[Entry]:
    """Return each pair of a JSON object {claim_id: label} as a row, also where a key stands twice.

    >>> next(json_map('{"7": "ENTAILED"}')).value
    {'claim_id': '7', 'label': 'ENTAILED'}
    """
    reader = StrictJson()

    def pair_at(text: str, start: int) -> Reading:
        if not text.startswith('"', start):
            raise JsonSyntaxError("Expecting a key in double quotes", start)
        key, end, fault = reader.value_at(text, start)
        end = _skip(text, end)
        if not text.startswith(":", end):
            raise JsonSyntaxError("Expecting ':'", end)
        value, end, value_fault = reader.value_at(text, _skip(text, end + 1))
        return {"claim_id": key, "label": value}, end, fault or value_fault

    return _items(text, "}", pair_at)


def _items(text: str, closing: str, item_at: Callable[[str, int], Reading]) -> Iterator[Entry]:
    place = 1
    end = _skip(text, _skip(text, 0) + 1)
    is_closed = text.startswith(closing, end)
    try:
        while not is_closed:
            value, end, fault = item_at(text, end)
            yield Entry(place, value, fault)
            place += 1
            end = _skip(text, end)
            is_closed = text.startswith(closing, end)
            if not is_closed and not text.startswith(",", end):
                raise JsonSyntaxError(f"Expecting ',' or '{closing}'", end)
            end = end if is_closed else _skip(text, end + 1)
        end = _skip(text, end + 1)
        if end < len(text):
            raise JsonSyntaxError("Extra data", end)
    except JsonSyntaxError as error:
        yield Entry(place, None, error.in_text(text))


def _skip(text: str, start: int) -> int:
    """The position of the first character that is no white space of JSON."""
    match = _SPACE.match(text, start)
    return match.end() if match else start


def first_repeated(names: Iterable[str]) -> str | None:
    """Return the first name that was there before, None if there is none.

    >>> first_repeated("abcba")
    'b'
    """
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def _is_too_deep(value: object) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [child for parent in level for child in _inside(parent)]
    return bool(level)


def _inside(value: object) -> list[object]:
    """The lists and objects that stand directly in a value."""
    if not isinstance(value, (dict, list)):
        return []
    values = value.values() if isinstance(value, dict) else value
    return [child for child in values if isinstance(child, (dict, list))]


def _is_encodable(value: object) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
