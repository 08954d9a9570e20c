"""What a score holds: flat keys for programs, tables for people."""

from __future__ import annotations

import ast
import dataclasses
import datetime
import json
from typing import Any

import numpy as np
import pytest

from claimdb_metric import LABELS, Score, score
from claimdb_metric.labels import slug
from claimdb_metric.scores import RESERVED_KEYS
from tests.metrics.tables import TABLE, rows_of


@pytest.fixture(name="full")
def full_score() -> Score:
    """A score in which everything is known."""
    predictions, references = rows_of(TABLE)
    return score(
        np.array(predictions),
        references,
        categories=[0 if label == "NOT ENOUGH INFO" else -1 for label in references],
        groups={"bird_id": np.arange(30) // 3},
        confidences=[None if label not in LABELS else 0.75 for label in predictions],
        by={"db_name": ["zoo", "bank"] * 15},
        split="test_public",
    )


def test_to_dict_is_plain_json_with_the_same_keys_always(full: Score) -> None:
    small = score(["?"], [2], n_resamples=0).to_dict()
    result = full.to_dict()
    assert list(result) == [*small, "by_db_name"]
    # The repr of a numpy number is no literal.
    assert ast.literal_eval(repr(result)) == result
    assert json.loads(json.dumps(result, allow_nan=False)) == result


def test_the_flat_keys_say_the_same_as_the_attributes(full: Score) -> None:
    result = full.to_dict()
    assert result["confusion"] == TABLE
    assert result["recall_not_enough_info"] == result["abstention_recall"] == 0.5
    assert result["support_contradicted"] == 8
    assert result["nei_recall_out_of_schema"] == 0.5
    assert result["nei_recall_subjective"] is None
    assert full.calibration is not None
    assert result["brier_score"] == full.calibration.brier_score
    assert result["risk_coverage"] == [[24 / 30, 10 / 24], [1.0, 16 / 30]]
    assert result["signature"] == full.signature


def test_every_rate_is_followed_by_its_interval(full: Score) -> None:
    keys = list(full.to_dict())
    for name in full.rates():
        assert keys[keys.index(name) + 1] == f"{name}_ci"
    low, high = full.intervals["macro_f1"] or (1.0, 0.0)
    assert low < full.macro_f1 < high
    assert full.to_dict()["macro_f1_ci"] == [low, high]
    assert full.to_dict()["nei_recall_subjective_ci"] is None


def test_parts_are_rows_that_pandas_can_read(full: Score) -> None:
    import pandas as pd

    rows: Any = full.to_dict()["by_db_name"]
    frame = pd.DataFrame(rows)
    assert frame.columns[0] == "db_name"
    assert frame["db_name"].tolist() == ["bank", "zoo"]
    assert frame["n"].tolist() == [15, 15]


def test_no_key_of_a_score_is_free_for_a_column(full: Score) -> None:
    assert set(full.to_dict()) - {"by_db_name"} == RESERVED_KEYS


def test_values_that_json_has_no_form_for_are_text() -> None:
    days = [datetime.date(2026, 1, 2), b"x", float("inf"), np.float64(0.5), np.int64(2), True]
    scored = score([0] * 6, [0] * 6, by={"day": np.array(days, dtype=object)})
    rows: Any = scored.to_dict()["by_day"]
    found = {str(row["day"]) for row in rows}
    assert found == {"2026-01-02", "b'x'", "inf", "0.5", "2", "True"}
    assert json.loads(json.dumps(rows, allow_nan=False)) == rows


def test_without_resamples_there_are_no_intervals() -> None:
    result = score([0, 1], [0, 1], n_resamples=0)
    assert set(result.intervals.values()) == {None}
    assert result.to_dict()["accuracy_ci"] is None
    assert "|ci:none|" in result.signature


def test_format_shows_every_table(full: Score) -> None:
    lines = full.format().splitlines()
    words = [line.split() for line in lines]
    assert lines[0] == "30 claims, 6 invalid answers"
    assert words[3][:2] == ["macro_f1", "0.518"]
    nei = ["NOT", "ENOUGH", "INFO", "(NEI)"]
    assert [*nei, "0.500", "0.500", "0.500"] in [line[:7] for line in words]
    assert [*nei, *map(str, TABLE[2])] in words
    assert ["SUBJECTIVE", "–", "–"] in words
    assert ["brier_score", "0.271"] in [line[:2] for line in words]
    assert ["bank", "15"] in [line[:2] for line in words]
    assert lines[-1] == full.signature
    assert "0.4667" in full.format(digits=4)
    assert str(full) == full.format()


def test_macro_f1_is_not_shown_of_parts_without_some_label() -> None:
    """It would be a third of the one F1 there is."""
    scored = score([0, 0, 1, 2], [0, 0, 1, 2], by={"db": list("aabb"), "x": [1, 1, 1, 1]})
    assert scored.by["db"]["a"].macro_f1 == pytest.approx(1 / 3)
    lines = [line.split() for line in scored.format().splitlines()]
    assert ["a", "2", "1.000", "[1.000,", "1.000]", "–", "0.000"] in lines
    assert ["1", "4", "1.000", "[1.000,", "1.000]", "1.000", "0.250"] in lines


@pytest.mark.parametrize("times", [1, 50_000], ids=["30 claims", "1,500,000 claims"])
def test_format_fits_a_terminal(times: int) -> None:
    references = np.repeat([0, 1, 2], [sum(row) * times for row in TABLE])
    predictions = np.concatenate([np.repeat([0, 1, 2, 3], np.array(row) * times) for row in TABLE])
    categories = np.where(references == 2, 0, -1)
    by = {"db_name": np.where(references == 1, "european_football_2", "thrombosis_prediction")}
    scored = score(predictions, references, categories=categories, by=by)
    *lines, signature = scored.format().splitlines()
    assert max(map(len, lines)) <= 80
    assert signature == scored.signature


def test_a_score_cannot_be_changed(full: Score) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        full.accuracy = 1.0  # type: ignore[misc]


@pytest.mark.parametrize(
    ("name", "key"),
    [("NOT ENOUGH INFO", "not_enough_info"), ("OUT-OF-SCHEMA", "out_of_schema"), ("E", "e")],
)
def test_slug(name: str, key: str) -> None:
    assert slug(name) == key
