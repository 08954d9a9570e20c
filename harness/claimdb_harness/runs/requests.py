"""What the user of `claimdb run` said, and what an earlier run fills in where it is resumed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Final

from claimdb_harness.labelled_claims import LabelledClaims, from_file, from_split
from claimdb_harness.prompts import FIXED, PROMPTS
from claimdb_harness.runs.asked import Asked
from claimdb_harness.runs.budgets import Budget
from claimdb_harness.runs.folder import RunFolder
from claimdb_harness.runs.plans import Plan, database_paths, limit_range, plan_run
from claimdb_harness.runs.settings import Settings
from claimdb_metric.errors import DataError

DEFAULT_SPLIT: Final = "test_public"
_ASKED: Final = ("task", "prompt", "protocol", "final", "command", "model")
_BUDGET: Final = tuple(one.name for one in fields(Budget))


@dataclass(frozen=True)
class Request:
    """What was said; None is what was not.

    Args:
        model: `provider/model`, or a name for what a command asks.
        split, references, limit, data_dir, repo_id: which claims, as for `plan_run`.
        task, prompt, protocol, final, command: as `Asked` has them.
        budget: those of the budget's numbers that were given.
        generation: temperature, seed and the like.
    """

    model: str | None = None
    split: str | None = None
    references: str | None = None
    limit: str | None = None
    data_dir: str | None = None
    repo_id: str | None = None
    task: str | None = None
    prompt: str | None = None
    protocol: str | None = None
    final: str | None = None
    command: str | None = None
    budget: Mapping[str, int] = field(default_factory=dict)
    generation: Mapping[str, Any] = field(default_factory=dict)

    def asked(self, folder: RunFolder | None = None) -> Asked:
        """Return how the model is asked; of a run that goes on, what is not said stays.

        Args:
            folder: of the run that goes on; None for a new one.

        Raises:
            DataError: there is no model, or what is asked for is none of the choices.
        """
        if folder is not None:
            return Asked.of(**self._before(folder.settings()) | self._given())
        if self.model is None and self.command is None:
            raise DataError("name a model: --model provider/model (claimdb-scripted/demo is free)")
        return Asked.of(**{"task": "verify", "model": self.model or "command"} | self._given())

    def plan(self, folder: RunFolder | None = None) -> Plan:
        """Return which claims are asked, and where their databases are.

        Args:
            folder: of the run that goes on; None for a new one.

        Raises:
            DataError: the claims are others than those of the run that goes on, or are none that
                can be asked; or databases are missing.
        """
        if folder is None:
            return plan_run(self._claims(), self.limit, self.data_dir, self.repo_id)
        old = folder.settings()
        self._check_claims(folder, old)
        claims = folder.claims()
        return Plan(claims, old.limit, database_paths(claims, self.data_dir, self.repo_id))

    def _before(self, old: Settings) -> dict[str, Any]:
        """What an earlier run was asked, by the names of `Asked.of`."""
        before = {name: getattr(old, name) for name in _ASKED if getattr(old, name) is not None}
        if old.task in FIXED:
            before.pop("prompt", None)
        elif self.prompt is None and old.command is None and old.prompt not in PROMPTS:
            raise DataError(f"the run's prompt was a file of yours: give it, --prompt {old.prompt}")
        budget = {} if old.budget is None else asdict(old.budget)
        return before | {"generation": dict(old.generation)} | budget

    def _claims(self) -> LabelledClaims:
        if self.split and self.references:
            raise DataError("give --split or --references, not both")
        if self.references:
            return from_file(self.references)
        return from_split(self.split or DEFAULT_SPLIT, self.data_dir, self.repo_id)

    def _check_claims(self, folder: RunFolder, old: Settings) -> None:
        """Refuse another split or limit before anything else is looked at."""
        limit = old.limit if self.limit is None else "{}-{}".format(*limit_range(self.limit))
        new = replace(old, split=self.split or old.split, limit=limit)
        if self.references:
            plan = plan_run(self._claims(), limit, self.data_dir, self.repo_id)
            name, sha256 = plan.claims.name, plan.claims_sha256
            new = replace(old, split=name, limit=plan.limit, claims_sha256=sha256)
        folder.check_same(new)

    def _given(self) -> dict[str, Any]:
        given = {name: getattr(self, name) for name in _ASKED if getattr(self, name) is not None}
        if self.generation:
            given["generation"] = dict(self.generation)
        return given | {name: value for name, value in self.budget.items() if name in _BUDGET}
