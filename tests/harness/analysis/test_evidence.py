"""Numbers and names of a text in what SQL returned."""

from __future__ import annotations

import json
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimdb_harness.analysis.evidence import (
    Found,
    find,
    quoted_names,
    returned_by,
    written_numbers,
)
from claimdb_harness.runs.traces import Call
from claimdb_sandbox import Result
from tests.harness.analysis.made_runs import answer, failed

NUMBERS = {
    "12,893,441 people": ["12893441"],
    "12\u202f893 and 7\u00a0001": ["12893", "7001"],
    "-3.5 or −4": ["-3.5", "-4"],
    "$1,200.50 and -€3": ["1200.50", "-3"],
    "12.5% or 8 percent or 9 per cent": ["12.5", "8", "9"],
    "12.9 million, 3 billion, 5k, $2M": ["12900000", "3000000000", "5000", "2000000"],
    "two million": ["2000000"],
    "from 2019 to 2021.": ["2019", "2021"],
    "on 2019-05-03": ["2019", "5", "3"],
    "3-5 goals, 1,2345": ["3", "5", "1", "2345"],
    "1.5e-07 or 1e6": ["1.5E-7", "1000000"],
    "a score of .5": ["0.5"],
    "two ships and Twelve trips": ["2", "12"],
    "Is '48' or \"1,200\" right?": ["48", "1200"],
    # None of these is a number to look for.
    "one of them, 3rd place, 21st": [],
    "TR024, 747s, 3D, v1.2.3, 10.0.0.1": [],
    "'Apollo 13' and \"7 Samurai\"": [],
    "ten-year, two-thirds": [],
    "9" * 61: [],
    "": [],
}


@pytest.mark.parametrize("text", NUMBERS)
def test_numbers_of_a_text(text: str) -> None:
    found = [number.value for number in written_numbers(text)]
    assert found == [Decimal(value) for value in NUMBERS[text]]


NAMES = {
    "\"Vita\", 'Nona', “Ada” and ‘Ben’": ["Vita", "Nona", "Ada", "Ben"],
    "'O'Hara' and ‘O’Hara’": ["O'Hara", "O’Hara"],
    "the ship's captain and the sailors' names": [],
    '"" and " . "': [],
    "'7' is a number": [],
    f'"{"x" * 101}"': [],
}


@pytest.mark.parametrize("text", NAMES)
def test_names_of_a_text(text: str) -> None:
    assert quoted_names(text) == NAMES[text]


SUPPORTED = [
    # text, what a cell holds, whether it is found
    ("3.14", "3.14159", True),
    ("3.15", "3.14159", False),
    ("12.9 million", "12893441", True),
    ("12,893,441", "12893441", True),
    ("12.8 million", "12893441", False),
    ("13,000", "12893", False),  # not by so many noughts
    ("12.5%", "0.125", True),
    ("12.5%", "12.5", True),
    ("12.5%", "12.5%", True),
    ("0.125", "12.5%", True),
    ("12.5", "0.125", False),
    ("-5", "-5", True),
    ("-5", "5", False),
    ("2019", "2019-05-03", True),
    ("5", "9%", False),
    ("1,234", '"1,234"', True),
    ("two", "2", True),
    ("1e6", "1000000", True),
    ("0.3333", str(1 / 3), True),
    ("7", "x7", False),
    ("'Vita'", "Vita", True),
    ("'vita '", "MS VITA | 7", True),
    ("'Vita'", "Vitara", False),
    ("'O’Hara'", "O'Hara", True),
    ("'Zoe'", "Zoë", False),
    ("'a b'", "a  b", True),
]


@pytest.mark.parametrize(("text", "cell", "is_found"), SUPPORTED)
def test_a_text_and_a_cell(text: str, cell: str, is_found: bool) -> None:
    found = find(text, returned_by([answer("SELECT …", cell)]))
    assert (found.n, found.hits) == (1, int(is_found))


def ignored(**given: object) -> Call:
    return Call(**{"tool": "execute_sql", "sql": "SELECT 1", "status": "ok", "output": ""} | given)  # type: ignore[arg-type]


NO_EVIDENCE = {
    "a failed call": failed("SELECT 48", "no such column: 48"),
    "a timeout": failed("SELECT 48", "stopped after 48 s", "timeout"),
    "columns of a table": answer("PRAGMA table_info(trip)", "48 | id | INTEGER"),
    "a tool that shows the schema": ignored(tool="list_tables", output="trip\n48\n(1 row)"),
    "the name of a column": answer("SELECT 48", "1", head="48"),
    "the names of columns as JSON": ignored(output='{"status":"ok","columns":["48"],"rows":[[1]]}'),
    "the sandbox's last line": answer("SELECT n", "1").__class__(
        "execute_sql", "SELECT n", "truncated", "n\n1\n(1 of 48 rows shown, …)", "48"
    ),
    "an error in another's trace": ignored(
        status="unknown", output='unable to execute query: near "48": syntax error'
    ),
}


