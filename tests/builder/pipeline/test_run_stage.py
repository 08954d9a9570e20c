"""One stage over batches: in order, from where it stopped, with counts that tie."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from claimdb_builder.pipeline.executors import LEAST_AHEAD
from claimdb_builder.pipeline.records import Dropped, Question, SelectedQuestion, to_line
from claimdb_builder.pipeline.run_stage import run_stage, write_questions
from claimdb_builder.pipeline.stage import BATCH_SIZE, Context, DatabasePaths, Stage
from claimdb_builder.pipeline.stage_folder import StageFolder
from claimdb_builder.pipeline.stages import STAGES
from claimdb_metric.errors import DataError
from tests.builder.pipeline.made_runs import Inline, ids

N = 3 * BATCH_SIZE + 7


def question(number: int, db_name: str = "zoo") -> Question:
    return Question(
        bird_id=number,
        db_name=db_name,
        question=f"Question {number}?\n",
        evidence="",
        sql="SELECT 1",
        difficulty="",
        source="made.jsonl",
        place=number + 1,
    )


def thirds(questions: Sequence[Question], context: Context) -> tuple[list[Any], list[Dropped]]:
    kept = [SelectedQuestion(**vars(q), features=(), n_joins=0, n_tables=1) for q in questions]
    dropped = [Dropped(q.bird_id, q.db_name, "third", "one of three") for q in questions]
    return (
        [one for one in kept if one.bird_id % 3],
        [drop for drop in dropped if drop.bird_id % 3 == 0],
    )


def forgets(questions: Sequence[Question], context: Context) -> tuple[list[Any], list[Dropped]]:
    return list(questions)[1:], []


THIRDS = Stage("thirds", 1, Question, thirds, {"third": "one of three"})


def source(folder: Path, n: int = N) -> Path:
    path = folder / "source.jsonl"
    names = ("zoo", "farm")
    folder.mkdir(exist_ok=True)
    path.write_bytes(b"".join(to_line(question(i, names[i % 2])) for i in range(n)))
    return path


def run(folder: Path, stage: Stage = THIRDS, executor: Any = None, n: int = N, **more: Any) -> Any:
    stage_folder = StageFolder.of(folder / "run", stage.name, {})
    told: list[int] = []
    context = more.get("context", Context())
    given, check = source(folder, n), more.get("check", lambda names: None)
    run_stage(stage, stage_folder, given, context, executor or Inline(), told.append, check)
    return stage_folder, told


def test_all_records_are_kept_or_dropped_once_and_in_order(tmp_path: Path) -> None:
    folder, told = run(tmp_path)
    summary = folder.finish("thirds")
    assert ids(folder.kept) == [i for i in range(N) if i % 3]
    assert ids(folder.dropped) == [i for i in range(N) if i % 3 == 0]
    assert (summary["in"], sum(told)) == (N, N)
    assert told == [0, BATCH_SIZE, BATCH_SIZE, BATCH_SIZE, 7]
    assert {name: one["in"] for name, one in summary["databases"].items()} == {
        "farm": 99,
        "zoo": 100,
    }


@pytest.mark.parametrize("n_workers", [1, 3])
def test_threads_give_the_same_part(tmp_path: Path, n_workers: int) -> None:
    inline, _ = run(tmp_path / "a")
    with ThreadPoolExecutor(n_workers) as executor:
        threads, _ = run(tmp_path / "b", executor=executor)
    assert threads.part.read_bytes() == inline.part.read_bytes()


def test_what_is_done_is_not_done_again(tmp_path: Path) -> None:
    whole, _ = run(tmp_path / "whole")
    for n_batches in range(5):

        def stop(number: int, last: int = n_batches) -> None:
            if number == last:
                raise KeyboardInterrupt

        here = tmp_path / str(n_batches)
        if n_batches < 4:
            with pytest.raises(KeyboardInterrupt):
                run(here, executor=Inline(stop))
        again = Inline()
        folder, told = run(here, executor=again)
        # 16 batches are under way at once: what was given and not yet written is done again.
        assert again.n_given == 4
        assert sum(told) == N
        assert folder.part.read_bytes() == whole.part.read_bytes()


def test_a_part_is_continued_behind_its_last_whole_batch(tmp_path: Path) -> None:
    whole, _ = run(tmp_path / "whole")
    part = whole.part.read_bytes()
    starts = [at for at in range(len(part)) if part.startswith(b'{"kept"', at)]
    assert len(starts) == 4
    for n_done, at in enumerate(starts):
        folder = StageFolder.of(tmp_path / "torn" / "run", "thirds", {})
        folder.path.mkdir(parents=True, exist_ok=True)
        folder.part.write_bytes(part[: at + 5])
        executor = Inline()
        _, told = run(tmp_path / "torn", executor=executor)
        assert executor.n_given == 4 - n_done
        assert (told[0], sum(told)) == (n_done * BATCH_SIZE, N)
        assert folder.part.read_bytes() == part


@pytest.mark.parametrize("n", [0, 1, BATCH_SIZE, BATCH_SIZE + 1])
def test_the_edges_of_a_batch(tmp_path: Path, n: int) -> None:
    folder, told = run(tmp_path, n=n)
    assert folder.finish("thirds")["in"] == n == sum(told)


def test_a_stage_that_loses_a_record_is_stopped(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="stage thirds was given 64 records, kept 63"):
        run(tmp_path, replace(THIRDS, function=forgets))


def test_memory_does_not_grow_with_the_questions(tmp_path: Path) -> None:
    """No more than so many batches wait to be written."""
    waiting: list[int] = []
    written = 0

    def before(number: int) -> None:
        waiting.append(number - written)

    folder = StageFolder.of(tmp_path / "run", "thirds", {})

    def progress(n_in: int) -> None:
        nonlocal written
        written += n_in > 0

    given = source(tmp_path, 40 * BATCH_SIZE)
    run_stage(THIRDS, folder, given, Context(), Inline(before), progress)
    assert max(waiting) <= LEAST_AHEAD


def test_a_worker_gets_the_paths_of_its_batch_alone(tmp_path: Path) -> None:
    places = {name: DatabasePaths(Path(name), None, "ab") for name in ("zoo", "farm", "other")}
    seen: list[dict[str, Any]] = []

    def look(questions: Sequence[Question], context: Context) -> tuple[list[Any], list[Dropped]]:
        seen.append(dict(context.databases))
        return list(questions), []

    context = Context(databases=places)
    run(tmp_path, replace(THIRDS, function=look, reads_databases=True), n=1, context=context)
    run(tmp_path / "..", replace(THIRDS, name="b", function=look), n=1, context=context)
    assert seen == [{"zoo": places["zoo"]}, {}]


def test_what_was_done_before_a_worker_ended_is_kept(tmp_path: Path) -> None:
    def end(number: int) -> None:
        if number == 20:
            raise BrokenExecutor("A child process terminated abruptly")

    with pytest.raises(BrokenExecutor):
        run(tmp_path, executor=Inline(end), n=40 * BATCH_SIZE)
    folder = StageFolder.of(tmp_path / "run", "thirds", {})
    assert folder.batches_so_far() == 5 * BATCH_SIZE
    executor = Inline()
    run(tmp_path, executor=executor, n=40 * BATCH_SIZE)
    assert executor.n_given == 35


def test_the_databases_of_a_batch_are_checked_before_it_is_written(tmp_path: Path) -> None:
    seen: list[tuple[set[str], int]] = []

    def check(names: Iterable[str]) -> None:
        folder = StageFolder.of(tmp_path / "run", "thirds", {})
        seen.append(({*names}, folder.batches_so_far()))
        if len(seen) == 3:
            raise DataError("another one")

    with pytest.raises(DataError, match="another one"):
        run(tmp_path, check=check)
    assert seen == [({"zoo", "farm"}, n * BATCH_SIZE) for n in range(3)]
    assert StageFolder.of(tmp_path / "run", "thirds", {}).batches_so_far() == 2 * BATCH_SIZE


def test_questions_are_written_anew_each_time(tmp_path: Path) -> None:
    folder = StageFolder.of(tmp_path, "ingest", {})
    told: list[int] = []
    for _ in range(2):
        write_questions(STAGES[0], folder, map(question, range(70)), told.append)
    assert told == [64, 6, 64, 6]
    folder.finish("ingest")
    assert ids(folder.kept) == list(range(70))


def test_a_wrong_question_leaves_no_folder(tmp_path: Path) -> None:
    def fails() -> Any:
        yield from map(question, range(100))
        raise DataError("line 101")

    folder = StageFolder.of(tmp_path, "ingest", {})
    with pytest.raises(DataError, match="line 101"):
        write_questions(STAGES[0], folder, fails(), lambda n: None)
    assert not folder.path.exists()


def test_a_stage_may_have_batches_of_its_own_size(tmp_path: Path) -> None:
    whole, _ = run(tmp_path / "a")
    small, told = run(tmp_path / "b", replace(THIRDS, batch_size=8))
    assert max(told) == 8
    whole.finish("thirds")
    small.finish("thirds")
    assert small.kept.read_bytes() == whole.kept.read_bytes()
