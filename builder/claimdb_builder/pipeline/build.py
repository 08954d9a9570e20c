"""Builds: stage after stage into a run's folder, of which each is done once."""

from __future__ import annotations

import errno
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from filelock import FileLock, Timeout

from claimdb_builder.pipeline.databases import Survey, survey
from claimdb_builder.pipeline.funnel import check_losses, funnel
from claimdb_builder.pipeline.run_stage import Progress, made_from, run_stage, write_questions
from claimdb_builder.pipeline.stage import Context, Settings, Stage
from claimdb_builder.pipeline.stage_folder import (
    StageFolder,
    as_json,
    file_sha256,
    write_if_other,
)
from claimdb_builder.pipeline.stages import stages_until
from claimdb_builder.stages.ingest import read_questions
from claimdb_builder.stages.question_files import check_is_file
from claimdb_loader.storage import replace_atomically
from claimdb_metric.errors import DataError, UnavailableError
from claimdb_sandbox import ChangedDatabaseError

RUN_FORMAT: Final = 1
"""Of a run's folder; another one is not read."""

_NO_SPACE: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

Progressing = Callable[[str, int | None], AbstractContextManager[Progress]]
"""Shows that a stage goes on, of so many records; gives what to call with those that are done."""


@contextmanager
def _silent(stage: str, n_records: int | None) -> Iterator[Progress]:
    yield lambda n: None


@dataclass(frozen=True)
class Build:
    """What to build, and where.

    Args:
        questions: question files, BIRD's dev before its train.
        out: the run's folder.
        databases: folders with the databases; none is needed by stages that read none.
        settings: what the stages are to do.
        until: the last stage, None for all.
        allow_missing: whether databases may be missing; their questions are dropped.
        waived: databases that may lose more than a fifth of their questions.
        progress: shows how far a stage is.
    """

    questions: tuple[Path, ...]
    out: Path
    databases: tuple[Path, ...] = ()
    settings: Settings = field(default_factory=Settings)
    until: str | None = None
    allow_missing: bool = False
    waived: tuple[str, ...] = ()
    progress: Progressing = _silent


@dataclass(frozen=True)
class Built:
    """What was built.

    Args:
        funnel: what funnel.json holds.
        files: what each stage kept, by its name.
        done: the stages that were done now; the others were there already.
        notes: what was found that stops nothing.
    """

    funnel: dict[str, Any]
    files: dict[str, Path]
    done: tuple[str, ...]
    notes: tuple[str, ...]


def build(wanted: Build, executor: Executor) -> Built:
    """Return what was built: the stages that were missing are done, the others found.

    Args:
        wanted: what to build.
        executor: any of `concurrent.futures`, or what `open_executor` gives.

    Raises:
        DataError: questions, databases or the run's folder are not as they should be, or a database
            loses more than a fifth of its questions.
        ChangedDatabaseError: a database was changed while it was read.
        UnavailableError: no space is left, or a worker ended; the same call goes on from there.
    """
    stages = stages_until(wanted.until)
    for path in wanted.questions:
        check_is_file(path)
    with _run_folder(wanted.out), _space(wanted.out):
        return _Run(wanted, executor).through(stages)


