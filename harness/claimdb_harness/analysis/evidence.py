"""Whether the numbers and quoted names of a text stand in what SQL returned.

A number counts as found where a returned value gives it by rounding: 3.14 from 3.14159, 12.9
million from 12893441, 12.5 % from 12.5 or from the fraction 0.125. Nothing is computed from two
values: a difference, sum or share that SQL did not return is not found. What is not looked for:
names without quotes, "one" (mostly a pronoun), ordinals (3rd is a place in an order), and codes
that mix letters with digits.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import Final

from claimdb_harness.analysis.calls import is_answered, is_evidence
from claimdb_harness.analysis.outputs import cells, readable
from claimdb_harness.runs.traces import Call

_WORDS: Final = "two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905
_FIRST_WORD: Final = 2
_POWERS: Final[Mapping[str, int]] = {
    "thousand": 3,
    "million": 6,
    "billion": 9,
    "trillion": 12,
    "k": 3,
    "K": 3,
    "mn": 6,
    "M": 6,
    "bn": 9,
    "B": 9,
}
_DIGITS: Final = r"\d{1,3}(?:[,\u00a0\u202f]\d{3})+(?!\d)|\d{1,60}"
_NUMBER: Final = re.compile(
    rf"""
    (?<![\w.])(?P<sign>[-−](?=[\d.$€£]))?(?:[$€£]\s?)?
    (?:(?P<whole>{_DIGITS})(?P<decimals>\.\d{{1,60}})?|(?P<only>\.\d{{1,60}})
      |(?P<word>{"|".join(_WORDS)})(?![\w-]))
    (?P<exponent>[eE][-+]?\d{{1,3}}(?!\d))?
    (?:[\s-]?(?P<long>thousand|million|billion|trillion)\b|(?P<short>k|K|mn|M|bn|B)(?!\w))?
    (?P<percent>\s?%|[\s-]per\s?cent\b|[\s-]percent(?:age\s+points?)?\b)?
    (?P<rest>\w|\.\d)?
    """,
    re.VERBOSE | re.IGNORECASE,
)
_QUOTED: Final = re.compile(
    r"""“[^”\n]{0,100}”|‘(?:[^’\n]|(?<=\w)’(?=\w)){0,100}’(?!\w)|"[^"\n]{0,100}\""""
    r"""|(?<!\w)'(?:[^'\n]|(?<=\w)'(?=\w)){0,100}'(?!\w)"""
)
"""At most 100 characters: what is longer is a sentence, as a rule the claim itself."""

_EXACT: Final = Context(prec=200, traps=[])
"""No number of this file has more digits: 60 of them, and powers of ten cost none."""

_SLACK: Final = Decimal("1.000000001")
"""Of half a unit: what rounded a float to the last digit may have rounded its product before."""


@dataclass(frozen=True)
class Written:
    """A number as a text has it.

    Args:
        value: the number, its scale word applied; percent as written, 12.5 for 12.5 %.
        unit: of its last digit, 0.1 for 12.5 and 100,000 for 12.9 million.
        is_percent: whether it is a percentage.
    """

    value: Decimal
    unit: Decimal
    is_percent: bool = False


@dataclass(frozen=True)
class Returned:
    """What calls returned, ready to be searched.

    Args:
        values: the numbers of rows, ascending; those of the schema are no data.
        percents: the same numbers as percentages, ascending: 12.5 and 1250 for 12.5.
        text: what `plain_name` makes of all outputs, schema included.
    """

    values: tuple[Decimal, ...] = ()
    percents: tuple[Decimal, ...] = ()
    text: str = ""


@dataclass(frozen=True)
class Found:
    """How many numbers and names a text has, and how many of them were returned."""

    n_numbers: int = 0
    numbers: int = 0
    n_names: int = 0
    names: int = 0

    @property
    def n(self) -> int:
        """All that was looked for."""
        return self.n_numbers + self.n_names

    @property
    def hits(self) -> int:
        """All that was found."""
        return self.numbers + self.names


def find(text: str, returned: Returned) -> Found:
    """Return how much of a text's numbers and quoted names calls returned.

    Args:
        text: a claim or a justification.
        returned: from `returned_by`.

    >>> calls = [Call("execute_sql", "SELECT …", "ok", "ship | share\\nVita | 0.1249\\n(1 row)")]
    >>> find("'Vita' has 12.5 % of all trips, 'Nona' 88 %", returned_by(calls))
    Found(n_numbers=2, numbers=1, n_names=2, names=1)
    """
    numbers, names = written_numbers(text), quoted_names(text)
    return Found(
        n_numbers=len(numbers),
        numbers=sum(is_number_returned(number, returned) for number in numbers),
        n_names=len(names),
        names=sum(is_name_returned(name, returned) for name in names),
    )


def written_numbers(text: str) -> list[Written]:
    """Return the numbers of a text outside quotes, in order.

    >>> [str(number.value) for number in written_numbers("On -3.5 of '1,200' days, two 3rd 'A 7'")]
    ['-3.5', '1200', '2']
    >>> written_numbers("12.9 million")[0].unit == 100_000
    True
    """
    unquoted = _QUOTED.sub(lambda match: f" {_quoted_number(match)} ", text)
    found = map(_written, _NUMBER.finditer(unquoted))
    return [number for number in found if number is not None]


def quoted_names(text: str) -> list[str]:
    """Return what stands in quotes of any kind in a text; apostrophes and numbers are none.

    >>> quoted_names("The ships' captain of “Vita” and 'L'Aura' isn't \\"Ann\\"")
    ['Vita', "L'Aura", 'Ann']
    """
    found = [match for match in _QUOTED.finditer(text) if not _quoted_number(match)]
    return [name for name in map(_inside, found) if plain_name(name)]


def returned_by(calls: Iterable[Call]) -> Returned:
    """Return what calls returned; those that failed returned nothing.

    >>> returned_by([Call("execute_sql", "SELECT n", "ok", "n\\n48\\n(1 row)")]).values
    (Decimal('48'),)
    """
    answered = [call for call in calls if is_answered(call)]
    numbers = {number for call in answered if is_evidence(call) for number in _numbers_of(call)}
    values, percents = set[Decimal](), set[Decimal]()
    for number in numbers:
        shift = -2 if number.is_percent else 2
        values.add(number.value)
        percents.add(number.value)
        (values if number.is_percent else percents).add(number.value.scaleb(shift, _EXACT))
    text = " ".join(plain_name(readable(call.output)) for call in answered)
    return Returned(tuple(sorted(values)), tuple(sorted(percents)), text)


def is_number_returned(number: Written, returned: Returned) -> bool:
    """Return whether one of the returned numbers gives a number by rounding.

    >>> pi = returned_by([Call("execute_sql", "SELECT pi()", "ok", "pi()\\n3.14159\\n(1 row)")])
    >>> [is_number_returned(written_numbers(text)[0], pi) for text in ("3.14", "3.15", "3")]
    [True, False, True]
    """
    values = returned.percents if number.is_percent else returned.values
    most = _EXACT.multiply(number.unit / 2, _SLACK)
    place = bisect_left(values, _EXACT.subtract(number.value, most))
    return place < len(values) and values[place] <= _EXACT.add(number.value, most)


def is_name_returned(name: str, returned: Returned) -> bool:
    """Return whether a name stands in what was returned, and not as a part of a word.

    >>> [is_name_returned(name, Returned(text="ms vita")) for name in ("Vita", "MS V")]
    [True, False]
    """
    pattern = rf"(?<!\w){re.escape(plain_name(name))}(?!\w)"
    return re.search(pattern, returned.text) is not None


def plain_name(text: str) -> str:
    """Return a text as names are compared: without case, accents kept, quotes straight.

    >>> plain_name(" “O’Hara”,  ANN. ")
    '"o\\'hara", ann'
    """
    text = unicodedata.normalize("NFKC", text).translate(_STRAIGHT).casefold()
    return " ".join(text.split()).strip(" ,.;:!?")


_STRAIGHT: Final = str.maketrans("“”‘’`", "\"\"'''")


def _inside(quoted: re.Match[str]) -> str:
    return quoted[0][1:-1]


def _quoted_number(quoted: re.Match[str]) -> str:
    """What is in quotes if it is a number and no name, else nothing."""
    text = _inside(quoted).strip()
    return text if _NUMBER.fullmatch(text) else ""


def _written(match: re.Match[str]) -> Written | None:
    if match["rest"]:
        return None
    if match["word"]:
        value = Decimal(_WORDS.index(match["word"].lower()) + _FIRST_WORD)
    else:
        whole = re.sub(r"\D", "", match["whole"] or "0")
        decimals = match["decimals"] or match["only"] or ""
        value = Decimal(f"{whole}{decimals}{match['exponent'] or ''}")
    scale = (match["long"] and match["long"].lower()) or match["short"]
    power = _POWERS.get(scale, 0) if scale else 0
    value = value.scaleb(power, _EXACT)
    unit = Decimal((0, (1,), int(value.as_tuple().exponent)))
    return Written(-value if match["sign"] else value, unit, match["percent"] is not None)


def _numbers_of(call: Call) -> Iterator[Written]:
    """The numbers of a call's rows, and how many rows there are, unless it is one."""
    for text in cells(call):
        for number in map(_written, _NUMBER.finditer(text)):
            if number is not None:
                yield number
    if call.n_rows is not None and call.n_rows != 1:
        yield Written(Decimal(call.n_rows), Decimal(1))
