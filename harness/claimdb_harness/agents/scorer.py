"""The metric of `claimdb_metric` as Inspect's scorer, so that `inspect view` shows it."""

from __future__ import annotations

from typing import Any, Final

from inspect_ai.scorer import (
    CORRECT,
    INCORRECT,
    Metric,
    SampleScore,
    Score,
    Scorer,
    Target,
    accuracy,
    metric,
    scorer,
)
from inspect_ai.solver import TaskState

from claimdb_harness.agents.recording import TRACE_KEY, trace_values
from claimdb_metric import score
from claimdb_metric.grouping import own_groups
from claimdb_metric.labels import CATEGORIES, LABELS, slug

NO_VERDICT: Final = "no verdict"


@metric(scores="unreduced")
def claimdb_scores() -> Metric:
    """Return what `claimdb score` says, with 95 % intervals over questions and over databases."""

    # Inspect hands `SampleScore`s only to a function whose annotation says so.
    def compute(scores: list[SampleScore]) -> dict[str, float]:
        return scores_of(scores)

    return compute


def scores_of(scores: list[SampleScore]) -> dict[str, float]:
    """Return the numbers by name; an interval is two of them, `…_low` and `…_high`."""
    metadata = [one.sample_metadata or {} for one in scores]
    answers = [one.score.answer if one.score.answer in LABELS else None for one in scores]
    references = [one["label"] for one in metadata]
    categories = [one["category"] if one["category"] in CATEGORIES else None for one in metadata]
    groups: dict[str, list[Any]] = {
        "question": own_groups(
            [one["bird_id"] for one in metadata], [one["claim_id"] for one in metadata]
        ),
        "database": [one["db_name"] for one in metadata],
    }
    whole = score(answers, references, categories=categories, n_resamples=0)
    found = {"accuracy": whole.accuracy, "macro_f1": whole.macro_f1}
    found |= {"no_verdict": whole.n_invalid / whole.n}
    for label, one_class in whole.per_class.items():
        found |= {f"{slug(label)}_{name}": getattr(one_class, name) for name in PER_CLASS}
    for name, values in groups.items():
        one = score(answers, references, categories=categories, groups={name: values})
        for measure in ("accuracy", "macro_f1"):
            interval = one.intervals[measure] or (float("nan"), float("nan"))
            found[f"{measure}_by_{name}_low"], found[f"{measure}_by_{name}_high"] = interval
    return found


PER_CLASS: Final = ("precision", "recall", "f1")


@scorer(metrics=[accuracy(), claimdb_scores()])
def verdict_scorer() -> Scorer:
    """Return the scorer of verdicts: right or wrong; a claim without a verdict is wrong."""

    async def compare(state: TaskState, target: Target) -> Score:
        trace = trace_values(state.store.get(TRACE_KEY))
        label = trace.get("label") or NO_VERDICT
        return Score(
            value=CORRECT if label == target.text else INCORRECT,
            answer=str(label),
            explanation=str(trace.get("justification") or trace.get("said") or ""),
            metadata={
                "stop": trace.get("stop"),
                "forced": trace.get("forced"),
                "sql_calls": len(trace.get("calls", ())),
            },
        )

    return compare
