"""What the card says of where a benchmark comes from, and how it is loaded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from claimdb_builder.publish.benchmark import PUBLIC_TEST, Benchmark
from claimdb_builder.publish.markdown import counted, table
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
        return "No database has the name of one of BIRD's: they are the maker's own."
    own = len(names) - len(known)
    rest = f" {counted(own, 'other')}: the maker's own." if own else ""
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
    """The stages of a funnel, each with counts that tie to the next where it counts the same."""
    try:
        stages: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))["stages"]
        faults = [fault for stage in stages if (fault := _stage_fault(stage))]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DataError(f"{path} is no funnel of `claimdb build`: {error!r}") from None
    if not isinstance(stages, list) or not stages:
        faults = ["it lists no stage"]
    if faults:
        raise DataError(f"{path} is no funnel of `claimdb build`: {faults[0]}")
    return stages


def _stage_fault(stage: dict[str, Any]) -> str | None:
    name, dropped = stage["stage"], stage["dropped"]
    counts = [stage["in"], stage["kept"], *dropped.values()]
    if not isinstance(name, str) or not all(type(n) is int and n >= 0 for n in counts):
        return f"stage {name!r} needs a name and counts that are integers of at least 0"
    if stage["in"] != stage["kept"] + sum(dropped.values()):
        return f"the counts of stage {name} do not tie"
    return None


def _dropped(reasons: Mapping[str, int]) -> str:
    if not reasons:
        return "0"
    listed = "; ".join(f"{reason} {count:,}" for reason, count in sorted(reasons.items()))
    return f"{sum(reasons.values()):,} ({listed})"


def usage(benchmark: Benchmark, repo_id: str, has_databases: bool) -> str:
    """Return the code that loads the benchmark from its repository.

    Args:
        has_databases: whether the repository holds databases, too.
    """
    split = PUBLIC_TEST if PUBLIC_TEST in benchmark.claims else next(iter(benchmark.claims))
    lines = [
        "from datasets import load_dataset",
        "",
        f'claims = load_dataset("{repo_id}", split="{split}")',
        "",
        "import claimdb  # its own package: handles to the databases, metric, tools",
        "",
        f'claims = load_dataset("claimdb", repo_id="{repo_id}", split="{split}")',
    ]
    if has_databases or is_from_bird(benchmark):
        where = f', repo_id="{repo_id}"' if has_databases else ""
        lines += [
            f'with claimdb.open_database(claims[0]["db_name"]{where}) as db:',
            "    print(db.schema())",
        ]
    return "\n".join(["```python", *lines, "```"])
