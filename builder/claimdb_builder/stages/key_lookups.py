"""Whether a query looks up one row by its key, so that its COUNT or ORDER BY does nothing."""

from __future__ import annotations

import re
from typing import Any, Final

from claimdb_builder.stages.syntax_trees import select_of

_KEYS_OF_ANY_TABLE: Final = frozenset({"id", "rowid"})
_NOT_LETTERS: Final = re.compile(r"[\W_]+")


def is_key_lookup(sql: str) -> bool:
    """Whether SQL counts or sorts what is one row: its WHERE sets a key of its only table.

    No database is asked: by its name, a key is `id`, `rowid`, or the table's name with `id` behind
    it, in whatever spelling. A key of another table may stand in many rows; so may
    this one where SQL takes the first of several (LIMIT) or their maximum or sum.

    >>> is_key_lookup("SELECT count(*) FROM customers AS c WHERE c.CustomerID = 10 AND age > 3")
    True
    >>> is_key_lookup("SELECT count(*) FROM orders WHERE customer_id = 10")
    False
    """
    from sqlglot import exp

    tree = select_of(sql)
    tables = list(tree.find_all(exp.Table))
    where = tree.args.get("where")
    if not isinstance(tree, exp.Select) or len(tables) != 1 or where is None:
        return False
    if any(type(node) is not exp.Count for node in tree.find_all(exp.AggFunc, exp.Limit)):
        return False
    keys = _keys_of(tables[0].name)
    return any(_fixes(part, keys) for part in _conjuncts(where.this))


def _keys_of(table: str) -> frozenset[str]:
    name = _folded(table)
    singulars = {name, name.removesuffix("s"), name.removesuffix("es")}
    if name.endswith("ies"):
        singulars.add(name[:-3] + "y")
    return _KEYS_OF_ANY_TABLE | {f"{singular}id" for singular in singulars}


def _folded(name: str) -> str:
    return _NOT_LETTERS.sub("", name).lower()


def _conjuncts(condition: Any) -> list[Any]:
    """The conditions that AND joins, which may be thousands: not by recursion."""
    from sqlglot import exp

    found, left = [], [condition]
    while left:
        condition = left.pop().unnest()
        if isinstance(condition, exp.And):
            left += (condition.left, condition.right)
        else:
            found.append(condition)
    return found


def _fixes(condition: Any, keys: frozenset[str]) -> bool:
    from sqlglot import exp

    if not isinstance(condition, exp.EQ):
        return False
    sides = (condition.left.unnest(), condition.right.unnest())
    columns = [side for side in sides if isinstance(side, exp.Column)]
    literals = [side for side in sides if isinstance(side, (exp.Literal, exp.Neg))]
    return len(columns) == len(literals) == 1 and _folded(columns[0].name) in keys
