"""Rates of stacks of tables, with and without NEI categories."""

from __future__ import annotations

import numpy as np
import pytest

from claimdb_metric.encoding import Codes
from claimdb_metric.rates import N_ANSWERS, N_ROWS, cells_of, confusion_of, count, rates
from tests.metrics.tables import TABLE


def table_of(labels: list[list[int]], categories: list[list[int]]) -> np.ndarray:
    return np.array([*labels, *categories], np.int64)


NONE = [[0] * 4] * 3
TABLES = np.stack(
    [
        table_of(TABLE, NONE),
        table_of(NONE, NONE),
        table_of([*TABLE[:2], [0] * 4], [[0, 1, 2, 3], [0, 0, 4, 0], [0, 0, 0, 2]]),
        table_of(np.eye(3, 4).astype(int).tolist(), NONE),
    ]
)


def test_a_stack_of_tables_gives_the_rates_of_each() -> None:
    stacked = rates(TABLES)
    for place, table in enumerate(TABLES):
        for name, value in rates(table).items():
            np.testing.assert_array_equal(stacked[name][place], value)


def test_categories_only_tell_nei_claims_apart() -> None:
    without, with_categories = (rates(table) for table in TABLES[[0, 2]])
    for name in without:
        if not name.startswith("nei_recall"):
            assert without[name] == with_categories[name]
    names = ("out_of_schema", "subjective", "counterfactual")
    assert [float(with_categories[f"nei_recall_{name}"]) for name in names] == [2 / 6, 1.0, 0.0]
    assert all(np.isnan(without[f"nei_recall_{name}"]) for name in names)


def test_an_empty_table_has_no_rates_but_zero_f1() -> None:
    empty = rates(TABLES[1])
    assert np.isnan(empty["accuracy"])
    assert empty["macro_f1"] == empty["precision_entailed"] == 0.0


def test_counting_leaves_its_table_alone() -> None:
    table = TABLES[2].copy()
    np.testing.assert_array_equal(confusion_of(table), TABLE)
    np.testing.assert_array_equal(table, TABLES[2])


@pytest.mark.parametrize(
    ("predicted", "reference", "category", "row", "column"),
    [(0, 0, -1, 0, 0), (3, 1, -1, 1, 3), (2, 2, -1, 2, 2), (2, 2, 0, 3, 2), (3, 2, 2, 5, 3)],
)
def test_cells(predicted: int, reference: int, category: int, row: int, column: int) -> None:
    codes: list[Codes] = [np.array([c], np.int8) for c in (predicted, reference, category)]
    table = count(cells_of(*codes))
    assert table.shape == (N_ROWS, N_ANSWERS)
    assert np.argwhere(table).tolist() == [[row, column]]
