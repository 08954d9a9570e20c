"""One claim while an agent works on it: what it has asked, what it has said, what is left."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from inspect_ai.model import ModelOutput

from claimdb_harness.runs.budgets import NO_QUERY_LEFT, Budget
from claimdb_harness.runs.traces import Call, Invalid, Stop, Tokens, Trace

if TYPE_CHECKING:
    from claimdb_sandbox import AsyncExecutor

MAX_SAID_CHARS: Final = 500

CURRENT: ContextVar[Session] = ContextVar("claimdb_session")
"""The session of the claim that this task of the event loop works on: the tools are made once for
all claims, since Inspect takes 15 % of a run to read their docstrings claim by claim."""


@dataclass
class Session:
    """What an agent has done about a claim so far.

    Args:
        claim_id: the claim.
        database: the file that it is about; None where the agent gets to see no rows.
        sandbox: what runs its SQL.
        budget: what it may spend.
    """

    claim_id: int
    database: Path | None
    sandbox: AsyncExecutor
    budget: Budget
    calls: list[Call] = field(default_factory=list)
    turns: int = 0
    tokens: Tokens = field(default_factory=Tokens)
    seconds: float = 0.0
    verdict: str | None = None
    justification: str = ""
    forced: bool = False
    invalid: Invalid = "no_answer"
    said: str | None = None
    stop: Stop = "turns"
    is_forced: bool = False
    """Whether this turn offers nothing but the verdict, where earlier ones offered a database."""

    is_full: bool = False
    """Whether the conversation no longer fits into what the model can read."""

    @property
    def has_queries_left(self) -> bool:
        """Whether the budget allows another query."""
        return len(self.calls) < self.budget.max_sql_calls

    @property
    def offers_queries(self) -> bool:
        """Whether this turn lets the model query."""
        return self.database is not None and not self.is_forced

    @property
    def exhausted(self) -> Stop | None:
        """The limit of the budget that has been reached, if any."""
        if self.is_full or self.tokens.total >= self.budget.max_tokens:
            return "tokens"
        if self.seconds >= self.budget.max_seconds:
            return "seconds"
        return "turns" if self.turns >= self.budget.max_turns else None

    async def query(self, sql: str) -> Call:
        """Return what became of a query; it counts, whatever that is."""
        if self.database is None or not self.has_queries_left:
            call = Call(
                "execute_sql", sql, "refused", NO_QUERY_LEFT, NO_QUERY_LEFT, turn=self.turns
            )
        else:
            result = await self.sandbox.run(self.database, sql)
            self.seconds += result.elapsed_ms / 1000
            call = Call(
                tool="execute_sql",
                sql=sql,
                status=result.status,
                output=result.to_text(self.budget.max_output_bytes),
                message=result.message,
                n_rows=len(result) if result.ok else None,
                elapsed_ms=round(result.elapsed_ms, 3),
                turn=self.turns,
            )
        self.calls.append(call)
        return call

    def submit(self, verdict: str, justification: str) -> None:
        """Take a verdict; of two, the first counts."""
        if self.verdict is None:
            self.verdict, self.justification = verdict, justification
            self.forced, self.stop = self.is_forced, "verdict"

    def count(self, output: ModelOutput) -> None:
        """Add what an answer of the model took; waiting for retries is not the model's time."""
        self.seconds += output.time or 0.0
        usage = output.usage
        if usage is None:
            return
        self.tokens = Tokens(
            # Inspect has what came from the cache and what went into it beside `input_tokens`.
            input=self.tokens.input + usage.input_tokens + (usage.input_tokens_cache_write or 0),
            cached=self.tokens.cached + (usage.input_tokens_cache_read or 0),
            output=self.tokens.output + usage.output_tokens,
            reasoning=self.tokens.reasoning + (usage.reasoning_tokens or 0),
        )

    def not_a_verdict(self, invalid: Invalid, said: str | None) -> None:
        """Note what stood where a verdict should; a later verdict makes up for it, silence not."""
        if invalid == "no_answer" and self.said is not None:
            return
        self.invalid, self.said = invalid, said[:MAX_SAID_CHARS] if said else None

    def trace(self, error: str | None = None) -> Trace:
        """Return what goes into the run's record.

        Args:
            error: why the provider failed; without a verdict, the claim then was not run.
        """
        is_answered = self.verdict is not None
        failed = error is not None and not is_answered
        return Trace(
            claim_id=self.claim_id,
            outcome="answered" if is_answered else "not_run" if failed else "no_verdict",
            verdict=self.verdict,
            justification=self.justification,
            stop="error" if failed else self.stop,
            forced=self.forced,
            invalid=None if is_answered or failed else self.invalid,
            said=None if is_answered or failed else self.said,
            calls=tuple(self.calls),
            turns=self.turns,
            tokens=self.tokens,
            seconds=round(self.seconds, 3),
            error=error if failed else None,
        )
