"""The paper's 30 models and one independent run: known numbers, reproduced from their rows."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claimdb_metric import LABELS, Score, score

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data"
MATRICES = DATA / "reference" / "confusion_matrices.json"
RUN = DATA / "reference" / "run_minimal_prompt" / "predictions.jsonl"
CLAIMS = DATA / "claimdb" / "test-public.jsonl"

# The published numbers have three decimals; the last one may be rounded either way.
THREE_DECIMALS = 0.00051


@pytest.fixture(name="models", scope="module")
def published_models() -> dict[str, dict[str, Any]]:
    if not MATRICES.exists():
        pytest.skip(f"the reference runs are not here: {MATRICES}")
    models: dict[str, dict[str, Any]] = json.loads(MATRICES.read_text("utf-8"))
    return models


def rebuilt(model: dict[str, Any]) -> Score:
    """Return the score of predictions that have the published counts."""
    counts = np.column_stack([model["matrix"], model["invalid_by_gold_row"]])
    answers = np.array([*LABELS, ""])
    predictions = np.concatenate([np.repeat(answers, row) for row in counts])
    return score(predictions, np.repeat(LABELS, counts.sum(1)))


def test_all_thirty_models_have_their_published_numbers(models: dict[str, dict[str, Any]]) -> None:
    assert len(models) == 30
    for name, model in models.items():
        mine = rebuilt(model)
        means = (mine.accuracy, mine.macro_f1)
        published = (model["accuracy_reported"], model["macro_f1_reported"])
        assert means == pytest.approx(published, abs=THREE_DECIMALS), name
        for kind in ("precision", "recall", "f1"):
            found = [getattr(scores, kind) for scores in mine.per_class.values()]
            assert found == pytest.approx(model[f"reported_{kind}"], abs=THREE_DECIMALS), (
                name,
                kind,
            )
        assert [scores.support for scores in mine.per_class.values()] == [333, 331, 336], name
        assert mine.n_invalid == model["n_invalid"], name


def test_invalid_answers_count_as_wrong(models: dict[str, dict[str, Any]]) -> None:
    mine = rebuilt(models["gpt-4o-mini"])
    assert mine.n_invalid == 374
    assert mine.accuracy == 0.445
    # 0.346 if invalid answers were dropped, as the paper's heatmaps do.
    assert mine.per_class["NOT ENOUGH INFO"].recall == pytest.approx(0.107, abs=THREE_DECIMALS)


def test_the_card_quotes_the_published_numbers(models: dict[str, dict[str, Any]]) -> None:
    card = (ROOT / "metrics" / "claimdb_metric" / "README.md").read_text("utf-8")
    quoted = re.findall(r"^\| (\S+) \| (0\.\d{3}) \| (0\.\d{3}) \|$", card, re.M)
    assert len(quoted) == 7
    for name, accuracy, macro_f1 in quoted:
        model = models[name]
        assert (float(accuracy), float(macro_f1)) == (
            model["accuracy_reported"],
            model["macro_f1_reported"],
        )


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
