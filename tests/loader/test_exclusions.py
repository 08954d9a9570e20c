"""What an option leaves out."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

from claimdb_loader.claim_tables import CLAIM_SCHEMA
from claimdb_loader.exclusions import (
    check_train_excludes,
    read_known_issues,
    shared_values,
    without_known_issues,
    without_values,
)
from claimdb_metric.errors import DataError

TABLE = pa.Table.from_pylist(
    [
        {"claim_id": 5324, "bird_id": 1006, "db_name": "formula_1"},
        {"claim_id": 5324, "bird_id": 9, "db_name": "solar_coop"},
        {"claim_id": 1, "bird_id": -1, "db_name": "solar_coop"},
    ],
    schema=CLAIM_SCHEMA,
)


def test_shipped_known_issues_are_eight_claims_with_reason_source_and_version() -> None:
    issues = read_known_issues(None)
    assert sorted(issue["claim_id"] for issue in issues) == [  # type: ignore[type-var]
        4697,
        5324,
        5325,
        6218,
        6579,
        6594,
        6617,
        15629,
    ]
    assert all({"reason", "source", "since"} <= issue.keys() for issue in issues)


def test_a_known_issue_drops_a_row_only_where_id_and_database_agree() -> None:
    kept = without_known_issues(TABLE, read_known_issues(None))
    assert kept["db_name"].to_pylist() == ["solar_coop", "solar_coop"]


def test_a_local_copy_may_list_known_issues_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "known_issues.jsonl").write_text('{"claim_id": 1, "db_name": "solar_coop"}\n')
    kept = without_known_issues(TABLE, read_known_issues(str(tmp_path)))
    assert kept["claim_id"].to_pylist() == [5324]
    assert read_known_issues(str(tmp_path / "absent")) == read_known_issues(None)


@pytest.mark.parametrize("line", ["oops", "[]", "{}", '{"claim_id": 1}', '{"claim_id": "x"}', "1"])
def test_a_bad_line_of_known_issues_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "known_issues.jsonl").write_text(
        json.dumps({"claim_id": 1, "db_name": "a"}) + f"\n{line}\n"
    )
    with pytest.raises(DataError, match=r"known_issues\.jsonl:2: a known issue needs claim_id"):
        read_known_issues(str(tmp_path))


@pytest.mark.parametrize(
    ("column", "values", "kept"),
    [
        ("bird_id", [9, 1006], [1]),
        ("bird_id", [], [5324, 5324, 1]),
        ("db_name", ["solar_coop"], [5324]),
    ],
)
def test_rows_that_share_a_value_are_dropped(
    column: str, values: list[object], kept: list[int]
) -> None:
    kind = TABLE.schema.field(column).type
    table = without_values(TABLE, column, pa.array(values, type=kind))
    assert table["claim_id"].to_pylist() == kept


def test_hidden_questions_are_not_shared_ones() -> None:
    assert shared_values("bird_id", [TABLE, TABLE]).to_pylist() == [1006, 9]
    assert shared_values("db_name", [TABLE]).to_pylist() == ["formula_1", "solar_coop"]
    assert shared_values("bird_id", []).to_pylist() == []


def test_an_unknown_train_excludes_names_the_known_ones() -> None:
    check_train_excludes(None, [])
    check_train_excludes("test_databases", ["train", "test_public", "test_private"])
    with pytest.raises(DataError, match="must be one of test_questions, test_databases"):
        check_train_excludes("questions", ["test_public"])
