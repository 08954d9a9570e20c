"""Scoring 1,000,000 string pairs: ours against classification_report, the core against bincount.

    make bench, or .venv/bin/python benchmarks/metric.py [--rows N] [--repeats N] [--json]

All run on the same generated pairs in one run, best of the repeats. Seconds differ between
machines; the ratios are what design.md §5 sets goals for.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import datasets
import evaluate
import numpy as np
import sklearn.metrics

from claimdb_metric import LABELS, score
from claimdb_metric.claimdb_metric import ClaimdbMetric
from claimdb_metric.encoding import encode_pairs

N_ROWS = 1_000_000
CLAIMS_A_QUESTION = 8
OURS, REPORT = "evaluate, claimdb_metric", "evaluate, classification_report"
CORE, BINCOUNT = "core, encoded labels", "bare bincount, encoded labels"


class ReportMetric(evaluate.Metric):
    """What one writes in an afternoon: string features, scikit-learn's classification_report."""

    def _info(self) -> evaluate.MetricInfo:
        features = {name: datasets.Value("string") for name in ("predictions", "references")}
        return evaluate.MetricInfo(
            description="", citation="", features=datasets.Features(features)
        )

    def _compute(self, predictions: list[str], references: list[str]) -> dict[str, Any]:
        options = {"output_dict": True, "zero_division": 0}
        return dict(sklearn.metrics.classification_report(references, predictions, **options))


def pairs(n: int, seed: int = 20260101) -> tuple[list[str], list[str]]:
    """Return predictions, of which 70 % are right and 3 % no label, and references."""
    generator = np.random.default_rng(seed)
    references = generator.integers(0, 3, n)
    answers = np.where(generator.random(n) < 0.7, references, generator.integers(0, 3, n))
    answers[generator.random(n) < 0.03] = 3
    names = (*LABELS, "I cannot tell")
    return [names[code] for code in answers], [names[code] for code in references]


def best_of(repeats: int, work: Callable[[], object]) -> float:
    """Return the shortest time of some runs in seconds."""
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)


def peak_bytes(work: Callable[[], object]) -> int:
    """Return how much memory a run holds at most, beside its input."""
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def measure(n: int, repeats: int) -> dict[str, Any]:
    """Return the seconds of each piece of work on the same n pairs, and our peak bytes a pair."""
    predictions, references = pairs(n)
    predicted, reference = encode_pairs(predictions, references)
    questions = {"bird_id": np.arange(n) // CLAIMS_A_QUESTION}
    with tempfile.TemporaryDirectory() as cache:

        def through_evaluate(metric: type[evaluate.Metric]) -> object:
            rows = {"predictions": predictions, "references": references}
            return metric(cache_dir=cache).compute(**rows)

        work: dict[str, Callable[[], object]] = {
            OURS: lambda: through_evaluate(ClaimdbMetric),
            REPORT: lambda: through_evaluate(ReportMetric),
            CORE: lambda: score(predicted, reference, n_resamples=0),
            BINCOUNT: lambda: np.bincount(reference * np.int8(4) + predicted, minlength=12),
            "1,000 resamples of claims": lambda: score(predicted, reference),
            "1,000 resamples of questions": lambda: score(predicted, reference, groups=questions),
        }
        # The peer takes seconds: it runs once.
        seconds = {
            name: best_of(1 if name == REPORT else repeats, run) for name, run in work.items()
        }
        peak = peak_bytes(work[OURS])
    return {"rows": n, "seconds": seconds, "peak_bytes_a_pair": round(peak / n, 1)}


def main() -> None:
    """Measure and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=N_ROWS)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    datasets.disable_progress_bars()
    result = measure(options.rows, options.repeats)
    seconds = result["seconds"]
    result |= {
        "faster_than_report": round(seconds[REPORT] / seconds[OURS], 1),
        "core_over_bincount": round(seconds[CORE] / seconds[BINCOUNT], 2),
    }
    if options.json:
        print(json.dumps(result))
        return
    print(f"score {options.rows:,} pairs (best of {options.repeats})")
    for name, value in seconds.items():
        print(f"  {name:<29} {value:9.4f} s")
    print(f"  {result['faster_than_report']} x as fast as a classification_report (goal: >= 20)")
    print(f"  core {result['core_over_bincount']} x the time of a bare bincount (goal: <= 2)")
    print(f"  {result['peak_bytes_a_pair']} bytes of memory a pair, beside the input")


if __name__ == "__main__":
    main()
