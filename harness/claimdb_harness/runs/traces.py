"""What an agent did about one claim: its verdict, its calls, what it cost. One JSON line each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final, Literal, TypeAlias, get_args

from claimdb_harness.runs.kinds import check_kinds
from claimdb_metric.errors import DataError
from claimdb_metric.labels import LABELS
from claimdb_sandbox.results import STATUSES

Outcome: TypeAlias = Literal["answered", "no_verdict", "not_run"]
OUTCOMES: Final[tuple[Outcome, ...]] = get_args(Outcome)

Stop: TypeAlias = Literal["verdict", "turns", "tokens", "seconds", "gave_up", "error"]
STOPS: Final[tuple[Stop, ...]] = get_args(Stop)
"""Why an agent stopped: it gave a verdict, or a limit of its budget was reached (turns, tokens,
seconds), or its program ended without a verdict (gave_up), or the provider failed (error)."""

Invalid: TypeAlias = Literal["no_answer", "no_json", "wrong_label", "no_call"]
INVALIDS: Final[tuple[Invalid, ...]] = get_args(Invalid)
"""Why there is no verdict: nothing was said at last (no_answer), a text without a JSON object
(no_json), something else in place of a label (wrong_label), or no call of submit_verdict where
there should be one (no_call)."""

UNKNOWN_STATUS: Final = "unknown"
"""Of a call whose answer stands in no sandbox's terms, as in other people's traces."""


@dataclass(frozen=True)
class Call:
    """One call of a tool that reads the database.

    Args:
        tool: execute_sql, or list_tables and describe_table of the MCP server.
        sql: the text that was run, as the model wrote it.
        status: of the sandbox's result, `refused` where the budget allowed no further call, or
            `unknown` in traces of other programs.
        output: what the model got to read.
        message: the sandbox's reason for no rows or not all, None where all is well.
        n_rows: rows of the answer before its text was cut; None where that is not known.
        elapsed_ms: milliseconds that the query took; None where that is not known.
        turn: the model's turn that asked for it, from 1.
    """

    tool: str
    sql: str
    status: str
    output: str
    message: str | None = None
    n_rows: int | None = None
    elapsed_ms: float | None = None
    turn: int = 0

    @property
    def ok(self) -> bool:
        """Whether rows came back, all of them or their beginning."""
        return self.status in ("ok", "truncated", UNKNOWN_STATUS)


CALL_STATUSES: Final = (*STATUSES, "refused", UNKNOWN_STATUS)


@dataclass(frozen=True)
class Tokens:
    """Tokens that a claim took, as the provider counted them; all zero where it did not.

    Args:
        input: read anew.
        cached: read from the provider's cache; not among `input`.
        output: written, reasoning included.
        reasoning: of `output`, what the model thought to itself.
    """

    input: int = 0
    cached: int = 0
    output: int = 0
    reasoning: int = 0

    @property
    def total(self) -> int:
        """All tokens read and written."""
        return self.input + self.cached + self.output


@dataclass(frozen=True)
class Trace:
    """What an agent did about one claim.

    Args:
        claim_id: the claim.
        outcome: answered, no_verdict (wrong when scored), or not_run (asked again on resume).
        verdict: a label where it was answered, else None.
        justification: the model's own words for it, "" if none.
        stop: why the agent stopped, see `STOPS`.
        forced: whether the verdict came where nothing else was offered any more.
        invalid: why there is no verdict, see `INVALIDS`; None where there is one.
        said: what stood in place of a verdict, its first 500 characters; None where there is one.
        calls: what it asked of the database, in order; submit_verdict is not among them.
        turns: how often the model was asked.
        tokens: what it read and wrote.
        seconds: from its first turn to its last.
        error: what the provider said where the claim was not run.
        cost_usd: what another program says that it cost; None where it does not.
    """

    claim_id: int
    outcome: Outcome
    verdict: str | None = None
    justification: str = ""
    stop: Stop = "verdict"
    forced: bool = False
    invalid: Invalid | None = None
    said: str | None = None
    calls: tuple[Call, ...] = ()
    turns: int = 0
    tokens: Tokens = Tokens()
    seconds: float = 0.0
    error: str | None = None
    cost_usd: float | None = None

    @property
    def n_sql(self) -> int:
        """How many SQL queries the agent asked for, those that failed included."""
        return sum(call.tool == "execute_sql" for call in self.calls)


def to_line(trace: Trace) -> str:
    r"""Return a trace as one line of strict JSON; it is a row of a predictions file, too.

    >>> to_line(Trace(7, "answered", "ENTAILED"))[:44]
    '{"claim_id":7,"label":"ENTAILED","outcome":"'
    """
    values = asdict(trace)
    values["label"] = values.pop("verdict")
    values = {"claim_id": values.pop("claim_id"), "label": values.pop("label"), **values}
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def from_values(values: Mapping[str, Any]) -> Trace:
    """Return the trace that `to_line` wrote, from the values of its JSON object.

    Raises:
        DataError: fields are missing, unknown or of another kind.

    >>> import json
    >>> trace = Trace(7, "answered", "ENTAILED", calls=(Call("execute_sql", "SELECT 1", "ok", ""),))
    >>> from_values(json.loads(to_line(trace))) == trace
    True
    """
    known = {field.name for field in fields(Trace)} - {"verdict"} | {"label"}
    unknown = sorted(set(values) - known)
    if unknown:
        raise DataError(f"no trace has a field {unknown[0]!r}: was it written by a newer ClaimDB?")
    try:
        return _trace(values)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise DataError(f"not a trace: {error!r}") from None


def _trace(values: Mapping[str, Any]) -> Trace:
    given = dict(values)
    trace = Trace(
        verdict=given.pop("label"),
        calls=tuple([Call(**call) for call in _listed(given.pop("calls"))]),
        tokens=Tokens(**given.pop("tokens")),
        **given,
    )
    for part in (trace, trace.tokens, *trace.calls):
        check_kinds(part)
    unknown = [call.status for call in trace.calls if call.status not in CALL_STATUSES]
    if unknown:
        raise ValueError(f"no call has the status {unknown[0]!r}")
    if trace.verdict not in (*LABELS, None) or (trace.verdict is None) == (
        trace.outcome == "answered"
    ):
        raise ValueError(f"outcome {trace.outcome!r} with label {trace.verdict!r}")
    return trace


def _listed(calls: object) -> list[Any]:
    if not isinstance(calls, list):
        raise TypeError(f"calls are {calls!r}"[:200])
    return calls
