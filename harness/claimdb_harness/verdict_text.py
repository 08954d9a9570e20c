"""Finds the verdict in what a model said: the last JSON object of a text that holds one."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from claimdb_harness.runs.traces import Invalid
from claimdb_loader.prediction_rows import label_of

MAX_SAID_CHARS: Final = 500

KEYS: Final = ("verdict", "label")
"""Where a verdict stands, the first of them first."""

_NESTED: Final = (dict, list)


@dataclass(frozen=True)
class Verdict:
    """What a text says about a claim.

    Args:
        label: the verdict; None where there is none.
        justification: the model's own words for it, "" if none.
        invalid: no_answer, no_json or wrong_label where there is no verdict, else None.
        said: what stood in place of a verdict, its first 500 characters; None where there is one,
            or nothing was said.
    """

    label: str | None
    justification: str = ""
    invalid: Invalid | None = None
    said: str | None = None


def verdict_in(text: str) -> Verdict:
    """Return the verdict of a text: that of its last JSON object with a key verdict (or label).

    Prose, code fences and braces around it do not matter, nor do other keys. Of an object that
    holds others, the outermost verdict counts. If the last verdict is no label, none counts.

    Args:
        text: what a model said at last, of any length: the time grows with the length only.

    >>> verdict_in('think {draft} then {"verdict": "entailed", "justification": "{a} is 2"}')
    Verdict(label='ENTAILED', justification='{a} is 2', invalid=None, said=None)
    >>> verdict_in("It is ENTAILED.").invalid, verdict_in('{"verdict": "SUPPORTS"}').invalid
    ('no_json', 'wrong_label')
    """
    if not text.strip():
        return Verdict(None, invalid="no_answer")
    for found in reversed(objects_in(text)):
        answer = _answer_in(found)
        if answer is not None:
            return verdict_of(answer)
    return Verdict(None, invalid="no_json", said=text[:MAX_SAID_CHARS])


def verdict_of(answer: Mapping[str, Any]) -> Verdict:
    """Return the verdict of a JSON object; one without a label has a wrong one.

    >>> verdict_of({"verdict": "NOT ENOUGH INFO", "justification": "No such table."}).label
    'NOT ENOUGH INFO'
    >>> verdict_of({"verdict": "maybe"})
    Verdict(label=None, justification='', invalid='wrong_label', said='{"verdict": "maybe"}')
    """
    label = label_of(next((answer[key] for key in KEYS if answer.get(key) is not None), None))
    if label is None:
        # Without what is nested: json gives up some thousand levels deep.
        plain = {key: value for key, value in answer.items() if not isinstance(value, _NESTED)}
        said = json.dumps(plain, ensure_ascii=False)[:MAX_SAID_CHARS]
        return Verdict(None, invalid="wrong_label", said=said)
    justification = answer.get("justification")
    return Verdict(label, justification if isinstance(justification, str) else "")


def _answer_in(found: dict[str, Any]) -> dict[str, Any] | None:
    """The outermost object with a verdict, itself included; of several beside each other, the
    last. The schema of an answer has no verdict: what stands there is an object."""
    level: list[Any] = [found]
    while level:
        answers = [value for value in level if isinstance(value, dict) and _has_verdict(value)]
        if answers:
            return answers[-1]
        level = [child for value in level for child in _children(value)]
    return None


def _has_verdict(value: dict[str, Any]) -> bool:
    return any(key in value and not isinstance(value[key], _NESTED) for key in KEYS)


def _children(value: Any) -> list[Any]:
    children = value.values() if isinstance(value, dict) else value
    return [child for child in children if isinstance(child, _NESTED)]


# A raw line break in a string is no JSON, but models write it.
_STRING: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_PLAIN: Final = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null")
_WORDS: Final = {"true": True, "false": False, "null": None}
_SPACE: Final = re.compile(r"[ \t\n\r]*")
_OPENING: Final = re.compile(r"[\[{]")
_MAX_DIGITS: Final = 300
"""Of an integer; int() takes quadratic time, and refuses more than 4,300."""

_Reading: TypeAlias = tuple[Any, int]
"""A value, and the position after it."""


def objects_in(text: str) -> list[dict[str, Any]]:
    """Return the JSON objects of a text in their order, whatever stands around them.

    An object within another is a part of it, and one in brackets is returned without them.

    >>> objects_in('{a} {"b": {"c": [1]}} ```json {} ``` [{"d": null}] {"e": ')
    [{'b': {'c': [1]}}, {}, {'d': None}]
    """
    # From the right: what an object holds is known when its own brace is reached, so that no brace
    # is looked at twice. A decoder started at each brace takes minutes for '{"a":' * 100_000.
    known: dict[int, _Reading] = {}
    for match in reversed([*_OPENING.finditer(text)]):
        start = match.start()
        found = _object_at(text, start, known) if match[0] == "{" else _list_at(text, start, known)
        if found is not None:
            known[start] = found
    objects = []
    reached = 0
    for start in sorted(known):
        if start >= reached and text[start] == "{":
            value, reached = known[start]
            objects.append(value)
    return objects


def _object_at(text: str, start: int, known: Mapping[int, _Reading]) -> _Reading | None:
    result: dict[str, Any] = {}
    place = _skip(text, start + 1)
    if text.startswith("}", place):
        return result, place + 1
    while True:
        key = _string_at(text, place)
        if key is None:
            return None
        place = _skip(text, key[1])
        if not text.startswith(":", place):
            return None
        value = _value_at(text, _skip(text, place + 1), known)
        if value is None:
            return None
        result[key[0]] = value[0]
        place = _skip(text, value[1])
        if text.startswith("}", place):
            return result, place + 1
        if not text.startswith(",", place):
            return None
        place = _skip(text, place + 1)


def _list_at(text: str, start: int, known: Mapping[int, _Reading]) -> _Reading | None:
    result: list[Any] = []
    place = _skip(text, start + 1)
    if text.startswith("]", place):
        return result, place + 1
    while True:
        value = _value_at(text, place, known)
        if value is None:
            return None
        result.append(value[0])
        place = _skip(text, value[1])
        if text.startswith("]", place):
            return result, place + 1
        if not text.startswith(",", place):
            return None
        place = _skip(text, place + 1)


def _value_at(text: str, place: int, known: Mapping[int, _Reading]) -> _Reading | None:
    if text.startswith(("{", "["), place):
        return known.get(place)
    if text.startswith('"', place):
        return _string_at(text, place)
    match = _PLAIN.match(text, place)
    if match is None:
        return None
    word = match[0]
    if word in _WORDS:
        return _WORDS[word], match.end()
    return (int(word) if _is_integer(word) else float(word)), match.end()


def _is_integer(number: str) -> bool:
    return len(number) <= _MAX_DIGITS and number.lstrip("-").isdigit()


def _string_at(text: str, place: int) -> _Reading | None:
    match = _STRING.match(text, place)
    if match is None:
        return None
    try:
        return json.loads(match[0], strict=False), match.end()
    except ValueError:
        return None


def _skip(text: str, place: int) -> int:
    """The position of the first character that is no white space of JSON."""
    match = _SPACE.match(text, place)
    return match.end() if match else place
