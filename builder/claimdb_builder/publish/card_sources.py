"""What the card says of where a benchmark comes from, and how it is loaded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from claimdb_builder.publish.benchmark import PUBLIC_TEST, Benchmark
from claimdb_builder.publish.markdown import table
from claimdb_loader.fingerprints import known_databases
from claimdb_metric.errors import DataError

FUNNEL: Final = "funnel.json"
"""What `claimdb build` writes: {"stages": [{"stage", "in", "kept", "dropped": {reason: n}}]}."""


def is_from_bird(benchmark: Benchmark) -> bool:
    """Whether every database is one of those that the published benchmark took from BIRD."""
    return set(benchmark.db_names) <= set(known_databases())


def sources(benchmark: Benchmark) -> str:
    """Return whose databases these are, and the attribution that is owed."""
    names = benchmark.db_names
    known = sorted(set(names) & set(known_databases()))
    if not known:
        return (
            f"The {len(names):,} databases are the maker's own; none has the name of one of BIRD's."
        )
    own = len(names) - len(known)
    rest = f" The other {own:,} are the maker's own." if own else ""
    return (
        f"{len(known):,} of {len(names):,} databases have the names of databases of "
        "[BIRD](https://bird-bench.github.io) (Li et al., CC BY-SA 4.0). Claims, labels and "
        "clarifications (extra_info) on those are derived from BIRD's questions, evidence and gold "
        f"SQL, so the same licence holds for them.{rest}"
    )


def funnel(benchmark: Benchmark) -> str:
    """Return the table of what each stage of the build kept and dropped.

    Raises:
        DataError: the folder's funnel.json is damaged, or its counts do not tie.
    """
    path = funnel_file(benchmark)
    if path is None:
        return "How many candidates each stage dropped is not part of this copy."
    rows = [[s["stage"], s["in"], s["kept"], _dropped(s["dropped"])] for s in _stages(path)]
    return table(["stage", "in", "kept", "dropped"], rows)


def funnel_file(benchmark: Benchmark) -> Path | None:
    """Return the path of the build's funnel.json, None where the benchmark's folder has none."""
    path = benchmark.folder / FUNNEL if benchmark.folder else None
    return path if path is not None and path.is_file() else None


def _stages(path: Path) -> list[dict[str, Any]]:
    try:
        stages = json.loads(path.read_text("utf-8"))["stages"]
        for stage in stages:
            if stage["in"] != stage["kept"] + sum(stage["dropped"].values()):
                raise DataError(f"{path}: the counts of stage {stage['stage']} do not tie")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{path} is no funnel of `claimdb build`: {error!r}") from None
    return list(stages)


def _dropped(reasons: Mapping[str, int]) -> str:
    if not reasons:
        return "0"
    listed = "; ".join(f"{reason} {count:,}" for reason, count in sorted(reasons.items()))
    return f"{sum(reasons.values()):,} ({listed})"


def usage(benchmark: Benchmark, repo_id: str) -> str:
    """Return the code that loads the benchmark from its repository."""
    split = PUBLIC_TEST if PUBLIC_TEST in benchmark.claims else next(iter(benchmark.claims))
    return (
        "```python\n"
        "from datasets import load_dataset\n\n"
        f'claims = load_dataset("{repo_id}", split="{split}")\n\n'
        "import claimdb  # its own package: handles to the databases, metric, tools\n\n"
        f'claims = load_dataset("claimdb", repo_id="{repo_id}", split="{split}")\n'
        f'with claimdb.open_database(claims[0]["db_name"], repo_id="{repo_id}") as db:\n'
        "    print(db.schema())\n"
        "```"
    )
