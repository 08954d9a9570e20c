"""SQL that is cut, mixed and spiked at random: each case is made from its number alone."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

OWN_QUERIES = (
    "SELECT * FROM heroes",
    "SELECT count(*) FROM heroes WHERE power > 3",
    "SELECT name FROM heroes WHERE name LIKE '%7%' ORDER BY id DESC LIMIT 5",
    "SELECT power, avg(height_cm) AS mean FROM heroes GROUP BY power HAVING mean > 170",
    "SELECT a.name, b.name FROM heroes AS a JOIN heroes AS b ON a.id = b.id + 1 WHERE a.power = 6",
    "SELECT DISTINCT power FROM heroes ORDER BY 1",
    "SELECT max(id), min(id), sum(height_cm) / count(*) FROM heroes",
    "SELECT CASE WHEN power > 3 THEN 'strong' ELSE 'weak' END, count(*) FROM heroes GROUP BY 1",
    "SELECT name FROM heroes WHERE id IN (SELECT max(id) FROM heroes GROUP BY power)",
    "SELECT name FROM heroes WHERE EXISTS (SELECT 1 FROM bad WHERE x = id)",
    "WITH tall AS (SELECT * FROM heroes WHERE height_cm > 190) SELECT count(*) FROM tall",
    "WITH RECURSIVE r(n) AS (SELECT 1 UNION SELECT n + 1 FROM r WHERE n < 50) SELECT sum(n) FROM r",
    "SELECT name, rank() OVER (PARTITION BY power ORDER BY height_cm) FROM heroes LIMIT 9",
    "SELECT substr(name, 6) || '-' || upper(name), length(name) FROM heroes WHERE id = 12",
    "SELECT CAST(height_cm AS INTEGER), round(height_cm, 1), typeof(power) FROM heroes LIMIT 3",
    "SELECT id FROM heroes WHERE power BETWEEN 2 AND 4 AND NOT (id % 2 = 0 OR name IS NULL)",
    "SELECT id FROM heroes UNION SELECT x FROM bad EXCEPT SELECT 5 ORDER BY 1 LIMIT 4 OFFSET 2",
    "SELECT h.* FROM heroes AS h LEFT JOIN bad ON bad.x = h.id WHERE bad.x IS NULL LIMIT 3",
    "SELECT group_concat(name, ', ') FROM (SELECT name FROM heroes ORDER BY name LIMIT 4)",
    "SELECT json_extract('{\"a\": [1, 2]}', '$.a[1]'), value FROM json_each('[3, 4]')",
    "SELECT strftime('%Y', '2020-02-30'), date('now') > '2000-01-01', julianday('2000-01-01')",
    'SELECT "name" AS "the name" FROM "heroes" WHERE "name" = "Hero 7"',
    "SELECT `name`, [power] FROM `heroes` WHERE [id] = 3",
    "SELECT printf('%05d %s', id, name), hex(name), quote(name), coalesce(NULL, power) FROM heroes",
    "SELECT sum(power) FILTER (WHERE id > 10), total(power) FROM heroes",
    "VALUES (1, 'one'), (2, 'two')",
    "SELECT name FROM heroes WHERE (power, id) = (3, 3) OR name GLOB 'Hero 1?'",
    "PRAGMA table_info(heroes)",
    "EXPLAIN QUERY PLAN SELECT * FROM heroes WHERE id = 3",
    "SELECT name, sql FROM sqlite_master WHERE type = 'table' -- the schema",
)

VALUES = (
    *("9223372036854775807", "-9223372036854775808", "1e999", "0x7fffffffffffffff", "1" * 400),
    *("NULL", "x'00ff'", "CAST(x'ff' AS TEXT)", "''", "'🦸'", "?1", ":a", "@b", "rowid", "*"),
    *("load_extension('x')", "readfile('/etc/passwd')", "writefile('x', 'y')", "edit('x')"),
    *("fts3_tokenizer('x')", "randomblob(900000)", "zeroblob(2000000000)", "'\ud800'"),
    *("hex(zeroblob(400000))", "printf('%.*c', 900000, 'x')", "abs(-9223372036854775808)"),
    *("(SELECT group_concat(sql) FROM sqlite_master)", "json('[' || hex(zeroblob(400000)))"),
    *("(" * 90 + "1" + ")" * 90, "-" * 3 + "- " * 300 + "1", "1" + "+1" * 3000, "1" + ",1" * 300),
    "(WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r)",
    "(WITH RECURSIVE r(s) AS (SELECT 'x' UNION ALL SELECT s || s FROM r) SELECT max(s) FROM r)",
    "(SELECT max(sql) FROM pragma_table_info('x'), dbstat)",
)
"""What may stand where a name or a number was."""

FRAGMENTS = (
    *("ATTACH DATABASE 'evil.db' AS e", "; DROP TABLE heroes", "; DELETE FROM bad;", ";", ";;"),
    *("PRAGMA journal_mode = WAL", "PRAGMA user_version = 7", "VACUUM INTO 'copy.db'", "VACUUM"),
    *("BEGIN EXCLUSIVE", "SAVEPOINT s", "ANALYZE", "RETURNING *", "REINDEX", "DETACH main"),
    *("--", "-- x\n", "/*", "*/", "/* ; */", "'", '"', "`", "[", "]", "''", '""', "\\", "$a(')"),
    *("\0", "\ud800", "\ufeff", "\u202e", "名", "\x1b[2J", "\v", "\x85", "\xa0", "```", "~~~sql\n"),
    *("(" * 300, ")" * 300, "NOT " * 300, "- " * 400, "CASE " * 150, "UNION ALL SELECT 1 " * 60),
    *(", sqlite_master", ", sqlite_master AS m, sqlite_master AS n", "LIMIT 1", "ORDER BY 1"),
)
"""What may stand anywhere."""

WHOLES = (
    *("{0};", "{0}; {0}", "-- x\n{0}", "```sql\n{0}\n```", "{0} -- ;", "\ufeff{0}", "({0})"),
    *("EXPLAIN {0}", "EXPLAIN QUERY PLAN {0}", "CREATE TABLE z AS {0}", "CREATE VIEW z AS {0}"),
    *("CREATE TEMP TABLE heroes AS {0}", "INSERT INTO bad {0}", "REPLACE INTO bad {0}"),
    *("WITH z AS ({0}) DELETE FROM heroes", "WITH z AS ({0}) UPDATE heroes SET id = 1"),
    *(
        "SELECT * FROM ({0})",
        "SELECT count(*) FROM ({0})",
        "SELECT *, * FROM ({0})",
        "{0} UNION {1}",
    ),
    *("SELECT * FROM ({0}), ({1})", "SELECT ({0}), ({1})", "SELECT EXISTS ({0})", "{0} EXCEPT {1}"),
    *("SELECT count(*) FROM ({0}) a, ({0}) b, ({0}) c", "WITH z AS ({0}) SELECT * FROM z, z, z, z"),
)
"""What may be made of a whole query, or of two."""

# One call takes seconds, in which SQLite asks nobody whether to go on: only a kill ends it.
STUCK = "SELECT instr(hex(zeroblob(490000)), hex(zeroblob(240000)) || '1') FROM ({})"
STUCK_SHARE = 0.003

TOKEN = re.compile(r"\s+|\w+|'[^']*'|\"[^\"]*\"|`[^`]*`|.", re.DOTALL)
WORD = re.compile(r"\w|['\"`]")
LITERAL = re.compile(r"\d|'")

Change = Callable[[str, random.Random, Sequence[str]], str]


def mutated(chance: random.Random, queries: Sequence[str]) -> str:
    """Return a query with one to four changes, all of them drawn from `chance`."""
    sql = chance.choice(queries)
    for _ in range(chance.choice([1, 1, 1, 1, 1, 2, 2, 3, 4])):
        change = chance.choice(CHANGES)
        sql = change(sql, chance, queries) or " "
    if chance.random() < STUCK_SHARE:
        sql = STUCK.format(chance.choice(queries))
    return sql


def places(tokens: list[str], kind: re.Pattern[str]) -> list[int]:
    """The places of the tokens of a kind; all places if there are none."""
    return [n for n, token in enumerate(tokens) if kind.match(token)] or [*range(len(tokens))]


def two_swapped(sql: str, chance: random.Random, _: Sequence[str]) -> str:
    tokens = TOKEN.findall(sql)
    a, b = chance.choices(places(tokens, WORD), k=2)
    tokens[a], tokens[b] = tokens[b], tokens[a]
    return "".join(tokens)


def some_deleted(sql: str, chance: random.Random, _: Sequence[str]) -> str:
    tokens = TOKEN.findall(sql)
    start = chance.randrange(len(tokens))
    return "".join(tokens[:start] + tokens[start + chance.randint(1, 4) :])


def some_doubled(sql: str, chance: random.Random, _: Sequence[str]) -> str:
    tokens = TOKEN.findall(sql)
    start = chance.randrange(len(tokens))
    end = start + chance.randint(1, 9)
    return "".join(tokens[:end] + tokens[start:end] * chance.choice([1, 1, 2, 50]) + tokens[end:])


def spliced(sql: str, chance: random.Random, queries: Sequence[str]) -> str:
    """The beginning of one query and the end of another."""
    other = chance.choice(queries)
    return sql[: chance.randrange(len(sql) + 1)] + other[chance.randrange(len(other)) :]


def with_value(sql: str, chance: random.Random, queries: Sequence[str]) -> str:
    tokens = TOKEN.findall(sql)
    query = f"({chance.choice(queries)})"
    place = chance.choice(places(tokens, chance.choice([WORD, LITERAL, LITERAL])))
    tokens[place] = chance.choice([chance.choice(VALUES), query])
    return "".join(tokens)


def with_fragment(sql: str, chance: random.Random, _: Sequence[str]) -> str:
    tokens = TOKEN.findall(sql)
    place = chance.choice([0, len(tokens), chance.randrange(len(tokens))])
    return "".join([*tokens[:place], " ", chance.choice(FRAGMENTS), " ", *tokens[place:]])


def within_whole(sql: str, chance: random.Random, queries: Sequence[str]) -> str:
    return chance.choice(WHOLES).format(sql, chance.choice(queries))


CHANGES: tuple[Change, ...] = (
    *(two_swapped, some_deleted, some_doubled, spliced, with_fragment),
    *(with_value, with_value, with_value, within_whole, within_whole, within_whole),
)
