"""Claims of which no question is known: each is resampled on its own, and no note denies it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from claimdb_metric import LABELS
from tests.cli.conftest import Call
from tests.harness.runs import write_run
from tests.loader.claim_files import claim, write_copy

N = 36
LABEL_OF = {claim_id: claim_id % 3 for claim_id in range(100, 100 + N)}


def files(folder: Path, bird_ids: list[int]) -> tuple[str, ...]:
    """The options that score a run of which a third is wrong, on claims of these questions."""
    rows = [
        claim(claim_id, label, bird_id=bird_id)
        for (claim_id, label), bird_id in zip(LABEL_OF.items(), bird_ids, strict=True)
    ]
    write_copy(folder / "mine", test_public=rows)
    wrong = dict(enumerate(LABEL_OF.items()))
    labels = {i: LABELS[(label + (place % 3 == 0)) % 3] for place, (i, label) in wrong.items()}
    for name in ("a.jsonl", "b.jsonl"):
        write_run(folder / name, labels)
    return ("--data-dir", "mine")


UNKNOWN = [-1] * N
MIXED = [*([7] * 4), *([8] * 2), *([-1] * (N - 6))]


@pytest.mark.parametrize(
    ("bird_ids", "note"),
    [
        (UNKNOWN, ""),
        (MIXED, "36 claims on 32 questions are not independent: consider --group-by bird_id\n"),
        (list(range(N)), ""),
    ],
    ids=["unknown", "mixed", "each its own"],
)
def test_only_claims_that_are_known_to_share_a_question_are_pointed_out(
    claimdb_command: Call, tmp_path: Path, bird_ids: list[int], note: str
) -> None:
    options = files(tmp_path, bird_ids)
    code, out, err = claimdb_command("score", "a.jsonl", *options)
    assert (code, err) == (0, "")
    assert ("not independent" in out) == bool(note)
    assert note in out


@pytest.mark.parametrize(
    ("bird_ids", "n_groups"), [(UNKNOWN, 36), (MIXED, 32)], ids=["unknown", "mixed"]
)
def test_grouped_by_question(
    claimdb_command: Call,
    answer: Callable[..., Any],
    tmp_path: Path,
    bird_ids: list[int],
    n_groups: int,
) -> None:
    options = (*files(tmp_path, bird_ids), "--group-by", "bird_id")
    found = answer("score", "a.jsonl", *options)
    low, high = found["accuracy_ci"]
    assert found["accuracy"] == pytest.approx(2 / 3)
    assert 0.4 < low < found["accuracy"] < high < 0.9
    assert f"|groups:bird_id/{n_groups}-" in found["signature"]
    out = claimdb_command("score", "a.jsonl", *options)[1]
    assert "too narrow" not in out
    assert "consider" not in out


def test_groups_of_one_claim_are_as_no_groups(answer: Callable[..., Any], tmp_path: Path) -> None:
    options = files(tmp_path, UNKNOWN)
    plain = answer("score", "a.jsonl", *options)
    grouped = answer("score", "a.jsonl", *options, "--group-by", "bird_id")
    assert {**grouped, "signature": 0} == {**plain, "signature": 0}


@pytest.mark.parametrize(("n_known", "n_groups"), [(36, 1), (26, 11)])
def test_few_groups_are_still_pointed_out(
    claimdb_command: Call, tmp_path: Path, n_known: int, n_groups: int
) -> None:
    options = files(tmp_path, [*([7] * n_known), *([-1] * (N - n_known))])
    out = claimdb_command("score", "a.jsonl", *options, "--group-by", "bird_id")[1]
    assert ("only one group" if n_groups == 1 else f"only {n_groups} groups") in out


def test_two_runs_grouped_by_question(claimdb_command: Call, tmp_path: Path) -> None:
    options = files(tmp_path, MIXED)
    code, out, err = claimdb_command("compare", "a.jsonl", "b.jsonl", *options)
    assert (code, err) == (0, "")
    assert "36 claims on 32 questions are not independent" in out
    code, out, err = claimdb_command(
        "compare", "a.jsonl", "b.jsonl", *options, "--group-by", "bird_id"
    )
    assert (code, err) == (0, "")
    assert "|groups:bird_id/32" in out
    assert "too narrow" not in out


def test_a_baseline_learns_from_claims_of_unknown_questions(
    answer: Callable[..., Any], tmp_path: Path
) -> None:
    """Were they all of one question, no fold could be made."""
    options = files(tmp_path, UNKNOWN)
    found = answer("baseline", "claim-only", *options, "--out", "c.jsonl")
    assert found["n"] == N
    assert answer("score", "c.jsonl", *options)["missing"] == []
