"""Predictions files scored against the sample, and compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from claimdb_harness.labelled_claims import LabelledClaims, from_split
from claimdb_harness.scored_runs import compare_runs, score_run
from claimdb_metric import LABELS, compare, score
from claimdb_metric.errors import DataError, HiddenLabelsError, PredictionFileError
from tests.harness.runs import right_labels, sample, write_run, wrong


def test_a_run_is_joined_by_claim_id(tmp_path: Path) -> None:
    labels = right_labels()
    path = write_run(tmp_path / "run.jsonl", dict(reversed(labels.items())))
    run = score_run(str(path), sample())
    assert run.score.accuracy == 1.0
    assert (run.missing, run.invalid, run.normalised, run.notes) == ([], [], {}, [])
    assert "|split:sample|n:144|" in run.score.signature
    assert run.score.nei_recall_by_category["SUBJECTIVE"] == 1.0


def test_what_is_missing_or_no_label_counts_as_wrong_and_is_listed(tmp_path: Path) -> None:
    labels: dict[int, Any] = right_labels()
    first, second, third = sorted(labels)[:3]
    del labels[first]
    labels[second] = "SUPPORTS"
    labels[third] = f" {labels[third].lower()}"
    run = score_run(str(write_run(tmp_path / "run.jsonl", labels)), sample())
    assert run.missing == [first]
    assert run.invalid == [(second, '"SUPPORTS"')]
    assert run.normalised == {labels[third]: 1}
    assert run.score.n_invalid == 2
    assert run.score.accuracy == 142 / 144


def test_parts_and_groups_come_from_the_claims_or_from_the_file(tmp_path: Path) -> None:
    labels = right_labels()
    odd = {claim_id: claim_id % 2 for claim_id in labels}
    guesses = {k: wrong(label) if odd[k] else label for k, label in labels.items()}
    path = write_run(tmp_path / "run.jsonl", guesses, is_odd=odd, db_name="not this one")
    claims = sample()
    run = score_run(str(path), claims, by=["db_name", "is_odd", "label"], group_by="bird_id")
    assert list(run.score.by["db_name"]) == ["city_library", "ferry_lines", "solar_coop"]
    assert {value: part.accuracy for value, part in run.score.by["is_odd"].items()} == {0: 1, 1: 0}
    assert set(run.score.by["label"]) == set(LABELS)
    assert "|groups:bird_id/46-" in run.score.signature


@pytest.mark.parametrize(
    "columns",
    [
        {"confidence": 0.75},
        {"probabilities": [0.75, 0.125, 0.125]},
        {"probabilities": dict(zip(LABELS, (0.75, 0.125, 0.125), strict=True)), "confidence": "?"},
    ],
)
def test_confidences_in_the_file_are_scored(tmp_path: Path, columns: dict[str, Any]) -> None:
    labels = dict.fromkeys(right_labels(), "ENTAILED")
    rows = {name: dict.fromkeys(labels, value) for name, value in columns.items()}
    run = score_run(str(write_run(tmp_path / "run.jsonl", labels, **rows)), sample())
    given = [next(iter({"confidence": 0.75, **columns}.values()))] * 144
    if "probabilities" in columns:
        given = [[0.75, 0.125, 0.125]] * 144
    expected = score(["ENTAILED"] * 144, sample().labels, confidences=given)
    assert run.score.calibration == expected.calibration


def test_an_empty_column_hides_no_other(tmp_path: Path) -> None:
    labels = right_labels()
    path = write_run(tmp_path / "run.jsonl", labels, probabilities=None, confidence=0.5)
    run = score_run(str(path), sample())
    assert run.score.calibration is not None
    assert run.score.calibration.n_with_confidence == 144


def test_confidences_that_some_answers_lack_are_not_scored(tmp_path: Path) -> None:
    labels = right_labels()
    sure = {claim_id: 0.5 if place else 1.5 for place, claim_id in enumerate(labels)}
    run = score_run(str(write_run(tmp_path / "run.jsonl", labels, confidence=sure)), sample())
    assert run.score.calibration is None
    why = "confidence not scored: 1 of 144 answers have none that is a probability"
    assert run.notes == [f"{why} (`claimdb validate` says where)"]


def test_claims_that_are_left_out_may_be_predicted(tmp_path: Path) -> None:
    claims = LabelledClaims("mine", {"claim_id": [7], "label": ["ENTAILED"]}, frozenset({8}), "1-x")
    for labels in ({7: 0, 8: "?"}, {7: 0}):
        run = score_run(str(write_run(tmp_path / "run.jsonl", labels)), claims)
        assert (run.score.n, run.missing, run.invalid) == (1, [], [])
        assert "|ki:1-x|" in run.score.signature


def test_hidden_labels_come_before_all_else(copy: str) -> None:
    with pytest.raises(HiddenLabelsError, match="validate"):
        score_run("no such file", from_split("test_private", copy))


def test_wrong_input(tmp_path: Path) -> None:
    labels = right_labels()
    path = str(write_run(tmp_path / "run.jsonl", labels | {10**9: 0}))
    with pytest.raises(PredictionFileError, match="claim_id 1000000000 is none of the 144 claims"):
        score_run(path, sample())
    with pytest.raises(FileNotFoundError):
        score_run(str(tmp_path / "nothing.jsonl"), sample())
    path = str(write_run(tmp_path / "run.jsonl", labels))
    with pytest.raises(DataError, match="no column 'hops'; they have claim_id"):
        score_run(path, sample(), by=["hops"])


def test_runs_are_compared(tmp_path: Path) -> None:
    labels = right_labels()
    guesses = {k: wrong(label) if k % 3 else label for k, label in labels.items()}
    paths = [
        str(write_run(tmp_path / "right.jsonl", labels)),
        str(write_run(tmp_path / "guess.jsonl", guesses)),
    ]
    runs, (pair,) = compare_runs(paths, sample(), group_by="bird_id")
    assert list(runs) == ["right", "guess"]
    assert runs["right"].score.accuracy == 1.0
    claims = sample()
    expected = compare(
        claims.labels,
        [guesses[claim_id] for claim_id in claims.claim_ids],
        claims.labels,
        names=("right", "guess"),
        groups={"bird_id": claims.column("bird_id")},
        split="sample",
    )
    assert pair == expected


def test_a_baseline_is_named_as_in_the_table(tmp_path: Path) -> None:
    labels = right_labels()
    paths = [str(write_run(tmp_path / f"{name}.jsonl", labels)) for name in "abc"]
    _, pairs = compare_runs(paths, sample(), baseline="b")
    assert [(pair.a, pair.b) for pair in pairs] == [("a", "b"), ("c", "b")]
    with pytest.raises(DataError, match="there are a, b, c"):
        compare_runs(paths, sample(), baseline="b.jsonl")


def test_the_real_run_as_its_user_counted_it(shared: Path) -> None:
    data = shared / "data"
    run = data / "reference" / "run_minimal_prompt" / "predictions.jsonl"
    claims = from_split("test_public", str(data / "claimdb"))
    found = score_run(str(run), claims, group_by="bird_id").score
    assert (found.n, found.accuracy) == (1000, 0.870)
    recalls = found.nei_recall_by_category.values()
    assert [round(100 * (recall or 0), 1) for recall in recalls] == [99.1, 80.4, 63.7]
    assert json.dumps(found.to_dict())
