"""Validating a submission: every problem at once, told in its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from claimdb_loader.prediction_problems import located
from claimdb_loader.submissions import Validation, validate
from tests.loader.prediction_writers import written

Row = dict[str, Any]
REFERENCE_RUN = "data/reference/run_minimal_prompt/predictions.jsonl"


def row(claim_id: object, label: object = "ENTAILED", **more: object) -> str:
    return json.dumps({"claim_id": claim_id, "label": label, **more})


def checked(
    folder: Path, lines: list[str], claim_ids: list[int], **other_splits: list[int]
) -> Validation:
    return validate(written(folder, "\n".join(lines)), claim_ids, other_splits)


def brief(validation: Validation) -> list[tuple[str, int | None, int | None]]:
    return [(problem.kind, problem.place, problem.claim_id) for problem in validation.problems]


def test_a_file_in_order(tmp_path: Path) -> None:
    validation = checked(tmp_path, [row(8), row(7, " contradicted"), ""], [7, 8])
    assert validation.problems == ()
    assert (validation.n_rows, validation.n_claims, validation.missing) == (2, 2, ())
    assert (validation.normalised, validation.notes) == ({" contradicted": 1}, {})
    assert validation.path == str(tmp_path / "p.jsonl")


def test_every_problem_is_told_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    lines = [row(7), "{", row("x"), row(8, "NEI"), row(99), row(7), row(8, 0, verdict=1)]
    validation = checked(tmp_path, lines, [7, 8, 9, 10])
    assert brief(validation) == [
        ("not-json", 2, None),
        ("claim-id", 3, None),
        ("label", 4, 8),
        ("unknown-id", 5, 99),
        ("duplicate", 6, 7),
        ("conflict", 7, 8),
        ("duplicate", 7, 8),
        ("missing-id", None, None),
    ]
    assert [problem.fixable for problem in validation.problems].count(True) == 1
    assert validation.n_rows == 6


def test_missing_claims_are_one_problem_that_holds_them_all(tmp_path: Path) -> None:
    validation = checked(tmp_path, [row(5)], list(range(2000, -1, -1)))
    (problem,) = validation.problems
    assert problem.message == (
        "2,000 of 2,001 claims have no prediction: 0, 1, 2, 3, 4, 6, 7, 8, 9, 10, …; "
        "add a row for each (a missing one counts as wrong)"
    )
    assert problem.claim_ids == validation.missing == (*range(5), *range(6, 2001))
    assert not problem.fixable


@pytest.mark.parametrize(
    ("first", "second", "how", "fixable"),
    [
        (row(7), row(7), "the same label", True),
        (row(7), row(7, "entailed "), "the same label", True),
        (row(7, p=1, q=2), row(7, q=2, p=1), "the same label", True),
        (row(7), '{"claim_id": 7.0, "verdict": 0}', "the same label", True),
        (row(7, p=1), row(7, p=1.0), "the same label but other values", False),
        (row(7, p=1), row(7, p=True), "the same label but other values", False),
        (row(7, p=1), row(7), "the same label but other values", False),
        (row(7), row(7, 1), "another label", False),
        (row(7), row(7, "x"), "another label", False),
        (row(7, "y"), row(7, "x"), "another label", False),
        (row(7, "x"), row(7, "x"), "the same label", True),
    ],
)
def test_a_duplicate_names_the_first_row(
    tmp_path: Path, first: str, second: str, how: str, fixable: bool
) -> None:
    problems = checked(tmp_path, ["", first, second], [7]).problems
    (problem,) = [problem for problem in problems if problem.kind == "duplicate"]
    assert (problem.place, problem.claim_id, problem.fixable) == (3, 7, fixable)
    expected = f"claim_id 7 stands already at line 2 with {how}; keep one of them"
    assert problem.message == expected


def test_a_third_row_is_compared_with_the_first(tmp_path: Path) -> None:
    problems = checked(tmp_path, [row(7), row(7, 1), row(7)], [7]).problems
    assert [(problem.place, problem.fixable) for problem in problems] == [(2, False), (3, True)]
    assert all("at line 1" in problem.message for problem in problems)


def test_a_file_of_another_split_is_one_problem(tmp_path: Path) -> None:
    lines = [row(claim_id) for claim_id in range(20, 32)]
    splits = {"train": [0, 1, 2], "test_public": list(range(20, 40)), "test_private": [20]}
    validation = checked(tmp_path, lines, [50, 51], **splits)
    (problem,) = validation.problems
    assert (problem.kind, problem.place, problem.fixable) == ("wrong-split", None, False)
    assert problem.message == (
        "12 of the ids are of split test_public, not of the split that is validated: "
        "20, 21, 22, 23, 24, 25, 26, 27, 28, 29, …; name the right split or remove these rows"
    )
    assert problem.claim_ids == tuple(range(20, 32))
    assert validation.missing == (50, 51)


def test_a_mixed_file_names_what_is_of_no_split_too(tmp_path: Path) -> None:
    lines = [row(claim_id) for claim_id in (50, 20, 21, 99)]
    validation = checked(tmp_path, lines, [50, 51], test_public=[20, 21])
    assert brief(validation) == [
        ("unknown-id", 4, 99),
        ("wrong-split", None, None),
        ("missing-id", None, None),
    ]


@pytest.mark.parametrize("splits", [{}, {"a": [20], "b": [21]}, {"a": [20]}])
def test_unknown_claims_that_are_of_no_one_split_are_named_each(
    tmp_path: Path, splits: dict[str, list[int]]
) -> None:
    validation = checked(tmp_path, [row(20), row(21), row(20, 1)], [50], **splits)
    kinds = [kind for kind, _, _ in brief(validation)]
    assert kinds == ["unknown-id", "unknown-id", "duplicate", "unknown-id"]


@pytest.mark.parametrize(
    ("content", "kinds"),
    [
        (b"", ["no-rows"]),
        (b"[]", ["no-rows"]),
        (b"claim_id,label\n", ["no-rows"]),
        (b"PAR1", ["not-parquet"]),
        (b"x\ny\n", ["not-json", "not-json"]),
        (b'{"id": 7, "label": 0}', ["columns"]),
        (b'[{"claim_id": 7}, {"claim_id": 8}]', ["columns"]),
        (b"claim_id;label\n7;0\n8;1;2\n", ["columns", "missing-id"]),
        (b'{"claim_id": 7, "label": "\xe9"}', ["encoding", "label", "missing-id"]),
    ],
)
def test_a_file_that_cannot_be_read_is_told_without_an_error(
    tmp_path: Path, content: bytes, kinds: list[str]
) -> None:
    validation = validate(written(tmp_path, content, "p"), [7, 8])
    assert [problem.kind for problem in validation.problems] == kinds


def test_a_problem_is_shown_with_its_file_and_place(tmp_path: Path) -> None:
    validation = checked(tmp_path, [row(7), row(8, "NEI")], [7, 8])
    (problem,) = validation.problems
    line = located(problem, validation.path, validation.place_name)
    assert line.startswith(f'{tmp_path.name}/p.jsonl:2: label "NEI" is none of ENTAILED, ')


def test_many_rows_take_no_quadratic_time(tmp_path: Path) -> None:
    n = 30_000
    lines = [row(number % 2, number) for number in range(n)] + [row(n + m) for m in range(n)]
    validation = checked(tmp_path, lines, list(range(2)), other=list(range(n, n + 9)))
    kinds = [problem.kind for problem in validation.problems]
    assert (kinds.count("duplicate"), kinds.count("unknown-id")) == (n - 2, n)


def claim_ids_of(path: Path) -> list[int]:
    lines = path.read_text("utf-8").split("\n")
    return [json.loads(line)["claim_id"] for line in lines if line]


def test_a_real_run_is_in_order_for_its_split_and_told_for_another(shared: Path) -> None:
    public = claim_ids_of(shared / "data/claimdb/test-public.jsonl")
    private = claim_ids_of(shared / "data/claimdb/test-private.jsonl")
    validation = validate(shared / REFERENCE_RUN, public, {"test_private": private})
    assert (validation.problems, validation.n_rows, validation.n_claims) == ((), 1000, 1000)
    (problem,) = validate(shared / REFERENCE_RUN, private, {"test_public": public}).problems
    assert problem.kind == "wrong-split"
    assert problem.claim_ids == tuple(sorted(public))
    assert problem.message.startswith("1,000 of the ids are of split test_public")
