"""Tasks of Inspect's: `claimdb/verify`, and two that measure what the database adds."""

from __future__ import annotations

from typing import Any, Final

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.solver import Solver

from claimdb_harness.agents.agent import claim_agent
from claimdb_harness.agents.command import command_agent
from claimdb_harness.agents.recording import OnTrace
from claimdb_harness.agents.scorer import verdict_scorer
from claimdb_harness.agents.watch import Watch
from claimdb_harness.labelled_claims import LabelledClaims, from_file, from_split
from claimdb_harness.prompts import claim_message
from claimdb_harness.runs.asked import Asked
from claimdb_harness.runs.plans import Plan, plan_run

MAX_RETRIES: Final = 5
"""Of a call that the provider fails; Inspect's own default has no end."""

SETTINGS_KEY: Final = "claimdb"
"""Where a log's metadata has a run's settings."""


@task
def verify(
    split: str = "test_public",
    prompt: str = "minimal",
    protocol: str = "tools",
    final: str = "forced",
    limit: str | int | None = None,
    references: str | None = None,
    data_dir: str | None = None,
    repo_id: str | None = None,
    command: str | list[str] | None = None,
    max_turns: int = 20,
    max_sql_calls: int = 40,
    max_tokens: int = 200_000,
    max_seconds: int = 900,
    max_output_bytes: int = 16_000,
) -> Task:
    """Return the task of verifying claims with SQL on their databases.

    Args:
        split: train, test_public, test_private or sample.
        prompt: minimal, taxonomy, schema-first, or the path of a text file.
        protocol: tools, json or constrained.
        final: forced: the last turn offers nothing but the verdict; none: it is like the others.
        limit: N or A-B, of the claims in their order.
        references: a file of claims to use instead of a split.
        data_dir, repo_id: where claims and databases are.
        command: a command line that answers instead of a model, see docs/agents_over_mcp.md.
        max_turns, max_sql_calls, max_tokens, max_seconds, max_output_bytes: the budget of a claim.
    """
    return _task("verify", locals())


@task
def closed_book(
    split: str = "test_public",
    protocol: str = "tools",
    limit: str | int | None = None,
    references: str | None = None,
    data_dir: str | None = None,
    repo_id: str | None = None,
) -> Task:
    """Return the task of judging claims without their databases: what a model has seen before.

    Args:
        split, protocol, limit, references, data_dir, repo_id: as for `verify`.
    """
    return _task("closed_book", locals())


@task
def schema_only(
    split: str = "test_public",
    protocol: str = "tools",
    limit: str | int | None = None,
    references: str | None = None,
    data_dir: str | None = None,
    repo_id: str | None = None,
) -> Task:
    """Return the task of judging claims by their databases' schemas: no rows, no queries.

    Args:
        split, protocol, limit, references, data_dir, repo_id: as for `verify`.
    """
    return _task("schema_only", locals())


def _task(name: str, options: dict[str, Any]) -> Task:
    """The task as `inspect eval` asks for it; what a run is asked about comes from the options."""
    sources = {key: options.pop(key) for key in ("data_dir", "repo_id")}
    split, references = options.pop("split"), options.pop("references")
    if isinstance(options.get("command"), list):  # Inspect splits what -T says at its commas
        options["command"] = ",".join(options["command"])
    claims = from_file(references) if references else from_split(split, **sources)
    plan = plan_run(claims, options.pop("limit"), **sources)
    return build_task(plan, Asked.of(name, **options), Watch(plan.databases))


def build_task(plan: Plan, asked: Asked, watch: Watch, on_trace: OnTrace | None = None) -> Task:
    """Return the task of a plan.

    Args:
        plan: the claims and their databases.
        asked: how the model is asked.
        watch: over the plan's databases.
        on_trace: is given the trace of each claim that is done or failed.
    """
    return Task(
        name=f"claimdb/{asked.task}",
        dataset=MemoryDataset(_samples(plan.claims), name=plan.claims.name),
        solver=_solver(asked, watch, on_trace),
        scorer=None if plan.claims.is_hidden else verdict_scorer(),
        config=GenerateConfig(max_retries=MAX_RETRIES, attempt_timeout=asked.budget.max_seconds),
        continue_on_fail=True,
        early_stopping=watch,
        metadata={SETTINGS_KEY: asked.settings(plan, watch.fingerprints()).to_dict()},
    )


def _solver(asked: Asked, watch: Watch, on_trace: OnTrace | None) -> Solver:
    if asked.command is not None:
        return command_agent(watch, asked.instructions, asked.command, asked.budget, on_trace)
    return claim_agent(
        watch,
        asked.instructions,
        asked.protocol,
        asked.final,
        asked.budget,
        asked.task == "verify",
        on_trace,
    )


def _samples(claims: LabelledClaims) -> list[Sample]:
    names = ("claim_id", "claim", "extra_info", "db_name", "bird_id", "category", "label")
    rows = zip(*(claims.column(name) for name in names), strict=True)
    return [_sample(dict(zip(names, row, strict=True)), claims.is_hidden) for row in rows]


def _sample(row: dict[str, Any], is_hidden: bool) -> Sample:
    return Sample(
        id=int(row["claim_id"]),
        input=claim_message(row["claim"], row["extra_info"] or ""),
        target="" if is_hidden else row["label"],
        metadata={**row, "category": row["category"] or ""},
    )
