"""A result as a model reads it: text or JSON, never longer than asked, saying what was cut."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from claimdb_sandbox.results import FLAG_NOTES, Result, Value

MIN_BYTES: Final = 200
MAX_CELL_CHARS: Final = 1000
"""Of a text; what is longer says how much was cut, and `substr()` reads the rest."""

_TAIL_SHARE: Final = 2
"""Notes take at most one half of the text."""

_NEEDS_QUOTES: Final = re.compile(r'^$|^NULL$|^\s|\s$|^"|[|\x00-\x1f\x7f\u2028\u2029]')


def result_text(result: Result, max_bytes: int) -> str:
    """Return the columns, a line for each row, and a last line that says how many there are.

    Text is in JSON quotes only where it would be read as something else: a line break, a bar, NULL.
    """
    check_max_bytes(max_bytes)
    tail = "".join(f"\nnote: {note}" for note in _notes(result))
    if not result.ok:
        return cut_text(f"{result.status}: {result.message}{tail}", max_bytes)
    tail = cut_text(tail, max_bytes // _TAIL_SHARE)
    head = " | ".join(_cell_text(name) for name in result.columns)
    room = max_bytes - _n_bytes(tail) - _n_bytes(_count_line(result, len(result), max_bytes)) - 60
    lines = [cut_text(head, max(room, 0))]
    room -= _n_bytes(lines[0])
    for row in result.rows:
        line = " | ".join(map(_cell_text, row))
        room -= _n_bytes(line) + 1
        if room < 0:
            break
        lines.append(line)
    text = "\n".join([*lines, _count_line(result, len(lines) - 1, max_bytes)]) + tail
    return cut_text(text, max_bytes)


def result_json(result: Result, max_bytes: int) -> str:
    """Return one JSON object of what there is to say; rows that do not fit are counted."""
    check_max_bytes(max_bytes)
    document: dict[str, Any] = {"status": result.status}
    if result.ok:
        document |= {"columns": [cut_cell(name) for name in result.columns], "rows": []}
    document |= {"truncated": True} if result.truncated else {}
    document |= {"message": cut_text(result.message, max_bytes // 2)} if result.message else {}
    document |= {"limit": result.limit} if result.limit else {}
    notes = _notes(result)
    for kept in range(len(notes), -1, -1):
        whole = document | ({"notes": notes[:kept]} if kept else {})
        if _n_bytes(_dumps(whole)) + 40 <= max_bytes:
            return _with_rows(whole, result, max_bytes)
    cut = {"status": result.status, "rows_left_out": len(result)}
    return _dumps(cut | {"message": f"the answer does not fit in {max_bytes:,} bytes"})


def _with_rows(document: dict[str, Any], result: Result, max_bytes: int) -> str:
    """Add as many rows as fit beside `rows_left_out`."""
    room = max_bytes - _n_bytes(_dumps(document | {"rows_left_out": len(result)}))
    rows: list[list[Any]] = []
    for row in result.rows:
        shown = [cut_cell(value) for value in row]
        room -= _n_bytes(_dumps(shown)) + 1
        if room < 0:
            break
        rows.append(shown)
    left_out = len(result) - len(rows)
    document |= {"rows": rows} if result.ok else {}
    return _dumps(document | ({"rows_left_out": left_out} if left_out else {}))


def cut_cell(value: Value) -> Value:
    """Return a value, or the beginning of a long text and how much of it was cut.

    >>> cut_cell("x" * 1004)[-18:]
    'xx…(+4 characters)'
    """
    if not isinstance(value, str) or len(value) <= MAX_CELL_CHARS:
        return value
    return f"{value[:MAX_CELL_CHARS]}…(+{len(value) - MAX_CELL_CHARS:,} characters)"


def cut_text(text: str, max_bytes: int) -> str:
    """Return a text, or its beginning and a mark that it was cut, in at most so many bytes.

    >>> cut_text("ä" * 100, 21)
    'äääääääää…'
    """
    encoded = text.encode()
    if len(encoded) <= max_bytes:
        return text
    return encoded[: max(max_bytes - 3, 0)].decode(errors="ignore") + "…" * (max_bytes >= 3)


def check_max_bytes(max_bytes: int) -> None:
    """Raise ValueError unless a text of so many bytes can say what was cut."""
    if type(max_bytes) is not int or max_bytes < MIN_BYTES:
        raise ValueError(f"max_bytes={max_bytes!r} must be an integer of {MIN_BYTES} or more")


def _notes(result: Result) -> list[str]:
    return [*result.notes, *(FLAG_NOTES[flag] for flag in result.flags)]


def _count_line(result: Result, n_shown: int, max_bytes: int) -> str:
    n = len(result)
    rows = f"{n:,} row{'s' * (n != 1)}"
    if n_shown < n:
        rows = f"{n_shown:,} of {rows} shown, the others do not fit in {max_bytes:,} bytes"
    return f"({rows}; {result.message})" if result.truncated else f"({rows})"


def _cell_text(value: Value) -> str:
    if value is None:
        return "NULL"
    shown = cut_cell(value)
    if isinstance(shown, str) and _NEEDS_QUOTES.search(shown):
        return json.dumps(shown, ensure_ascii=False)
    return str(shown)


def _dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _n_bytes(text: str) -> int:
    return len(text.encode())
