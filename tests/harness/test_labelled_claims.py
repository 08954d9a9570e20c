"""The claims that runs are scored on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from claimdb_harness.labelled_claims import (
    LabelledClaims,
    from_file,
    from_split,
    ids_by_split,
    without_known_issues,
)
from claimdb_metric.errors import DataError, HiddenLabelsError, PredictionFileError
from tests.hub import LocalHub
from tests.loader.claim_files import claim, jsonl


@pytest.fixture
def folder(tmp_path: Path) -> str:
    (tmp_path / "test-public.jsonl").write_bytes(jsonl([claim(1), claim(4, 2)]))
    (tmp_path / "test-private.jsonl").write_bytes(jsonl([claim(8, None), claim(9, None)]))
    return str(tmp_path)


def test_labels_and_categories_are_names(folder: str) -> None:
    claims = from_split("test_public", folder)
    assert claims.name == "test_public"
    assert claims.claim_ids == [1, 4]
    assert claims.labels == ["ENTAILED", "NOT ENOUGH INFO"]
    assert claims.column("category") == [None, "SUBJECTIVE"]


def test_hidden_labels(folder: str, caplog: pytest.LogCaptureFixture) -> None:
    claims = from_split("test_private", folder)
    assert claims.claim_ids == [8, 9]
    with pytest.raises(HiddenLabelsError, match="2 of 2 labels of test_private are hidden"):
        _ = claims.labels
    assert caplog.text == ""


def test_ids_of_every_split(folder: str) -> None:
    assert ids_by_split("test_public", folder) == {"test_public": [1, 4], "test_private": [8, 9]}


def test_a_split_that_is_not_there(folder: str) -> None:
    for load in (from_split, ids_by_split):
        with pytest.raises(DataError, match=r"no split 'train'.* gives test_public, test_private"):
            load("train", folder)


ROWS: list[dict[str, Any]] = [
    {"claim_id": 7, "label": "entailed ", "difficulty": "simple"},
    {"claim_id": 5, "label": 2, "category": "SUBJECTIVE"},
]


def test_a_references_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_bytes(jsonl(ROWS))
    claims = from_file(str(path))
    assert claims.name == "mine.jsonl"
    assert claims.columns == {
        "claim_id": [7, 5],
        "label": ["ENTAILED", "NOT ENOUGH INFO"],
        "difficulty": ["simple", None],
        "category": [None, "SUBJECTIVE"],
    }


@pytest.mark.parametrize(
    "content", ["claim_id,label\n7,0\n5,2\n", "claim_id,verdict\n7,ENTAILED\n5,not enough info\n"]
)
def test_references_in_a_table(tmp_path: Path, content: str) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(content)
    assert from_file(str(path)).labels == ["ENTAILED", "NOT ENOUGH INFO"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([ROWS[0], {"label": 0}], "mine.jsonl:2: claim_id is missing"),
        ([{"label": 0}], "no row has the key claim_id"),
        ([ROWS[0], ROWS[1], ROWS[0]], "mine.jsonl:3: claim_id 7 stands already at line 1"),
        ([ROWS[0], {"claim_id": 8, "label": "TRUE"}], 'mine.jsonl:2: label "TRUE" is none of'),
        ([{"claim_id": 8, "label": 0, "verdict": 1}], "mine.jsonl:1: label 0 and verdict 1 differ"),
        (["{torn"], "mine.jsonl:1: not JSON"),
        ([], "no rows"),
    ],
)
def test_references_that_are_refused(tmp_path: Path, rows: list[Any], message: str) -> None:
    path = tmp_path / "mine.jsonl"
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(lines))
    with pytest.raises(PredictionFileError, match=message):
        from_file(str(path))


def test_references_without_labels_are_hidden(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    rows: list[dict[str, Any]] = [
        {"claim_id": 7},
        {"claim_id": 8, "label": -1},
        {"claim_id": 9, "label": "HIDDEN"},
    ]
    path.write_bytes(jsonl([*rows, {"claim_id": 10, "label": None, "verdict": "ENTAILED"}]))
    claims = from_file(str(path))
    assert claims.is_hidden
    assert claims.columns["label"] == ["HIDDEN"] * 3 + ["ENTAILED"]
    with pytest.raises(HiddenLabelsError, match="3 of 4 labels"):
        _ = claims.labels


@pytest.mark.parametrize(
    ("values", "categories"),
    [
        ([None, "SUBJECTIVE"], [None, "SUBJECTIVE"]),
        (["", "OUT-OF-SCHEMA"], ["", "OUT-OF-SCHEMA"]),
        ([-1, 2], [-1, 2]),
        ([["SUBJECTIVE"], {}], None),
        (["sports", "SUBJECTIVE"], None),
        (None, None),
    ],
)
def test_a_category_column_of_another_kind_is_no_nei_category(
    values: list[Any] | None, categories: list[Any] | None
) -> None:
    columns: dict[str, list[Any]] = {"claim_id": [7, 5], "label": ["E", "NOT ENOUGH INFO"]}
    if values is not None:
        columns["category"] = values
    assert LabelledClaims("mine", columns).categories == categories


def test_a_file_name_becomes_one_field_of_the_signature(tmp_path: Path) -> None:
    path = tmp_path / "odd |na\nme.csv"
    path.write_text("claim_id,label\n7,0\n")
    assert from_file(str(path)).name == "odd _na_me.csv"


def known_issues(folder: Path, rows: list[dict[str, Any]]) -> str:
    (folder / "known_issues.jsonl").write_bytes(jsonl(rows))
    return str(folder)


def test_known_issues_are_left_out_by_claim_and_database(tmp_path: Path) -> None:
    claims = LabelledClaims(
        "mine", {"claim_id": [1, 2, 3], "label": list("ECE"), "db_name": ["a", "a", "b"]}
    )
    issues = [{"claim_id": 1, "db_name": "a"}, {"claim_id": 3, "db_name": "a"}]
    left = without_known_issues(claims, known_issues(tmp_path, issues))
    assert left.columns == {"claim_id": [2, 3], "label": ["C", "E"], "db_name": ["a", "b"]}
    assert left.left_out == {1}
    assert left.known_issues.startswith("1-")
    issues[1]["db_name"] = "b"
    other = without_known_issues(claims, known_issues(tmp_path, issues))
    assert other.known_issues.startswith("2-")
    assert without_known_issues(claims).known_issues.startswith("0-")


def test_known_issues_need_the_database() -> None:
    with pytest.raises(DataError, match="no column 'db_name'"):
        without_known_issues(LabelledClaims("mine", {"claim_id": [1], "label": ["E"]}))


def test_the_published_known_issues(shared: Path) -> None:
    folder = str(shared / "data" / "claimdb")
    claims = without_known_issues(from_split("test_public", folder), folder)
    assert len(claims.claim_ids) == 992
    assert len(claims.left_out) == 8


def test_known_issues_of_a_hub_repository_are_left_out(hub: LocalHub) -> None:
    issue = json.dumps({"claim_id": 2, "db_name": "ferry_lines", "reason": "a wrong label"})
    claims_file = jsonl([claim(1), claim(2, 1)])
    files = {"test-public.jsonl": claims_file, "known_issues.jsonl": issue.encode()}
    hub.add_repo("you/x", files)
    claims = from_split("test_public", repo_id="you/x")
    assert without_known_issues(claims, repo_id="you/x").claim_ids == [1]


def test_an_unknown_question_is_a_group_of_its_own_and_an_unknown_database_is_not() -> None:
    columns: dict[str, list[object]] = {
        "claim_id": [1, 2, 3, 4],
        "bird_id": [7, -1, 7, -1],
        "db_name": [-1, -1, "a", "a"],
    }
    claims = LabelledClaims("mine", columns)
    first, second, third, fourth = claims.groups("bird_id")
    assert first == third == 7
    assert len({first, second, fourth}) == 3
    assert claims.groups("db_name") == columns["db_name"]
    assert claims.column("bird_id") == columns["bird_id"]
    with pytest.raises(DataError, match="no column 'topic'"):
        claims.groups("topic")


@pytest.mark.parametrize("unknown", ["-1", ""])
def test_unknown_questions_of_a_file_of_ones_own(tmp_path: Path, unknown: str) -> None:
    path = tmp_path / "gold.csv"
    path.write_text(f"claim_id,label,bird_id\n7,0,3\n8,1,{unknown}\n9,2,{unknown}\n10,0,3\n")
    groups = from_file(str(path)).groups("bird_id")
    assert groups[0] == groups[3] == 3
    assert len(set(groups)) == 3
