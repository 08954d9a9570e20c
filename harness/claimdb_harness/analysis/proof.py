"""Which calls of a trace support its verdict best."""

from __future__ import annotations

from claimdb_harness.analysis.calls import is_evidence
from claimdb_harness.analysis.evidence import find, returned_by
from claimdb_harness.runs.traces import Call, Trace


def proof(trace: Trace, claim: str) -> tuple[Call, ...]:
    """Return the calls that support a verdict best, in the order in which they were made.

    Those whose rows hold a number or a quoted name of the claim or the justification; where there
    are none, the last that returned rows of the data; where there is none, nothing.

    Args:
        trace: what the agent did.
        claim: the sentence that was checked.

    >>> calls = tuple(
    ...     Call("execute_sql", sql, "ok", f"n\\n{n}\\n(1 row)")
    ...     for sql, n in (("PRAGMA table_info(trip)", 48), ("SELECT 1", 1), ("SELECT 2", 48))
    ... )
    >>> trace = Trace(7, "answered", "ENTAILED", "There are 48 trips.", calls=calls)
    >>> [call.sql for call in proof(trace, "Vita sails 48 times.")]
    ['SELECT 2']
    """
    evidence = [call for call in trace.calls if is_evidence(call)]
    texts = (claim, trace.justification)
    holding = []
    for call in evidence:
        returned = returned_by([call])
        if any(find(text, returned).hits for text in texts):
            holding.append(call)
    return tuple(holding or evidence[-1:])
