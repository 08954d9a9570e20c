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


def funnel(summaries: Sequence[Summary], folders: Sequence[str]) -> dict[str, Any]:
    """Return what funnel.json holds: the counts of each stage, of all and of each database.

    Args:
        summaries: of the stages, in their order.
        folders: their names in RUN/stages.

    Raises:
        RuntimeError: counts do not tie, which is a fault of ours.

    >>> counts = {"in": 3, "kept": 2, "dropped": {"tie": 1}}
    >>> summary = {"stage": "execute", **counts, "databases": {"zoo": counts}}
    >>> funnel([summary], ["execute-0"])["stages"]
    [{'stage': 'execute', 'in': 3, 'kept': 2, 'dropped': {'tie': 1}, 'folder': 'execute-0'}]
    """
    before: Summary | None = None
    for summary in summaries:
        _check(before, summary)
        before = summary
    names = sorted({name for summary in summaries for name in summary["databases"]})
    return {
        "stages": [
            _counts(summary["stage"], summary) | {"folder": folder}
            for summary, folder in zip(summaries, folders, strict=True)
        ],
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
    stages: Sequence[Stage], summaries: Sequence[Summary], waived: Collection[str], folder: Path
) -> None:
    """Raise DataError where a database loses more than a fifth of its questions.

    What the policy does not want is no loss: questions not selected, answers of more than ten rows.

    Args:
        stages: those that were done.
        summaries: of each of them.
        waived: databases that may lose as many as they do.
        folder: with the folders of all stages.
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
                    lost[f"{stage}: {reason}"] = n
        n_lost = sum(lost.values())
        if n_lost > MAX_LOSS * wanted and name not in waived:
            reasons = ", ".join(f"{reason} {n}" for reason, n in sorted(lost.items()))
            told.append(f"{name}: {n_lost} of the {wanted} that the policy takes ({reasons})")
    if told:
        raise DataError(
            f"{len(told)} database{'s lose' if len(told) > 1 else ' loses'} more than "
            f"{MAX_LOSS:.0%} of their questions:\n  "
            + "\n  ".join(told)
            + f"\nSee dropped.jsonl of each stage in {folder}; mend questions or databases, or "
            "waive a database by its name (--waive NAME) and build on"
        )


def through_all_stages(stages: Sequence[Summary], last: str) -> dict[str, Any]:
    """Return the counts of one database from its first stage to the last one.

    Args:
        stages: its counts in each stage that it came to.
        last: the last stage; a database that did not come to it kept nothing.

    >>> ingest = {"stage": "ingest", "in": 3, "kept": 3, "dropped": {}}
    >>> select = {"stage": "select", "in": 3, "kept": 1, "dropped": {"empty": 2}}
    >>> through_all_stages([ingest, select], "select")
    {'in': 3, 'kept': 1, 'dropped': {'empty': 2}}
    """
    dropped: dict[str, int] = {}
    for counts in stages:
        dropped |= {reason: n + dropped.get(reason, 0) for reason, n in counts["dropped"].items()}
    kept = stages[-1]["kept"] if stages[-1]["stage"] == last else 0
    return {"in": stages[0]["in"], "kept": kept, "dropped": dropped}
