"""Random SELECTs that SQLite accepts, on four tables: all places and spellings that SQL has."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field

PLAIN = ("a", "b", "Name", "date", "count", "año", "a$b", "_x", "名")
ODD = ("order", "group by", "select", "it's", "a--b", "/*", "x(", 'say "hi"', "T1.a", "1st", "x\ny")
TABLES = ("t", "u", "limit", "my table")
LITERALS = (
    *("0", "1", "42", "1.5", ".5", "5.", "1e3", "1E-3", "2.5e+10", "0x1F", "NULL", "x'00ff'"),
    *("X''", "'x'", "''", "'it''s'", "'a -- b'", "'/*'", "'SELECT 1; LIMIT'", "'x\ny'", "'[\"`'"),
    *("'now'", "'ünï'", "-1", "- 2", "+3", "CURRENT_DATE", "TRUE", "'%a_'"),
)
UNARY = ("NOT {}", "- {}", "~{}", "({})", "{} IS NULL", "{} IS NOT NULL", "{} ISNULL", "{} NOTNULL")
BINARY = (
    *("=", "==", "<>", "!=", "<", ">", "<=", ">=", "AND", "OR", "+", "-", "*", "/", "%", "||"),
    *("&", "|", "IS", "IS NOT", "LIKE", "NOT LIKE", "GLOB", "NOT GLOB"),
    *("IS DISTINCT FROM", "IS NOT DISTINCT FROM"),
)
OTHERS = (
    *("{} BETWEEN {} AND {}", "{} NOT BETWEEN {} AND {}", "{} IN ({}, {})", "{} NOT IN ({})"),
    *("CASE WHEN {} THEN {} END", "CASE {} WHEN {} THEN {} ELSE 0 END", "IIF({}, {}, {})"),
    *("max({}, {})", "min({}, {}, {})", "coalesce({}, {})", "substr({}, 1, 2)", "abs({})"),
    *("CAST({} AS REAL)", "CAST({} AS INTEGER)", "CAST({} AS VARCHAR(10))", "{} COLLATE NOCASE"),
    *("strftime('%Y', {})", "date({})", "replace({}, 'a', {})", "round({}, 1)", "ifnull({}, 0)"),
    *("instr({}, {})", "json_extract({}, '$.a')", "typeof({})", "length( {} )"),
)
AGGREGATES = (
    *("count(*)", "COUNT ( * )", "count({})", "count(DISTINCT {})", "sum({})", "avg({})"),
    *("max({})", "min({})", "total({})", "TOTAL ({})", "group_concat({})", "sum(DISTINCT {})"),
    *("group_concat({}, '; ')", "json_group_array({})", "json_group_object({}, 1)"),
    *("count({}) FILTER (WHERE {})", "sum({}) FILTER (WHERE {} > 1)"),
)
WINDOWS = (
    *("row_number() OVER ()", "rank() OVER (ORDER BY {})", "sum({}) OVER (PARTITION BY {})"),
    *("lag({}) OVER (PARTITION BY {} ORDER BY {} DESC)", "total({}) OVER (ORDER BY {})"),
    "count(*) OVER (ORDER BY {} ROWS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE TIES)",
    "avg({}) OVER (ORDER BY {} RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)",
)
JOINS = (
    *(" JOIN ", " INNER JOIN ", " LEFT JOIN ", " LEFT OUTER JOIN ", " CROSS JOIN ", ", ", "\n,\t"),
    *(" RIGHT JOIN ", " FULL OUTER JOIN "),
)
SPACES = (" ", " ", " ", " ", "\n", "\t ", " -- why\n", " /* x, ( ; */ ", " /* LIMIT */ -- ')\n")
SET_OPERATORS = ("UNION", "UNION ALL", "INTERSECT", "EXCEPT")
LIMITS = ("LIMIT 1", "LIMIT 2, 3", "limit 4 OFFSET 5", "LIMIT (1)", "LIMIT -1", "LIMIT 1+1")
PLAIN_TESTS = (
    *("{} = 1", "{} = 'x'", "{} <> {}", "{} IS NULL", "{} IS NOT NULL", "{} LIKE 'x%'"),
    *("{} NOT LIKE 'x'", "{} BETWEEN 1 AND 2", "{} NOT BETWEEN 1 AND 2", "{} IN (1, 2)"),
)
TRAPS = ("", "", "", " IS NULL", " + 1", " COLLATE NOCASE", " || 'x'", " = 1", " IN (1)", " ISNULL")
"""Behind a test: what binds closer than AND does, so that the test is a plain one no more."""
ORDERS = ("", "", " ASC", " DESC", " NULLS FIRST", " DESC NULLS LAST", " COLLATE BINARY DESC")


def database() -> sqlite3.Connection:
    """Return a connection to the tables, which are empty."""
    connection = sqlite3.connect(":memory:")
    columns = ", ".join('"{}"'.format(name.replace('"', '""')) for name in PLAIN + ODD)
    for table in TABLES:
        connection.execute(f'CREATE TABLE "{table}" ({columns})')
    return connection


def accepted(sql: str) -> bool:
    """Whether SQLite compiles SQL as one statement."""
    with closing(database()) as connection:
        try:
            connection.execute(f"EXPLAIN {sql}")
        except (sqlite3.Error, sqlite3.Warning, ValueError):
            return False
    return True


@dataclass
class Writer:
    """Writes queries; `choose(n)` says which of n ways each thing is written, 0 is the plainest."""

    choose: Callable[[int], int]
    n_names: int = 0
    common: list[str] = field(default_factory=list)

    def one(self, ways: Sequence[str]) -> str:
        return ways[self.choose(len(ways))]

    def gap(self) -> str:
        return self.one(SPACES)

    def sometimes(self, one_in: int) -> bool:
        return self.choose(one_in) == one_in - 1

    def quoted(self, name: str) -> str:
        ways = ['"{}"'.format(name.replace('"', '""')), "`{}`".format(name.replace("`", "``"))]
        return self.one([*ways, f"[{name}]"])

    def name(self, name: str, *, is_plain: bool) -> str:
        return self.quoted(name) if not is_plain or self.sometimes(3) else name

    def alias(self) -> str:
        self.n_names += 1
        return f"T{self.n_names}"

    def column(self, sources: Sequence[str]) -> str:
        is_plain = not self.sometimes(3)
        name = self.name(self.one(PLAIN if is_plain else ODD), is_plain=is_plain)
        if not sources:
            return "1"
        if len(sources) == 1 and not self.sometimes(2):
            return name
        return f"{self.one(sources)}{self.one(['.', '.', ' . '])}{name}"

    def expression(self, depth: int, sources: Sequence[str], calls: str = "") -> str:
        """Text of an expression; `calls`: which may stand in it, "a"ggregates and "w"indows."""
        kind = self.choose(9 if depth > 0 else 2)
        if kind == 0 or depth < 0:
            return self.column(sources)
        if kind == 1:
            return self.one(LITERALS)
        if kind == 2 and calls:
            ways = (AGGREGATES if "a" in calls else ()) + (WINDOWS if "w" in calls else ())
            return self.filled(self.one(ways), depth, sources, "")
        if kind == 3:
            ways = ("({})", "EXISTS ({})", "{} IN ({})", "({}) > 1", "NOT EXISTS ({})")
            way = self.one(ways)
            query = self.query(depth - 1, sources, n_columns=1)
            return way.replace("{} IN", f"{self.column(sources)} IN").format(query)
        if kind == 4:
            return self.filled(self.one(UNARY), depth, sources, calls)
        if kind in (5, 6):
            operator = self.one(BINARY)
            return self.filled(f"{{}}{self.gap()}{operator}{self.gap()}{{}}", depth, sources, calls)
        return self.filled(self.one(OTHERS), depth, sources, calls)

    def filled(self, pattern: str, depth: int, sources: Sequence[str], calls: str) -> str:
        pieces = pattern.split("{}")
        text = pieces[0]
        for piece in pieces[1:]:
            text += self.expression(depth - 1, sources, calls) + piece
        return text

    def source(self, depth: int) -> tuple[str, str]:
        """A table or a subquery with all columns, and the name it goes by."""
        alias = self.alias()
        name = self.one((*TABLES, *self.common))
        text = self.name(name, is_plain=name not in TABLES[2:])
        if depth > 0 and self.sometimes(4):
            text = f"(SELECT * FROM {text}{self.tail(depth - 1, ['1'])})"
        return f"{text}{self.one([' AS ', ' ', ' as '])}{alias}", alias

    def from_clause(self, depth: int) -> tuple[str, list[str]]:
        text, alias = self.source(depth)
        sources = [alias]
        while len(sources) < 4 and self.sometimes(3):
            joint = self.one(JOINS)
            more, alias = self.source(depth)
            sources.append(alias)
            text += joint + more
            if "," not in joint and "CROSS" not in joint:
                text += f" ON {self.condition(depth, sources)}"
        return text, sources

    def condition(self, depth: int, sources: Sequence[str]) -> str:
        parts = [self.test(depth, sources)]
        while len(parts) < 6 and self.sometimes(2):
            parts += [self.one(["AND", "OR"]), self.test(depth, sources)]
        return " ".join(parts)

    def test(self, depth: int, sources: Sequence[str]) -> str:
        if self.sometimes(2):
            return self.expression(depth, sources)
        return self.filled(self.one(PLAIN_TESTS), 0, sources, "") + self.one(TRAPS)

    def tail(self, depth: int, terms: Sequence[str]) -> str:
        text = ""
        if self.sometimes(3):
            text += f"{self.gap()}ORDER BY {self.one(terms)}{self.one(ORDERS)}"
        if self.sometimes(3):
            text += f"{self.gap()}{self.one(LIMITS)}"
        return text

    def core(self, depth: int, outer: Sequence[str], n_columns: int, calls: str) -> str:
        clause, own = self.from_clause(depth - 1)
        sources = [*own, *outer] if self.sometimes(4) else own
        columns = [self.expression(depth, sources, calls) for _ in range(n_columns)]
        columns = [c + self.one(["", "", " AS x", ' "the x"', " AS [x y]"]) for c in columns]
        text = self.one(["SELECT", "SELECT", "SELECT DISTINCT", "select", "SELECT ALL"])
        text += self.gap() + self.one([", ", ",", "\n, "]).join(columns)
        text += f"{self.gap()}{self.one(['FROM', 'from'])}{self.gap()}{clause}"
        if self.sometimes(2):
            text += f"{self.gap()}WHERE{self.gap()}{self.condition(depth, sources)}"
        if self.sometimes(4):
            text += f"{self.gap()}GROUP BY {self.column(own)}"
            if self.sometimes(2):
                text += f", {self.column(own)} HAVING {self.expression(depth, own, 'a')}"
        return text

    def query(self, depth: int, outer: Sequence[str] = (), n_columns: int = 0) -> str:
        """Text of a whole query."""
        start = ""
        n_common = len(self.common)
        if depth > 1 and self.sometimes(8):
            common = f"c{self.alias()}"
            start = f"{self.one(['WITH', 'WITH RECURSIVE'])} {common} AS (SELECT * FROM t)"
            self.common.append(common)
            start += self.gap()
        n_columns = n_columns or 1 + self.choose(3)
        text = self.core(depth, outer, n_columns, self.one(["", "a", "aw"]))
        while self.sometimes(8):
            text += f"{self.gap()}{self.one(SET_OPERATORS)}{self.gap()}"
            text += self.core(depth - 1, outer, n_columns, "a")
        text += self.tail(depth, ["1", str(n_columns), "1, 1"])
        del self.common[n_common:]
        return start + text
