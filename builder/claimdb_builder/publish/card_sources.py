"""What the card says of where a benchmark comes from, and how it is loaded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from claimdb_builder.publish.benchmark import PUBLIC_TEST, Benchmark
from claimdb_builder.publish.databases import local_file
from claimdb_builder.publish.markdown import cell, table
from claimdb_loader.fingerprints import known_databases
from claimdb_loader.sqlite_file import find_release
from claimdb_metric.errors import DataError

FUNNEL: Final = "funnel.json"
"""What `claimdb build` writes: {"stages": [{"stage", "in", "kept", "dropped": {reason: n}}]}.

A stage that makes other things of what it keeps, as claims of questions, also has "made".
"""


def sources(benchmark: Benchmark) -> str:
    """Return where claims and databases come from, as far as it can be told from them."""
    if benchmark.is_claimdb:
        return _CLAIMDB
    verified = _bird_databases(benchmark)
    namesakes = sorted(set(benchmark.db_names) & set(known_databases()) - set(verified))
    told = [
        "Claims come from the maker of this dataset, unless the text around this says otherwise."
    ]
    if verified:
        told.append(f"By their sha256, these databases are {_BIRD}: {_listed(verified)}.")
    if namesakes:
        told.append(
            f"These have the names of databases of {_BIRD}: {_listed(namesakes)}. Where they are "
            "the same, its licence holds for them and for what is derived from them."
        )
    return " ".join(told)


_BIRD: Final = "[BIRD](https://bird-bench.github.io) (Li et al., CC BY-SA 4.0)"


def _listed(names: list[str]) -> str:
    return ", ".join(map(cell, names))


_CLAIMDB: Final = """\
Databases and questions are those of [BIRD](https://bird-bench.github.io) (Li et al., CC BY-SA 4.0).
Claims, labels and clarifications (extra_info) are derived from BIRD's questions, evidence and gold
SQL, so the same licence holds for them.

A language model wrote the claims from a question, the answer of its gold SQL and BIRD's evidence
(for NOT ENOUGH INFO also from the schema); it did not see the database. A claim was kept where
three other models agreed on its label. No human checked each claim."""


def _bird_databases(benchmark: Benchmark) -> list[str]:
    """The databases whose file here is a known release of BIRD's."""
    found = []
    for name in benchmark.db_names:
        known = known_databases().get(name)
        path = local_file(benchmark, name) if known else None
        if known is None or path is None:
            continue
        sizes = {mark.n_bytes for mark in known.fingerprints}
        if {None, path.stat().st_size} & sizes and find_release(path, known.fingerprints)[0]:
            found.append(name)
    return found


def funnel(benchmark: Benchmark) -> str:
    """Return the table of what each stage of the build kept and dropped.

    Raises:
        DataError: the folder's funnel.json is damaged, or its counts do not tie.
    """
    path = funnel_file(benchmark)
    if path is None:
        return ""
    rows = [[s["stage"], s["in"], s["kept"], _dropped(s["dropped"])] for s in _stages(path)]
    return table(["stage", "in", "kept", "dropped"], rows)


def funnel_text(benchmark: Benchmark) -> str | None:
    """Return the funnel as it is published: its counts, and nothing else that the file holds."""
    path = funnel_file(benchmark)
    if path is None:
        return None
    keys = ("stage", "in", "kept", "made", "dropped")
    stages = [{key: stage[key] for key in keys if key in stage} for stage in _stages(path)]
    return json.dumps({"stages": stages}, ensure_ascii=False, indent=2) + "\n"


def funnel_file(benchmark: Benchmark) -> Path | None:
    """Return the path of the build's funnel.json, None where the benchmark's folder has none."""
    path = benchmark.folder / FUNNEL if benchmark.folder else None
    return path if path is not None and path.is_file() else None


def _stages(path: Path) -> list[dict[str, Any]]:
    """The stages of a funnel, each with counts that tie to the next where it counts the same."""
    try:
        stages: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))["stages"]
        faults = [fault for stage in stages if (fault := _stage_fault(stage))]
        faults += _untied(stages)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DataError(f"{path} is no funnel of `claimdb build`: {error!r}") from None
    if not isinstance(stages, list) or not stages:
        faults = ["it lists no stage"]
    if faults:
        raise DataError(f"{path} is no funnel of `claimdb build`: {faults[0]}")
    return stages


def _untied(stages: list[dict[str, Any]]) -> list[str]:
    """What does not tie between stages; one that makes others of what it keeps says how many."""
    return [
        f"stage {after['stage']} takes in {after['in']}, and {before['stage']} gave {given}"
        for before, after in pairwise(stages)
        if (given := before.get("made", before["kept"])) != after["in"]
    ]


def _stage_fault(stage: dict[str, Any]) -> str | None:
    name, dropped = stage["stage"], stage["dropped"]
    counts = [stage["in"], stage["kept"], stage.get("made", 0), *dropped.values()]
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
    if has_databases or benchmark.is_claimdb:
        where = f', repo_id="{repo_id}"' if has_databases else ""
        lines += [
            f'with claimdb.open_database(claims[0]["db_name"]{where}) as db:',
            "    print(db.schema())",
        ]
    return "\n".join(["```python", *lines, "```"])
