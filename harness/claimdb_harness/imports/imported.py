"""Other people's runs as the folder of a run, on which score, analyze and predictions work."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from claimdb_harness.imports import claude_code, codex
from claimdb_harness.imports.agents_sdk import read_agents_sdk
from claimdb_harness.imports.prediction_runs import read_prediction_run
from claimdb_harness.imports.told import Told, trace_of
from claimdb_harness.imports.transcripts import Event, events_in, transcript_files
from claimdb_harness.labelled_claims import LabelledClaims
from claimdb_harness.runs.asked import versions
from claimdb_harness.runs.folder import claims_bytes, write_run
from claimdb_harness.runs.settings import IMPORTED, Settings
from claimdb_harness.runs.traces import OUTCOMES, Trace
from claimdb_metric.errors import DataError

Reader: TypeAlias = Callable[[Path, Collection[int]], dict[int, Told]]


class _Transcripts(NamedTuple):
    """A format with a transcript for each claim."""

    told: Callable[[Iterable[Event]], Told]
    first_types: frozenset[str]
    shape: str


_TRANSCRIPTS: Final[Mapping[str, _Transcripts]] = {
    "claude-code": _Transcripts(
        claude_code.claude_code_told, claude_code.FIRST_TYPES, claude_code.SHAPE
    ),
    "codex": _Transcripts(codex.codex_told, codex.FIRST_TYPES, codex.SHAPE),
}


@dataclass(frozen=True)
class ImportedRun:
    """What was imported.

    Args:
        out: the folder of the run.
        model: the name under which it is recorded.
        traces: one for each claim that the run told of.
        pending: the claims that it told nothing of.
        left_aside: what was not read, with a count.
    """

    out: Path
    model: str
    traces: tuple[Trace, ...]
    pending: tuple[int, ...]
    left_aside: Mapping[str, int]

    def to_dict(self) -> dict[str, Any]:
        """Return the counts and names as values for JSON."""
        outcomes = Counter(trace.outcome for trace in self.traces)
        return {
            "out": str(self.out),
            "model": self.model,
            **{outcome: outcomes[outcome] for outcome in OUTCOMES},
            "pending": list(self.pending),
            "sql_calls": sum(trace.n_sql for trace in self.traces),
            "left_aside": dict(self.left_aside),
        }


def import_into(
    out: Path, path: Path, source: str, claims: LabelledClaims, model: str | None = None
) -> ImportedRun:
    """Return a run of another program, after it was written as the folder of a run.

    Args:
        out: the folder to write; new, or empty.
        path: the file, or the folder of transcripts.
        source: one of `SOURCES`, the program that wrote it.
        claims: all claims of the split that it is about; those that it does not name are pending.
        model: the name under which it is recorded; default is what the run says, or its own name.

    Raises:
        DataError: it is of another format, its claims are not these, or `out` is not empty.
        OSError: it cannot be read, or `out` not written.
    """
    reader = SOURCES.get(source)
    if reader is None:
        raise DataError(f"--from {source!r} is none of {', '.join(SOURCES)}")
    told = reader(path, frozenset(claims.claim_ids))
    found = {claim_id: trace_of(claim_id, one) for claim_id, one in told.items()}
    traces = tuple(found[claim_id] for claim_id in claims.claim_ids if claim_id in found)
    name = model or _model_of(told.values()) or path.stem
    write_run(out, _settings(name, source, claims), claims.columns, traces)
    return ImportedRun(
        out=out,
        model=name,
        traces=traces,
        pending=tuple(claim_id for claim_id in claims.claim_ids if claim_id not in found),
        left_aside=Counter(word for one in told.values() for word in one.left_aside),
    )


def _settings(model: str, source: str, claims: LabelledClaims) -> Settings:
    return Settings(
        model=model,
        split=claims.name,
        claims_sha256=hashlib.sha256(claims_bytes(claims.columns)).hexdigest(),
        task=IMPORTED,
        protocol=source,
        versions={name: one for name, one in versions().items() if name == "claimdb"},
    )


def _model_of(told: Iterable[Told]) -> str | None:
    """The model that all tell of; None where they tell of none, or of several."""
    names = {one.model for one in told if one.model is not None}
    return names.pop() if len(names) == 1 else None


def _read_transcripts(source: str, folder: Path, known: Collection[int]) -> dict[int, Told]:
    return {
        claim_id: _TRANSCRIPTS[source].told(_checked(source, path))
        for claim_id, path in transcript_files(folder, known).items()
    }


def _checked(source: str, path: Path) -> list[Event]:
    """The lines of a transcript, whose first is what it should be."""
    events = list(events_in(path))
    first = events[0]
    if first.get("type") not in _TRANSCRIPTS[source].first_types:
        keys = ", ".join(first) or "none"
        kind = f" and type {first['type']!r}" if "type" in first else ""
        others = [
            name for name, one in _TRANSCRIPTS.items() if first.get("type") in one.first_types
        ]
        hint = f"; use --from {others[0]}" if others else ""
        raise DataError(
            f"{path}: the first line is a JSON object with keys {keys}{kind};"
            f" {source} transcripts have {_TRANSCRIPTS[source].shape}{hint}"
        )
    return [event for event in events if isinstance(event.get("type"), str)]


SOURCES: Final[Mapping[str, Reader]] = {
    "predictions": read_prediction_run,
    "openai-agents": read_agents_sdk,
    **{source: partial(_read_transcripts, source) for source in _TRANSCRIPTS},
}
"""How a run of each program is read."""
