"""What a made question selects from: tables of `made_databases` joined, and conditions on them.

Joins go from a child up to its parents, so that a query has as many rows as its root table at most.
Conditions on a large root mostly use an index; one query in FULL_SCAN_ONE_IN reads all its rows.
"""

from __future__ import annotations

from collections.abc import Container
from random import Random
from typing import Final, NamedTuple

from benchmarks.made_databases import TABLES, Column, Table, name_of, quote
from claimdb_loader.sample.generate.draw import between, chance, pick, weighted

BY_NAME: Final = {table.name: table for table in TABLES}
FULL_SCAN_ONE_IN: Final = 60
LARGE_SHARE: Final = 900
N_JOINS: Final = {0: 24.0, 1: 56.0, 2: 16.0, 3: 4.0}
# Tables that questions start from, by the number of joins that they have parents for.
ROOTS: Final[dict[int, dict[str, float]]] = {
    0: {"station": 25, "customer": 20, "wagon": 20, "operator": 10, "region": 5, "train": 20},
    1: {"station": 20, "customer": 15, "wagon": 15, "train": 25, "consignment": 20, "reading": 5},
    2: {"train": 35, "consignment": 50, "reading": 15},
    3: {"train": 30, "consignment": 70},
}

# SQL and words: {c} column, {n} its name, {v} <= {w} two values, {p} the start of one,
# {y} and {z} a year as text and as a number.
CONDITIONS: Final[dict[str, dict[tuple[str, str], float]]] = {
    "word": {
        ("{c} = {v}", "{n} is {v}"): 20,
        ("{c} IN ({v}, {w})", "{n} is {v} or {w}"): 2,
        ("({c} = {v} OR {c} = {w})", "{n} is either {v} or {w}"): 1,
        ("{c} <> {v}", "{n} is not {v}"): 2,
        ("{c} LIKE {p}", "{n} starts with {p}"): 3,
    },
    "number": {
        ("{c} > {v}", "{n} is more than {v}"): 6,
        ("{c} < {w}", "{n} is less than {w}"): 4,
        ("{c} >= {v}", "{n} is at least {v}"): 2,
        ("{c} = {v}", "{n} is {v}"): 1,
        ("{c} BETWEEN {v} AND {w}", "{n} is between {v} and {w}"): 2,
        ("{c} * 2 > {w}", "twice the {n} is more than {w}"): 0.5,
        ("{c} IS NOT NULL", "{n} is known"): 0.5,
    },
    "day": {
        ("STRFTIME('%Y', {c}) = {y}", "year of {n} is {y}"): 5,
        ("CAST(STRFTIME('%Y', {c}) AS INTEGER) >= {z}", "year of {n} is {z} or later"): 1,
        ("SUBSTR({c}, 1, 4) = {y}", "year of {n} is {y}"): 2,
        ("{c} LIKE {y} || '%'", "{n} is in {y}"): 2,
        ("{c} > {v}", "{n} is after {v}"): 3,
        ("{c} BETWEEN {v} AND {w}", "{n} is between {v} and {w}"): 3,
        ("{c} IS NULL", "{n} is not known"): 1,
    },
    "name": {("{c} = {v}", "{n} is {v}"): 9, ("{c} LIKE {p}", "{n} starts with {p}"): 2},
    "id": {("{c} = {v}", "number is {v}"): 3, ("{c} < {w}", "number is below {w}"): 1},
}
CONDITION_KINDS: Final = {"word": 40.0, "number": 28.0, "day": 16.0, "name": 12.0, "id": 4.0}


class Place(NamedTuple):
    """A table of a query under its alias ("": none)."""

    alias: str
    table: Table

    @property
    def large(self) -> bool:
        """Whether reading the table to its end takes long."""
        return self.table.share >= LARGE_SHARE

    def sql(self, column: str) -> str:
        """Return a column as the query names it."""
        name = column if column.isidentifier() else f"`{column}`"
        return f"{self.alias}.{name}" if self.alias else name


def literal(rng: Random, table: Table, column: Column) -> str | float:
    """Return a value that a column of a table may have in every database."""
    if column.kind == "word":
        return pick(rng, column.values)
    if column.kind == "name":
        return name_of(between(rng, 1, table.at_least), column.values[0])
    if column.kind == "number":
        n_steps = round((column.high - column.low) / column.step)
        return round(column.low + int(n_steps * rng.random() ** 1.5) * column.step, 2)
    if column.kind == "day":
        year = between(rng, int(column.low), int(column.high))
        return f"{year}-{between(rng, 1, 12):02}-{between(rng, 1, 28):02}"
    return between(rng, 1, BY_NAME[column.values[0]].at_least)


def in_words(column: Column) -> str:
    """Return a column's name as a question says it."""
    return column.name.replace("_", " ").lower()


def as_sql(value: str | float) -> str:
    """Return a value as an SQL literal."""
    return quote(value) if isinstance(value, str) else f"{value}"


