"""Columns of groups and of parts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from claimdb_metric.errors import DataError
from claimdb_metric.grouping import codes_of, grouping, own_groups, places_by_value, subset


@pytest.mark.parametrize("container", [list, tuple, np.array, pd.Series, pa.array, iter])
@pytest.mark.parametrize("values", [["zoo", "bank", "zoo"], [7, 3, 7]])
def test_a_column_becomes_codes(container: Any, values: list[Any]) -> None:
    found = grouping(container(values), 3)
    assert [found.values[code] for code in found.codes] == values
    assert set(found.values) == set(values)
    assert str(found) == "given/2"


@pytest.mark.parametrize("container", [list, np.array, pd.Series])
def test_groups_are_numbered_by_first_appearance(container: Any) -> None:
    found = grouping(container([7, 3, 7, 5]), 4)
    assert (found.codes.tolist(), found.values) == ([0, 1, 0, 2], (7, 3, 5))


def test_a_named_column_keeps_its_name() -> None:
    assert str(grouping({"bird_id": [1, 2, 1]}, 3)) == "bird_id/2"


@pytest.mark.parametrize("missing", [None, float("nan"), np.nan, pd.NA])
def test_a_claim_without_a_group_is_refused(missing: object) -> None:
    with pytest.raises(DataError, match="missing values"):
        grouping([1, missing], 2)


def test_missing_values_are_one_part() -> None:
    for values in (
        np.array([1.0, np.nan, np.nan]),
        [1.0, float("nan"), pd.NA],
        [1.0, None, pd.NaT],
    ):
        parts = places_by_value(codes_of(values, 3, "x"))
        assert [(value, places.tolist()) for value, places in parts] == [(1.0, [0]), (None, [1, 2])]


@pytest.mark.parametrize(
    ("values", "order"),
    [
        (["b", "a", "b"], ["a", "b"]),
        ([10, 9, 2], [2, 9, 10]),
        ([1, "a", None], [1, "a", None]),
        ([10, None, 9], [9, 10, None]),
        ([True, False], [False, True]),
    ],
)
def test_parts_are_in_order(values: list[Any], order: list[Any]) -> None:
    parts = places_by_value(codes_of(values, len(values), "x"))
    assert [value for value, _ in parts] == order
    assert all(values[place] == value for value, places in parts for place in places)
    assert sum(len(places) for _, places in parts) == len(values)


def test_a_subset_keeps_only_its_own_groups() -> None:
    column = grouping({"db_name": ["zoo", "bank", "zoo", "shop"]}, 4)
    kept = subset(column, np.array([3, 1]))
    assert (kept.codes.tolist(), kept.values) == ([0, 1], ("shop", "bank"))
    assert str(kept) == "db_name/2"


@pytest.mark.parametrize(
    ("values", "ids", "n_groups"),
    [
        ([-1, -1, -1], [0, 1, 2], 3),
        ([None, -1, None], [0, 1, 2], 3),
        ([7, -1, 7, -1], [0, 1, 2, 3], 3),
        ([0, 1, 2, -1], [3, 2, 1, 0], 4),
        ([7, 7, 0, 0], [0, 1, 2, 3], 2),
        ([], [], 0),
    ],
)
def test_what_is_not_known_is_a_group_of_its_own(
    values: list[object], ids: list[int], n_groups: int
) -> None:
    groups = own_groups(values, ids)
    assert len(set(groups)) == n_groups
    for value, group in zip(values, groups, strict=True):
        if value in (None, -1):
            assert groups.count(group) == 1
        else:
            assert group == value


def test_the_group_of_a_claim_does_not_depend_on_the_others() -> None:
    """So that a run on a part of the claims resamples the same groups."""
    whole = own_groups([-1, 7, -1], [30, 31, 32])
    assert own_groups([-1, -1], [32, 30]) == [whole[2], whole[0]]


def test_each_value_needs_a_claim() -> None:
    with pytest.raises(ValueError, match="zip"):
        own_groups([1, 2], [1])
