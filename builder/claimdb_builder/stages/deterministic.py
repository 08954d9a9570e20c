"""Stage 3: marks the questions whose answer may change, or says nothing, and drops them if told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from claimdb_builder.pipeline.records import Dropped, MarkedQuestion, SelectedQuestion, Value
from claimdb_builder.pipeline.stage import SLOW_BATCH_SIZE, Context, Outcome, Policy, Stage
from claimdb_builder.stages.gold_runs import PROBE_LIMITS, answer_sha256, gold_runner
from claimdb_builder.stages.marks import MARKS, in_order, marks_of_answer, marks_of_text
from claimdb_builder.stages.tie_breaks import tie_breaks
from claimdb_sandbox import GOLD_LIMITS, Result

DROPPED_FOR: Final[Mapping[Policy, tuple[str, ...]]] = {"paper": (), "strict": tuple(MARKS)}
"""The marks for which a question is dropped where the user names none, by policy."""

DATABASE_MISSING: Final = "database_missing"


def deterministic(questions: Sequence[SelectedQuestion], context: Context) -> Outcome:
    """Return the questions with their marks, and those that are dropped for one.

    The SQL is run once for its answer, and where it has a LIMIT twice more, with ties broken one
    way and the other. SQL that fails gets no mark here: the next stage runs it again and says why.

    Args:
        questions: with SQL that can be parsed.
        context: its settings say for which marks a question is dropped.

    >>> question = SelectedQuestion(
    ...     bird_id=1, db_name="gone", question="How many?", evidence="", sql="SELECT 1",
    ...     difficulty="", source="", place=1, features=(), n_joins=0, n_tables=0)
    >>> deterministic([question], Context())[1][0].reason
    'database_missing'
    """
    kept: list[MarkedQuestion] = []
    dropped: list[Dropped] = []
    settings = context.settings
    dropped_for = DROPPED_FOR[settings.select] if settings.drop is None else settings.drop
    for question in questions:
        place = context.databases.get(question.db_name)
        if place is None:
            message = "its database is not there, which --allow-missing-dbs allows"
            dropped.append(Dropped(question.bird_id, question.db_name, DATABASE_MISSING, message))
            continue
        result = gold_runner(GOLD_LIMITS)(place.path, question.sql)
        marks = _marks(question.sql, place.path, result)
        reasons = [mark for mark in marks if mark in dropped_for]
        if reasons:
            message = "; ".join(MARKS[mark] for mark in reasons)
            dropped.append(Dropped(question.bird_id, question.db_name, reasons[0], message))
            continue
        digest = answer_sha256(result)
        kept.append(MarkedQuestion(**vars(question), marks=marks, answer_sha256=digest))
    return kept, dropped


def _marks(sql: str, path: Path, result: Result) -> tuple[str, ...]:
    marks = marks_of_text(sql)
    if result.ok:
        marks |= marks_of_answer(result.rows, result.flags)
        if "random" not in marks:  # else it differs from itself
            marks |= _tie(sql, path, len(result.columns))
    return in_order(marks)


def _tie(sql: str, path: Path, n_columns: int) -> set[str]:
    """The mark of a query that has more than one answer, found by running it both ways."""
    forms = tie_breaks(sql, n_columns)
    if forms is None:
        return set()
    first = _sorted_rows(path, forms.ascending)
    if _agree(first, _sorted_rows(path, forms.descending)):
        return set()
    if forms.is_ordered or not _agree(first, _sorted_rows(path, forms.ordered_descending)):
        return {"tie"}
    return {"unordered_limit"}


def _sorted_rows(path: Path, sql: str) -> list[str] | None:
    result = gold_runner(PROBE_LIMITS)(path, sql)
    if not result.ok or result.truncated:
        return None  # of two answers cut at a thousand rows, other rows may be seen
    return sorted(repr([_comparable(value) for value in row]) for row in result.rows)


def _comparable(value: Value) -> Value:
    """A value without what the order of rows changes in a sum or in group_concat()."""
    if isinstance(value, float):
        return float(f"{value:.12g}")
    return ",".join(sorted(value.split(","))) if isinstance(value, str) else value


def _agree(first: list[str] | None, second: list[str] | None) -> bool:
    """Whether two answers are the same, as far as both are known."""
    return first is None or second is None or first == second


DETERMINISTIC: Final = Stage(
    name="deterministic",
    version=1,
    takes=SelectedQuestion,
    function=deterministic,
    reasons={DATABASE_MISSING: "its database is not there", **MARKS},
    choices=frozenset({DATABASE_MISSING}),
    settings=("select", "drop"),
    reads_databases=True,
    batch_size=SLOW_BATCH_SIZE,
    libraries=("sqlite",),
)
