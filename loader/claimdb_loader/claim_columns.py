"""Columns of claims in Arrow: names become integers, and one look tells whether a row is faulty.

`claim_rows` is the authority; this is the fast road to the same answer, for JSON Lines and Parquet.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from claimdb_loader.features import CLAIM_FEATURES
from claimdb_metric.labels import CATEGORIES, HIDDEN, LABELS, NOT_ENOUGH_INFO

CLAIM_SCHEMA: Final = CLAIM_FEATURES.arrow_schema
IDS: Final = ("claim_id", "bird_id")
CLASSES: Final = {"label": LABELS, "category": CATEGORIES}
"""The columns that hold one of some names, or its position among them."""


def clean_table(raw: pa.Table) -> pa.Table | None:
    """Return the claim rows of a table, None if `claim_rows.check_row` finds a fault in any row.

    Args:
        raw: the columns of `claim_rows.COLUMNS`, null where nothing is given: ids as int64, texts
            as valid UTF-8, label and category as names or as int64.
    """
    columns = {
        "claim_id": raw["claim_id"],
        "bird_id": pc.fill_null(raw["bird_id"], HIDDEN),
        "db_name": raw["db_name"],
        "claim": raw["claim"],
        "extra_info": pc.fill_null(raw["extra_info"], ""),
        **{key: _codes(raw[key], names) for key, names in CLASSES.items()},
    }
    return pa.table(columns).cast(CLAIM_SCHEMA) if _is_clean(columns) else None


def _codes(values: pa.ChunkedArray, names: tuple[str, ...]) -> pa.ChunkedArray:
    """The ClassLabel integers of names, -1 for null, null for a name that is not known."""
    if pa.types.is_integer(values.type):
        return pc.fill_null(values, HIDDEN)
    index = pc.index_in(values, value_set=pa.array(names)).cast(pa.int64())
    return pc.if_else(pc.is_null(values), pa.scalar(HIDDEN, pa.int64()), index)


def _is_clean(columns: dict[str, pa.ChunkedArray]) -> bool:
    if any(column.null_count for column in columns.values()):
        return False
    if len(columns["claim_id"]) == 0:
        return True
    if pc.min(columns["claim_id"]).as_py() < 0 or pc.min(columns["bird_id"]).as_py() < HIDDEN:
        return False
    for key, names in CLASSES.items():
        codes = pc.min_max(columns[key]).as_py()
        if codes["min"] < HIDDEN or codes["max"] >= len(names):
            return False
    for key in ("claim", "db_name"):
        is_blank = pc.or_(pc.equal(columns[key], ""), pc.utf8_is_space(columns[key]))
        if pc.any(is_blank).as_py():
            return False
    has_category = pc.not_equal(columns["category"], HIDDEN)
    is_not_nei = pc.not_equal(columns["label"], NOT_ENOUGH_INFO)
    return not pc.any(pc.and_(has_category, is_not_nei)).as_py()
