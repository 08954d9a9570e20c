"""The values that stand in a call's answer, whatever form it has: our text, JSON, another's."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from claimdb_harness.runs.traces import UNKNOWN_STATUS, Call

_COUNT_LINE: Final = re.compile(r"\([\d,]+ (?:of [\d,]+ )?rows?(?: shown|[;)])")
"""The last line of the sandbox's text, before its notes."""


def cells(call: Call) -> Iterator[str]:
    """Return the texts of an answer that hold its values; names of columns are none of them.

    A column may be called `12` because the SQL says so, which proves nothing.

    >>> [*cells(Call("execute_sql", "SELECT 12", "ok", "12\\n12\\n(1 row)"))]
    ['12']
    >>> [*cells(Call("execute_sql", "…", "ok", '{"status":"ok","columns":["7"],"rows":[[3,"a"]]}'))]
    ['3', 'a']
    """
    document = _document(call.output)
    if document is not None:
        is_result = isinstance(document, dict) and "status" in document
        yield from _leaves(document.get("rows", []) if is_result else document)
        return
    lines = call.output.split("\n")
    if call.status != UNKNOWN_STATUS:
        ends = [place for place, line in enumerate(lines) if _COUNT_LINE.match(line)]
        lines = lines[1 : ends[-1] if ends else None]
    yield from lines


def readable(output: str) -> str:
    """Return an answer with the texts of its JSON as they are, and not escaped.

    >>> readable('[{"name": "Zo\\\\u00eb"}]')
    '[{"name": "Zoë"}]'
    """
    document = _document(output)
    if document is None:
        return output
    return json.dumps(document, ensure_ascii=False).replace('\\"', '"')


def _document(output: str) -> Any:
    """The JSON object or list that an answer is, None if it is none."""
    if not output.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(output, parse_float=str, parse_int=str)
    except (ValueError, RecursionError):
        return None


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, dict | list):
        for child in value.values() if isinstance(value, dict) else value:
            yield from _leaves(child)
    elif isinstance(value, str):
        yield value
