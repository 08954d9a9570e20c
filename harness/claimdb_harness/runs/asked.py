"""How a model is asked: task, prompt, protocol, budget; the same for every claim of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final

from claimdb_harness.mcp.command_agents import split_command
from claimdb_harness.prompts import FIXED, PROTOCOLS, Prompt, prompt
from claimdb_harness.runs.budgets import Budget
from claimdb_harness.runs.plans import Plan
from claimdb_harness.runs.settings import Settings
from claimdb_metric.errors import DataError

TASKS: Final = ("verify", *FIXED)
FINALS: Final = ("forced", "none")

_CHOICES: Final = {"task": TASKS, "protocol": PROTOCOLS, "final": FINALS}


@dataclass(frozen=True)
class Asked:
    """How a model is asked about each claim.

    Args:
        task: verify, closed_book (nothing but the claim) or schema_only (no rows).
        prompt: the name of a packaged prompt, or the path of a text file.
        protocol: tools, json or constrained.
        final: forced: the last turn offers nothing but the verdict; none: it is like the others.
        command: a command line that answers instead of a model.
        budget: what may be spent on a claim.
        model: as Inspect names it, or a name for what the command asks; "" where Inspect has it.
        generation: temperature, seed and the like.

    Raises:
        DataError: one is none of these.

    >>> Asked(task="verify", prompt="minimal").instructions.name
    'minimal'
    """

    task: str = "verify"
    prompt: str = "minimal"
    protocol: str = "tools"
    final: str = "forced"
    command: str | None = None
    budget: Budget = field(default_factory=Budget)
    model: str = ""
    generation: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, choices in _CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                raise DataError(f"{name} {value!r} is none of {', '.join(choices)}")
        if self.command is not None and self.task != "verify":
            raise DataError(f"task {self.task} takes no command: it has no database to query")
        if self.command is not None:
            split_command(self.command)
        _ = self.instructions

    @classmethod
    def of(cls, task: str, **options: Any) -> Asked:
        """Return how a task is asked, the budget's numbers among the options.

        >>> Asked.of("verify", max_turns=3).budget.max_turns
        3
        """
        names = {one.name for one in fields(Budget)}
        budget = Budget(**{name: options.pop(name) for name in names & set(options)})
        return cls(task=task, budget=budget, **options)

    @property
    def instructions(self) -> Prompt:
        """What the model is told before the claim."""
        if self.task in FIXED:
            return prompt(FIXED[self.task], f"{self.protocol}-verdict")
        return prompt(self.prompt, "command" if self.command is not None else self.protocol)

    def settings(self, plan: Plan, databases: Mapping[str, Mapping[str, Any]]) -> Settings:
        """Return what a run's folder and log say was asked.

        Args:
            plan: the claims.
            databases: hash and size of each database at the start, by name.
        """
        instructions, is_model = self.instructions, self.command is None
        return Settings(
            model=self.model,
            split=plan.claims.name,
            claims_sha256=plan.claims_sha256,
            task=self.task,
            limit=plan.limit,
            prompt=instructions.name,
            prompt_sha256=instructions.sha256,
            protocol=self.protocol if is_model else None,
            final=self.final if is_model and self.task == "verify" else None,
            command=self.command,
            budget=self.budget,
            generation=self.generation,
            databases=databases,
            versions=versions(),
        )


def versions() -> dict[str, str]:
    """Return the versions of what makes a run."""
    import sqlite3
    from importlib.metadata import PackageNotFoundError, version

    found = {"sqlite": sqlite3.sqlite_version}
    for name in ("claimdb", "inspect-ai"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return dict(sorted(found.items()))
