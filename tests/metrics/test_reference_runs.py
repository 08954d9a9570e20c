"""The paper's 30 models and one independent run: known numbers, reproduced from their rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claimdb_metric import LABELS, Score, score

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data"
NUMBERS = ROOT / "tests" / "data" / "published_runs.jsonl"
RUN = DATA / "reference" / "run_minimal_prompt" / "predictions.jsonl"
CLAIMS = DATA / "claimdb" / "test-public.jsonl"

# The published numbers have three decimals; the last one may be rounded either way.
THREE_DECIMALS = 0.00051


def published_runs() -> list[dict[str, Any]]:
    return [json.loads(line) for line in NUMBERS.read_text("utf-8").split("\n") if line]


def rebuilt(run: dict[str, Any]) -> Score:
    """Return the score of predictions that have the published counts."""
    counts = np.array(run["confusion"])
    answers = np.array([*LABELS, ""])
    predictions = np.concatenate([np.repeat(answers, row) for row in counts])
    return score(predictions, np.repeat(LABELS, counts.sum(1)))


@pytest.mark.parametrize("run", published_runs(), ids=lambda run: run["model"])
def test_a_model_of_the_paper_has_its_published_numbers(run: dict[str, Any]) -> None:
    mine = rebuilt(run)
    for name in ("accuracy", "macro_f1"):
        assert getattr(mine, name) == pytest.approx(run[name], abs=THREE_DECIMALS)
    for kind in ("precision", "recall", "f1"):
        found = [getattr(scores, kind) for scores in mine.per_class.values()]
        assert found == pytest.approx(run[kind], abs=THREE_DECIMALS), kind
    assert [scores.support for scores in mine.per_class.values()] == [333, 331, 336]


def test_all_thirty_are_here() -> None:
    assert len({run["model"] for run in published_runs()}) == 30


def test_invalid_answers_count_as_wrong() -> None:
    (run,) = [run for run in published_runs() if run["model"] == "gpt-4o-mini"]
    mine = rebuilt(run)
    assert mine.n_invalid == 374
    assert mine.accuracy == 0.445
    # 0.346 if invalid answers were dropped, as the paper's heatmaps do.
    assert mine.per_class["NOT ENOUGH INFO"].recall == pytest.approx(0.107, abs=THREE_DECIMALS)


def test_the_numbers_here_are_those_that_were_recovered_from_the_paper(shared: Path) -> None:
    models = json.loads((shared / "data" / "reference" / "confusion_matrices.json").read_text())
    assert {run["model"] for run in published_runs()} == set(models)
    for run in published_runs():
        model = models[run["model"]]
        counts = np.column_stack([model["matrix"], model["invalid_by_gold_row"]])
        assert run["confusion"] == counts.tolist()
        assert run["accuracy"] == model["accuracy_reported"]
        assert run["macro_f1"] == model["macro_f1_reported"]
        for kind in ("precision", "recall", "f1"):
            assert run[kind] == model[f"reported_{kind}"]


def read_rows(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        pytest.skip(f"the reference run is not here: {path}")
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]


def test_the_minimal_prompt_run() -> None:
    claims, run = read_rows(CLAIMS), read_rows(RUN)
    answers = {row["claim_id"]: row["label"] for row in run}
    mine = score(
        [answers[claim["claim_id"]] for claim in claims],
        [claim["label"] for claim in claims],
        categories=[claim.get("category") for claim in claims],
    )
    assert (mine.n, mine.accuracy, mine.n_invalid) == (1000, 0.870, 0)
    assert mine.nei_recall_by_category == {
        "OUT-OF-SCHEMA": 110 / 111,
        "SUBJECTIVE": 90 / 112,
        "COUNTERFACTUAL": 72 / 113,
    }
    recalls = [round(found.recall, 3) for found in mine.per_class.values()]
    assert recalls == [0.841, 0.961, 0.810]
