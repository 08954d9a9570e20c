"""The analysis of runs: what `claimdb analyze` shows, as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from claimdb_harness.analysis.call_counts import CallCounts, count_calls
from claimdb_harness.analysis.costs import Costs, count_costs
from claimdb_harness.analysis.faithfulness import Faithfulness, faithfulness_of
from claimdb_harness.analysis.prices import Prices
from claimdb_harness.analysis.verdicts import Verdicts, count_verdicts
from claimdb_harness.labelled_claims import LabelledClaims
from claimdb_harness.runs.runs import Run, read_run
from claimdb_metric import Score, score
from claimdb_metric.errors import DataError
from claimdb_metric.labels import CATEGORIES, LABELS


@dataclass(frozen=True)
class RunAnalysis:
    """What a run did, over the claims that have an outcome.

    Attributes:
        name: the model, and what else tells the run from the others.
        model: as the run's settings name it.
        signature: everything that can move its verdicts.
        n_claims: claims that were asked.
        n_done: those that have an outcome, a verdict or none; only they are counted in all else.
        score: over the claims done; None where labels are hidden or none is done.
        knows_calls: whether the run says what was asked of the databases; predictions do not.
    """

    name: str
    model: str
    signature: str
    n_claims: int
    n_done: int
    score: Score | None
    calls: CallCounts
    verdicts: Verdicts
    costs: Costs
    faithfulness: Faithfulness
    knows_calls: bool = True

    @property
    def is_complete(self) -> bool:
        """Whether every claim has an outcome."""
        return self.n_done == self.n_claims

    def to_dict(self) -> dict[str, Any]:
        """Return the analysis as values for JSON, always in the same order."""
        by_calls = self.calls.right_by_calls
        calls = asdict(self.calls) | {
            "right_by_calls": None
            if by_calls is None
            else [{"calls": k, "claims": n, "right": right} for k, (n, right) in by_calls.items()]
        }
        verdicts = asdict(self.verdicts) | {
            "nei_share": self.verdicts.nei_share,
            "nei_by_category": {
                name: {"verdicts": n, "nei": n_nei}
                for name, (n, n_nei) in self.verdicts.nei_by_category.items()
            },
        }
        return {
            "name": self.name,
            "model": self.model,
            "n_claims": self.n_claims,
            "n_done": self.n_done,
            "score": None if self.score is None else self.score.to_dict(),
            "calls": calls if self.knows_calls else None,
            "verdicts": verdicts,
            "costs": asdict(self.costs),
            "faithfulness": asdict(self.faithfulness) if self.knows_calls else None,
            "signature": self.signature,
        }


def analyze_runs(paths: Sequence[str], prices: Prices) -> list[RunAnalysis]:
    """Return the analysis of each run, in the order given.

    Args:
        paths: run folders or logs of `inspect eval`.
        prices: of models, for what tokens cost.

    Raises:
        DataError: a path is no run, a run is damaged, or given twice.
        OSError: a run may not be read.

    >>> analyze_runs(["gone"], Prices("2026-01-01", "me", {}))
    Traceback (most recent call last):
    claimdb_metric.errors.DataError: no such run: gone
    """
    places = [Path(path).resolve() for path in paths]
    twice = sorted({str(path) for path in places if places.count(path) > 1})
    if twice:
        raise DataError(f"the same run twice: {', '.join(twice)}")
    runs = [read_run(Path(path)) for path in paths]
    return [analyze_run(run, name, prices) for run, name in zip(runs, _names(runs), strict=True)]


def analyze_run(run: Run, name: str, prices: Prices) -> RunAnalysis:
    """Return the analysis of one run under a name."""
    traces = run.done
    done = {trace.claim_id for trace in traces}
    rows = [place for place, claim_id in enumerate(run.claims.claim_ids) if claim_id in done]
    labels = _labels(run.claims, rows)
    categories = _categories(run.claims, rows)
    found = None
    if labels:
        found = score(
            [trace.verdict for trace in traces],
            labels,
            categories=categories,
            split=run.claims.name,
            known_issues=run.claims.known_issues,
        )
    return RunAnalysis(
        name=name,
        model=run.settings.model,
        signature=run.settings.signature(),
        n_claims=run.n_asked,
        n_done=len(traces),
        score=found,
        calls=count_calls(traces, labels),
        verdicts=count_verdicts(traces, labels, categories),
        costs=count_costs(traces, run.settings.model, prices),
        faithfulness=faithfulness_of(traces, _sentences(run.claims, rows), labels),
        knows_calls=run.settings.knows_calls,
    )


def _names(runs: Sequence[Run]) -> list[str]:
    """The models' names; where two runs have the same one, with their folders."""
    models = [run.settings.model for run in runs]
    short = [f"{run.settings.model} ({run.path.name})" for run in runs]
    long = [f"{run.settings.model} ({run.path})" for run in runs]
    return next(names for names in (models, short, long) if len(set(names)) == len(runs))


def _labels(claims: LabelledClaims, rows: Sequence[int]) -> list[str] | None:
    labels = claims.columns.get("label", [None] * len(claims.claim_ids))
    found = [str(labels[row]) for row in rows]
    return found if set(found) <= set(LABELS) else None


def _categories(claims: LabelledClaims, rows: Sequence[int]) -> list[str | None] | None:
    given = claims.categories
    if given is None:
        return None
    values = (given[row] for row in rows)
    by_number = (CATEGORIES[v] if v in range(len(CATEGORIES)) else v for v in values)  # type: ignore[call-overload]
    return [str(value) if value in CATEGORIES else None for value in by_number]


def _sentences(claims: LabelledClaims, rows: Sequence[int]) -> list[str]:
    sentences = claims.columns.get("claim", [""] * len(claims.claim_ids))
    return [str(sentences[row] or "") for row in rows]
