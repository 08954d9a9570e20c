"""Made databases and questions: what the benchmarks of the builder run on."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path

import pytest

from benchmarks.made_databases import TABLES, make_database, name_of
from benchmarks.made_questions import SPECIALS, kinds_and_questions, questions, write_questions

N_ROWS = 5000
N_QUESTIONS = 500
DB_IDS = ["railway_0", "railway_1"]
# What SQLite says to each kind that it refuses, on a connection that only reads.
REFUSALS = {
    "syntax_error": "syntax error",
    "unknown_column": "no such column",
    "two_statements": "one statement at a time",
    "update": "readonly database",
}
ORDERED = re.compile(r"^SELECT .*?( FROM .*) ORDER BY (.*?)(?: DESC| ASC)? LIMIT (\d+)$")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A made database with few rows."""
    path = tmp_path_factory.mktemp("made") / "railway_0.sqlite"
    make_database(path, N_ROWS)
    return path


@pytest.fixture
def database(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection to it that only reads."""
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        yield connection


def test_a_seed_gives_the_same_bytes_and_another_seed_gives_others(
    path: Path, tmp_path: Path
) -> None:
    """Whoever runs a benchmark again runs it on the same file."""
    again, other = tmp_path / "again.sqlite", tmp_path / "other.sqlite"
    make_database(again, N_ROWS)
    make_database(other, N_ROWS, seed=1)
    assert again.read_bytes() == path.read_bytes()
    assert other.read_bytes() != path.read_bytes()


@pytest.mark.parametrize("n_rows", [2000, N_ROWS, 60_001])
def test_a_database_has_8_sound_tables_and_the_rows_asked_for(tmp_path: Path, n_rows: int) -> None:
    """The tables share the rows; each key points to a row."""
    made = tmp_path / "made.sqlite"
    make_database(made, n_rows)
    with closing(sqlite3.connect(made)) as connection:
        found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        counts = [
            connection.execute(f"SELECT COUNT(*) FROM {name}").fetchone()[0] for (name,) in found
        ]
        assert len(counts) == len(TABLES) == 8
        assert sum(counts) == n_rows
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_too_few_rows_and_files_that_exist_are_refused(path: Path, tmp_path: Path) -> None:
    """No file is left behind, and none is written over."""
    with pytest.raises(ValueError, match="1000 rows are too few"):
        make_database(tmp_path / "small.sqlite", 1000)
    with pytest.raises(FileExistsError, match="exists already"):
        make_database(path, N_ROWS)
    assert list(tmp_path.iterdir()) == []


def test_names_can_be_told_from_row_numbers(tmp_path: Path) -> None:
    """Questions name rows of databases that they have not seen; each name is there once."""
    make_database(tmp_path / "made.sqlite", 60_000)
    with closing(sqlite3.connect(tmp_path / "made.sqlite")) as connection:
        for table in TABLES:
            for ending in [one.values[0] for one in table.columns if one.kind == "name"]:
                select = f"SELECT {table.name}_id, name FROM {table.name}"
                names = dict(connection.execute(select).fetchall())
                assert names == {number: name_of(number, ending) for number in names}
                assert len(set(names.values())) == len(names) >= table.at_least


def test_values_are_skewed_tied_and_partly_null(database: sqlite3.Connection) -> None:
    """What makes real data hard is there: equal maxima, missing values, a few busy customers."""
    ties = "SELECT COUNT(*) FROM station WHERE n_tracks = (SELECT MIN(n_tracks) FROM station)"
    assert database.execute(ties).fetchone()[0] > 1
    nulls = "SELECT SUM(price_eur IS NULL), COUNT(price_eur) FROM consignment"
    missing, known = database.execute(nulls).fetchone()
    assert 0 < missing < known / 10
    busiest = "SELECT COUNT(*) FROM consignment GROUP BY customer_id ORDER BY 1 DESC LIMIT 1"
    (most,) = database.execute(busiest).fetchone()
    (rows,) = database.execute("SELECT COUNT(*) FROM consignment").fetchone()
    assert most > 5 * rows / 100


def test_questions_are_the_same_for_a_seed_and_come_one_by_one(tmp_path: Path) -> None:
    """A million questions may be asked for and a few taken."""
    few = list(questions(50, DB_IDS))
    assert list(islice(questions(10**12, DB_IDS), 50)) == few
    assert list(questions(50, DB_IDS, seed=1)) != few
    assert {row["db_id"] for row in few} == set(DB_IDS)
    assert all(list(row) == ["db_id", "question", "evidence", "SQL", "difficulty"] for row in few)
    write_questions(tmp_path / "made.jsonl", 50, DB_IDS)
    lines = (tmp_path / "made.jsonl").read_text("utf-8").split("\n")[:-1]
    assert [json.loads(line) for line in lines] == few


def test_sql_runs_but_for_the_kinds_that_are_to_fail(database: sqlite3.Connection) -> None:
    """Each kind of special question is there, and fails or answers as its name says."""
    seen = set()
    for kind, row in islice(kinds_and_questions(DB_IDS), N_QUESTIONS):
        seen.add(kind)
        if kind in REFUSALS:
            with pytest.raises((sqlite3.Error, sqlite3.Warning), match=REFUSALS[kind]):
                database.execute(row["SQL"])
            continue
        answer = database.execute(row["SQL"]).fetchall()
        assert (answer == []) or kind != "empty", row
        assert (answer == [(None,)]) or kind != "null", row
        assert (len(answer) > 10) or kind != "many_rows", row
    assert seen == {"", *SPECIALS}


def test_questions_are_varied_and_some_limits_cut_ties(database: sqlite3.Connection) -> None:
    """Few texts repeat, most answers have rows, and some top rows are arbitrary."""
    rows = [row for kind, row in islice(kinds_and_questions(DB_IDS), 1000) if not kind]
    sqls = [row["SQL"] for row in rows]
    assert len(set(sqls)) > 0.95 * len(sqls)
    answers = [database.execute(sql).fetchmany(11) for sql in sqls]
    assert sum(answer != [] for answer in answers) > 0.7 * len(sqls)
    ties = 0
    for found in filter(None, map(ORDERED.match, sqls)):
        source, order, limit = found[1], found[2], int(found[3])
        if " GROUP BY " not in source:
            sorted_like = f"SELECT {order}{source} {found[0][found.end(1) :].split(' LIMIT')[0]}"
            values = database.execute(f"{sorted_like} LIMIT {limit + 1}").fetchall()
            ties += len(values) > limit and values[-1] == values[-2]
    assert ties > 5
