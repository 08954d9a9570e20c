"""Databases of BIRD's real size, made from a seed: freight railways with 8 tables.

    .venv/bin/python benchmarks/made_databases.py --rows 5000000 --out DIR [--databases N]

BIRD's databases have 4.6 million rows on average. SQLite makes the rows itself: row n of a table
carries x, a number of a Lehmer sequence, and each column is arithmetic on x. Names depend on the
row's number alone, so that `made_questions` can ask for them without reading a database.
"""

from __future__ import annotations

import argparse
import calendar
import resource
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

PRIME: Final = 2**31 - 1
STEP: Final = 48_271
# One for each column of a table: x times this, modulo PRIME, is the column's own number.
MULTIPLIERS: Final = tuple(pow(69_621, 7_919 * at, PRIME) for at in range(1, 10))
RANDOM: Final = "<random>"
PRAGMAS: Final = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -32000"

# fmt: off
HEADS: Final = (
    "Alder", "Brack", "Corm", "Dun", "Elm", "Fjell", "Glen", "Hollin", "Inver", "Kjøl", "Łan",
    "Mar", "Nether", "O'Dell ", "Pen", "Quern", "Rother", "Thorn", "Ulver", "Vår", "Whit", "Zell",
)
TAILS: Final = (
    "bridge", "by", "cross", "dale", "ferry", "field", "ford", "gate", "ham", "haven", "heath",
    "hurst", "mere", "minster", "moor", "port", "stead", "thorpe", "wick", "worth",
)
# fmt: on


class Column(NamedTuple):
    """A column: its SQL, and what a question needs to know to ask about it."""

    name: str
    kind: str
    declared: str
    drawn: str
    values: tuple[str, ...] = ()
    low: float = 0
    high: float = 0
    step: float = 1


class Table(NamedTuple):
    """A table: its share of a database's rows in 1 / 10,000, and its fewest rows."""

    name: str
    share: int
    at_least: int
    columns: tuple[Column, ...]
    indexes: tuple[str, ...] = ()


