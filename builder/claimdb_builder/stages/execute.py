"""Stage 4: runs gold SQL in the sandbox and keeps the answers that claims can be made from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from claimdb_builder.pipeline.records import Dropped, ExecutedQuestion, MarkedQuestion
from claimdb_builder.pipeline.stage import SLOW_BATCH_SIZE, Context, Outcome, Stage
from claimdb_builder.stages.gold_runs import MAX_ANSWER_ROWS, answer_sha256, gold_runner
from claimdb_sandbox import GOLD_LIMITS, Result

REASONS: Final = {
    "timeout": "stopped at the limit of time or of steps",
    "memory": "needs more memory than a query may have",
    "denied": "does what a query may not do",
    "sql_error": "SQLite refuses it",
    "not_a_query": "no statement in it",
    "worker_died": "the process that ran it ended, twice",
    "too_many_rows": f"more than {MAX_ANSWER_ROWS} rows",
    "too_long": "an answer of more bytes than one may have",
    "unstable": "two runs had two outcomes",
}
"""The sandbox's statuses, and what else is wrong with an answer."""

_CHANGES_BY_NATURE: Final = frozenset({"current_time", "random"})


def execute(questions: Sequence[MarkedQuestion], context: Context) -> Outcome:
    """Return the questions with their answers, and those that have none that can be used.

    Args:
        questions: marked; the answer has to be the one that the stage before saw.
        context: where the databases are.

    >>> execute([], Context())
    ([], [])
    """
    kept: list[ExecutedQuestion] = []
    dropped: list[Dropped] = []
    run = gold_runner(GOLD_LIMITS)
    for question in questions:
        result = run(context.databases[question.db_name].path, question.sql)
        fault = _fault(question, result)
        if fault is not None:
            dropped.append(Dropped(question.bird_id, question.db_name, *fault))
            continue
        kept.append(
            ExecutedQuestion(
                **vars(question),
                columns=result.columns,
                rows=result.rows,
                flags=result.flags,
                ticks=result.ticks,
            )
        )
    return kept, dropped


def _fault(question: MarkedQuestion, result: Result) -> tuple[str, str] | None:
    """The reason and message for which an answer cannot be used, None where it can."""
    if not result.ok:
        return result.status, result.message or REASONS[result.status]
    if result.limit == "max_bytes":
        return "too_long", str(result.message)
    if len(result.rows) > MAX_ANSWER_ROWS:
        return "too_many_rows", REASONS["too_many_rows"]
    if _CHANGES_BY_NATURE.isdisjoint(question.marks) and (
        answer_sha256(result) != question.answer_sha256
    ):
        return "unstable", REASONS["unstable"]
    return None


EXECUTE: Final = Stage(
    name="execute",
    version=1,
    takes=MarkedQuestion,
    function=execute,
    reasons=REASONS,
    choices=frozenset({"too_many_rows"}),
    reads_databases=True,
    batch_size=SLOW_BATCH_SIZE,
    libraries=("sqlite",),
)
