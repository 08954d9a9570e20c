"""The card's numbers of what may mislead: shortcuts, shared rows, hidden rows, known issues."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING, Final

from claimdb_builder.publish.benchmark import PUBLIC_TEST, Benchmark
from claimdb_builder.publish.markdown import counted, table
from claimdb_metric import score
from claimdb_metric.baselines import claim_only, majority, random_labels
from claimdb_metric.errors import DataError
from claimdb_metric.grouping import own_groups
from claimdb_metric.labels import HIDDEN_NAME, LABELS
from claimdb_metric.scores import Score

if TYPE_CHECKING:
    import pandas as pd

MAX_BASELINE_CLAIMS: Final = 5000
"""On the 51,369 published train claims each of ten folds takes minutes."""

MAX_FOLDS: Final = 20
"""Databases beyond so many share folds; 80 folds of 5,000 claims took two minutes."""

FEW_QUESTIONS: Final = 30
"""Over fewer groups 95 % intervals are too narrow (see claims_options.FEW_GROUPS)."""

SEED: Final = 12345
CUES: Final = {
    'starts with "If"': r"^If ",
    'contains "would"': r"\bwould\b",
    "contains a negation": r"(?i:\b(?:no|not|none|never|neither|nor|without)\b|n['’]t\b)",
    "contains a digit": r"\d",
}
"""Words by which labels of the published benchmark can be guessed (most of its COUNTERFACTUAL
claims start with "If")."""


def baselines(benchmark: Benchmark) -> str:
    """Return how well labels are guessed without any database, with 95 % intervals.

    Measured on the public test split, else on the first labelled one; of a large one on a sample.
    """
    labelled = benchmark.labelled
    if not labelled:
        return "All labels are hidden, so none can be guessed here."
    name = PUBLIC_TEST if PUBLIC_TEST in labelled else next(iter(labelled))
    rows = benchmark.rows[benchmark.rows["split"] == name]
    sampled = ""
    if len(rows) > MAX_BASELINE_CLAIMS:
        rows = rows.sample(MAX_BASELINE_CLAIMS, random_state=SEED)
        sampled = f", on {len(rows):,} of its claims (drawn with seed {SEED})"
    try:
        shown = baseline_table(rows)
    except DataError as error:
        return f"On {name} they could not be measured: {error}."
    n_questions = len(set(questions_of(rows)))
    knows_questions = bool((rows["bird_id"] >= 0).any())
    unit = "questions" if knows_questions else "claims, as no question is known"
    few = ""
    if n_questions < FEW_QUESTIONS:
        those = counted(n_questions, "question" if knows_questions else "claim")
        few = f" Only {those}: too few for these numbers to mean much."
    return f"On {name}{sampled}. Intervals resample {unit}.{few}\n\n{shown}"


def baseline_table(rows: pd.DataFrame) -> str:
    """Return the table of baselines on labelled claims.

    Args:
        rows: as `Benchmark.rows`; a bird_id of -1 is a question of its own.

    Raises:
        DataError: there are too few claims, labels or groups to learn from.
    """
    labels = [LABELS.index(label) for label in rows["label"]]
    claims = rows["claim"].tolist()
    questions = questions_of(rows)
    by_database = rows["db_name"].tolist()
    guesses = {
        "majority label": majority(labels),
        "random label": random_labels(len(labels)),
        "claim-only, no claim of the same question seen": claim_only(claims, labels, questions),
    }
    n_databases = len(set(by_database))
    if n_databases > 1:
        guesses["claim-only, no claim on the same database seen"] = claim_only(
            claims, labels, by_database, n_folds=min(n_databases, MAX_FOLDS)
        )
    shown = []
    for name, predictions in guesses.items():
        found = score(predictions, labels, groups={"bird_id": questions})
        shown.append([name, with_interval(found, "accuracy"), with_interval(found, "macro_f1")])
    return table(["baseline", "accuracy [95 %]", "macro-F1 [95 %]"], shown)


def questions_of(rows: pd.DataFrame) -> list[object]:
    """Return the question of each claim; where it is not known, each claim has one of its own."""
    return own_groups(rows["bird_id"].tolist(), rows["claim_id"].tolist())


def with_interval(found: Score, name: str) -> str:
    """Return a rate and its interval, "0.827 [0.804, 0.850]"."""
    value = getattr(found, name)
    interval = found.intervals[name]
    return f"{value:.3f}" + (f" [{interval[0]:.3f}, {interval[1]:.3f}]" if interval else "")


def cues(benchmark: Benchmark) -> str:
    """Return how often words that may give a label away stand in the claims of each label."""
    rows = benchmark.rows[benchmark.rows["label"] != HIDDEN_NAME]
    if rows.empty:
        return "All labels are hidden, so no word can be counted by label."
    shown = []
    for cue, pattern in CUES.items():
        has = rows["claim"].str.contains(pattern, regex=True)
        shown.append([cue, *(int(has[rows["label"] == label].sum()) for label in LABELS)])
    totals = [int((rows["label"] == label).sum()) for label in LABELS]
    return table(["labelled claims", *LABELS], [["all", *totals], *shown])


def overlap(benchmark: Benchmark) -> str:
    """Return what each pair of splits shares, and how to train without it."""
    rows = benchmark.rows
    pairs = list(combinations(benchmark.claims, 2))
    if not pairs:
        return "There is only one split, so nothing is shared between splits."
    shown = [[first, second, *_shared(rows, first, second)] for first, second in pairs]
    heads = ["first", "second", "questions of both", "claims of the first on them"]
    heads += ["databases of both", "claims of the first on them", "claims of the same words"]
    if "train" not in benchmark.claims:
        return table(heads, shown)
    return (
        f"{table(heads, shown)}\n\nTo train without what a test shares: "
        '`load_dataset("claimdb", repo_id=…, train_excludes="test_questions")`, or '
        '`"test_databases"`.'
    )


def _shared(rows: pd.DataFrame, first: str, second: str) -> list[int | None]:
    one, other = rows[rows["split"] == first], rows[rows["split"] == second]
    known = [set(part.loc[part["bird_id"] >= 0, "bird_id"]) for part in (one, other)]
    questions: list[int | None] = [None, None]
    if all(known):
        both = known[0] & known[1]
        questions = [len(both), int(one["bird_id"].isin(both).sum())]
    databases = set(one["db_name"]) & set(other["db_name"])
    n_on_them = int(one["db_name"].isin(databases).sum())
    return [
        *questions,
        len(databases),
        n_on_them,
        int(one["claim"].isin(set(other["claim"])).sum()),
    ]


def hidden_rows(benchmark: Benchmark) -> str:
    """Return how many hidden claims (db_name, extra_info) ties to one labelled question."""
    rows = benchmark.rows
    hidden = rows[rows["label"] == HIDDEN_NAME]
    if hidden.empty:
        return "No label is hidden."
    known = rows[(rows["label"] != HIDDEN_NAME) & (rows["bird_id"] >= 0)]
    one, several, none = identifiable(hidden, known)
    return (
        f"Of {counted(len(hidden), 'claim')} with hidden labels, (db_name, extra_info) is that of "
        f"exactly one question of the labelled splits for {one:,}, of several for {several:,}, of "
        f"none for {none:,}. Whoever has the source questions can tell more: treat hidden rows as "
        "hard to guess, not as secret."
    )


def identifiable(hidden: pd.DataFrame, questions: pd.DataFrame) -> tuple[int, int, int]:
    """Return how many hidden claims fit one question, several, and none.

    Args:
        hidden: claims, with db_name and extra_info.
        questions: db_name, extra_info and bird_id of questions, any number of rows each.
    """
    key = ["db_name", "extra_info"]
    n_questions = questions.groupby(key)["bird_id"].nunique()
    found = hidden[key].merge(n_questions.rename("n").reset_index(), on=key, how="left")["n"]
    return int((found == 1).sum()), int((found > 1).sum()), int(found.isna().sum())


def known_issues(benchmark: Benchmark) -> str:
    """Return how many claims are known to be wrong, and why."""
    issues = benchmark.known_issues
    if not issues:
        return "None is known."
    given = [str(issue.get("reason", "not said: the label is hidden")) for issue in issues]
    shown = [[reason, count] for reason, count in sorted(Counter(given).items())]
    listed = ", ".join(str(issue["claim_id"]) for issue in issues)
    return f"{counted(len(issues), 'claim')}: {listed}.\n\n{table(['reason', 'claims'], shown)}"