def quote(text: str) -> str:
    """Return text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def name_of(number: int, ending: str) -> str:
    """Return the name that row `number` of a table has, whatever the seed."""
    again, at = divmod(number, len(HEADS) * len(TAILS))
    name = HEADS[at % len(HEADS)] + TAILS[at // len(HEADS)] + ending
    return f"{name} {again}" if again else name


def below(n: int | str, *, skewed: bool = False) -> str:
    """Return SQL for a whole number from 0 to n - 1; skewed: small ones far more often."""
    number = f"{RANDOM} * {RANDOM} / {PRIME}" if skewed else RANDOM
    return f"({number} * {n} / {PRIME})"


def one_of(number: str, words: Sequence[str]) -> str:
    """Return SQL for the word at a position that SQL computes."""
    cases = " ".join(f"WHEN {at} THEN {quote(word)}" for at, word in enumerate(words))
    return f"CASE {number} {cases} END"


def or_null(drawn: str, one_in: int) -> str:
    """Return SQL for a value that is NULL in one row of so many; 0: never."""
    return f"iif(x % {one_in} = 0, NULL, {drawn})" if one_in else drawn


def identity(table: str) -> Column:
    """Return the primary key of a table."""
    return Column(f"{table}_id", "id", "INTEGER PRIMARY KEY", "n", (table,))


def named(ending: str) -> Column:
    """Return a column of names."""
    n_heads, n_names = len(HEADS), len(HEADS) * len(TAILS)
    head, tail = one_of(f"n % {n_heads}", HEADS), one_of(f"n / {n_heads} % {len(TAILS)}", TAILS)
    drawn = f"{head} || {tail} || '{ending}' || iif(n < {n_names}, '', ' ' || (n / {n_names}))"
    return Column("name", "name", "TEXT NOT NULL", drawn, (ending,))


def key(name: str, table: str, *, skewed: bool = True) -> Column:
    """Return a foreign key."""
    declared = f"INTEGER NOT NULL REFERENCES {table} ({table}_id)"
    return Column(name, "key", declared, f"1 + {below(f':{table}', skewed=skewed)}", (table,))


def word(name: str, words: str) -> Column:
    """Return a column of a few words, the first ones more often."""
    values = tuple(words.split(", "))
    drawn = one_of(below(len(values), skewed=True), values)
    return Column(name, "word", "TEXT NOT NULL", drawn, values)


def number(
    name: str, low: float, high: float, step: float = 1, *, skewed: bool = False, null: int = 0
) -> Column:
    """Return a column of numbers that are `step` apart, so that many are equal."""
    drawn = f"{low} + {below(round((high - low) / step) + 1, skewed=skewed)} * {step}"
    declared = "REAL" if isinstance(step, float) else "INTEGER"
    drawn = or_null(f"round({drawn}, 2)", null)
    return Column(name, "number", declared, drawn, (), low, high, step)


def day(name: str, first: int, last: int, *, hours: bool = False, null: int = 0) -> Column:
    """Return a column of days, or of whole hours, of the years from first to last."""
    start, end = (calendar.timegm((year, 1, 1, 0, 0, 0)) for year in (first, last + 1))
    unit, function = (3600, "datetime") if hours else (86400, "date")
    drawn = f"{function}({start} + {below((end - start) // unit)} * {unit}, 'unixepoch')"
    return Column(name, "day", function.upper(), or_null(drawn, null), (), first, last)


REGION: Final = Table("region", 0, 24, (
    identity("region"), named(" District"), word("zone", "north, south, coast, highlands"),
    number("area_km2", 40.0, 9000.0, 0.5, skewed=True), number("n_residents", 5000, 900_000, 100),
))  # fmt: skip
OPERATOR: Final = Table("operator", 0, 60, (
    identity("operator"), named(" Rail"), word("country", "Norland, Estmark, Veld, Sarnia, Ostry"),
    number("founded", 1870, 2019), number("n_staff", 10, 9000, 10, skewed=True, null=11),
))  # fmt: skip
STATION: Final = Table("station", 5, 60, (
    identity("station"), named(""), key("region_id", "region"),
    word("kind", "halt, yard, terminal, port, border"), number("altitude_m", 0, 2400, 20),
    number("n_tracks", 1, 30, skewed=True), day("opened_on", 1880, 2015),
    day("closed_on", 2016, 2024, null=2),
), ("name",))  # fmt: skip
WAGON: Final = Table("wagon", 60, 90, (
    identity("wagon"), word("series", "flat, tank, hopper, box, reefer, well"),
    key("operator_id", "operator"), number("Tare (t)", 11.0, 34.0, 0.25),
    number("Load Limit (t)", 20, 90, 5), number("Year Built", 1975, 2023),
    day("checked_on", 2019, 2024, null=7),
))  # fmt: skip
CUSTOMER: Final = Table("customer", 135, 100, (
    identity("customer"), named(" & Sons"),
    word("branch", "farming, steel, paper, chemicals, retail, energy, food"),
    key("region_id", "region"), day("since", 1995, 2022),
    number("credit_limit", 0.0, 500_000.0, 500.0, skewed=True, null=13),
), ("name",))  # fmt: skip
TRAIN: Final = Table("train", 900, 200, (
    identity("train"), key("operator_id", "operator"), key("from_id", "station"),
    key("to_id", "station"), day("departed_on", 2015, 2024),
    number("delay_min", 0, 240, skewed=True, null=19), number("distance_km", 5.0, 1400.0, 0.5),
    word("status", "arrived, late, diverted, cancelled"),
), ("from_id", "departed_on"))  # fmt: skip
CONSIGNMENT: Final = Table("consignment", 3600, 400, (
    identity("consignment"), key("train_id", "train", skewed=False), key("wagon_id", "wagon"),
    key("customer_id", "customer"), number("weight_t", 0.5, 68.0, 0.5, skewed=True),
    word("goods", "grain, timber, coal, steel coils, cement, salt, cars, milk, ethanol, scrap"),
    number("price_eur", 20.0, 9000.0, 2.5, skewed=True, null=23), day("booked_on", 2014, 2024),
), ("train_id", "customer_id"))  # fmt: skip
READING: Final = Table("reading", 10_000, 500, (
    identity("reading"), key("station_id", "station"), day("taken_at", 2015, 2024, hours=True),
    word("sensor", "axle load, wheel heat, noise, wind, rail heat"),
    number("value", -20.0, 180.0, 0.1, null=29), number("quality", 1, 5, skewed=True),
), ("station_id",))  # fmt: skip
TABLES: Final = (REGION, OPERATOR, STATION, WAGON, CUSTOMER, TRAIN, CONSIGNMENT, READING)


def table_sizes(n_rows: int) -> dict[str, int]:
    """Return the number of rows of each table; the last one takes what the others leave."""
    sizes = {table.name: max(table.at_least, n_rows * table.share // 10_000) for table in TABLES}
    left = n_rows - sum(sizes[table.name] for table in TABLES[:-1])
    if left < READING.at_least:
        raise ValueError(f"{n_rows} rows are too few for these tables; ask for 2,000 at least")
    return sizes | {READING.name: left}


def statements(table: Table) -> tuple[str, str, str]:
    """Return the SQL that creates a table, that fills it, and that makes its indexes."""
    declared = ", ".join(f'"{column.name}" {column.declared}' for column in table.columns)
    drawn = ", ".join(
        column.drawn.replace(RANDOM, f"(x * {multiplier} % {PRIME})")
        for column, multiplier in zip(table.columns, MULTIPLIERS, strict=False)
    )
    fill = (
        "WITH RECURSIVE line (n, x) AS (SELECT 1, :start UNION ALL "
        f"SELECT n + 1, x * {STEP} % {PRIME} FROM line WHERE n < :{table.name}) "
        f"INSERT INTO {table.name} SELECT {drawn} FROM line"
    )
    index = f"CREATE INDEX {table.name}_{{0}} ON {table.name} ({{0}});"
    indexes = "".join(index.format(column) for column in table.indexes)
    return f"CREATE TABLE {table.name} ({declared})", fill, indexes


def make_database(path: Path, n_rows: int, seed: int = 0) -> None:
    """Make a database at `path`: for the same seed the same bytes, with the same SQLite.

    Args:
        path: a file that does not exist yet.
        n_rows: rows of all tables together, 2,000 at least.
        seed: another seed gives other rows.
    """
    if path.exists():
        raise FileExistsError(f"{path}: exists already; name a new file")
    sizes = table_sizes(n_rows)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript(PRAGMAS)
        for table in TABLES:
            start = 1 + int(Random(f"{seed} {table.name}").random() * (PRIME - 2))
            create, fill, indexes = statements(table)
            connection.execute(create)
            connection.execute(fill, sizes | {"start": start})
            connection.executescript(indexes)


def main() -> None:
    """Make databases in BIRD's layout, and print what each one cost."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--databases", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    for seed in range(options.databases):
        path = options.out / f"railway_{seed}" / f"railway_{seed}.sqlite"
        path.parent.mkdir(parents=True, exist_ok=True)
        started = time.perf_counter()
        make_database(path, options.rows, seed)
        seconds = time.perf_counter() - started
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        size = path.stat().st_size / 1e6
        print(f"{path}: {size:,.0f} MB in {seconds:.1f} s, peak memory {peak} MiB")


if __name__ == "__main__":
    main()
