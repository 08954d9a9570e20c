"""Confidences in every shape that people hold them in, and what is refused."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from claimdb_metric.confidences import encode_confidences
from claimdb_metric.errors import DataError

CODES = np.array([0, 2, 3], np.int8)
THREE = [[0.5, 0.25, 0.25], [0.0, 0.0, 1.0]]


@pytest.mark.parametrize(
    "given",
    [
        [0.5, 1, None],
        (0.5, 1.0, float("nan")),
        np.array([0.5, 1, np.nan]),
        pd.Series([0.5, 1, None]),
        pa.array([0.5, 1, None]),
        iter([0.5, 1, None]),
    ],
)
def test_one_probability_for_each_claim(given: Any) -> None:
    found = encode_confidences(given, CODES)
    np.testing.assert_array_equal(found, [0.5, 1.0, np.nan])


@pytest.mark.parametrize(
    "given",
    [
        [*THREE, None],
        [*THREE, float("nan")],
        [*THREE, [None, None, None]],
        np.array([*THREE, [np.nan] * 3]),
        pa.array([*THREE, None]),
        pd.Series([*THREE, None]),
    ],
)
def test_three_probabilities_for_each_claim(given: Any) -> None:
    found = encode_confidences(given, CODES)
    np.testing.assert_array_equal(found, [*THREE, [np.nan] * 3])


def test_two_decimals_need_not_sum_to_one() -> None:
    for three in ([0.33, 0.33, 0.33], [0.34, 0.34, 0.33]):
        assert encode_confidences([three], np.array([0])).shape == (1, 3)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([0.5, 0.5], "one probability or three (ENTAILED, CONTRADICTED, NOT ENOUGH INFO)"),
        ([0.5, 0.5], "for each of 3 claims, got shape (2,)"),
        ([[0.5, 0.5]] * 3, "got shape (3, 2)"),
        (0.5 * np.ones((3, 3, 1)), "got shape (3, 3, 1)"),
        ([0.5, None, None], "confidences[1] is nan"),
        ([0.5, 1.5, None], "must be from 0 to 1"),
        ([-0.1, 1.0, None], "confidences[0] is -0.1"),
        ([float("inf"), 1.0, None], "confidences[0] is inf"),
        ([*THREE[:1], None, None], "confidences[1] is [nan, nan, nan]"),
        ([[0.5, 0.5, 0.5], THREE[1], None], "must sum to 1"),
        ([[0.53, 0.25, 0.25], THREE[1], None], "must sum to 1"),
        ([np.array(0.5)] * 2, "got shape (2,)"),
        (["high", "low", None], "must be numbers, all of one shape"),
        ([[0.5, 0.5], THREE[0], None], "must be numbers, all of one shape"),
    ],
)
def test_what_is_refused(given: Any, message: str) -> None:
    with pytest.raises(DataError, match=re.escape(message)):
        encode_confidences(given, CODES)
