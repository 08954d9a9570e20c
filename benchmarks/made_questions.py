"""Questions with gold SQL, like BIRD's, on the databases of `made_databases`, from a seed.

One question in SPECIAL_ONE_IN is one of SPECIALS: SQL that fails or changes data, that depends on
the day, or whose answer is empty, NULL or long. All others are of one of `made_queries.FAMILIES`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import count, islice
from pathlib import Path
from random import Random
from typing import Any, Final

from benchmarks.made_databases import CUSTOMER, OPERATOR, STATION, WAGON
from benchmarks.made_queries import Query, of_any_family
from benchmarks.made_sources import as_sql, in_words, literal
from claimdb_loader.sample.generate.draw import chance, pick

SPECIAL_ONE_IN: Final = 25
NO_EVIDENCE: Final = 0.07
LONGEST: Final = {"simple": 160, "moderate": 280}
"""How long the SQL of a difficulty is at most; all longer SQL is challenging."""


def syntax_error(rng: Random) -> Query:
    """Return SQL that does not parse."""
    sql, question = of_any_family(rng)
    flaws = ((" FROM ", " FORM "), ("SELECT ", "SELECT , "), (" FROM ", " FROM WHERE "))
    return sql.replace(*pick(rng, flaws), 1), question


def two_statements(rng: Random) -> Query:
    """Return two statements where one is wanted."""
    (first, question), (second, _) = of_any_family(rng), of_any_family(rng)
    return f"{first}; {second}", question


def slot_filled(template: str, rng: Random) -> str:
    """Return a template with a table, one of its number columns and a value of that filled in."""
    table = pick(rng, (CUSTOMER, OPERATOR, STATION, WAGON))
    column = pick(rng, [column for column in table.columns if column.kind == "number"])
    name = column.name if column.name.isidentifier() else f"`{column.name}`"
    value = as_sql(literal(rng, table, column))
    slots = {"t": table.name, "a": name, "v": value, "n": in_words(column)}
    return template.format(**slots)


# {t} is a table, {a} a column of numbers, {n} its name in words, {v} a value of it.
SPECIALS: Final[dict[str, Callable[[Random], Query] | tuple[Query, ...]]] = {
    "syntax_error": syntax_error,
    "unknown_column": (
        ("SELECT {t}_colour FROM {t} WHERE {a} > {v}", "What colour has a {t} with {n} over {v}?"),
        ("SELECT {a} FROM {t} WHERE T2.{t}_id = 1", "What is the {n} of {t} 1?"),
    ),
    "two_statements": two_statements,
    "update": (
        ("UPDATE {t} SET {a} = {v} WHERE {t}_id = 1", "What if the {n} of {t} 1 were {v}?"),
        ("DELETE FROM {t} WHERE {a} > {v}", "What is left without {n} over {v}?"),
    ),
    "now": (
        ("SELECT COUNT({a}) FROM {t} WHERE DATE('now') > '2030-01-01'", "How many {n} by 2030?"),
        ("SELECT CURRENT_TIMESTAMP, MAX({a}) FROM {t}", "What is the highest {n} at this time?"),
        ("SELECT STRFTIME('%Y', 'now') - MIN({a}) FROM {t}", "How far is the {n} from this year?"),
    ),
    "empty": (
        ("SELECT {a} FROM {t} WHERE {t}_id < 0 AND {a} > {v}", "What {n} has {t} minus one?"),
        ("SELECT {t}_id FROM {t} WHERE {a} = {v} AND {a} < {v}", "Which {t} has less than {n}?"),
    ),
    "null": (
        ("SELECT MAX({a}) FROM {t} WHERE {a} < -{v} - 1", "What is the highest {n} under -{v}?"),
        ("SELECT SUM({a}) * 100 / COUNT({a}) FROM {t} WHERE {t}_id = 0", "Which share has {n}?"),
    ),
    "many_rows": (
        ("SELECT {t}_id, {a} FROM {t} WHERE {t}_id <= 20 ORDER BY {a}", "List 20 {n}."),
        ("SELECT {t}_id FROM {t} ORDER BY {a} DESC LIMIT 11", "Which 11 have the highest {n}?"),
    ),
}


def special(kind: str, rng: Random) -> Query:
    """Return SQL of one of the SPECIALS and its question."""
    made = SPECIALS[kind]
    if callable(made):
        return made(rng)
    sql, question = slot_filled("\n".join(pick(rng, made)), rng).split("\n")
    return sql, question


def kinds_and_questions(
    db_ids: Sequence[str], seed: int = 0
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield rows without end, each after its kind: "" or one of SPECIALS.

    Args:
        db_ids: names of databases that `make_database` made, of any seed and size.
        seed: another seed gives other questions.
    """
    rng = Random(f"questions {seed}")
    for number in count(1):
        n_special, rest = divmod(number, SPECIAL_ONE_IN)
        kind = "" if rest else tuple(SPECIALS)[n_special % len(SPECIALS)]
        db_id = pick(rng, db_ids)
        sql, question = special(kind, rng) if kind else of_any_family(rng)
        yield kind, as_row(db_id, sql, question, rng)


def as_row(db_id: str, sql: str, question: str, rng: Random) -> dict[str, Any]:
    """Return a row with BIRD's keys; the evidence explains a piece of the SQL."""
    bare = re.sub(r"\bT\d\.", "", sql)
    term = re.search(r" (?:WHERE|AND) ((\w+|`[^`]+`) [=<>]+ (?:'(?:[^']|'')*'|[\d.]+))", bare)
    told = (term[2], term[1]) if term else ("the answer", bare[7:].split(" FROM ")[0])
    return {
        "db_id": db_id,
        "question": as_words(question),
        "evidence": "" if chance(rng, NO_EVIDENCE) else f"{as_words(told[0])} refers to {told[1]}",
        "SQL": sql,
        "difficulty": next((name for name, n in LONGEST.items() if len(sql) <= n), "challenging"),
    }


def as_words(text: str) -> str:
    """Return text without the marks of SQL in it."""
    return re.sub(r"\bT\d\.|`", "", text).replace("''", "'").replace("_", " ")


def questions(n: int, db_ids: Sequence[str], seed: int = 0) -> Iterator[dict[str, Any]]:
    """Yield n rows like BIRD's: db_id, question, evidence, SQL and difficulty.

    Args:
        n: how many; the rows of a smaller n are the first ones of a larger n.
        db_ids: names of databases that `make_database` made, of any seed and size.
        seed: another seed gives other questions.
    """
    return (row for _, row in islice(kinds_and_questions(db_ids, seed), n))


def write_questions(path: Path, n: int, db_ids: Sequence[str], seed: int = 0) -> None:
    """Write n questions to a file, one JSON object a line."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in questions(n, db_ids, seed):
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
