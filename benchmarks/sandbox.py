"""SQL through the sandbox against plain sqlite3, in one run on the same queries.

    make bench, or .venv/bin/python benchmarks/sandbox.py [--bird DIR] [--repeats N] [--json]

Gold SQL is that of the embedded sample, six times over; with `--bird`, a folder of BIRD's dev.json,
train.json and databases/, the 260 questions on superhero and beer_factory. Ratios are medians of
the repeats, each taken between two neighbours in time. Seconds differ between machines; the ratios
are what design.md §5 sets goals for.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sqlite3
import statistics
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from claimdb_loader.sample_files import questions, unpacked
from claimdb_sandbox import AsyncExecutor, Executor, Limits

Query = tuple[str, str]
"""A database's path, and SQL."""

LANES = 2
LIMITS = Limits(time_limit_s=30, max_rows=100_000, max_bytes=2**28)
CALLS = 2000
SAMPLE_ROUNDS = 6
BIRD_DATABASES = ("superhero", "beer_factory")


def sample_queries() -> list[Query]:
    """Return the gold SQL of the embedded sample, several times over."""
    once = [(str(unpacked(row["db_name"])), row["gold_sql"]) for row in questions()]
    return once * SAMPLE_ROUNDS


def bird_queries(folder: Path) -> list[Query]:
    """Return BIRD's gold SQL on the two databases that are there."""
    files = [json.loads((folder / f"{name}.json").read_text("utf-8")) for name in ("dev", "train")]
    rows = [row for file in files for row in file]
    paths = {name: folder / "databases" / name / f"{name}.sqlite" for name in BIRD_DATABASES}
    return [(str(paths[row["db_id"]]), row["SQL"]) for row in rows if row["db_id"] in paths]


def connect_per_query(queries: Sequence[Query]) -> None:
    """Run queries as a script does that takes care: one connection each, stopped after 30 s."""
    for path, sql in queries:
        with closing(sqlite3.connect(path)) as connection:
            stop_late(connection)
            connection.execute(sql).fetchall()


def stop_late(connection: sqlite3.Connection) -> None:
    """Stop a query when the time is over, as the published benchmark's code does."""
    deadline = time.monotonic() + LIMITS.time_limit_s
    connection.set_progress_handler(lambda: time.monotonic() > deadline, 1000)


async def through_pool(pool: AsyncExecutor, queries: Sequence[Query]) -> None:
    """Run queries through the pool's lanes; each must have an answer."""
    results = await asyncio.gather(*(pool.run(path, sql) for path, sql in queries))
    assert all(result.status == "ok" for result in results), "gold SQL is answered"


async def gold(queries: Sequence[Query], repeats: int) -> dict[str, float]:
    """Return seconds of both, and how many times as many queries a second the pool runs."""
    times: dict[str, list[float]] = {"connect_per_query_s": [], "pool_s": []}
    async with AsyncExecutor(LIMITS, lanes=LANES) as pool:
        started = time.perf_counter()
        await through_pool(pool, queries[:LANES])
        start_s = time.perf_counter() - started
        for _ in range(repeats):
            started = time.perf_counter()
            connect_per_query(queries)
            half_way = time.perf_counter()
            await through_pool(pool, queries)
            times["connect_per_query_s"].append(half_way - started)
            times["pool_s"].append(time.perf_counter() - half_way)
    ratios = [a / b for a, b in zip(*times.values(), strict=True)]
    seconds = {name: min(values) for name, values in times.items()}
    return seconds | {"pool_faster": statistics.median(ratios), "start_of_lanes_s": start_s}


def small_call(path: str) -> dict[str, float]:
    """Return the median milliseconds of SELECT 1, bare and in the sandbox, and the first call's."""
    with Executor(path) as sandbox, closing(sqlite3.connect(path)) as bare:
        started = time.perf_counter()
        sandbox.run("SELECT 1")
        first_ms = (time.perf_counter() - started) * 1000
        bare_s, ours_s = [], []
        for _ in range(CALLS):
            started = time.perf_counter()
            bare.execute("SELECT 1").fetchall()
            half_way = time.perf_counter()
            sandbox.run("SELECT 1")
            bare_s.append(half_way - started)
            ours_s.append(time.perf_counter() - half_way)
    bare_ms, ours_ms = statistics.median(bare_s) * 1000, statistics.median(ours_s) * 1000
    return {
        "bare_ms": bare_ms,
        "sandbox_ms": ours_ms,
        "overhead_ms": ours_ms - bare_ms,
        "first_call_ms": first_ms,
    }


def main() -> None:
    """Print the table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--bird", type=Path, help="folder with BIRD's questions and databases")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    queries = bird_queries(arguments.bird) if arguments.bird else sample_queries()
    found: dict[str, Any] = {"n_queries": len(queries)}
    found |= asyncio.run(gold(queries, arguments.repeats)) | small_call(queries[0][0])
    if arguments.json:
        print(json.dumps(found))
        return
    print(f"{len(queries)} gold queries, best of {arguments.repeats}")
    print(f"  connect, query, close       {found['connect_per_query_s']:7.3f} s")
    print(f"  pool of {LANES} lanes             {found['pool_s']:7.3f} s")
    print(f"  the pool runs {found['pool_faster']:.2f} x as many queries a second (median)")
    print(f"SELECT 1, median of {CALLS:,}")
    print(f"  bare sqlite3                {found['bare_ms']:7.3f} ms")
    print(f"  sandbox                     {found['sandbox_ms']:7.3f} ms")
    print(f"  overhead                    {found['overhead_ms']:7.3f} ms")
    print(f"  first call, once            {found['first_call_ms']:7.1f} ms")


if __name__ == "__main__":
    main()
