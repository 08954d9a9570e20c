"""Runs one stage: over batches of lines, on an executor, from where it stopped last time."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from functools import partial
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from claimdb_builder.pipeline.executors import ordered_map
from claimdb_builder.pipeline.records import Dropped, Question, from_line, to_line
from claimdb_builder.pipeline.stage import Context, DatabasePaths, Settings, Stage
from claimdb_builder.pipeline.stage_folder import Batch, Counts, StageFolder
from claimdb_metric.errors import DataError

Progress = Callable[[int], None]
Check = Callable[[Iterable[str]], None]


class _Work(NamedTuple):
    """What a worker gets: lines of records, and where their databases are."""

    lines: Sequence[bytes]
    databases: dict[str, DatabasePaths]


def made_from(
    stage: Stage, settings: Settings, input_sha256: object, databases: object
) -> dict[str, Any]:
    """Return what the output of a stage depends on: code, settings, libraries, input, databases."""
    versions = {
        name: sqlite3.sqlite_version if name == "sqlite" else version(name)
        for name in stage.libraries
    }
    return {
        "version": stage.version,
        "batch_size": stage.batch_size,
        "settings": {name: getattr(settings, name) for name in stage.settings},
        "libraries": versions,
        "input": input_sha256,
        "database_hashes": databases if stage.reads_databases else None,
    }


def _no_check(names: Iterable[str]) -> None:
    """Nothing can have changed."""


def run_stage(
    stage: Stage,
    folder: StageFolder,
    source: Path,
    context: Context,
    executor: Executor,
    on_progress: Progress,
    check: Check = _no_check,
) -> None:
    """Do what is left of a stage to do.

    Args:
        stage: the stage.
        folder: its folder; batches that are there already are not done again.
        source: the file of records that it takes.
        context: settings, and where all databases are.
        executor: what runs the batches.
        on_progress: called with the number of records of each batch that is done.
        check: called with the names of a batch's databases before the batch is written.
    """
    n_done = folder.batches_so_far()
    on_progress(n_done)
    with source.open("rb") as file:
        work = _work(islice(file, n_done, None), stage, context)
        function = partial(run_batch, stage, context.settings)
        batches = ordered_map(executor, function, work)
        for n_in in folder.append(_checked(batches, check)):
            on_progress(n_in)


def _checked(batches: Iterable[Batch], check: Callable[[Iterable[str]], None]) -> Iterator[Batch]:
    for batch in batches:
        check(batch.counts)
        yield batch


def write_questions(
    stage: Stage, folder: StageFolder, questions: Iterable[Question], on_progress: Progress
) -> None:
    """Do the first stage: write what question files hold.

    It begins anew each time: reading is cheap, and a wrong row stops it before anything is built.
    """
    folder.part.unlink(missing_ok=True)
    try:
        for n_in in folder.append(_question_batches(stage, questions)):
            on_progress(n_in)
    except DataError:
        shutil.rmtree(folder.path)
        raise


def _question_batches(stage: Stage, questions: Iterable[Question]) -> Iterator[Batch]:
    questions = iter(questions)
    while given := list(islice(questions, stage.batch_size)):
        yield _batch(given, stage, Context())


def _work(lines: Iterator[bytes], stage: Stage, context: Context) -> Iterator[_Work]:
    while batch := list(islice(lines, stage.batch_size)):
        names = _names(batch) if stage.reads_databases else set()
        here = {name: context.databases[name] for name in names & context.databases.keys()}
        yield _Work(batch, here)


def _names(lines: Sequence[bytes]) -> set[str]:
    return {json.loads(line)["db_name"] for line in lines}


def run_batch(stage: Stage, settings: Settings, work: _Work) -> Batch:
    """Return what became of a batch of lines; this is what a worker runs."""
    takes = stage.takes
    if takes is None:
        raise TypeError(f"stage {stage.name} takes files, not records")
    records = [from_line(takes, line) for line in work.lines]
    return _batch(records, stage, Context(settings, work.databases))


def _batch(records: Sequence[Any], stage: Stage, context: Context) -> Batch:
    kept, dropped = stage.function(records, context)
    if len(kept) + len(dropped) != len(records):
        raise RuntimeError(
            f"stage {stage.name} was given {len(records)} records, kept {len(kept)} and dropped "
            f"{len(dropped)}"
        )
    return Batch(_counts(records, kept, dropped), _lines(kept), _lines(dropped))


def _lines(records: Iterable[Question | Dropped]) -> bytes:
    return b"".join(map(to_line, records))


def _counts(records: Sequence[Any], kept: Sequence[Any], dropped: Sequence[Dropped]) -> Counts:
    counts: Counts = {}
    for record in records:
        held = counts.setdefault(record.db_name, {"in": 0, "kept": 0, "dropped": {}})
        held["in"] += 1
    for record in kept:
        counts[record.db_name]["kept"] += 1
    for drop in dropped:
        reasons = counts[drop.db_name]["dropped"]
        reasons[drop.reason] = reasons.get(drop.reason, 0) + 1
    return counts
