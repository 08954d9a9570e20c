"""The counts of a build: stage by stage, by database, and which databases lose too much."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from claimdb_builder.pipeline.stage import Stage
from claimdb_metric.errors import DataError

MAX_LOSS: Final = 0.2
"""Of the questions that the policy wants, so many may be lost in a database: in BIRD's train set
372 of 9,428 queries cannot run, and 330 of those are on one database
(https://github.com/bird-bench/mini_dev/issues/46)."""

Summary = Mapping[str, Any]


def funnel(summaries: Sequence[Summary]) -> dict[str, Any]:
    """Return what funnel.json holds: the counts of each stage, of all and of each database.

    Raises:
        RuntimeError: counts do not tie, which is a fault of ours.

    >>> counts = {"in": 3, "kept": 2, "dropped": {"tie": 1}}
    >>> funnel([{"stage": "deterministic", **counts, "databases": {"zoo": counts}}])["stages"]
    [{'stage': 'deterministic', 'in': 3, 'kept': 2, 'dropped': {'tie': 1}}]
    """
    before: Summary | None = None
    for summary in summaries:
        _check(before, summary)
        before = summary
    names = sorted({name for summary in summaries for name in summary["databases"]})
    return {
        "stages": [_counts(summary["stage"], summary) for summary in summaries],
        "databases": {
            name: [
                _counts(summary["stage"], summary["databases"][name])
                for summary in summaries
                if name in summary["databases"]
            ]
            for name in names
        },
    }


def _counts(stage: str, counts: Summary) -> dict[str, Any]:
    return {"stage": stage} | {name: counts[name] for name in ("in", "kept", "dropped")}


def _check(before: Summary | None, summary: Summary) -> None:
    parts = [summary, *summary["databases"].values()]
    tied = all(part["in"] == part["kept"] + sum(part["dropped"].values()) for part in parts)
    tied &= summary["in"] == sum(part["in"] for part in parts[1:])
    if before is not None:
        given = {name: part["kept"] for name, part in before["databases"].items() if part["kept"]}
        tied &= given == {name: part["in"] for name, part in summary["databases"].items()}
    if not tied:
        raise RuntimeError(f"the counts of stage {summary['stage']} do not tie: {summary}")


def check_losses(
    stages: Sequence[Stage], summaries: Sequence[Summary], waived: Collection[str], dropped: Path
) -> None:
    """Raise DataError where a database loses more than a fifth of its questions.

    What the policy does not want is no loss: questions not selected, answers of more than ten rows.

    Args:
        stages: those that were done.
        summaries: of each of them.
        waived: databases that may lose as many as they do.
        dropped: the last stage's file of what it dropped.
    """
    choices = {stage.name: stage.choices for stage in stages}
    told = []
    for name in sorted({name for summary in summaries for name in summary["databases"]}):
        counts = [(s["stage"], s["databases"].get(name)) for s in summaries]
        wanted, lost = counts[0][1]["in"] if counts[0][1] else 0, dict[str, int]()
        for stage, part in counts:
            for reason, n in (part or {"dropped": {}})["dropped"].items():
                if reason in choices[stage]:
                    wanted -= n
                else:
                    lost[reason] = lost.get(reason, 0) + n
        n_lost = sum(lost.values())
        if n_lost > MAX_LOSS * wanted and name not in waived:
            reasons = ", ".join(f"{reason} {n}" for reason, n in sorted(lost.items()))
            told.append(f"{name}: {n_lost} of {wanted} ({reasons})")
    if told:
        raise DataError(
            f"{len(told)} database{'s lose' if len(told) > 1 else ' loses'} more than "
            f"{MAX_LOSS:.0%} of their questions:\n  "
            + "\n  ".join(told)
            + f"\nSee {dropped}; mend the questions or the databases, or waive a database by its "
            "name (--waive NAME) and build on"
        )
