"""Stage 5: makes the record that claims are written from: question, answer, domain, schema."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from claimdb_builder.pipeline.records import AnsweredQuestion, ExecutedQuestion, Value
from claimdb_builder.pipeline.stage import Context, DatabasePaths, Outcome, SchemaStyle, Stage
from claimdb_builder.schemas.schema_text import schema_text
from claimdb_builder.stats.domains import domain_from_name

MAX_SCHEMAS: Final = 128
"""Schema texts that a process remembers: BIRD has 80 databases, the longest text has 30 KB."""


def answers(questions: Sequence[ExecutedQuestion], context: Context) -> Outcome:
    """Return the questions with domain, answer and schema as text; none is dropped.

    Args:
        questions: with their answers.
        context: where the databases are; its settings say how a schema is written.

    >>> answers([], Context())
    ([], [])
    """
    style = context.settings.schema_style
    kept = [
        AnsweredQuestion(
            **vars(question),
            domain=domain_from_name(question.db_name),
            answer=compact_answer(question.rows),
            schema=_schema(context.databases[question.db_name], style),
        )
        for question in questions
    ]
    return kept, []


def compact_answer(rows: Iterable[Sequence[Value]]) -> str:
    """Return an answer as short text: numbers with three decimals, rows between semicolons.

    As published, for people and models; it cannot be told apart again where values hold ", ".

    >>> compact_answer([(1, "value2"), (2.0, "value4"), (None, "x")])
    '1.000, value2; 2.000, value4; None, x'
    """
    return "; ".join(", ".join(map(_compact, row)) for row in rows)


def _compact(value: Value) -> str:
    if isinstance(value, int):
        return f"{value}.000"  # %.3f would round integers of more than 53 bits
    return f"{value:.3f}" if isinstance(value, float) else str(value)


@lru_cache(maxsize=MAX_SCHEMAS)
def _schema(place: DatabasePaths, style: SchemaStyle) -> str:
    return schema_text(place.path, place.descriptions, style)


ANSWERS: Final = Stage(
    name="answers",
    version=1,
    takes=ExecutedQuestion,
    function=answers,
    settings=("schema_style",),
    reads_databases=True,
)
