"""What Inspect finds under the name `claimdb` (entry point `inspect_ai`, in pyproject.toml)."""

from __future__ import annotations

from inspect_ai._util.registry import RegistryInfo, registry_add, registry_info

from claimdb_harness.agents.agent import claim_agent
from claimdb_harness.agents.command import command_agent
from claimdb_harness.agents.scorer import claimdb_scores, verdict_scorer
from claimdb_harness.agents.scripted import ScriptedAPI
from claimdb_harness.agents.tasks import closed_book, schema_only, verify

__all__ = [
    "ScriptedAPI",
    "claim_agent",
    "claimdb_scores",
    "closed_book",
    "command_agent",
    "schema_only",
    "verdict_scorer",
    "verify",
]


def _register() -> None:
    """Give the tasks and the scorer their public names, `claimdb/verify` and so on.

    Inspect names what it finds by the package that it stands in, `claimdb_harness/verify` from a
    wheel and `verify` from an editable install; logs, `eval-retry` and `inspect score` need one
    name in both. `registry_add` is not public: it is called here only.
    """
    for thing in (verify, closed_book, schema_only, verdict_scorer):
        info = registry_info(thing)
        name = f"claimdb/{info.name.split('/')[-1]}"
        registry_add(thing, RegistryInfo(type=info.type, name=name, metadata=info.metadata))


_register()
