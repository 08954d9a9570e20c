"""Joining predictions with claims: by claim_id, with what is missing or invalid listed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claimdb_loader.predictions import InvalidLabel, Joined, join
from claimdb_metric.errors import DataError, PredictionFileError
from tests.loader.prediction_writers import written

Row = dict[str, Any]
HEAD = r"^{} in a predictions file:\n  "


def joined(folder: Path, rows: list[Row], claim_ids: list[int]) -> Joined:
    return join(written(folder, "\n".join(map(json.dumps, rows))), claim_ids)


def row(claim_id: object, label: object = "ENTAILED", **more: object) -> Row:
    return {"claim_id": claim_id, "label": label, **more}


def test_labels_follow_the_claims_not_the_file(tmp_path: Path) -> None:
    rows = [row(9, "contradicted"), row(7), row(8, 2)]
    result = joined(tmp_path, rows, [7, 8, 9])
    assert result.labels == ["ENTAILED", "NOT ENOUGH INFO", "CONTRADICTED"]
    assert (result.missing, result.invalid) == ([], [])
    assert result.normalised == {"contradicted": 1, "2": 1}
    assert result.notes == {}


def test_missing_and_invalid_are_listed_in_the_order_of_the_claims(tmp_path: Path) -> None:
    rows = [row(1, "SUPPORTS"), row(3, None), row(5), row("6", True)]
    result = joined(tmp_path, rows, [6, 5, 4, 3, 2, 1])
    assert result.labels == [None, "ENTAILED", None, None, None, None]
    assert result.missing == [4, 2]
    assert result.invalid == [(6, "true"), (3, "null"), (1, '"SUPPORTS"')]
    assert isinstance(result.invalid[0], InvalidLabel)
    assert result.notes == {"claim_id given as text": 1}


def test_other_columns_are_joined_too(tmp_path: Path) -> None:
    rows = [row(9, confidence=0.5), row(7, sql="SELECT 1", confidence=None), row(8)]
    columns = joined(tmp_path, rows, [7, 8, 9, 10]).columns
    assert dict(columns) == {
        "sql": ["SELECT 1", None, None, None],
        "confidence": [None, None, 0.5, None],
    }
    assert len(columns) == 2
    assert "label" not in columns
    with pytest.raises(KeyError):
        columns["claim_id"]


def test_many_keys_of_their_own_cost_no_more_than_they_hold(tmp_path: Path) -> None:
    rows = [row(number, **{f"key_{number}": number}) for number in range(5000)]
    columns = joined(tmp_path, rows, list(range(5000))).columns
    assert len(columns) == 5000
    assert columns["key_3"][:5] == [None, None, None, 3, None]


def test_claim_ids_may_be_an_array(tmp_path: Path) -> None:
    path = written(tmp_path, json.dumps(row(7)))
    result = join(path, np.array([8, 7]))  # type: ignore[arg-type]
    assert (result.labels, result.missing) == ([None, "ENTAILED"], [8])
    assert type(result.missing[0]) is int


@pytest.mark.parametrize(
    ("lines", "reasons"),
    [
        (["{"], ["2: not JSON (Expecting property name enclosed in double quotes at character 2)"]),
        ([row("x")], ['2: claim_id must be an integer of at least 0, got "x"; mend it']),
        (
            [row(7)],
            ["2: claim_id 7 stands already at line 1 with the same label; keep one of them"],
        ),
        ([row(7, 1)], ["2: claim_id 7 stands already at line 1 with another label; keep one"]),
        ([row(9)], ["2: claim_id 9 is none of the 2 claims; remove the row"]),
        ([row(8, 0, verdict=1)], ["2: label 0 and verdict 1 differ; keep one of them"]),
        ([row(9), "[]", row(7)], ["2: claim_id 9 is none", "3: not a JSON obj", "4: claim_id 7 s"]),
    ],
)
def test_rows_that_cannot_be_joined_are_refused(
    tmp_path: Path, lines: list[Any], reasons: list[str]
) -> None:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in (row(7), *lines)]
    path = written(tmp_path, "\n".join(texts))
    with pytest.raises(PredictionFileError) as caught:
        join(path, [7, 8])
    head, *listed, last = str(caught.value).split("\n")
    n_problems = "1 problem" if len(reasons) == 1 else f"{len(reasons)} problems"
    assert head == f"{n_problems} in a predictions file:"
    name = f"{tmp_path.name}/p.jsonl"
    for line, reason in zip(listed, reasons, strict=True):
        assert line.startswith(f"  {name}:{reason}")
    assert last.startswith("mend them; `claimdb validate`, with the same --split")


def test_places_are_rows_where_lines_say_nothing(tmp_path: Path) -> None:
    path = written(tmp_path, '{"7": 0, "9": 0, "7": 1}', "p.json")
    with pytest.raises(PredictionFileError) as caught:
        join(path, [7])
    assert "p.json: row 2: claim_id 9 is none of the 1 claims" in str(caught.value)
    assert "p.json: row 3: claim_id 7 stands already at row 1 with another" in str(caught.value)


def test_twenty_problems_are_listed(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"^23 problems in a predictions file:\n") as caught:
        joined(tmp_path, [row(number) for number in range(46)], list(range(23, 99)))
    assert str(caught.value).count("is none of the 76 claims") == 20
    assert "\nand 3 more\n" in str(caught.value).replace("\n  and", "\nand")


def test_a_file_of_other_claims_is_one_problem(tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match="23 of 24 rows are of none of the 1 claims: name the split"
    ):
        joined(tmp_path, [row(number) for number in range(24)], [7])


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", r"p.jsonl: no rows"),
        ('{"claim_id": 7, "answer": 0}', r"p.jsonl: no row has the key label or verdict"),
        (b'{"claim_id": 7, "label": "\xe9"}', r"p.jsonl:1: wrong encoding: byte 27 of line 1 is"),
    ],
)
def test_files_that_cannot_be_joined_are_refused(
    tmp_path: Path, content: bytes | str, reason: str
) -> None:
    with pytest.raises(PredictionFileError, match=reason):
        join(written(tmp_path, content), [7])


def test_a_missing_file_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        join(tmp_path / "absent.jsonl", [7])


def test_a_real_run_is_joined(shared: Path) -> None:
    lines = (shared / "data/claimdb/test-public.jsonl").read_text("utf-8").split("\n")
    claim_ids = [json.loads(line)["claim_id"] for line in lines if line]
    result = join(shared / "data/reference/run_minimal_prompt/predictions.jsonl", claim_ids)
    assert (len(result.labels), len(set(result.labels))) == (1000, 3)
    assert (result.missing, result.invalid, result.normalised) == ([], [], {})
    assert (dict(result.columns), result.notes) == ({}, {})
