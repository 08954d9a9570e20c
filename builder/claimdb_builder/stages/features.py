"""What a query is made of, by its syntax tree (sqlglot, SQLite's dialect)."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from claimdb_builder.stages.fragments import SUBQUERY, fragments_of
from claimdb_builder.stages.shapes import shape_of
from claimdb_builder.stages.syntax_trees import Fault, Unusable, select_of, select_of_shape

if TYPE_CHECKING:
    from sqlglot import exp

FEATURES: Final[Mapping[str, str]] = {
    "aggregate": "an aggregate function, as sqlglot knows them",
    "sqlite_aggregate": "an aggregate that only SQLite has: total(), json_group_array(), …",
    "order": "ORDER BY, in a window too",
    "joins": "two JOINs or more",
    "subquery_joins": "three tables or more, one of them in a subquery",
    "window": "a window function",
    "group_by": "GROUP BY",
    "having": "HAVING",
    "distinct": "SELECT DISTINCT",
    "set_operation": "UNION, INTERSECT or EXCEPT",
    "limit": "LIMIT",
    "subquery": "a SELECT in another one",
    "common_table": "WITH",
    "conditional": "CASE or IIF()",
}
"""Each feature, with what it stands for; records list them in this order."""

_SQLITE_AGGREGATES: Final = re.compile(
    r"\b(?:TOTAL|MEDIAN|JSONB?_GROUP_(?:ARRAY|OBJECT)|STRING_AGG|PERCENTILE(?:_CONT|_DISC)?)\s*\(",
    re.IGNORECASE,
)
"""From https://sqlite.org/lang_aggfunc.html and json1.html: which of them a version of sqlglot
counts as aggregates differs."""

MAX_SQL_CHARS: Final = 100_000
"""As the sandbox has it."""

MAX_SHAPES: Final = 2**16
"""Shapes whose features a process remembers, some 20 MB."""


@dataclass(frozen=True)
class Features:
    """What a query is made of.

    Args:
        names: of FEATURES, in their order.
        n_joins: JOIN operators, a comma between tables counts as one.
        n_tables: tables named, one named twice counted twice; common tables are none.
        may_be_lookup: whether it is one SELECT from one table with a condition, and so may look up
            a row by its key.
    """

    names: tuple[str, ...]
    n_joins: int
    n_tables: int
    may_be_lookup: bool


def features(sql: str) -> Features:
    """Return what a query is made of.

    Raises:
        Unusable: it is not one SELECT that sqlglot can parse.

    >>> features("SELECT kind, total(age) FROM pet GROUP BY kind").names
    ('sqlite_aggregate', 'group_by')
    >>> features("SELECT 1; SELECT 2")
    Traceback (most recent call last):
    claimdb_builder.stages.syntax_trees.Unusable: 2 statements; write one
    """
    if len(sql) > MAX_SQL_CHARS:
        raise Unusable("unparsable", f"longer than {MAX_SQL_CHARS:,} characters")
    shape = shape_of(sql)
    found = _of_shape(shape)
    if isinstance(found, Features):
        return found
    if found[0] == "unparsable":
        # The query itself tells why, or has a form that shapes know nothing of: SELECT 1 'n'.
        return features_of_tree(select_of(sql), shape)
    raise Unusable(*found)


@lru_cache(maxsize=MAX_SHAPES)
def _of_shape(shape: str) -> Features | tuple[Fault, str]:
    try:
        *fragments, rest = fragments_of(shape)
        return _features([*map(_counts_of_fragment, fragments), _counts_of_select(rest)], shape)
    except Unusable:
        pass  # in pieces; perhaps not as a whole: (SELECT 1) UNION (SELECT 2)
    try:
        return features_of_tree(select_of_shape(shape), shape)
    except Unusable as unusable:
        return unusable.fault, unusable.message


def features_of_tree(tree: exp.Query, sql: str) -> Features:
    """Return what a syntax tree is made of.

    Args:
        sql: the text it was parsed from, or its shape.
    """
    return _features([_counts(tree)], sql)


class _Counts(NamedTuple):
    """What stands in a tree: its features that one node shows, and how many of what."""

    shown: frozenset[str]
    n_joins: int
    n_tables: int
    n_selects: int
    n_set_operations: int
    has_where: bool


def _counts_of_fragment(piece: str) -> _Counts:
    if piece.startswith("SELECT "):
        return _counts_of_select(piece)
    return _counts_of_select(f"SELECT {piece}")._replace(n_selects=0)


@lru_cache(maxsize=MAX_SHAPES)
def _counts_of_select(piece: str) -> _Counts:
    return _counts(select_of_shape(piece))


def _counts(tree: Any) -> _Counts:
    by_kind: dict[str, list[Any]] = {}
    for node in tree.walk():
        for kind in _kinds_of(cast(Hashable, type(node))):
            by_kind.setdefault(kind, []).append(node)
    none: list[Any] = []
    selects = by_kind.get("select", none)
    no_tables = {node.alias.lower() for node in by_kind.get("common_table", none)} | {SUBQUERY}
    shown = {kind for kind in FEATURES if kind in by_kind}
    if all(map(_is_scalar, by_kind.get("aggregate", none))):
        shown.discard("aggregate")
    if any(select.args.get("distinct") for select in selects):
        shown.add("distinct")
    return _Counts(
        frozenset(shown),
        len(by_kind.get("join", none)),
        sum(table.name.lower() not in no_tables for table in by_kind.get("table", none)),
        len(selects),
        len(by_kind.get("set_operation", none)),
        tree.args.get("where") is not None,
    )


def _features(parts: Sequence[_Counts], sql: str) -> Features:
    """The features of a query from the counts of its parts."""
    shown = set[str]().union(*(part.shown for part in parts))
    n_joins = sum(part.n_joins for part in parts)
    n_tables = sum(part.n_tables for part in parts)
    n_selects = sum(part.n_selects for part in parts)
    has_subquery = n_selects > 1 + sum(part.n_set_operations for part in parts)
    told = {
        "sqlite_aggregate": bool(_SQLITE_AGGREGATES.search(sql)),
        "joins": n_joins >= 2,
        "subquery": has_subquery,
        "subquery_joins": has_subquery and n_tables >= 3,
    }
    shown |= {name for name, is_so in told.items() if is_so}
    may_be_lookup = n_tables == n_selects == 1 and any(part.has_where for part in parts)
    names = tuple(name for name in FEATURES if name in shown)
    return Features(names, n_joins, n_tables, may_be_lookup and "group_by" not in shown)


@cache
def _kinds_of(node_type: Hashable) -> tuple[str, ...]:
    """What a node of a type is counted as."""
    from sqlglot import exp

    kinds: dict[str, Any] = {
        "aggregate": exp.AggFunc,
        "order": exp.Order,
        "window": exp.Window,
        "group_by": exp.Group,
        "having": exp.Having,
        "set_operation": exp.SetOperation,
        "limit": exp.Limit,
        "common_table": exp.CTE,
        "conditional": (exp.Case, exp.If),
        "join": exp.Join,
        "table": exp.Table,
        "select": exp.Select,
    }
    return tuple(kind for kind, types in kinds.items() if issubclass(cast(type, node_type), types))


def _is_scalar(node: exp.AggFunc) -> bool:
    """Whether it is max(a, b) or min(a, b), which are no aggregates (to old sqlglot they are)."""
    from sqlglot import exp

    return isinstance(node, (exp.Max, exp.Min)) and bool(node.expressions)
