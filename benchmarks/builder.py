"""The builder against sqlglot and sqlite3 alone, in one run on the same queries.

    make bench, or .venv/bin/python -m benchmarks.builder [--questions N | --bird DIR] [--json]

Select: a stage from file to files on two workers, against one `sqlglot.parse_one` per query in one
process; on made questions, or with `--bird` on BIRD's, from a folder with dev.json and train.json.
Execute: the stage that runs gold SQL, against a connection per query with a progress handler.
Growth: ingest and select from N / 10 to 10 N questions. With `--large ROWS`, a whole build on a
made database. Ratios are medians of the repeats, each between two neighbours in time.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import sqlglot

from benchmarks.made_databases import make_database
from benchmarks.made_questions import write_questions
from benchmarks.process_memory import PeakMemory
from benchmarks.sandbox import connect_per_query
from claimdb_builder.pipeline.build import Build, Built, build
from claimdb_builder.pipeline.executors import open_executor
from claimdb_builder.pipeline.stage import Settings
from claimdb_builder.pipeline.stages import stages_until
from claimdb_builder.stages.features import features
from claimdb_loader import sample_files

WORKERS: Final = 2
BIRD_QUESTIONS: Final = 10_962
SAMPLE_ROUNDS: Final = 40
LARGE_QUESTIONS: Final = 1_000


@contextmanager
def timed(seconds: list[float]) -> Iterator[None]:
    """Add to a list how long a block took."""
    started = time.perf_counter()
    yield
    seconds.append(time.perf_counter() - started)


def built(folder: Path, executor: Executor, files: Sequence[Path], **options: Any) -> Built:
    """Return a build into a folder, by the published filter."""
    return build(Build(tuple(files), folder, settings=Settings("paper"), **options), executor)


def select(folder: Path, files: Sequence[Path], repeats: int) -> dict[str, float]:
    """Return seconds of the select stage and of one parse per query, and their ratio."""
    ours: list[float] = []
    cold: list[float] = []
    peer: list[float] = []
    with open_executor(WORKERS) as executor:
        first = built(folder / "first", executor, files, until="ingest").files["ingest"]
    lines = first.read_bytes().split(b"\n")[:-1]
    queries = [json.loads(line)["sql"] for line in lines]
    for number in range(repeats):
        with timed(peer):
            for sql in queries:
                parse(sql)
        run = folder / f"select-{number}"
        with timed(cold), open_executor(WORKERS) as executor:
            built(run, executor, files, until="select")
        # New workers that have seen none of these queries, but have started.
        with open_executor(WORKERS) as executor:
            warm_up(executor)
            again = folder / f"select-{number}-again"
            built(again, executor, files, until="ingest")
            with timed(ours):
                built(again, executor, files, until="select")
    return {
        "select_queries": len(queries),
        "parse_each_s": min(peer),
        "select_s": min(ours),
        "select_faster": median_ratio(peer, ours),
        "ingest_and_select_with_start_s": min(cold),
    }


def parse(sql: str) -> None:
    """Parse one query as a script does that takes care."""
    try:
        sqlglot.parse_one(sql, read="sqlite")
    except sqlglot.errors.SqlglotError:
        return


def warm_up(executor: Executor) -> None:
    """Have each worker started, with what it imports."""
    list(executor.map(features, ["SELECT 1"] * 8 * WORKERS))
    list(executor.map(stages_until, ["select"] * 8 * WORKERS))


def median_ratio(peer: Sequence[float], ours: Sequence[float]) -> float:
    """Return how many times as long the peer takes."""
    return statistics.median(a / b for a, b in zip(peer, ours, strict=True))


def execute(folder: Path, n_rounds: int, repeats: int) -> dict[str, float]:
    """Return seconds of the execute stage on small databases, and of a connection per query."""
    rows = [dict(row) for _ in range(n_rounds) for row in sample_files.questions()]
    file = folder / "sample.jsonl"
    file.write_text("".join(json.dumps(row | {"bird_id": n}) + "\n" for n, row in enumerate(rows)))
    paths = {name: sample_files.unpacked(name) for name in sample_files.DATABASES}
    roots = tuple(path.parent.parent for path in paths.values())
    queries = [(str(paths[row["db_name"]]), str(row["gold_sql"])) for row in rows]
    ours: list[float] = []
    peer: list[float] = []
    for number in range(repeats):
        with timed(peer):
            connect_per_query(queries)
        run = folder / f"execute-{number}"
        with open_executor(WORKERS) as executor:
            built(run, executor, [file], databases=roots, until="deterministic")
            with timed(ours):
                built(run, executor, [file], databases=roots, until="execute")
    return {
        "execute_queries": len(queries),
        "connect_per_query_s": min(peer),
        "execute_s": min(ours),
        "execute_faster": median_ratio(peer, ours),
    }


def growth(folder: Path, n_questions: int) -> dict[str, float]:
    """Return seconds and peak megabytes of ingest and select, by the number of questions."""
    found: dict[str, float] = {}
    for n in (n_questions // 10, n_questions, n_questions * 10):
        file = folder / f"made-{n}.jsonl"
        write_questions(file, n, ["railway"])
        seconds: list[float] = []
        with PeakMemory() as memory, timed(seconds), open_executor(WORKERS) as executor:
            built(folder / f"growth-{n}", executor, [file], until="select")
        found |= {f"growth_{n}_s": seconds[0], f"growth_{n}_mb": memory.peak_bytes / 1e6}
    return found


def large(folder: Path, n_rows: int, n_questions: int = LARGE_QUESTIONS) -> dict[str, float]:
    """Return seconds and peak megabytes of a whole build on a database of so many rows."""
    path = folder / "databases" / "railway" / "railway.sqlite"
    path.parent.mkdir(parents=True)
    make_database(path, n_rows)
    file = folder / "large.jsonl"
    write_questions(file, n_questions, ["railway"])
    seconds: list[float] = []
    with PeakMemory() as memory, timed(seconds), open_executor(WORKERS) as executor:
        done = built(
            folder / "large",
            executor,
            [file],
            databases=(folder / "databases",),
            waived=("railway",),
        )
    return {
        "large_rows": n_rows,
        "large_questions": n_questions,
        "large_answers": done.funnel["stages"][-1]["kept"],
        "large_s": seconds[0],
        "large_mb": memory.peak_bytes / 1e6,
    }


def main() -> None:
    """Print the measured times and ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=BIRD_QUESTIONS, help="made ones")
    parser.add_argument("--bird", type=Path, help="folder with BIRD's dev.json and train.json")
    parser.add_argument("--large", type=int, help="rows of a large database to build on")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with TemporaryDirectory() as name:
        folder = Path(name)
        files = [folder / "made.jsonl"]
        if arguments.bird:
            files = [arguments.bird / "dev.json", arguments.bird / "train.json"]
        else:
            write_questions(files[0], arguments.questions, ["railway"])
        n_rounds = max(1, arguments.questions * SAMPLE_ROUNDS // BIRD_QUESTIONS)
        found = select(folder, files, arguments.repeats)
        found |= execute(folder, n_rounds, arguments.repeats)
        found |= growth(folder, arguments.questions)
        found |= large(folder, arguments.large) if arguments.large else {}
    report: Callable[[dict[str, float]], None] = print_json if arguments.json else print_lines
    report(found)


def print_json(found: dict[str, float]) -> None:
    """Print what was measured as one JSON document."""
    print(json.dumps(found))


def print_lines(found: dict[str, float]) -> None:
    """Print what was measured, a number a line."""
    for name, value in found.items():
        decimals = 3 if isinstance(value, float) else 0
        print(f"  {name:32} {value:12,.{decimals}f}")


if __name__ == "__main__":
    main()
