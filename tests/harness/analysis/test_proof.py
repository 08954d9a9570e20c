"""The calls that support a verdict best."""

from __future__ import annotations

import pytest

from claimdb_harness.analysis.proof import proof
from claimdb_harness.runs.traces import Call, Trace
from tests.harness.analysis.made_runs import answer, failed

SCHEMA = answer("PRAGMA table_info(trip)", "48 | Vita")
WRONG = failed("SELECT 48", "no such column: Vita 48")
COUNT = answer("SELECT COUNT(*) FROM trip", "48")
NAME = answer("SELECT name FROM ship", "Vita", "Nona")
OTHER = answer("SELECT 7", "7")

CASES = [
    # calls, justification, proof
    ([SCHEMA, WRONG, OTHER, COUNT], "", [COUNT]),
    ([NAME, OTHER, COUNT], "It is 'Vita'.", [NAME, COUNT]),
    ([COUNT, COUNT], "", [COUNT, COUNT]),
    ([SCHEMA, NAME, OTHER, WRONG], "Nothing fits.", [OTHER]),
    ([SCHEMA, WRONG], "It is 'Vita'.", []),
    ([], "It is 48.", []),
]


@pytest.mark.parametrize(("calls", "justification", "expected"), CASES)
def test_proof(calls: list[Call], justification: str, expected: list[Call]) -> None:
    trace = Trace(7, "answered", "ENTAILED", justification, calls=tuple(calls))
    assert proof(trace, "The ferry sails 48 times.") == tuple(expected)


def test_a_trace_without_a_verdict() -> None:
    assert proof(Trace(7, "no_verdict", calls=(COUNT,)), "No number.") == (COUNT,)
