"""Check values: runs with the published counts give the published means, histograms, confusions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from claimdb_harness.analysis.prices import packaged_prices
from claimdb_harness.analysis.run_analysis import RunAnalysis, analyze_runs
from tests.harness.analysis.made_runs import published_run

PUBLISHED = [
    # model, mean calls of valid verdicts, claims with 0, 1 and > 20 calls, invalid, accuracy, NEI
    ("gpt-5-mini", 5.17, (6, 82, 0), (0, 0, 0), 0.827, 0.271),
    ("claude-haiku-4-5", 8.25, (0, 0, 18), (0, 1, 6), 0.809, 0.235),
    ("gpt-4o-mini", 8.23, (0, 28, 16), (62, 80, 232), 0.445, 53 / 626),
    ("gpt-5-nano", 6.31, (2, 8, 0), (0, 0, 0), 0.787, 0.277),
    ("gemini-2.5-flash", 3.65, (51, 61, 1), (3, 1, 1), 0.793, 0.354),
    ("ministral-3:3b", 10.77, (4, 4, 27), (2, 2, 0), 0.422, 0.711),
    ("mistral-small:22b", 0.10, (949, 34, 0), (0, 0, 0), 0.389, 0.787),
    ("qwen3:1.7b", 0.66, (488, 401, 0), (0, 0, 0), 0.366, 0.939),
]


def analysis(shared: Path, folder: Path, model: str) -> RunAnalysis:
    path = published_run(shared, folder / "run", model)
    (found,) = analyze_runs([str(path)], packaged_prices())
    return found


@pytest.mark.parametrize(("model", "mean", "claims", "invalid", "accuracy", "nei"), PUBLISHED)
def test_a_published_run(
    shared: Path,
    tmp_path: Path,
    model: str,
    mean: float,
    claims: tuple[int, int, int],
    invalid: tuple[int, int, int],
    accuracy: float,
    nei: float,
) -> None:
    found = analysis(shared, tmp_path, model)
    reference = shared / "data" / "reference"
    histogram = json.loads((reference / "tool_call_histograms.json").read_text())[model]
    confusion = json.loads((reference / "confusion_matrices.json").read_text())[model]
    assert found.score is not None
    assert [[*row[:3]] for row in found.score.confusion] == confusion["matrix"]
    assert tuple(row[3] for row in found.score.confusion) == invalid
    assert round(found.score.accuracy, 3) == accuracy
    valid = [
        n - n_none
        for n, n_none in zip(found.calls.histogram, found.calls.histogram_no_verdict, strict=True)
    ]
    assert valid == [*histogram["counts_0_to_20"], histogram["n_over_20"]]
    assert (valid[0], valid[1], valid[21]) == claims
    # Where more than 20 calls were made, only their mean is known, to one decimal.
    assert found.calls.mean_answered == pytest.approx(mean, abs=0.006)
    assert found.verdicts.nei_share == pytest.approx(nei, abs=0.0006)


def test_claims_without_a_verdict_are_counted(shared: Path, tmp_path: Path) -> None:
    found = analysis(shared, tmp_path, "gpt-4o-mini")
    assert found.calls.histogram[0] == found.calls.histogram_no_verdict[0] == 374
    assert found.calls.mean == pytest.approx(8.23 * 626 / 1000, abs=0.006)
