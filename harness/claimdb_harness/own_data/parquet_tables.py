"""Reads Parquet as columns of values that SQLite has: numbers, text, blobs."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from claimdb_harness.own_data.typed_tables import BATCH_ROWS, TypedTable, reading

_UNITS_PER_S: Final = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


class Conversion(NamedTuple):
    """A SQLite type, and what makes values of it from an array of pyarrow."""

    sqlite_type: str
    values: Callable[[Any], Sequence[object]]


def read_parquet(path: Path) -> TypedTable:
    """Return a Parquet file as a table.

    Dates and times become ISO text (a time with a zone in UTC, with +00:00), booleans 0 and 1,
    decimals the nearest REAL (INTEGER where they have no places), durations seconds, lists and
    structs JSON text, bytes blobs; integers beyond 64 bits make their column TEXT.

    Raises:
        DataError: it cannot be read.
    """
    import pyarrow.parquet as pq

    with reading(path, "Parquet", _advice), pq.ParquetFile(path) as file:
        names = tuple(file.schema_arrow.names)
        conversions = [_conversion(type_) for type_ in file.schema_arrow.types]
        for place in _too_large(file):
            conversions[place] = Conversion("TEXT", _digits)
    types = tuple(conversion.sqlite_type for conversion in conversions)
    return TypedTable(names, types, partial(_batches, path, conversions))


def _batches(path: Path, conversions: Sequence[Conversion]) -> Iterator[list[Sequence[object]]]:
    import pyarrow.parquet as pq

    with reading(path, "Parquet", _advice), pq.ParquetFile(path) as file:
        for batch in file.iter_batches(BATCH_ROWS):
            yield [
                conversion.values(column)
                for conversion, column in zip(conversions, batch.columns, strict=True)
            ]


def _advice(_: str) -> str:
    return "write it again, or give it as CSV"


def _conversion(type_: Any) -> Conversion:
    """How to convert arrays of a type; what has no form of its own becomes JSON text."""
    from pyarrow import types

    if types.is_dictionary(type_):
        inner = _conversion(type_.value_type)
        return Conversion(inner.sqlite_type, lambda array: inner.values(array.dictionary_decode()))
    if hasattr(type_, "storage_type"):
        inner = _conversion(type_.storage_type)
        return Conversion(inner.sqlite_type, lambda array: inner.values(array.storage))
    if types.is_decimal(type_):
        return Conversion("INTEGER", _whole) if type_.scale <= 0 else Conversion("REAL", _real)
    table = (
        (types.is_boolean, Conversion("INTEGER", _whole)),
        (types.is_integer, Conversion("INTEGER", _whole)),
        (types.is_floating, Conversion("REAL", _real)),
        (types.is_timestamp, Conversion("TEXT", _moments)),
        (types.is_date, Conversion("TEXT", _texts)),
        (types.is_time, Conversion("TEXT", _texts)),
        (types.is_duration, Conversion("REAL", _seconds)),
        (_is_text, Conversion("TEXT", _plain_list)),
        (_is_bytes, Conversion("BLOB", _plain_list)),
    )
    made = (conversion for is_type, conversion in table if is_type(type_))
    return next(made, Conversion("TEXT", _json))


def _is_text(type_: Any) -> bool:
    from pyarrow import types

    return bool(
        types.is_string(type_)
        or types.is_large_string(type_)
        or types.is_string_view(type_)
        or types.is_null(type_)
    )


def _is_bytes(type_: Any) -> bool:
    from pyarrow import types

    return bool(
        types.is_binary(type_)
        or types.is_large_binary(type_)
        or types.is_fixed_size_binary(type_)
        or types.is_binary_view(type_)
    )


def _too_large(file: Any) -> set[int]:
    """The columns of whole numbers of which SQLite cannot hold one as an integer."""
    import pyarrow as pa
    from pyarrow import types

    candidates = [
        place
        for place, type_ in enumerate(file.schema_arrow.types)
        if types.is_uint64(type_) or (types.is_decimal(type_) and type_.scale <= 0)
    ]
    found: set[int] = set()
    if not candidates:
        return found
    for batch in file.iter_batches(BATCH_ROWS):
        for place in candidates:
            try:
                batch.column(place).cast(pa.int64())
            except pa.ArrowInvalid:
                found.add(place)
    return found


def _whole(array: Any) -> list[object]:
    import pyarrow as pa

    values: list[object] = array.cast(pa.int64()).to_pylist()
    return values


def _real(array: Any) -> list[object]:
    # Of half precision, pyarrow has no cast in every version. SQLite takes NaN for NULL.
    return [None if value is None else float(value) for value in array.to_pylist()]


def _digits(array: Any) -> list[object]:
    # Not str(), which writes a decimal of negative scale as 1E+30.
    return [
        None if value is None else format(value, "d" if isinstance(value, int) else "f")
        for value in array.to_pylist()
    ]


def _texts(array: Any) -> list[object]:
    """ISO text; fractions of a second without zeros at their end."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = array.cast(pa.string())
    if getattr(array.type, "unit", "s") not in ("s", "day"):
        texts = pc.replace_substring_regex(texts, r"\.?0+$", "")
    values: list[object] = texts.to_pylist()
    return values


def _moments(array: Any) -> list[object]:
    import pyarrow as pa

    if array.type.tz is None:
        return _texts(array)
    in_utc = array.cast(pa.timestamp(array.type.unit, "UTC")).cast(pa.timestamp(array.type.unit))
    return [text and f"{text}+00:00" for text in _texts(in_utc)]


def _seconds(array: Any) -> list[object]:
    import pyarrow as pa

    units = _UNITS_PER_S[array.type.unit]
    counts = array.cast(pa.int64()).to_pylist()
    return [None if count is None else count / units for count in counts]


def _plain_list(array: Any) -> list[object]:
    values: list[object] = array.to_pylist()
    return values


def _json(array: Any) -> list[object]:
    return [
        None if value is None else json.dumps(_in_json(value), ensure_ascii=False, allow_nan=False)
        for value in array.to_pylist()
    ]


def _in_json(value: Any) -> object:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): _in_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_in_json(item) for item in value]
    if isinstance(value, str | int | None):
        return value
    if isinstance(value, bytes):
        return value.hex()
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
