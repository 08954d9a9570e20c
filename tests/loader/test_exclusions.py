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


def test_two_issues_of_one_number_each_drop_their_own_row() -> None:
    """Benchmarks number their claims from 0, so lists of two may share numbers."""
    rows = [(1, "a"), (1, "b"), (1, "c"), (2, "a"), (2, "b"), (0, "b")]
    table = pa.Table.from_pylist(
        [{"claim_id": claim_id, "db_name": name} for claim_id, name in rows], schema=CLAIM_SCHEMA
    )
    named = [(1, "a"), (1, "b"), (2, "b"), (2, "b"), (0, "a"), (7, "c"), (1, "z")]
    issues: list[dict[str, object]] = [{"claim_id": i, "db_name": name} for i, name in named]
    for listed in (issues, issues[::-1]):
        kept = without_known_issues(table, listed).to_pylist()
        assert [(row["claim_id"], row["db_name"]) for row in kept] == [(1, "c"), (2, "a"), (0, "b")]


@pytest.mark.parametrize("n_issues", [0, 1])
@pytest.mark.parametrize("n_rows", [0, 1])
def test_few_rows_and_few_issues(n_rows: int, n_issues: int) -> None:
    issues: list[dict[str, object]] = [{"claim_id": 5324, "db_name": "formula_1"}][:n_issues]
    kept = without_known_issues(TABLE.slice(0, n_rows), issues)
    assert kept.num_rows == (1 if n_rows and not n_issues else 0)
    assert kept.schema == CLAIM_SCHEMA


def test_the_least_and_the_greatest_number() -> None:
    ends = (1 - (1 << 63), (1 << 63) - 1)
    table = pa.Table.from_pylist(
        [{"claim_id": n, "db_name": "a"} for n in (*ends, 0)], schema=CLAIM_SCHEMA
    )
    issues: list[dict[str, object]] = [{"claim_id": n, "db_name": "a"} for n in ends]
    assert without_known_issues(table, issues)["claim_id"].to_pylist() == [0]


def test_a_local_copy_may_list_known_issues_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "known_issues.jsonl").write_text('{"claim_id": 1, "db_name": "solar_coop"}\n')
    kept = without_known_issues(TABLE, read_known_issues(str(tmp_path)))
    assert kept["claim_id"].to_pylist() == [5324]
    assert read_known_issues(str(tmp_path / "absent")) == read_known_issues(None)


NEEDS = "a known issue needs claim_id (integer) and db_name (text)"
BAD_LINES = {
    **dict.fromkeys(
        (
            *("[]", "{}", "1", "null", '{"claim_id": 1}', '{"claim_id": "x"}'),
            '{"claim_id": "1", "db_name": "a"}',
            '{"claim_id": true, "db_name": "a"}',
            '{"claim_id": 1.0, "db_name": "a"}',
            '{"claim_id": 1, "db_name": null}',
            f'{{"claim_id": {1 << 63}, "db_name": "a"}}',
            f'{{"claim_id": {-(1 << 63)}, "db_name": "a"}}',
            f'{{"claim_id": {-1 - (1 << 63)}, "db_name": "a"}}',
            f'{{"claim_id": -{"9" * 400}, "db_name": "a"}}',
        ),
        NEEDS,
    ),
    "oops": "not JSON (Expecting value at character 1)",
    '{"claim_id": 1, "db_name": "a"} {}': "not JSON (Extra data at character 33)",
    '{"claim_id": 1, "claim_id": 2, "db_name": "a"}': "key 'claim_id' stands twice",
    '{"claim_id": 1, "db_name": "a", "reason": "\\ud800"}': "holds a lone surrogate",
    "[" * 9999: "not JSON (nested deeper than 100 levels",
    "[" * 101 + "]" * 101: "nested deeper than 100 levels",
}


@pytest.mark.parametrize("line", BAD_LINES, ids=lambda line: line[:50])
@pytest.mark.parametrize("end", ["\n", ""])
def test_a_bad_line_of_known_issues_is_named(tmp_path: Path, line: str, end: str) -> None:
    first = json.dumps({"claim_id": 1, "db_name": "a"})
    (tmp_path / "known_issues.jsonl").write_text(f"{first}\n\n{line}{end}")
    with pytest.raises(DataError) as caught:
        read_known_issues(str(tmp_path))
    place = f"{tmp_path / 'known_issues.jsonl'}:3: "
    assert str(caught.value).startswith(f"{place}{BAD_LINES[line]}")


def test_a_list_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    (tmp_path / "known_issues.jsonl").write_bytes(b'{"claim_id": 1, "db_name": "caf\xe9"}\n')
    with pytest.raises(DataError, match=r"known_issues\.jsonl is not UTF-8"):
        read_known_issues(str(tmp_path))


def test_only_a_line_feed_ends_a_line(tmp_path: Path) -> None:
    text = '{"claim_id": 1, "db_name": "a", "reason": "b\u2028c\x85d"}\r\n'
    (tmp_path / "known_issues.jsonl").write_bytes(text.encode())
    assert read_known_issues(str(tmp_path))[-1]["reason"] == "b\u2028c\x85d"


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
