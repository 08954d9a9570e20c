"""The agent: asks a model turn by turn, until it gives a verdict or its budget is spent."""

from __future__ import annotations

import asyncio
from functools import lru_cache
from pathlib import Path
from typing import Final

from inspect_ai.model import ChatMessageSystem, ChatMessageUser, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from claimdb_harness.agents.protocols import TURNS
from claimdb_harness.agents.recording import OnTrace, recorded
from claimdb_harness.agents.sessions import Session
from claimdb_harness.agents.watch import Watch
from claimdb_harness.mcp.created_schema import schema_text
from claimdb_harness.prompts import Prompt
from claimdb_harness.runs.budgets import Budget

LAST_TURN: Final = "No further query is possible. Give the verdict now."

MAX_SCHEMA_BYTES: Final = 64 * 2**10


@solver
def claim_agent(
    watch: Watch,
    prompt: Prompt,
    protocol: str,
    final: str,
    budget: Budget,
    has_database: bool,
    on_trace: OnTrace | None = None,
) -> Solver:
    """Return the solver that verifies a claim.

    Args:
        watch: has the databases, and what runs SQL on them.
        prompt: what the model is told before the claim.
        protocol: tools, json or constrained.
        final: forced or none; forced also where no query is left in the budget.
        budget: what the model may spend.
        has_database: whether it may query.
        on_trace: is given the trace of each claim that is done or failed.
    """

    async def converse(state: TaskState, session: Session) -> None:
        model = get_model()
        instructions = await _instructions(prompt, watch.path_of(state.metadata["db_name"]))
        state.messages.insert(0, ChatMessageSystem(content=instructions))
        while session.verdict is None:
            exhausted = session.exhausted
            if exhausted is not None:
                session.stop = exhausted
                return
            session.turns += 1
            is_last = session.turns == budget.max_turns or not session.has_queries_left
            if has_database and final == "forced" and is_last and not session.is_forced:
                session.is_forced = True
                state.messages.append(ChatMessageUser(content=LAST_TURN))
            await TURNS[protocol](model, state, session)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        database = watch.path_of(state.metadata["db_name"]) if has_database else None
        session = Session(int(state.sample_id), database, watch.sandbox, budget)
        with recorded(state, session, watch, on_trace):
            await converse(state, session)
        return state

    return solve


async def _instructions(prompt: Prompt, database: Path) -> str:
    if not prompt.needs_schema:
        return prompt.text
    return prompt.filled(await asyncio.to_thread(_schema, database))


@lru_cache(maxsize=128)
def _schema(database: Path) -> str:
    return schema_text(database, MAX_SCHEMA_BYTES)
