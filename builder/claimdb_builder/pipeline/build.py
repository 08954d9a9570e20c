"""Builds: stage after stage into a run's folder, of which each is done once."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from claimdb_builder.pipeline.databases import Survey, survey
from claimdb_builder.pipeline.funnel import check_losses, funnel
from claimdb_builder.pipeline.run_folder import run_folder
from claimdb_builder.pipeline.run_stage import Progress, made_from, run_stage, write_questions
from claimdb_builder.pipeline.stage import Context, Settings, Stage
from claimdb_builder.pipeline.stage_folder import (
    StageFolder,
    as_json,
    file_sha256,
    write_if_other,
)
from claimdb_builder.pipeline.stages import stages_until
from claimdb_builder.stages.ingest import read_questions, source_names
from claimdb_builder.stages.question_files import check_is_file
from claimdb_metric.errors import DataError
from claimdb_sandbox import ChangedDatabaseError

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

    def __post_init__(self) -> None:
        for name in ("questions", "databases"):
            given: Any = getattr(self, name)
            paths = (given,) if isinstance(given, (str, Path)) else given
            object.__setattr__(self, name, tuple(map(Path, paths)))
        object.__setattr__(self, "out", Path(self.out))


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
    with run_folder(wanted.out):
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
            if number == 1:
                self.check_waived()
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
            counts = funnel(self.summaries, [path.parent.name for path in self.files.values()])
            if self.done or stage is stages[-1]:
                write_if_other(self.wanted.out / "funnel.json", as_json(counts))
            check_losses(stages, self.summaries, self.wanted.waived, folder.path.parent)
        return Built(counts, self.files, tuple(self.done), self.notes())

    def check_waived(self) -> None:
        unknown = sorted(set(self.wanted.waived) - set(self.summaries[0]["databases"]))
        if unknown:
            raise DataError(f"--waive {unknown[0]}: no question is on a database of that name")

    def look_at_databases(self) -> Survey:
        names = self.summaries[0]["databases"]
        wanted = self.wanted
        return survey(names, wanted.databases, wanted.out, self.executor, wanted.allow_missing)

    def folder_of(self, stage: Stage) -> StageFolder:
        if self.summaries:
            source: Any = self.summaries[-1]["kept_sha256"]
        else:
            paths = self.wanted.questions
            hashes = map(file_sha256, paths)
            source = [list(pair) for pair in zip(source_names(paths), hashes, strict=True)]
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
