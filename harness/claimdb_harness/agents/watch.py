"""Watches over a run's databases and provider: Inspect asks it before each claim and at the end.

It is an `EarlyStopping` of Inspect's, the one place where a task may still fail at its end.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from inspect_ai.model import Model
from inspect_ai.util import EarlyStop

from claimdb_sandbox import (
    AGENT_LIMITS,
    AsyncExecutor,
    ChangedDatabaseError,
    Fingerprint,
    assert_unchanged,
    fingerprints,
)

MAX_FAILURES: Final = 20
"""So many claims in a row that the provider fails end a run: a wrong key, a server that is down."""


class Watch:
    """Holds the databases of a run and what runs SQL on them; ends a run that cannot go on.

    Args:
        paths: the file of each database by name.

    Attributes:
        disk_error: why a trace could not be written, if so.
        changed: which databases changed, if any.
        last_of: the model that nobody asks after this task, so that it is closed.
    """

    def __init__(self, paths: Mapping[str, Path]) -> None:
        self._paths = dict(paths)
        self.before: dict[str, Fingerprint] = fingerprints(sorted(set(paths.values())))
        self._n_failed = 0
        self._reason = ""
        self.disk_error: OSError | None = None
        self.changed: ChangedDatabaseError | None = None
        # Between two logs it stays open: to close it would end a server that Inspect started.
        self.last_of: Model | None = None

    @cached_property
    def sandbox(self) -> AsyncExecutor:
        """What runs the agents' SQL, a query for each processor at a time."""
        return AsyncExecutor(AGENT_LIMITS, retry_once=True)

    def path_of(self, db_name: str) -> Path:
        """Return the file of a database."""
        return self._paths[db_name]

    def fingerprints(self) -> dict[str, dict[str, Any]]:
        """Return hash and size of each database at the start, by name."""
        return {name: asdict(self.before[str(path)]) for name, path in sorted(self._paths.items())}

    def note(self, error: str | None) -> None:
        """Count the claims in a row that the provider failed; an answer ends the row."""
        if self.gave_up:  # for good: an answer that was in flight changes nothing
            return
        self._n_failed = 0 if error is None else self._n_failed + 1
        self._reason = f"the provider failed {self._n_failed} claims in a row: {error}"

    def note_disk(self, error: OSError) -> None:
        """Ask no more claims: what comes of them, and was paid for, cannot be written."""
        self.disk_error = error
        self._reason = f"a trace cannot be written: {error}"

    @property
    def gave_up(self) -> bool:
        """Whether no more claims are asked: the provider failed too many, or the disk did."""
        return self._n_failed >= MAX_FAILURES or self.disk_error is not None

    def close(self) -> None:
        """End the processes that run SQL."""
        if "sandbox" in self.__dict__:
            self.sandbox.close()
            del self.sandbox

    async def start_task(self, task: object, samples: object, epochs: int) -> str:
        """Return the name under which Inspect's log has this."""
        return "claimdb"

    async def schedule_sample(self, id: str | int, epoch: int) -> EarlyStop | None:
        """Return why a claim is not begun, None where it is."""
        if not self.gave_up:
            return None
        return EarlyStop(id=id, epoch=epoch, reason=self._reason)

    async def complete_sample(self, id: str | int, epoch: int, scores: object) -> None:
        """Do nothing: what became of a claim is in its trace."""

    async def complete_task(self) -> dict[str, Any]:
        """Return the databases' fingerprints for the log, where none has changed.

        Raises:
            ChangedDatabaseError: some did, so that the run fails.
        """
        self.close()
        try:
            await asyncio.to_thread(assert_unchanged, self.before)
        except ChangedDatabaseError as error:
            self.changed = error
            raise
        if self.last_of is not None:  # its connections are of this event loop, which ends now
            await self.last_of.api.aclose()
        return {"databases_unchanged": len(self.before)}
