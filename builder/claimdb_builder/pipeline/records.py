"""What stages take and give: frozen records, each a line of JSON.

Question → SelectedQuestion → MarkedQuestion → ExecutedQuestion → AnsweredQuestion: each stage adds
fields to what it was given and changes none.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, TypeVar

Value: TypeAlias = str | int | float | None


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question with the SQL that answers it.

    Args:
        bird_id: unique in a build; BIRD's index, dev before train.
        db_name: the database.
        question: the text.
        evidence: what it takes to understand the question, "" if nothing.
        sql: gold SQL.
        difficulty: as its source has it, "" where it has none.
        source: name of the file it came from.
        place: 1-based line or row in that file.
    """

    bird_id: int
    db_name: str
    question: str
    evidence: str
    sql: str
    difficulty: str
    source: str
    place: int


@dataclass(frozen=True, kw_only=True)
class SelectedQuestion(Question):
    """A question that the policy takes.

    Args:
        features: what its SQL is made of, names of `features.FEATURES` in their order.
        n_joins: JOIN operators, commas between tables among them.
        n_tables: tables that the SQL names, one named twice counted twice.
    """

    features: tuple[str, ...]
    n_joins: int
    n_tables: int


@dataclass(frozen=True, kw_only=True)
class MarkedQuestion(SelectedQuestion):
    """A question whose SQL was looked at for answers that may change.

    Args:
        marks: names of `marks.MARKS` in their order; none where the answer can be relied on.
        answer_sha256: of the answer's columns and rows, "" where the SQL gave none.
    """

    marks: tuple[str, ...]
    answer_sha256: str


@dataclass(frozen=True, kw_only=True)
class ExecutedQuestion(MarkedQuestion):
    """A question with its answer.

    Args:
        columns: names, none of them twice.
        rows: text, int, float or None; how bytes and infinities are written, `flags` tells.
        flags: of the sandbox's result: `blob`, `infinite`, `replaced_text`.
        ticks: thousands of steps that SQLite took.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    flags: tuple[str, ...]
    ticks: int


@dataclass(frozen=True, kw_only=True)
class AnsweredQuestion(ExecutedQuestion):
    """A question with all that a claim is made from.

    Args:
        domain: the database's name in title case.
        answer: the rows as short text.
        schema: the database's tables and columns as text.
    """

    domain: str
    answer: str
    schema: str


@dataclass(frozen=True)
class Dropped:
    """A record that a stage did not keep, and why.

    Args:
        bird_id: of the question.
        db_name: its database.
        reason: a code, one of the stage's reasons.
        message: what was found.
    """

    bird_id: int
    db_name: str
    reason: str
    message: str


RecordType = TypeVar("RecordType", bound=Question)

_encode: Final = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":"), check_circular=False
).encode


def to_line(record: Question | Dropped) -> bytes:
    r"""Return a record as a line of JSON: the same record gives the same bytes.

    >>> to_line(Dropped(7, "zoo", "timeout", "stopped after 30 s"))
    b'{"bird_id":7,"db_name":"zoo","reason":"timeout","message":"stopped after 30 s"}\n'
    """
    return _encode(vars(record)).encode() + b"\n"


def from_line(record_type: type[RecordType], line: bytes) -> RecordType:
    """Return the record in a line that `to_line` made.

    Raises:
        ValueError, TypeError: the line is no such record.

    >>> fields = {"bird_id": 7, "db_name": "zoo", "question": "How many?", "evidence": "",
    ...           "sql": "SELECT 1", "difficulty": "", "source": "dev.json", "place": 1}
    >>> question = Question(**fields)
    >>> from_line(Question, to_line(question)) == question
    True
    """
    return record_type(**{name: _frozen(value) for name, value in json.loads(line).items()})


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if type(value) is list else value