class Source:
    """The tables of one query, joined, with draws of columns and conditions on them."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        n_joins = weighted(rng, N_JOINS)
        self.edges: list[tuple[int, Column, int]] = []
        tables = [BY_NAME[weighted(rng, ROOTS[n_joins])]]
        for _ in range(n_joins):
            used = {(child, column.name) for child, column, _ in self.edges}
            open_keys = [
                (at, column)
                for at, table in enumerate(tables)
                for column in table.columns
                if column.kind == "key" and (at, column.name) not in used
            ]
            child, column = pick(rng, open_keys)
            self.edges.append((child, column, len(tables)))
            tables.append(BY_NAME[column.values[0]])
        order = self._order(len(tables))
        alias = {at: f"T{number}" if n_joins else "" for number, at in enumerate(order, 1)}
        self.places = [Place(alias[at], table) for at, table in enumerate(tables)]
        self.root = self.places[0]
        self.text = self._joined(order)

    def _order(self, n_tables: int) -> list[int]:
        """Return the order of the tables in FROM: each one beside one before it."""
        order = [int(self.rng.random() * n_tables)]
        while len(order) < n_tables:
            ends = [(child, parent) for child, _, parent in self.edges]
            beside = {b for a, b in ends if a in order} | {a for a, b in ends if b in order}
            order.append(pick(self.rng, sorted(beside - set(order))))
        return order

    def _joined(self, order: list[int]) -> str:
        """Return the text after FROM."""
        text, seen = self._named(order[0]), {order[0]}
        kind = "LEFT" if order[0] == 0 and chance(self.rng, 0.08) else "INNER"
        for at in order[1:]:
            seen.add(at)
            ends = [edge for edge in self.edges if at in edge[::2] and seen.issuperset(edge[::2])]
            child, column, parent = ends[0]
            sides = [self.places[child].sql(column.name)]
            sides.append(self.places[parent].sql(f"{self.places[parent].table.name}_id"))
            left, right = sides if chance(self.rng, 0.6) else sides[::-1]
            text += f" {kind} JOIN {self._named(at)} ON {left} = {right}"
        return text

    def _named(self, at: int) -> str:
        """Return a table as FROM and JOIN name it."""
        place = self.places[at]
        return f"{place.table.name} AS {place.alias}" if place.alias else place.table.name

    def column(self, *kinds: str, but: Container[str] = ()) -> tuple[Place, Column]:
        """Return a column of the given kinds, but not of that SQL; if none, the root's identity."""
        found = [
            (place, column)
            for place in self.places
            for column in place.table.columns
            if column.kind in kinds and place.sql(column.name) not in but
        ]
        return pick(self.rng, found) if found else (self.root, self.root.table.columns[0])

    def condition(self, place: Place, column: Column) -> tuple[str, str]:
        """Return a condition on a column, in SQL and in words."""
        kind = "id" if column.kind == "key" else column.kind
        sql, words = weighted(self.rng, CONDITIONS[kind])
        values = [literal(self.rng, place.table, column) for _ in "vw"]
        low, high = sorted(values, key=lambda value: (str(type(value)), value))
        year, start = str(low)[:4], f"{str(low)[:3]}%"
        slots = {"c": place.sql(column.name), "v": as_sql(low), "w": as_sql(high)}
        slots |= {"p": quote(start), "y": quote(year), "z": year}
        slots |= {"n": f"{place.table.name}'s {in_words(column)}"}
        return sql.format(**slots), words.format(**slots)

    def any_condition(self) -> tuple[str, str]:
        """Return a condition on one of the columns."""
        return self.condition(*self.column(weighted(self.rng, CONDITION_KINDS)))

    def anchor(self) -> tuple[str, str]:
        """Return a condition on the root that an index answers."""
        indexed = [edge for edge in self.edges if edge[1].name in self.root.table.indexes]
        named = [
            (self.places[parent], column)
            for child, _, parent in indexed
            for column in self.places[parent].table.columns
            if child == 0 and column.kind == "name"
        ]
        if named and chance(self.rng, 0.7):
            place, column = pick(self.rng, named)
            value = as_sql(literal(self.rng, place.table, column))
            return f"{place.sql(column.name)} = {value}", f"{place.table.name} is {value}"
        names = self.root.table.indexes
        column = pick(self.rng, [one for one in self.root.table.columns if one.name in names])
        value = as_sql(literal(self.rng, self.root.table, column))
        return f"{self.root.sql(column.name)} = {value}", f"{in_words(column)} is {value}"

    def where(self, n_conditions: int) -> tuple[str, str]:
        """Return the text from WHERE on ("" for no condition), and the same in words."""
        anchored = self.root.large and not chance(self.rng, 1 / FULL_SCAN_ONE_IN)
        drawn = [self.anchor()] if anchored else []
        drawn += [self.any_condition() for _ in range(n_conditions - anchored)]
        if not drawn:
            return "", ""
        sqls, words = zip(*dict(drawn).items(), strict=True)
        return f" WHERE {' AND '.join(sqls)}", f" where {' and '.join(words)}"
