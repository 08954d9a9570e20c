"""Labels as small integers: what comes in as strings, integers or both goes on as int8 codes.

A code is the label's ClassLabel integer (0, 1, 2), or `INVALID` for a prediction that is no label.
Nothing is guessed: " entailed" is invalid, and so is True, although Python holds it equal to 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from operator import index
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from .columns import is_missing, plain_values
from .errors import DataError, HiddenLabelsError
from .labels import CATEGORIES, HIDDEN, HIDDEN_NAME, LABELS, NOT_ENOUGH_INFO

Codes: TypeAlias = npt.NDArray[np.int8]
Table: TypeAlias = Mapping[object, int]

INVALID: Final = len(LABELS)
"""The code of a prediction that is none of the labels; the fourth column of the confusion."""

_SHOWN: Final = 5


def _table(names: Sequence[str]) -> dict[object, int]:
    return {name: code for code, name in enumerate(names)} | {
        code: code for code in range(len(names))
    }


_LABEL_CODES: Final[Table] = _table(LABELS)
_CATEGORY_CODES: Final[Table] = _table(CATEGORIES) | {HIDDEN: HIDDEN, None: HIDDEN, "": HIDDEN}
_HIDDEN_CODES: Final[Table] = {HIDDEN: HIDDEN, HIDDEN_NAME: HIDDEN, None: HIDDEN}

# Values of exactly these types are found in a dict by what they say. Others are not: a bool
# equals an integer, an Enum hashes by its name, NaN differs from itself, a list has no hash.
_PLAIN: Final = frozenset({str, int, type(None), np.str_, np.int64, np.int32})


def encode_predictions(values: Iterable[object]) -> Codes:
    """Return one code for each prediction; `INVALID` for what is no label.

    Args:
        values: a list, tuple, ndarray, pandas Series, pyarrow Array or datasets Column of label
            names or integers, also mixed. Whole floats count as integers, because pandas turns
            a column of integers with a gap into floats.

    Raises:
        DataError: `values` is no one-dimensional sequence.

    >>> encode_predictions(["ENTAILED", 1, None, "entailed", True]).tolist()
    [0, 1, 3, 3, 3]
    """
    return _encode(plain_values(values, "predictions"), _LABEL_CODES)


def encode_references(values: Iterable[object]) -> Codes:
    """Return one code for each reference, all of them 0, 1 or 2.

    Args:
        values: as in `encode_predictions`.

    Raises:
        HiddenLabelsError: some references are -1, "HIDDEN" or missing (None, NaN).
        DataError: some are no label, or `values` is no one-dimensional sequence.

    >>> encode_references(["NOT ENOUGH INFO", 0]).tolist()
    [2, 0]
    """
    plain = plain_values(values, "references")
    codes = _encode(plain, _LABEL_CODES)
    bad = np.flatnonzero(codes == INVALID).tolist()
    if not bad:
        return codes
    hidden = [place for place in bad if code_of(plain[place], _HIDDEN_CODES) == HIDDEN]
    if hidden:
        raise HiddenLabelsError(
            f"labels are hidden: submit instead of scoring, or score a labelled split."
            f" {_places('references', plain, hidden)}"
        )
    raise DataError(f"unknown reference: {_places('references', plain, bad)}; {_valid(LABELS)}")


def encode_pairs(
    predictions: Iterable[object], references: Iterable[object]
) -> tuple[Codes, Codes]:
    """Return the codes of predictions and of references, equally many of each.

    Raises:
        HiddenLabelsError, DataError: as `encode_references`; and where the lengths differ.

    >>> [codes.tolist() for codes in encode_pairs(["ENTAILED", ""], [0, 1])]
    [[0, 3], [0, 1]]
    """
    predicted, reference = encode_predictions(predictions), encode_references(references)
    _check_lengths("predictions", predicted, reference)
    return predicted, reference


def encode_categories(values: Iterable[object], reference: Codes) -> Codes:
    """Return one NEI category code for each claim, -1 where none applies.

    Args:
        values: as in `encode_predictions`, but of category names or integers;
            -1, "", None and NaN say that the claim has no category.
        reference: the codes of the claims' labels.

    Raises:
        DataError: some are no category, lengths differ, `values` is no one-dimensional sequence,
            or a claim has a category although its label is not NEI (a sign of shuffled rows).

    >>> encode_categories(["SUBJECTIVE", None, 2], np.array([2, 0, 2])).tolist()
    [1, -1, 2]
    """
    plain = plain_values(values, "categories")
    codes = _encode(plain, _CATEGORY_CODES)
    _check_lengths("categories", codes, reference)
    bad = np.flatnonzero(codes == INVALID).tolist()
    if bad:
        where = _places("categories", plain, bad)
        raise DataError(f"unknown category: {where}; {_valid(CATEGORIES)}, or -1 for none")
    misplaced = np.flatnonzero((codes >= 0) & (reference != NOT_ENOUGH_INFO)).tolist()
    if misplaced:
        raise DataError(
            f"a category where the label is not NOT ENOUGH INFO (is the order the same as of the"
            f" references?): {_places('categories', plain, misplaced)}"
        )
    return codes


def code_of(value: Any, table: Table = _LABEL_CODES) -> int:
    """Return the code of one value, `INVALID` where the table has none.

    >>> [code_of(value) for value in ("CONTRADICTED", 2, 2.0, False, [0])]
    [1, 2, 2, 3, 3]
    """
    if type(value) in _PLAIN:
        return table.get(value, INVALID)
    if isinstance(value, (bool, np.bool_)):
        return INVALID
    if isinstance(value, str):
        return table.get(str.__str__(value), INVALID)
    if is_missing(value):
        return table.get(None, INVALID)
    if isinstance(value, (float, np.floating)):
        return table.get(value, INVALID)
    try:
        return table.get(index(value), INVALID)
    except TypeError:
        return INVALID


def _encode(values: Sequence[object] | npt.NDArray[Any], table: Table) -> Codes:
    if isinstance(values, np.ndarray) and values.dtype.kind in "biufU":
        return _encode_array(values, table)
    objects = values.tolist() if isinstance(values, np.ndarray) else values
    if set(map(type, objects)) <= _PLAIN:
        # All in C: 1,000,000 strings in 0.06 s, where a Python loop takes 0.2 s.
        return np.fromiter(map(table.get, objects, repeat(INVALID)), np.int8, len(objects))
    return np.fromiter((code_of(value, table) for value in objects), np.int8, len(objects))


def _encode_array(values: npt.NDArray[Any], table: Table) -> Codes:
    kind = values.dtype.kind
    if kind in "iu":
        return _encode_integers(values, table)
    codes = np.full(values.shape, INVALID, np.int8)
    if kind == "b":
        return codes
    key_type = str if kind == "U" else int
    for key, code in table.items():
        if isinstance(key, key_type):
            np.putmask(codes, values == key, code)
    if kind == "f":
        np.putmask(codes, np.isnan(values), table.get(None, INVALID))
    return codes


def _encode_integers(values: npt.NDArray[Any], table: Table) -> Codes:
    # The integers of a table are its codes, without a gap. A clip takes 0.03 ms of 1,000,000
    # int8, a mask and a choice 2 ms.
    lowest = min(key for key in table if isinstance(key, int))
    below = 0 if values.dtype.kind == "u" else lowest - 1
    codes: Codes = np.clip(values, below, INVALID).astype(np.int8, copy=False)
    if codes.size and codes.min() < lowest:
        np.putmask(codes, codes < lowest, INVALID)
    return codes


def _check_lengths(name: str, codes: Codes, reference: Codes) -> None:
    if len(codes) != len(reference):
        raise DataError(f"{len(codes)} {name} but {len(reference)} references: give one for each")


def _places(name: str, values: Sequence[object] | npt.NDArray[Any], places: list[int]) -> str:
    shown = [f"{name}[{place}] is {_shown(values[place])}" for place in places[:_SHOWN]]
    if len(places) > _SHOWN:
        shown.append("…")
    return f"{len(places)} of {len(values)} {name}: {', '.join(shown)}"


def _shown(value: object) -> str:
    text = repr(value.item() if isinstance(value, np.generic) else value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _valid(names: Sequence[str]) -> str:
    return f"valid are {', '.join(map(repr, names))} or the integers 0, 1, 2"
