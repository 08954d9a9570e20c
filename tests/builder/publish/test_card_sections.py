"""Sections of the card whose text depends on more than counts: usage, baselines, funnel, issues."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from claimdb_builder.publish import card_limits
from claimdb_builder.publish.card import NUMBERS
from claimdb_builder.publish.card_sources import usage
from claimdb_builder.publish.databases import DatabaseEntry
from claimdb_metric.baselines import claim_only, random_labels
from claimdb_metric.labels import LABELS
from tests.builder.publish.made_benchmarks import (
    as_claimdb,
    as_read,
    hidden,
    labelled,
    of_rows,
    table_of,
    texts_of,
    write_issues,
)
from tests.loader.claim_files import claim

ZOO = DatabaseEntry("zoo", 2, 5, 8192, "a" * 64)


@pytest.mark.parametrize(
    ("db_name", "has_databases", "opened"),
    [
        ("zoo", False, None),
        ("zoo", True, 'claimdb.open_database(claims[0]["db_name"], repo_id="you/claims")'),
        ("superhero", False, None),
        ("superhero", True, 'claimdb.open_database(claims[0]["db_name"], repo_id="you/claims")'),
    ],
)
def test_usage_opens_databases_where_they_can_be_had(
    db_name: str, has_databases: bool, opened: str | None
) -> None:
    benchmark = of_rows(dev=[claim(1, 0, db_name)])
    text = usage(benchmark, "you/claims", has_databases)
    compile(text.removeprefix("```python\n").removesuffix("```"), "usage", "exec")
    assert ("open_database" in text) == (opened is not None)
    assert opened is None or f"with {opened} as db:\n" in text
    entries = [ZOO] if has_databases else []
    assert texts_of(benchmark, entries)["usage"] == text


@pytest.mark.parametrize("has_databases", [False, True])
def test_the_databases_of_the_published_benchmark_can_always_be_had(has_databases: bool) -> None:
    text = usage(as_claimdb(of_rows(dev=labelled([1]))), "you/claims", has_databases)
    where = ', repo_id="you/claims"' if has_databases else ""
    assert f'with claimdb.open_database(claims[0]["db_name"]{where}) as db:\n' in text


def test_usage_takes_the_public_test_where_there_is_one() -> None:
    benchmark = of_rows(train=labelled([1]), test_public=labelled([2]))
    assert usage(benchmark, "you/claims", False).count('split="test_public"') == 2


@pytest.mark.parametrize(("n_databases", "n_folds"), [(2, 2), (20, 20), (21, 20), (60, 20)])
def test_many_databases_share_folds(
    monkeypatch: pytest.MonkeyPatch, n_databases: int, n_folds: int
) -> None:
    calls: list[tuple[int, int | None]] = []

    def noted(
        claims: Sequence[str], labels: Sequence[int], groups: Sequence[object], **more: Any
    ) -> list[int]:
        calls.append((len(set(groups)), more.get("n_folds")))
        return list(labels)

    monkeypatch.setattr(card_limits, "claim_only", noted)
    rows = [claim(i, i % 3, f"db_{i % n_databases}", bird_id=i) for i in range(60)]
    NUMBERS["baselines"](of_rows(test_public=rows))
    assert calls == [(60, None), (n_databases, n_folds)]


def test_baselines_are_those_of_the_metric() -> None:
    texts = ["It has {} owls", "It has no owl but {}", "If it had {}, it would burn"]
    rows = [
        claim(i, i % 3, f"db_{i % 4}", bird_id=i // 2, claim=texts[i % 3].format(i))
        for i in range(24)
    ]
    labels = [i % 3 for i in range(24)]
    claims = [str(row["claim"]) for row in rows]
    guesses = {
        "majority label": [0] * 24,
        "random label": random_labels(24),
        "claim-only, no claim of the same question seen": claim_only(
            claims, labels, [i // 2 for i in range(24)]
        ),
        "claim-only, no claim on the same database seen": claim_only(
            claims, labels, [i % 4 for i in range(24)], n_folds=4
        ),
    }
    shown = {
        row["baseline"]: row["accuracy [95 %]"].split(" ")[0]
        for row in table_of(NUMBERS["baselines"](of_rows(test_public=rows)))
    }
    assert shown == {
        name: f"{sum(a == b for a, b in zip(found, labels, strict=True)) / 24:.3f}"
        for name, found in guesses.items()
    }


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("known_issues", "1 claim: 3.\n\n| reason | claims |\n| --- | ---: |\n| odd | 1 |"),
        ("hidden", "Of 1 claim with hidden labels, "),
        ("databases", "Claims name 1 database; none of them lies in this repository.\n\n"),
    ],
)
def test_one_is_not_many(tmp_path: Path, name: str, said: str) -> None:
    write_issues(tmp_path, {"claim_id": 3, "db_name": "ferry_lines", "reason": "odd"})
    benchmark = of_rows(tmp_path, train=labelled([3]), test_private=hidden([4]))
    assert texts_of(benchmark)[name].startswith(said)


def test_known_issues_are_counted_by_claim(tmp_path: Path) -> None:
    """One that a list names twice is known for what it says last."""
    found = [(3, "odd"), (4, "odd"), (3, "wrong"), (9, "secret"), (99, "of another")]
    write_issues(
        tmp_path, *({"claim_id": i, "db_name": "ferry_lines", "reason": r} for i, r in found)
    )
    benchmark = of_rows(tmp_path, train=labelled([3, 4]), test_private=hidden([9]))
    text = NUMBERS["known_issues"](benchmark)
    assert text.startswith("3 claims: 3, 4, 9.\n\n")
    assert [list(row.values()) for row in table_of(text)] == [
        ["not said: the label is hidden", "1"],
        ["odd", "1"],
        ["wrong", "1"],
    ]


def test_labels_are_in_the_order_of_the_metric() -> None:
    (all_of, *_) = table_of(NUMBERS["cues"](of_rows(train=labelled([0, 1, 2, 3]))))
    assert [all_of[label] for label in LABELS] == ["2", "1", "1"]


@pytest.mark.parametrize(
    ("splits", "said"),
    [
        ({"train": labelled(range(6))}, ["claims", "nei", "databases", "inspect"]),
        ({"test_public": [claim(1, 0)]}, ["claims", "databases", "inspect"]),
        ({"test_private": hidden([1])}, ["claims", "databases"]),
    ],
)
def test_only_configs_that_are_there_are_named(
    tmp_path: Path, splits: dict[str, Any], said: list[str]
) -> None:
    rows = table_of(NUMBERS["configs"](as_read(tmp_path / "copy", **splits)))
    assert [row["config"] for row in rows] == [f"`{name}`" for name in said]


def test_how_to_train_is_only_said_where_there_is_a_train_split() -> None:
    names = ("train", "test_public", "dev")
    splits = {name: labelled(range(10 * i, 10 * i + 6)) for i, name in enumerate(names)}
    text = NUMBERS["overlap"](of_rows(**splits))
    assert 'train_excludes="test_questions"' in text
    assert [row["second"] for row in table_of(text)] == ["test_public", "dev", "dev"]
    del splits["train"]
    assert "train" not in NUMBERS["overlap"](of_rows(**splits))


@pytest.mark.parametrize(
    ("bird_ids", "said"),
    [
        (range(30), "On dev. Intervals resample questions.\n\n|"),
        (range(29), "On dev. Intervals resample questions. Only 29 questions: too few for "),
        ([-1] * 30, "On dev. Intervals resample claims, as no question is known.\n\n|"),
        ([-1] * 29 + [7], "On dev. Intervals resample questions.\n\n|"),
        ([-1, -1, *([7] * 28)], "On dev. Intervals resample questions. Only 3 questions: too few"),
    ],
    ids=["thirty", "few", "unknown", "one known", "few known"],
)
def test_how_many_questions_the_baselines_are_of(bird_ids: Sequence[int], said: str) -> None:
    texts = ["It has {} owls", "It has no owl but {}", "If it had {}, it would burn"]
    rows = [
        claim(i, i % 3, bird_id=bird_id, claim=texts[i % 3].format(i))
        for i, bird_id in enumerate(bird_ids)
    ]
    assert NUMBERS["baselines"](of_rows(dev=rows)).startswith(said)


def test_claims_that_are_no_question_of_anybody_are_not_called_questions() -> None:
    rows = [claim(i, i % 2, bird_id=-1) for i in range(8)]
    text = NUMBERS["baselines"](of_rows(dev=rows)).split("\n")[0]
    assert "as no question is known" in text
    assert "8 questions" not in text
