"""A run as `score`, `predictions` and `analyze` read it: a folder, or logs of `inspect eval`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from claimdb_harness.labelled_claims import LabelledClaims
from claimdb_harness.runs.folder import RunFolder
from claimdb_harness.runs.settings import Settings
from claimdb_harness.runs.traces import Trace
from claimdb_metric.errors import DataError


@dataclass(frozen=True)
class Run:
    """What was asked, about which claims, and what came of it.

    Args:
        path: the folder or log.
        settings: what was asked.
        claims: the claims, labels and categories among their columns.
        traces: one for each claim that was begun, by claim_id.
        not_begun: claims of which nothing else is known, in the log of a run that was killed.
    """

    path: Path
    settings: Settings
    claims: LabelledClaims
    traces: dict[int, Trace]
    not_begun: tuple[int, ...] = ()

    @property
    def pending(self) -> list[int]:
        """The claims that have no outcome: not begun, or the provider failed."""
        begun = [claim_id for claim_id in self.claims.claim_ids if not self._is_done(claim_id)]
        return [*begun, *self.not_begun]

    @property
    def n_asked(self) -> int:
        """How many claims the run is about."""
        return len(self.claims.claim_ids) + len(self.not_begun)

    @property
    def done(self) -> list[Trace]:
        """The traces that have an outcome, in the order of the claims."""
        ids = self.claims.claim_ids
        return [self.traces[claim_id] for claim_id in ids if self._is_done(claim_id)]

    def _is_done(self, claim_id: int) -> bool:
        trace = self.traces.get(claim_id)
        return trace is not None and trace.outcome != "not_run"


def is_run(path: Path) -> bool:
    """Return whether a path is a run's folder or an Inspect log, and no predictions file."""
    return path.is_dir() or path.suffix == ".eval"


def read_run(path: Path) -> Run:
    """Return a run from its folder, or from a log of `inspect eval claimdb/…`.

    Raises:
        DataError: it is neither, or damaged, or a database changed during it.
        OSError: it is not there, or may not be read.
    """
    if path.suffix == ".eval":
        if not path.is_file():
            raise DataError(f"no such log: {path}")
        return _of_log(path, path.stat().st_mtime_ns)
    if not path.exists():
        raise DataError(f"no such run: {path}")
    folder = RunFolder(path)
    folder.check_not_failed()
    return Run(path, folder.settings(), folder.claims(), folder.traces())


@lru_cache(maxsize=2)
def _of_log(path: Path, _: int) -> Run:
    """The run of a log in one state; to read 1,000 samples takes Inspect five seconds."""
    from claimdb_harness.agents.logs import run_of_log

    return run_of_log(path)
