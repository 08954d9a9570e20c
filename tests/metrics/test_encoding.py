"""Labels in every shape that people hold them in, and what is refused."""

from __future__ import annotations

import enum
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from claimdb_metric import DataError, HiddenLabelsError
from claimdb_metric.encoding import (
    code_of,
    encode_categories,
    encode_pairs,
    encode_predictions,
    encode_references,
)

STRINGS = ["ENTAILED", "NOT ENOUGH INFO", "CONTRADICTED", "ENTAILED"]
CODES = [0, 2, 1, 0]


class Verdict(enum.StrEnum):
    YES = "ENTAILED"
    NO = "CONTRADICTED"


class Number(enum.IntEnum):
    NEI = 2


class Scalar:
    """Like a torch tensor of one integer: an index, but with a hash of its own."""

    def __index__(self) -> int:
        return 1

    def __repr__(self) -> str:
        return "Scalar()"  # the address would give each xdist worker other test ids


def column(values: list[Any]) -> Iterable[object]:
    datasets = pytest.importorskip("datasets")
    result: Iterable[object] = datasets.Dataset.from_dict({"label": values})["label"]
    return result


CONTAINERS: dict[str, Callable[[list[Any]], Iterable[object]]] = {
    "list": list,
    "tuple": tuple,
    "iterator": iter,
    "deque": deque,
    "ndarray": np.array,
    "object ndarray": lambda values: np.array(values, dtype=object),
    "series": pd.Series,
    "object series": lambda values: pd.Series(values, dtype=object),
    "categorical series": lambda values: pd.Series(values, dtype="category"),
    "index": pd.Index,
    "pyarrow": pa.array,
    "chunked pyarrow": lambda values: pa.chunked_array(
        [pa.array(values)[:1], pa.array(values)[1:]]
    ),
    "dictionary pyarrow": lambda values: pa.array(values).dictionary_encode(),
    "column": column,
}


@pytest.mark.matrix
@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)
@pytest.mark.parametrize("values", [STRINGS, CODES], ids=["strings", "integers"])
def test_every_container_gives_the_same_codes(
    container: Callable[[list[Any]], Iterable[object]], values: list[Any]
) -> None:
    predicted = encode_predictions(container(values))
    assert predicted.dtype == np.int8
    assert predicted.tolist() == CODES
    assert encode_references(container(values)).tolist() == CODES


@pytest.mark.matrix
@pytest.mark.parametrize(
    "container",
    [container for name, container in CONTAINERS.items() if name != "ndarray"],
    ids=[name for name in CONTAINERS if name != "ndarray"],
)
@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ([None, "ENTAILED", "no idea"], [3, 0, 3]),
        (["ENTAILED", None], [0, 3]),
        ([1, None, 7], [1, 3, 3]),
        ([None, None], [3, 3]),
    ],
)
def test_gaps_and_strangers_are_invalid_predictions(
    container: Callable[[list[Any]], Iterable[object]], values: list[Any], codes: list[int]
) -> None:
    assert encode_predictions(container(values)).tolist() == codes


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("ENTAILED", 0),
        ("CONTRADICTED", 1),
        ("NOT ENOUGH INFO", 2),
        (np.str_("ENTAILED"), 0),
        (Verdict.NO, 1),
        (Number.NEI, 2),
        (Scalar(), 1),
        (2, 2),
        (np.int16(2), 2),
        (2.0, 2),
        (np.float32(1), 1),
        ("entailed", 3),
        (" ENTAILED", 3),
        ("ENTAILED\n", 3),
        ("0", 3),
        ("", 3),
        ("HIDDEN", 3),
        (b"ENTAILED", 3),
        (None, 3),
        (True, 3),
        (False, 3),
        (np.True_, 3),
        (-1, 3),
        (3, 3),
        (10**30, 3),
        (0.5, 3),
        (float("nan"), 3),
        (float("inf"), 3),
        (1 + 0j, 3),
        (pd.NA, 3),
        (pd.NaT, 3),
        (["ENTAILED"], 3),
        ({"label": "ENTAILED"}, 3),
        (np.array([1, 2]), 3),
    ],
    ids=repr,
)
def test_one_value_means_the_same_alone_and_among_others(value: object, code: int) -> None:
    assert code_of(value) == code
    assert encode_predictions([value]).tolist() == [code]
    assert encode_predictions(["ENTAILED", value, 1, None]).tolist() == [0, code, 1, 3]


