"""Any command-line agent as the one who answers: it gets the database over MCP, and no shell's."""

from __future__ import annotations

from inspect_ai.model import ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver

from claimdb_harness.agents.recording import OnTrace, recorded
from claimdb_harness.agents.sessions import Session
from claimdb_harness.agents.watch import Watch
from claimdb_harness.mcp.command_agents import CommandResult, run_command
from claimdb_harness.prompts import Prompt
from claimdb_harness.runs.budgets import Budget
from claimdb_harness.verdict_text import verdict_in
from claimdb_metric.errors import ClaimDBError


class CommandFailedError(ClaimDBError):
    """A command line ended with an error and no verdict, so that the claim was not run."""


@solver
def command_agent(
    watch: Watch, prompt: Prompt, command: str, budget: Budget, on_trace: OnTrace | None = None
) -> Solver:
    """Return the solver that has a command line verify a claim.

    Args:
        watch: has the databases.
        prompt: what the command is told on its stdin, before the claim.
        command: what is run, `{mcp_config}` being the path of its MCP configuration.
        budget: its seconds, SQL calls and bytes; turns and tokens are the command's own affair.
        on_trace: is given the trace of each claim that is done or failed.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        database = watch.path_of(state.metadata["db_name"])
        session = Session(int(state.sample_id), database, watch.sandbox, budget)
        text = f"{prompt.text}\n{state.input_text}"
        with recorded(state, session, watch, on_trace):
            result = await run_command(command, text, database, budget)
            state.output = ModelOutput.from_content(command.split()[0], result.stdout)
            state.messages.append(state.output.message)
            _take(result, session)
        return state

    return solve


def _take(result: CommandResult, session: Session) -> None:
    """Take what a command did and said.

    Raises:
        CommandFailedError: it ended with an error, and said no verdict.
    """
    session.calls, session.seconds, session.turns = [*result.calls], result.seconds, 1
    verdict = verdict_in(result.stdout)
    if verdict.label is not None:
        session.submit(verdict.label, verdict.justification)
        return
    if result.timed_out:
        session.stop = "seconds"
    elif result.exit_code != 0:
        raise CommandFailedError(f"exit code {result.exit_code}: {result.stderr_tail}")
    else:
        session.stop = "gave_up"
    if verdict.invalid is not None:
        session.not_a_verdict(verdict.invalid, verdict.said)