class _Run:
    """One build under way."""

    def __init__(self, wanted: Build, executor: Executor) -> None:
        self.wanted = wanted
        self.executor = executor
        self.survey = Survey({})
        self.summaries: list[dict[str, Any]] = []
        self.files: dict[str, Path] = {}
        self.done: list[str] = []

    def through(self, stages: Sequence[Stage]) -> Built:
        for number, stage in enumerate(stages):
            if number == 1 and any(stage.reads_databases for stage in stages):
                self.survey = self.look_at_databases()
            folder = self.folder_of(stage)
            summary = folder.read_summary()
            if summary is None:
                summary = self.do(stage, folder)
                self.done.append(stage.name)
            folder.part.unlink(missing_ok=True)  # of a build that was killed as it ended
            self.summaries.append(summary)
            self.files[stage.name] = folder.kept
            counts = funnel(self.summaries)
            if self.done or stage is stages[-1]:
                write_if_other(self.wanted.out / "funnel.json", as_json(counts))
            check_losses(stages, self.summaries, self.wanted.waived, folder.dropped)
        return Built(counts, self.files, tuple(self.done), self.notes())

    def look_at_databases(self) -> Survey:
        names = self.summaries[0]["databases"]
        wanted = self.wanted
        unknown = sorted(set(wanted.waived) - set(names))
        if unknown:
            raise DataError(f"--waive {unknown[0]}: no question is on a database of that name")
        return survey(names, wanted.databases, wanted.out, self.executor, wanted.allow_missing)

    def folder_of(self, stage: Stage) -> StageFolder:
        if self.summaries:
            source: Any = self.summaries[-1]["kept_sha256"]
        else:
            source = [[path.name, file_sha256(path)] for path in self.wanted.questions]
        parts = made_from(stage, self.wanted.settings, source, self.survey.hashes())
        return StageFolder.of(self.wanted.out, stage.name, parts)

    def do(self, stage: Stage, folder: StageFolder) -> dict[str, Any]:
        if not self.summaries:
            with self.wanted.progress(stage.name, None) as on_progress:
                questions = read_questions(self.wanted.questions)
                write_questions(stage, folder, questions, on_progress)
            if self.folder_of(stage).path != folder.path:
                shutil.rmtree(folder.path)
                raise DataError("a question file was changed while it was read; build again")
            return folder.finish(stage.name)
        before = self.summaries[-1]
        source = self.files[before["stage"]]
        context = Context(self.wanted.settings, self.survey.paths(before["databases"]))
        with self.wanted.progress(stage.name, before["kept"]) as on_progress:
            check = self.survey.assert_untouched
            try:
                run_stage(stage, folder, source, context, self.executor, on_progress, check)
                if stage.reads_databases:
                    self.survey.assert_unchanged(self.executor)
            except ChangedDatabaseError:
                shutil.rmtree(folder.path)  # answers of two states of the data
                raise
        return folder.finish(stage.name)

    def notes(self) -> tuple[str, ...]:
        told = [f"{name}: missing, its questions are left out" for name in self.survey.missing]
        for name, one in sorted(self.survey.databases.items()):
            told += [f"{name}: no table is called as {file}" for file in one.unmatched]
            told += [f"{name}: {note}" for note in one.notes]
        return tuple(told)


@contextmanager
def _run_folder(out: Path) -> Iterator[None]:
    """Hold a run's folder, which one build at a time may have."""
    if out.exists() and not out.is_dir():
        raise DataError(f"{out} is a file; --out names a folder")
    mark = out / "run.json"
    if not mark.exists() and out.is_dir() and any(_not_ours(out)):
        raise DataError(f"{out} holds other files and is no run of `claimdb build`; name a new one")
    out.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(out / ".lock", timeout=0):
            _check_format(mark)
            for left_over in _left_over(out):
                left_over.unlink()
            yield
    except Timeout:
        raise DataError(
            f"another build is running in {out}; wait for it, or name another"
        ) from None


def _not_ours(out: Path) -> Iterator[Path]:
    ours = (".lock", *(path.name for path in _left_over(out)))
    return (path for path in out.iterdir() if path.name not in ours)


def _left_over(out: Path) -> list[Path]:
    """What a build that was killed did not come to name."""
    names = ("run", "funnel", "databases")
    folder_files = [path for name in names for path in out.glob(f".{name}.json.*.new")]
    return [*folder_files, *out.glob("stages/*/.*.new")]


def _check_format(mark: Path) -> None:
    if not mark.exists():
        replace_atomically(mark, as_json({"format": RUN_FORMAT}))
        return
    try:
        found = json.loads(mark.read_bytes())["format"]
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"{mark} is damaged ({error!r}); name another --out") from None
    if found != RUN_FORMAT:
        raise DataError(
            f"{mark.parent} was made by another version of ClaimDB (format {found}, this one has "
            f"{RUN_FORMAT}); name another --out, or use that version"
        )


@contextmanager
def _space(out: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in _NO_SPACE:
            raise
        raise UnavailableError(
            f"no space left for {out}: free some and give the same command again; what was done "
            "is kept"
        ) from error