@pytest.mark.parametrize(
    ("array", "codes"),
    [
        (np.array([True, False]), [3, 3]),
        (np.array([0, 1, 2, 3, -1]), [0, 1, 2, 3, 3]),
        (np.array([0, 255], dtype=np.uint8), [0, 3]),
        (np.array([0, 1.0, 1.5, np.nan, np.inf]), [0, 1, 3, 3, 3]),
        (np.array(["ENTAILED", "ENTAILED ", ""]), [0, 3, 3]),
        (np.array([b"ENTAILED"]), [3]),
        (np.array([1 + 0j]), [3]),
        (np.array([], dtype=np.int64), []),
        (np.ma.masked_array([0, 1], mask=[False, True]), [0, 3]),
        (pd.array([2, None], dtype="Int64"), [2, 3]),
    ],
    ids=repr,
)
def test_arrays(array: Iterable[object], codes: list[int]) -> None:
    assert encode_predictions(array).tolist() == codes


@pytest.mark.parametrize("hidden", [-1, "HIDDEN", None, float("nan"), pd.NA, np.int8(-1), -1.0])
def test_hidden_references_say_that_they_are_hidden(hidden: object) -> None:
    with pytest.raises(HiddenLabelsError, match="labels are hidden: submit instead") as caught:
        encode_references(["ENTAILED", hidden, hidden])
    assert "2 of 3 references: references[1] is" in str(caught.value)


def test_hidden_references_in_an_integer_array() -> None:
    with pytest.raises(HiddenLabelsError, match=r"references\[0\] is -1, .*…"):
        encode_references(np.full(999, -1))


@pytest.mark.parametrize("unknown", ["entailed", "", 3, True, 0.5, ["ENTAILED"]], ids=repr)
def test_unknown_references_are_named(unknown: object) -> None:
    with pytest.raises(DataError) as caught:
        encode_references(["ENTAILED", unknown])
    assert not isinstance(caught.value, HiddenLabelsError)
    assert f"1 of 2 references: references[1] is {unknown!r}" in str(caught.value)
    assert "valid are 'ENTAILED', 'CONTRADICTED', 'NOT ENOUGH INFO'" in str(caught.value)


def test_messages_stay_short() -> None:
    with pytest.raises(DataError) as caught:
        encode_references(["x" * 10_000] * 100)
    assert "100 of 100 references" in str(caught.value)
    assert "references[4]" in str(caught.value)
    assert "references[5]" not in str(caught.value)
    assert len(str(caught.value)) < 700


@pytest.mark.parametrize(
    "values", ["ENTAILED", b"ENTAILED", {"1": "ENTAILED"}, {"ENTAILED"}, None, 3], ids=repr
)
def test_what_is_no_sequence_is_refused(values: Any) -> None:
    with pytest.raises(DataError, match="predictions must be a sequence"):
        encode_predictions(values)


@pytest.mark.parametrize("values", [np.zeros((2, 3)), np.array(1)], ids=["2-d", "0-d"])
def test_arrays_have_one_dimension(values: Any) -> None:
    with pytest.raises(DataError, match="references must have one dimension, not the shape"):
        encode_references(values)


def test_pairs_have_equal_lengths() -> None:
    with pytest.raises(DataError, match="3 predictions but 2 references"):
        encode_pairs([0, 1, 2], [0, 1])


@pytest.mark.parametrize("nothing", [-1, None, "", float("nan"), pd.NA], ids=repr)
def test_categories(nothing: object) -> None:
    reference = np.array([2, 0, 2, 2], np.int8)
    codes = encode_categories(["OUT-OF-SCHEMA", nothing, 1, nothing], reference)
    assert codes.tolist() == [0, -1, 1, -1]


def test_category_columns_with_gaps() -> None:
    reference = np.array([2, 0, 2], np.int8)
    assert encode_categories(np.array([0, np.nan, 2]), reference).tolist() == [0, -1, 2]
    assert encode_categories(np.array([0, -1, 2]), reference).tolist() == [0, -1, 2]
    assert encode_categories(np.array(["SUBJECTIVE", "", ""]), reference).tolist() == [1, -1, -1]


@pytest.mark.parametrize(
    ("categories", "message"),
    [
        (
            ["subjective", -1],
            r"unknown category: 1 of 2 categories: categories\[0\] is 'subjective'",
        ),
        ([3, -1], "valid are 'OUT-OF-SCHEMA', 'SUBJECTIVE', 'COUNTERFACTUAL'"),
        ([-1], "1 categories but 2 references"),
        ([-1, 0], r"label is not NOT ENOUGH INFO .*same as.*categories\[1\] is 0"),
    ],
    ids=repr,
)
def test_wrong_categories(categories: list[object], message: str) -> None:
    with pytest.raises(DataError, match=message):
        encode_categories(categories, np.array([2, 0], np.int8))
