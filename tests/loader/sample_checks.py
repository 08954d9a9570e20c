"""Reading tests/data/sample_checks.jsonl: does an answer bear out what a claim says?

An answer is the list of rows of a gold SQL. A cell is `[row, column]`; the row is a position (-1
is the last) or the text in its first column. The forms, which nest:

    {"cell": c, "is": v}                        the value is v
    {"cell": c, "about": v, "within": d}        the value is v, give or take d
    {"cell": c, "more_than": v}                 and "less_than"
    {"cell": c, "minus": c2, ...}               one of the above, on the difference of two cells
    {"cell": c, "exceeds": c2, "times": k}      the value is more than k (or once, if left out) c2's
    {"column": n, "starts": [...]}              the column's first values, in this order
    {"column": n, "includes": [...]}            values somewhere in the column
    {"rows": n}                                 the answer has n rows
    {"all": [...]}, {"not": form}
"""

from __future__ import annotations

import re
from datetime import date
from typing import Any

Answer = list[tuple[Any, ...]]
Form = dict[str, Any]

WORDS = {
    0.5: "half",
    2: "two twice",
    3: "three",
    4: "four",
    5: "five",
    6: "six",
    8: "eight",
}


def holds(form: Form, answer: Answer) -> bool:
    """Whether the answer bears the form out."""
    if "all" in form:
        # A list, so that a part that names no cell raises even behind one that is false.
        return False not in [holds(part, answer) for part in form["all"]]
    if "not" in form:
        return not holds(form["not"], answer)
    if "rows" in form:
        return bool(len(answer) == form["rows"])
    if "column" in form:
        column = [row[form["column"]] for row in answer]
        if "starts" in form:
            return bool(column[: len(form["starts"])] == form["starts"])
        return set(form["includes"]) <= set(column)
    value = cell(form["cell"], answer)
    if "minus" in form:
        value -= cell(form["minus"], answer)
    return _compare(form, value, answer)


def _compare(form: Form, value: Any, answer: Answer) -> bool:
    """Whether one value passes the test that the form names."""
    if "is" in form:
        return bool(value == form["is"])
    if "about" in form:
        return bool(abs(value - form["about"]) <= form["within"])
    if "more_than" in form:
        return bool(value > form["more_than"])
    if "less_than" in form:
        return bool(value < form["less_than"])
    return bool(value > form.get("times", 1) * cell(form["exceeds"], answer))


def cell(at: list[Any], answer: Answer) -> Any:
    """The value in one cell of the answer; KeyError if no row, or more than one, begins so."""
    row, column = at
    if isinstance(row, int):
        return answer[row][column]
    found = [record for record in answer if record[0] == row]
    if len(found) != 1:
        raise KeyError(f"{len(found)} rows begin with {row!r}")
    return found[0][column]


def values(form: Form) -> list[Any]:
    """Every value and row name that a sentence must show for the form to be a reading of it."""
    if "all" in form:
        return [value for part in form["all"] for value in values(part)]
    if "not" in form:
        return values(form["not"])
    named = [form[key][0] for key in ("cell", "minus", "exceeds") if key in form]
    shown: list[Any] = [name for name in named if isinstance(name, str)]
    keys = ("is", "about", "more_than", "less_than", "times", "rows")
    shown += [form[key] for key in keys if key in form]
    return [*shown, *form.get("starts", []), *form.get("includes", [])]


def shows(text: str, value: Any) -> bool:
    """Whether the text shows the value in one of the ways people write it."""
    return any(
        re.search(rf"(?<![\d,.]){re.escape(spelling)}(?!\d|[,.]\d)", text.lower())
        for spelling in _spellings(value)
    )


def _spellings(value: Any) -> list[str]:
    """A name or a date as it is; a number without its sign, in digits, millions or words."""
    if isinstance(value, str):
        return [value.lower(), value.lower().replace("–", " and "), *_date(value)]
    size = abs(value)
    digits = [str(size), f"{size:,}", f"{size:,.0f}" if size == int(size) else f"{size:,.2f}"]
    return [*digits, f"{size / 1e6:g} million", *WORDS.get(size, "").split()]


def _date(text: str) -> list[str]:
    """2024-07-12 as "12 july 2024", 2024-07 as "july 2024", nothing for other texts."""
    parts = text.split("-")
    if len(parts) not in (2, 3) or not all(part.isdigit() for part in parts):
        return []
    day = date(int(parts[0]), int(parts[1]), int(parts[2]) if len(parts) == 3 else 1)
    month = f"{day:%B %Y}".lower()
    return [f"{day.day} {month}" if len(parts) == 3 else month]
