"""Questions at each stage, and small databases for them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path

from claimdb_builder.pipeline.records import (
    ExecutedQuestion,
    MarkedQuestion,
    Question,
    SelectedQuestion,
)
from claimdb_builder.pipeline.stage import Context, DatabasePaths, Policy, SchemaStyle, Settings
from claimdb_builder.stages.deterministic import deterministic

PETS = (
    "CREATE TABLE pet (name TEXT, kind TEXT, age INT, weight REAL);"
    "INSERT INTO pet VALUES ('Ada', 'owl', 3, 1.5), ('Bo', 'dog', 7, 20.0), ('Cy', 'dog', 7, 9.0),"
    " ('Di', 'cat', 1, NULL), ('Ed', 'dog', 2, 20.0);"
)
"""Two pets of seven years; two of 20 kg; three dogs."""


def question(sql: str, bird_id: int = 0, db_name: str = "zoo") -> Question:
    """A question with the SQL given."""
    return Question(
        bird_id=bird_id,
        db_name=db_name,
        question="How many?",
        evidence="",
        sql=sql,
        difficulty="simple",
        source="dev.json",
        place=bird_id + 1,
    )


def selected(sql: str, bird_id: int = 0, db_name: str = "zoo") -> SelectedQuestion:
    """A question as `select` gives it."""
    given = vars(question(sql, bird_id, db_name))
    return SelectedQuestion(**given, features=("aggregate",), n_joins=0, n_tables=1)


def marked(sql: str, digest: str = "", marks: Iterable[str] = ()) -> MarkedQuestion:
    """A question as `deterministic` gives it."""
    return MarkedQuestion(**vars(selected(sql)), marks=tuple(marks), answer_sha256=digest)


def executed(rows: Sequence[tuple[str | int | float | None, ...]]) -> ExecutedQuestion:
    """A question as `execute` gives it."""
    columns = tuple(f"c{place}" for place in range(len(rows[0]) if rows else 1))
    return ExecutedQuestion(
        **vars(marked("SELECT 1")), columns=columns, rows=tuple(rows), flags=(), ticks=0
    )


def zoo(folder: Path, script: str = PETS) -> Path:
    """Make a database from a script, and return its path."""
    path = folder / "zoo.sqlite"
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
        connection.commit()
    return path


def context(
    path: Path | None,
    *,
    policy: Policy = "strict",
    drop: tuple[str, ...] | None = (),
    schema_style: SchemaStyle = "full",
    descriptions: Path | None = None,
) -> Context:
    """What a stage knows of a database called zoo; with None, there is none."""
    settings = Settings(policy, drop, schema_style)
    places = {"zoo": DatabasePaths(path, descriptions, str(path))} if path else {}
    return Context(settings, places)


def marks_of(path: Path, sql: str) -> tuple[str, ...]:
    """The marks that SQL gets on a database."""
    kept, dropped = deterministic([selected(sql)], context(path))
    assert dropped == []
    found: tuple[str, ...] = kept[0].marks
    return found