@pytest.mark.parametrize("case", NO_EVIDENCE)
def test_what_is_no_evidence(case: str) -> None:
    assert find("48 trips", returned_by([NO_EVIDENCE[case]])) == Found(1, 0, 0, 0)


EVIDENCE = {
    "a cell": answer("SELECT COUNT(*)", "48"),
    "how many rows there are": ignored(output="n\n(48 rows)", n_rows=48),
    "JSON of the sandbox": ignored(output='{"status":"ok","columns":["n"],"rows":[[48]]}'),
    "JSON of others": ignored(status="unknown", output='[{"COUNT(*)": 48}]'),
    "text of others": ignored(status="unknown", output="[(48,)]"),
    "JSON that is cut": ignored(status="unknown", output='[{"n": 48}, {"n'),
    "a cell that begins like JSON": answer("SELECT n", "[48"),
}


@pytest.mark.parametrize("case", EVIDENCE)
def test_what_is_evidence(case: str) -> None:
    assert find("48 trips", returned_by([EVIDENCE[case]])).numbers == 1


def test_a_single_row_is_no_number() -> None:
    assert find("Number 1", returned_by([answer("SELECT name", "Vita")])).numbers == 0


def test_names_may_be_those_of_columns() -> None:
    schema = answer("PRAGMA table_info(trip)", "0 | departs_at | TEXT")
    assert find("'departs_at' is known", returned_by([schema])).names == 1


FLOATS = st.floats(-1e6, 1e6, allow_subnormal=False).filter(lambda x: x == 0 or abs(x) > 1e-6)
WHOLES = st.integers(-(10**15), 10**15)


some_examples = settings(max_examples=40)


def is_found(text: str, value: object) -> bool:
    """Whether a text is found where SQL returned a value, as text and as JSON."""
    result = Result("ok", ("n",), ((value,), (None,)))  # type: ignore[arg-type]
    outputs = (result.to_text(), result.to_json(), json.dumps([{"n": value}]))
    calls = [Call("execute_sql", "SELECT n", "ok", output) for output in outputs]
    founds = [find(f"It is {text}, they say.", returned_by([call])) for call in calls]
    assert len(set(founds)) == 1
    return (founds[0].n_numbers, founds[0].numbers) == (1, 1)


@some_examples
@given(FLOATS, st.integers(0, 8), st.sampled_from(["", ","]))
def test_a_rounded_number_is_found(value: float, digits: int, comma: str) -> None:
    assert is_found(f"{value:{comma}.{digits}f}", value)


@some_examples
@given(WHOLES, st.sampled_from(["", ","]))
def test_a_whole_number_is_found_and_its_neighbour_is_not(value: int, comma: str) -> None:
    assert is_found(f"{value:{comma}}", value)
    assert not is_found(f"{value + 1:{comma}}", value)


@some_examples
@given(st.floats(0.0001, 5), st.integers(0, 6))
def test_a_percentage_of_a_fraction_is_found(value: float, digits: int) -> None:
    assert is_found(f"{value:.{digits}%}", value)
    assert is_found(f"{value * 100:.{digits}f} percent", value)


@some_examples
@given(
    st.integers(1, 10**15),
    st.integers(0, 3),
    st.sampled_from([("thousand", 3), ("million", 6), ("billion", 9), ("trillion", 12)]),
    st.sampled_from([ROUND_HALF_UP, "ROUND_HALF_EVEN"]),
)
def test_a_number_with_a_scale_word_is_found(
    value: int, digits: int, scale: tuple[str, int], rounding: str
) -> None:
    word, power = scale
    step = Decimal(1).scaleb(-digits)
    written = (Decimal(value).scaleb(-power)).quantize(step, rounding)
    assert is_found(f"{written:,} {word}", value)
    assert not is_found(f"{written + 2 * step:,} {word}", value)


@some_examples
@given(FLOATS, st.integers(0, 6))
def test_a_number_two_units_off_is_not_found(value: float, digits: int) -> None:
    step = Decimal(1).scaleb(-digits)
    cut = Decimal(repr(value)).quantize(step, ROUND_DOWN)
    away = cut + (2 * step).copy_sign(cut)
    assert not is_found(f"{away:f}", value)


@some_examples
@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    found = find(text, returned_by([answer("SELECT …", text)]))
    assert found.hits <= found.n


@pytest.mark.parametrize("text", ["1e999", "9" * 60, "1,000" * 40, "'" * 300, '"a' * 2000])
def test_odd_texts(text: str) -> None:
    assert find(text, returned_by([answer("SELECT …", text)])).n >= 0


def test_nothing_returned() -> None:
    assert find("'Vita' has 48", returned_by([])) == Found(1, 0, 1, 0)
