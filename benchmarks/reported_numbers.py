"""Every number that the README and the metric's card quote from runs on the published claims.

    .venv/bin/python benchmarks/reported_numbers.py [--data-dir DIR] [--write]

Two tables: the paper's 30 models, rebuilt from their confusion tables (tests/data), and baselines
that read no database, run on test_public (from DIR, else from the Hub). --write puts the tables
between their markers in the two files; a test re-runs both and compares.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any, Final

import datasets
import numpy as np

from claimdb_builder.publish.benchmark import read_benchmark
from claimdb_builder.publish.card_limits import baseline_table, with_interval
from claimdb_builder.publish.markdown import table
from claimdb_metric import score

ROOT: Final = Path(__file__).parents[1]
RUNS: Final = ROOT / "tests" / "data" / "published_runs.jsonl"
CARD: Final = ROOT / "metrics" / "claimdb_metric" / "README.md"
README: Final = ROOT / "README.md"


def paper_runs() -> str:
    """Return the table of the paper's 30 models, best first."""
    rows = []
    for line in RUNS.read_text("utf-8").split("\n")[:-1]:
        run = json.loads(line)
        counts = np.array(run["confusion"])
        answers = np.concatenate([np.repeat(range(4), row) for row in counts])
        found = score(answers, np.repeat(range(3), counts.sum(1)))
        over, forced = found.over_abstention, found.forced_answer
        rows.append(
            [
                run["model"],
                with_interval(found, "accuracy"),
                with_interval(found, "macro_f1"),
                f"{found.abstention_bias:+.3f}",
                f"{over:.3f}",
                f"{forced:.3f}",
                str(found.n_invalid),
            ]
        )
    heads = ["model", "accuracy [95 %]", "macro-F1 [95 %]", "abstention bias", "over-abstention"]
    return table([*heads, "forced answer", "invalid"], rows)


def baselines(data_dir: str | None) -> str:
    """Return the table of baselines that read no database, on test_public."""
    rows = read_benchmark(data_dir).rows
    return baseline_table(rows[rows["split"] == "test_public"])


def replaced(text: str, name: str, table: str) -> str:
    """Return a page with the table between its markers replaced."""
    marked = re.compile(rf"(<!-- numbers: {name} -->\n).*?(<!-- end -->)", re.S)
    if not marked.search(text):
        raise SystemExit(f"the page has no markers for {name!r}")
    return marked.sub(lambda found: f"{found[1]}{table}\n{found[2]}", text)


def main() -> None:
    """Print the tables, or write them into their pages."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data-dir", help="folder of a local copy of the claims")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    datasets.disable_progress_bars()
    places: list[tuple[Path, str, Any]] = [
        (CARD, "paper runs", paper_runs()),
        (README, "baselines", baselines(options.data_dir)),
    ]
    for path, name, numbers in places:
        print(f"{numbers}\n")
        if options.write:
            path.write_text(replaced(path.read_text("utf-8"), name, numbers), "utf-8")


if __name__ == "__main__":
    main()
