"""What is asked of a made source: FAMILIES of SQL in about BIRD's mix, each with its question."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final

from benchmarks.made_sources import Source, in_words
from claimdb_loader.sample.generate.draw import between, chance, pick, weighted

Query = tuple[str, str]
"""SQL, and the question that it answers."""

N_CONDITIONS: Final = {0: 8.0, 1: 47.0, 2: 33.0, 3: 12.0}
LOOKED_UP: Final = {1: 54.0, 2: 36.0, 3: 10.0}
N_COLUMNS: Final = {1: 72.0, 2: 20.0, 3: 8.0}
ROWS_SHOWN: Final = {1: 70.0, 3: 10.0, 5: 14.0, 10: 6.0}

# {a} and {b} are columns of numbers, {c} is any column, {i} and {j} are conditions.
MEASURES: Final[dict[tuple[str, str], float]] = {
    ("COUNT({c})", "how many {c} are there"): 26,
    ("COUNT(*)", "how many rows are there"): 6,
    ("COUNT(DISTINCT {c})", "how many different {c} are there"): 9,
    ("SUM({a})", "what is the total {a}"): 4,
    ("AVG({a})", "what is the average {a}"): 5,
    ("MAX({a})", "what is the highest {a}"): 2,
    ("MIN({a}), MAX({a})", "what is the lowest and highest {a}"): 1,
    ("MAX({a}) - MIN({a})", "what is the range of {a}"): 1,
    ("SUM({a}) / COUNT({c})", "what is the {a} for each row"): 2,
    ("CAST(SUM({a}) AS REAL) / COUNT(DISTINCT {c})", "what is the {a} for each different {c}"): 2,
    ("ROUND(AVG({a} * {b}), 2)", "what is the average of {a} times {b}, to two places"): 1,
    ("SUM(CASE WHEN {i} THEN 1 ELSE 0 END)", "in how many is {i}"): 2,
    ("SUM(CASE WHEN {i} THEN {a} ELSE 0 END)", "what is the total {a} where {i}"): 2,
    ("CAST(SUM(CASE WHEN {i} THEN 1 ELSE 0 END) AS REAL) * 100 / COUNT({c})", "what % has {i}"): 6,
    ("CAST(COUNT(CASE WHEN {i} THEN {c} END) AS REAL) * 100 / COUNT({c})", "what % has {i}"): 2,
    ("CAST(SUM(IIF({i}, 1, 0)) AS REAL) * 100 / COUNT(*)", "what percentage has {i}"): 2,
    ("SUM(IIF({i}, 1, 0)) - SUM(IIF({j}, 1, 0))", "how many more rows {i} than {j}"): 2,
    ("SUM(CASE WHEN {i} THEN 1.0 END) / SUM(IIF({j}, 1, 0))", "how many {i} to one {j}"): 1,
}  # fmt: skip
ORDERS: Final = {"{a}": 60.0, "{d}": 15.0, "{a} / {b}": 6.0, "CAST({a} AS REAL) / {b}": 6.0}
COMPARED: Final = (
    *("{a} = (SELECT MAX({a}) FROM {s})", "{a} = (SELECT MIN({a}) FROM {s})"),
    *("{a} > (SELECT AVG({a}) FROM {s})", "{a} * 100 < (SELECT AVG({a}) FROM {s}) * 80"),
)
GROUPS: Final = {"{w}": 60.0, "{n}": 25.0, "STRFTIME('%Y', {d})": 10.0, "{w}, {n}": 5.0}
WINDOWS: Final = ("RANK()", "DENSE_RANK()", "ROW_NUMBER()", "AVG({b})", "COUNT(*)")


def filled(template: str, source: Source) -> str:
    """Return a template with its slots filled by draws from a source."""
    kinds = {"a": ("number",), "b": ("number",), "d": ("day",), "w": ("word",), "n": ("name", "id")}
    slots: dict[str, str] = {}
    for slot, kinds_of_slot in (kinds | {"c": ("id", "name", "word", "key")}).items():
        if f"{{{slot}}}" in template:
            place, column = source.column(*kinds_of_slot, but=slots.values())
            slots[slot] = place.sql(column.name)
    slots |= {slot: source.any_condition()[0] for slot in "ij" if f"{{{slot}}}" in template}
    return template.format(**slots)


def listed(source: Source) -> tuple[str, str]:
    """Return one to three columns, in SQL and in words."""
    n_columns = weighted(source.rng, N_COLUMNS)
    kinds = ("name", "name", "word", "number", "day", "id")
    drawn = [source.column(pick(source.rng, kinds)) for _ in range(n_columns)]
    sqls = {place.sql(column.name): in_words(column) for place, column in drawn}
    return ", ".join(sqls), " and ".join(sqls.values())


def conditions(source: Source) -> tuple[str, str]:
    """Return some conditions, from WHERE on, in SQL and in words."""
    return source.where(weighted(source.rng, N_CONDITIONS))


def lookup(source: Source) -> Query:
    """Return columns of the rows under some conditions."""
    (columns, words), (where, told) = listed(source), source.where(weighted(source.rng, LOOKED_UP))
    distinct = "DISTINCT " if chance(source.rng, 0.14) else ""
    return f"SELECT {distinct}{columns} FROM {source.text}{where}", f"What is the {words}{told}?"


def measure(source: Source) -> Query:
    """Return a number that is computed over rows."""
    (sql, words), (where, told) = weighted(source.rng, MEASURES), conditions(source)
    both = filled(f"{sql}\n{words}", source).split("\n")
    return (
        f"SELECT {both[0]} FROM {source.text}{where}",
        f"{both[1][0].upper()}{both[1][1:]}{told}?",
    )


def top(source: Source) -> Query:
    """Return the first rows of an order; equal values make some of them arbitrary."""
    (columns, words), (where, told) = listed(source), conditions(source)
    order = filled(weighted(source.rng, ORDERS), source)
    way, shown = pick(source.rng, ("DESC", "DESC", "ASC", "")), weighted(source.rng, ROWS_SHOWN)
    sql = f"SELECT {columns} FROM {source.text}{where} ORDER BY {order} {way}".rstrip()
    side = "lowest" if way != "DESC" else "highest"
    return f"{sql} LIMIT {shown}", f"Give the {words} of the {shown} {side} by {order}{told}."


def group(source: Source) -> Query:
    """Return groups, some with a measure, a condition on the group, or an order."""
    (sql, words), (where, told) = weighted(source.rng, MEASURES), conditions(source)
    by = filled(weighted(source.rng, GROUPS), source)
    found, words = filled(f"{sql}\n{words}", source).split("\n")
    text = f"SELECT {by}" + (f", {found}" if chance(source.rng, 0.45) else "")
    text += f" FROM {source.text}{where} GROUP BY {by}"
    if chance(source.rng, 0.25):
        text += f" HAVING COUNT(*) > {between(source.rng, 1, 9)}"
    if chance(source.rng, 0.6):
        way, shown = pick(source.rng, ("DESC", "DESC", "ASC")), weighted(source.rng, ROWS_SHOWN)
        text += f" ORDER BY {found} {way} LIMIT {shown}"
    return text, f"For each {by}, {words}{told}?"


def compared(source: Source) -> Query:
    """Return rows whose number stands out among the rows under the same conditions."""
    (columns, words), (where, told) = listed(source), conditions(source)
    place, column = source.column("number")
    small = not place.large and chance(source.rng, 0.6)
    inner = place.table.name if small else f"{source.text}{where}"
    name = place.sql(column.name)
    test = pick(source.rng, COMPARED).format(a=name, s=inner)
    if small and place.alias:
        test = test.replace(f"({place.alias}.", "(").replace(f"SELECT {place.alias}.", "SELECT ")
    where += f" AND {test}" if where else f" WHERE {test}"
    return f"SELECT {columns} FROM {source.text}{where}", f"What {words} stand out{told}?"


def nested(source: Source) -> Query:
    """Return rows that other rows point to, or how many there are."""
    table, where = source.root.table, conditions(source)[0]
    column = pick(source.rng, [one for one in table.columns if one.kind in ("key", "id")])
    parent, name = column.values[0], source.root.sql(column.name)
    inner = f"SELECT {name} FROM {source.text}{where}"
    if chance(source.rng, 0.3):
        inner += f" GROUP BY {name} HAVING COUNT(*) > {between(source.rng, 0, 5)}"
    if chance(source.rng, 0.3):
        return f"SELECT COUNT(*) FROM ({inner})", f"How many {parent}s are there?"
    negated = "NOT " if chance(source.rng, 0.2) else ""
    what = pick(source.rng, ("COUNT(*)", "*", f"{parent}_id"))
    sql = f"SELECT {what} FROM {parent} WHERE {parent}_id {negated}IN ({inner})"
    return sql, f"Which {parent}s are {negated.lower()}among those of a {table.name}?"


def set_operation(source: Source) -> Query:
    """Return what two lookups have in common, or one has alone, or both have."""
    (columns, words), first, second = listed(source), conditions(source), conditions(source)
    name = pick(source.rng, ("UNION", "INTERSECT", "EXCEPT", "UNION ALL"))
    sqls = [f"SELECT {columns} FROM {source.text}{where}" for where, _ in (first, second)]
    return f" {name} ".join(sqls), f"What {words}{first[1]}, {name.lower()}{second[1]}?"


def window(source: Source) -> Query:
    """Return the rows that come first in each part."""
    where, told = conditions(source)
    over = f"{pick(source.rng, WINDOWS)} OVER (PARTITION BY {{w}} ORDER BY {{a}} DESC)"
    inner = filled(f"SELECT {{n}} AS who, {over} AS place FROM ", source) + f"{source.text}{where}"
    shown = f"place <= {between(source.rng, 1, 3)}"
    if chance(source.rng, 0.5):
        return f"SELECT who, place FROM ({inner}) WHERE {shown}", f"Who leads its part{told}?"
    return f"WITH ranked AS ({inner}) SELECT COUNT(*) FROM ranked WHERE {shown}", f"How many{told}?"


FAMILIES: Final[dict[Callable[[Source], Query], float]] = {
    lookup: 42,
    measure: 34,
    top: 11,
    group: 7,
    compared: 3,
    nested: 2,
    set_operation: 0.5,
    window: 0.5,
}


def of_any_family(rng: Random) -> Query:
    """Return sound SQL and its question."""
    return weighted(rng, FAMILIES)(Source(rng))
