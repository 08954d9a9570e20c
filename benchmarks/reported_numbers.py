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
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import datasets
import numpy as np

import claimdb
from claimdb_harness.baselines import claim_only, majority, random_labels
from claimdb_metric import Score, score

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
    return markdown([*heads, "forced answer", "invalid"], rows)


def baselines(data_dir: str | None) -> str:
    """Return the table of baselines that read no database, on test_public."""
    builder = claimdb.ClaimDB(data_dir=data_dir)
    builder.download_and_prepare()
    claims = builder.as_dataset("test_public")
    labels = list(claims["label"])
    n_databases = len(set(claims["db_name"]))
    guesses = {
        "majority label": majority(labels),
        "random label": random_labels(len(labels)),
        "claim-only, no claim of the same question seen": claim_only(
            claims["claim"], labels, claims["bird_id"]
        ),
        "claim-only, no claim on the same database seen": claim_only(
            claims["claim"], labels, claims["db_name"], n_folds=n_databases
        ),
    }
    groups = {"bird_id": list(claims["bird_id"])}
    rows = []
    for name, predictions in guesses.items():
        found = score(predictions, labels, groups=groups)
        rows.append([name, with_interval(found, "accuracy"), with_interval(found, "macro_f1")])
    return markdown(["baseline", "accuracy [95 %]", "macro-F1 [95 %]"], rows)


def with_interval(found: Score, name: str) -> str:
    """Return a rate and its interval, "0.827 [0.804, 0.850]"."""
    low, high = found.intervals[name] or (float("nan"), float("nan"))
    return f"{getattr(found, name):.3f} [{low:.3f}, {high:.3f}]"


def markdown(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


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
    for path, name, table in places:
        print(f"{table}\n")
        if options.write:
            path.write_text(replaced(path.read_text("utf-8"), name, table), "utf-8")


if __name__ == "__main__":
    main()
