"""The embedded sample: databases, questions, claims and checks agree and keep to the limits."""

from __future__ import annotations

import json
import lzma
import re
import sqlite3
import unicodedata
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from statistics import mean
from typing import Any

import pytest
import sqlglot
from sqlglot import exp

from claimdb_loader.sample.generate.build import SOURCES, build
from tests.loader.sample_checks import Answer, holds, shows, values

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "loader/claimdb_loader/sample"
DATABASES = ("ferry_lines", "city_library", "solar_coop")
LABELS = ("ENTAILED", "CONTRADICTED", "NOT ENOUGH INFO")
CATEGORIES = ("OUT-OF-SCHEMA", "SUBJECTIVE", "COUNTERFACTUAL")
# About half a second of SQLite's virtual machine on a slow core; steps do not vary, seconds do.
MAX_STEPS = 5_000_000


def _records(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSONL file."""
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]


QUESTIONS = _records(SAMPLE / "questions.jsonl")
CLAIMS = _records(SAMPLE / "claims.jsonl")
CHECKS = {
    record["claim_id"]: record for record in _records(ROOT / "tests/data/sample_checks.jsonl")
}
TEXTS = {label: [row["claim"] for row in CLAIMS if row["label"] == label] for label in LABELS}
BY_QUESTION = pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: str(q["bird_id"]))
BY_DATABASE = pytest.mark.parametrize("db_name", DATABASES)


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, sqlite3.Connection]]:
    """A connection to each packed database, unpacked."""
    folder = tmp_path_factory.mktemp("sample")
    connections = {}
    for db_name in DATABASES:
        path = folder / f"{db_name}.sqlite"
        path.write_bytes(lzma.decompress((SAMPLE / f"{db_name}.sqlite.xz").read_bytes()))
        connections[db_name] = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    yield connections
    for connection in connections.values():
        connection.close()


def _tables(connection: sqlite3.Connection) -> list[str]:
    """The names of the tables."""
    query = "SELECT name FROM sqlite_master WHERE type = 'table'"
    return [name for (name,) in connection.execute(query)]


@BY_DATABASE
def test_packed_database_is_what_the_generator_builds(
    db_name: str, unpacked: dict[str, sqlite3.Connection], tmp_path: Path
) -> None:
    build(db_name, tmp_path / "fresh.sqlite")
    with closing(sqlite3.connect(tmp_path / "fresh.sqlite")) as fresh:
        assert list(fresh.iterdump()) == list(unpacked[db_name].iterdump())


def test_build_keeps_its_hands_off_a_file_that_exists(tmp_path: Path) -> None:
    path = tmp_path / "mine.sqlite"
    path.write_text("mine")
    with pytest.raises(FileExistsError, match="name a new file"):
        build("ferry_lines", path)
    assert path.read_text() == "mine"


def test_sizes(unpacked: dict[str, sqlite3.Connection]) -> None:
    assert set(SOURCES) == set(DATABASES)
    rows = 0
    for connection in unpacked.values():
        tables = _tables(connection)
        assert 4 <= len(tables) <= 8
        rows += sum(connection.execute(f"SELECT COUNT(*) FROM {t}").fetchone()[0] for t in tables)
    assert 20_000 <= rows <= 60_000
    assert sum(path.stat().st_size for path in SAMPLE.glob("*.xz")) < 1_000_000


@BY_DATABASE
def test_database_is_sound(db_name: str, unpacked: dict[str, sqlite3.Connection]) -> None:
    connection = unpacked[db_name]
    assert connection.execute("PRAGMA quick_check").fetchall() == [("ok",)]
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    assert connection.execute("PRAGMA page_size").fetchone() == (4096,)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    cells: list[object] = []
    foreign = 0
    for table in _tables(connection):
        columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
        assert any(column[5] for column in columns), f"{table} has no primary key"
        foreign += len(connection.execute(f"PRAGMA foreign_key_list({table})").fetchall())
        cells += [value for row in connection.execute(f"SELECT * FROM {table}") for value in row]
    texts = [value for value in cells if isinstance(value, str)]
    assert foreign >= 4
    assert None in cells
    assert any(not text.isascii() for text in texts)
    assert all(unicodedata.is_normalized("NFC", text) for text in texts)


def _answer(connection: sqlite3.Connection, sql: str) -> Answer:
    """The rows of a query, which must stay below MAX_STEPS."""
    connection.set_progress_handler(lambda: 1, MAX_STEPS)
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.set_progress_handler(None, 0)


@BY_QUESTION
def test_gold_sql_asks_enough(question: dict[str, Any]) -> None:
    assert list(question) == ["bird_id", "db_name", "question", "extra_info", "gold_sql"]
    tree = sqlglot.parse_one(question["gold_sql"], read="sqlite")
    hard = tree.find(exp.AggFunc, exp.Order, exp.Window)
    assert hard or len(list(tree.find_all(exp.Join))) >= 2
    assert not re.search(r"\b(now|random\w*|current_\w+)\b", question["gold_sql"], re.IGNORECASE)


@BY_QUESTION
def test_gold_answer_is_short_and_unambiguous(
    question: dict[str, Any], unpacked: dict[str, sqlite3.Connection]
) -> None:
    connection = unpacked[question["db_name"]]
    answer = _answer(connection, question["gold_sql"])
    assert 1 <= len(answer) <= 10
    assert all(value is not None for row in answer for value in row)
    names = [row[0] for row in answer]
    assert len(set(names)) == len(names)
    keys = _order_keys(connection, question["gold_sql"])
    assert len(set(keys)) == len(keys), "a tie: the order of these rows is left to chance"


def _order_keys(connection: sqlite3.Connection, sql: str) -> Answer:
    """What each row is ordered by, with one row more than the query's LIMIT, if it has one.

    The AST is edited: the ORDER BY's expressions are put behind the output columns (a name given
    to an output column stands for that column's expression) and the LIMIT is raised by one. Where
    all keys differ there is no tie, neither among the rows nor at the LIMIT's edge.
    """
    tree = sqlglot.parse_one(sql, read="sqlite")
    assert isinstance(tree, exp.Select)
    width = len(tree.selects)
    named = {item.alias: item.unalias() for item in tree.selects if item.alias}
    ordered = [item.this for item in tree.args["order"].expressions]
    keys = [named.get(key.sql(dialect="sqlite"), key).copy() for key in ordered]
    if limit := tree.args.get("limit"):
        tree.limit(int(limit.expression.this) + 1, copy=False)
    rows = _answer(connection, tree.select(*keys).sql(dialect="sqlite"))
    return [row[width:] for row in rows]


def test_a_tie_at_the_limit_is_seen() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE t (name TEXT, n INTEGER)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", [("a", 3), ("b", 2), ("c", 2)])
        sql = "SELECT name, SUM(n) AS s FROM t GROUP BY name ORDER BY s DESC LIMIT 2"
        assert _order_keys(connection, sql) == [(3,), (2,), (2,)]


@pytest.mark.parametrize("row", CLAIMS, ids=lambda row: str(row["claim_id"]))
def test_claim_is_what_its_label_says(
    row: dict[str, Any], unpacked: dict[str, sqlite3.Connection]
) -> None:
    question = QUESTIONS[row["bird_id"]]
    assert (row["db_name"], row["extra_info"]) == (question["db_name"], question["extra_info"])
    if row["label"] == "NOT ENOUGH INFO":
        assert row["claim_id"] not in CHECKS
        return
    check = CHECKS[row["claim_id"]]
    answer = _answer(unpacked[row["db_name"]], question["gold_sql"])
    assert holds(check["holds"], answer) is (row["label"] == "ENTAILED"), answer
    assert all(text in row["claim"] for text in check["says"])
    hidden = [v for v in values(check["holds"]) if not any(shows(t, v) for t in check["says"])]
    assert not hidden, "values that are checked but not said"


def test_counts() -> None:
    assert [question["bird_id"] for question in QUESTIONS] == list(range(len(QUESTIONS)))
    assert min(Counter(question["db_name"] for question in QUESTIONS).values()) >= 14
    labels = Counter((row["db_name"], row["label"]) for row in CLAIMS)
    assert set(labels) == {(db_name, label) for db_name in DATABASES for label in LABELS}
    assert min(labels.values()) >= 15
    assert [len(TEXTS[label]) for label in LABELS] == [48, 48, 48]
    categories = Counter(row["category"] for row in CLAIMS if "category" in row)
    assert categories == dict.fromkeys(CATEGORIES, 16)
    assert {row["bird_id"] for row in CLAIMS} == set(range(len(QUESTIONS)))


def test_rows_are_in_order_and_complete() -> None:
    ids = [row["claim_id"] for row in CLAIMS]
    assert ids == sorted(set(ids))
    for row in CLAIMS:
        category = ["category"] if row["label"] == "NOT ENOUGH INFO" else []
        keys = ["claim_id", "bird_id", "db_name", "label", *category, "claim", "extra_info"]
        assert list(row) == keys


def test_sentences(unpacked: dict[str, sqlite3.Connection]) -> None:
    claims = [row["claim"] for row in CLAIMS]
    assert len({claim.casefold() for claim in claims}) == len(claims)
    names = {name for connection in unpacked.values() for name in _tables(connection)}
    names |= set(re.findall(r"\w+_\w+", " ".join(sql for sql, _ in SOURCES.values())))
    schema = re.compile("|".join(sorted(name for name in names if "_" in name)))
    meta = re.compile(r"\b(question|answer|database|data ?set|table|column|query|sql)s?\b", re.I)
    for claim in claims:
        assert claim.endswith(".")
        assert claim == claim.strip()
        assert unicodedata.is_normalized("NFC", claim)
        assert not schema.search(claim)
        assert not meta.search(claim)


NEGATION = r"\b(not|no|never|none|nothing|nowhere|neither|nor|without)\b|n't\b"


@pytest.mark.parametrize(
    ("pattern", "most"), [(NEGATION, 0.05), (r"\d", 0.2), (r"\b(more|most|\w+est)\b", 0.25)]
)
def test_no_word_gives_entailed_or_contradicted_away(pattern: str, most: float) -> None:
    shares = [
        mean(bool(re.search(pattern, text, re.IGNORECASE)) for text in TEXTS[label])
        for label in ("ENTAILED", "CONTRADICTED")
    ]
    assert abs(shares[0] - shares[1]) <= most, shares


def test_nei_claims_do_not_stand_out() -> None:
    hypothetical = [row["claim"] for row in CLAIMS if row.get("category") == "COUNTERFACTUAL"]
    assert sum(claim.startswith("If ") for claim in hypothetical) <= len(hypothetical) / 3
    lengths = {label: mean(len(text) for text in TEXTS[label]) for label in LABELS}
    others = (lengths["ENTAILED"] + lengths["CONTRADICTED"]) / 2
    assert 0.8 <= lengths["NOT ENOUGH INFO"] / others <= 1.25, lengths
