"""Stage 2: takes the questions whose SQL combines what no single row says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from claimdb_builder.pipeline.records import Dropped, Question, SelectedQuestion
from claimdb_builder.pipeline.stage import Context, Outcome, Policy, Stage
from claimdb_builder.stages.features import features
from claimdb_builder.stages.key_lookups import is_key_lookup
from claimdb_builder.stages.syntax_trees import Unusable

TAKEN_FOR: Final[Mapping[Policy, frozenset[str]]] = {
    "paper": frozenset({"aggregate", "order", "joins"}),
    "strict": frozenset(
        {
            *("aggregate", "sqlite_aggregate", "order", "joins", "subquery_joins", "window"),
            *("group_by", "having", "distinct", "set_operation"),
        }
    ),
}
"""Of these features a question needs one. `paper` is the published benchmark's filter."""

REASONS: Final = {
    "not_compositional": "no feature that the policy asks for",
    "key_lookup": "looks up one row by its key; what else is in it does nothing",
    "empty": "no SQL",
    "unparsable": "sqlglot cannot parse it",
    "several_statements": "more than one statement",
    "not_a_select": "a statement that does not read",
}


def select(questions: Sequence[Question], context: Context) -> Outcome:
    """Return the questions that the policy takes, with their features, and the others.

    Args:
        questions: as read.
        context: its settings name the policy.

    >>> from claimdb_builder.pipeline.stage import Settings
    >>> given = {"db_name": "zoo", "question": "", "evidence": "", "difficulty": "", "source": ""}
    >>> sqls = ["SELECT count(*) FROM pet", "SELECT name FROM pet", "SELECT count( FROM pet"]
    >>> questions = [Question(bird_id=i, sql=sql, place=i, **given) for i, sql in enumerate(sqls)]
    >>> kept, dropped = select(questions, Context(Settings(select="paper")))
    >>> [question.features for question in kept], [drop.reason for drop in dropped]
    ([('aggregate',)], ['not_compositional', 'unparsable'])
    """
    kept: list[SelectedQuestion] = []
    dropped: list[Dropped] = []
    for question in questions:
        outcome = _outcome(question, context.settings.select)
        if isinstance(outcome, Dropped):
            dropped.append(outcome)
        else:
            kept.append(outcome)
    return kept, dropped


def _outcome(question: Question, policy: Policy) -> SelectedQuestion | Dropped:
    taken_for = TAKEN_FOR[policy]
    try:
        found = features(question.sql)
        may_be_lookup = policy == "strict" and found.may_be_lookup
        is_lookup = may_be_lookup and is_key_lookup(question.sql)
    except Unusable as unusable:
        return _drop(question, unusable.fault, unusable.message)
    if taken_for.isdisjoint(found.names):
        return _drop(question, "not_compositional", f"has none of {', '.join(sorted(taken_for))}")
    if is_lookup:
        return _drop(question, "key_lookup", "its WHERE fixes a key of its only table")
    return SelectedQuestion(
        **vars(question), features=found.names, n_joins=found.n_joins, n_tables=found.n_tables
    )


def _drop(question: Question, reason: str, message: str) -> Dropped:
    return Dropped(question.bird_id, question.db_name, reason, message)


SELECT: Final = Stage(
    name="select",
    version=1,
    takes=Question,
    function=select,
    reasons=REASONS,
    choices=frozenset({"not_compositional", "key_lookup"}),
    settings=("select",),
    libraries=("sqlglot",),
)
