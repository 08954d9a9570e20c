"""Preparing 53,368 claims from JSONL: ours against `datasets`' own json builder and a generator.

    make bench, or .venv/bin/python benchmarks/loader.py [--rows N] [--repeats N] [--json]

All three read the same generated file in one run, each into an empty cache, best of the repeats.
Seconds differ between machines; the ratios are what design.md §5 sets goals for.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import datasets

import claimdb
from claimdb_loader.features import CLAIM_FEATURES
from claimdb_metric.labels import CATEGORIES, LABELS

N_ROWS = 53_368
WORDS = ["the", "a", "of", "in", "than", "more", "led", "team", "county", "total", "average"]
WORDS += ["highest", "Zoë", "—", "1,204", "12.5", "%", "graduation", "between"]


def rows(n: int, seed: int = 20260101) -> Iterator[dict[str, Any]]:
    """Yield generated rows of upstream's shapes and lengths: about 105 characters a claim."""
    rng = random.Random(seed)
    for claim_id in range(n):
        label = rng.choices(range(3), weights=(24, 31, 45))[0]
        row: dict[str, Any] = {
            "claim_id": claim_id,
            "bird_id": claim_id // 8,
            "db_name": f"database_{rng.randrange(80)}",
            "label": LABELS[label],
        }
        if label == 2:
            row["category"] = rng.choice(CATEGORIES)
        words = rng.choices(WORDS, k=max(5, round(rng.gauss(20, 6))))
        yield row | {
            "claim": " ".join(words) + ".",
            "extra_info": " ".join(rng.choices(WORDS, k=12)),
        }


class LineByLine(datasets.GeneratorBasedBuilder):
    """The classic loading script: one json.loads and one dict for each line."""

    VERSION = datasets.Version("1.0.0")

    def _info(self) -> datasets.DatasetInfo:
        return datasets.DatasetInfo(features=CLAIM_FEATURES)

    def _split_generators(self, dl_manager: Any) -> list[datasets.SplitGenerator]:
        return [datasets.SplitGenerator("train", gen_kwargs={"path": self.config.data_dir})]

    def _generate_examples(self, path: str) -> Iterator[tuple[int, dict[str, Any]]]:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123
            for number, line in enumerate(file):
                row = json.loads(line)
                category = row.get("category", -1)
                yield number, {**row, "category": category}


def best_of(repeats: int, prepare: Callable[[str], None]) -> float:
    """Return the shortest time of some runs in seconds, each with an empty cache."""
    times = []
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as cache:
            started = time.perf_counter()
            prepare(cache)
            times.append(time.perf_counter() - started)
    return min(times)


def measure(n: int, repeats: int) -> dict[str, float]:
    """Return the seconds of each builder on the same n rows."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "train.jsonl"
        with path.open("w", encoding="utf-8") as file:
            for row in rows(n):
                file.write(json.dumps(row, ensure_ascii=False) + "\n")

        def ours(cache: str) -> None:
            claimdb.ClaimDB(cache_dir=cache, data_dir=folder).download_and_prepare()

        def packaged_json(cache: str) -> None:
            files = {"train": str(path)}
            builder = datasets.load_dataset_builder("json", data_files=files, cache_dir=cache)
            builder.download_and_prepare()

        def generator(cache: str) -> None:
            LineByLine(cache_dir=cache, data_dir=str(path)).download_and_prepare()

        peers = {"claimdb": ours, "packaged json": packaged_json, "generator": generator}
        return {name: best_of(repeats, prepare) for name, prepare in peers.items()}


def main() -> None:
    """Measure and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=N_ROWS)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    datasets.disable_progress_bars()
    seconds = measure(options.rows, options.repeats)
    result: dict[str, Any] = {
        "rows": options.rows,
        "seconds": {name: round(value, 3) for name, value in seconds.items()},
        "faster_than_packaged_json": round(seconds["packaged json"] / seconds["claimdb"], 2),
        "faster_than_generator": round(seconds["generator"] / seconds["claimdb"], 2),
    }
    if options.json:
        print(json.dumps(result))
        return
    print(f"prepare {options.rows:,} claims from JSONL (best of {options.repeats})")
    for name, value in result["seconds"].items():
        print(f"  {name:<14} {value:7.3f} s")
    print(f"  {result['faster_than_packaged_json']} x as fast as packaged json (goal: >= 1)")
    print(f"  {result['faster_than_generator']} x as fast as a generator builder (goal: >= 8)")


if __name__ == "__main__":
    main()
