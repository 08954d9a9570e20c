"""One row of data changes, and exactly the sections that it counts in do; and odd benchmarks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from claimdb_builder.publish.card import NUMBERS
from claimdb_loader.sources import SPLIT_FILES
from tests.builder.publish.made_benchmarks import (
    hidden,
    labelled,
    of_rows,
    table_of,
    texts_of,
    write_issues,
)
from tests.loader.claim_files import Row, claim

OF_ANY_ROW = {"splits", "lengths", "databases"}
LONG = "If the ferry had not sunk, it would have carried 7 people to the other side of the lake."


def rows_of(copy: str) -> dict[str, list[Row]]:
    return {
        split: [json.loads(line) for line in Path(copy, name).read_text("utf-8").splitlines()]
        for split, name in SPLIT_FILES.items()
    }


@pytest.mark.parametrize(
    ("split", "claim_id", "change", "changed"),
    [
        ("train", 1, {"label": "ENTAILED"}, OF_ANY_ROW | {"cues"}),
        ("test_public", 9, {"label": "CONTRADICTED"}, OF_ANY_ROW | {"cues", "baselines"}),
        ("train", 2, {"category": "SUBJECTIVE"}, {"categories"}),
        ("train", 1, {"claim": LONG}, {"lengths", "cues"}),
        ("test_public", 9, {"claim": LONG}, {"lengths", "cues", "baselines"}),
        ("test_private", 15, {"claim": LONG}, {"lengths"}),
        ("train", 1, {"db_name": "zoo"}, {"splits", "databases", "known_issues"}),
        ("train", 8, {"db_name": "ferry_lines"}, {"databases", "overlap"}),
        ("test_private", 15, {"db_name": "zoo"}, {"splits", "databases", "hidden"}),
        ("train", 6, {"bird_id": 50}, {"splits", "overlap", "hidden"}),
        ("train", 7, {"extra_info": "another"}, set()),
        ("test_private", 16, {"extra_info": "another"}, {"hidden"}),
        ("train", 5, None, OF_ANY_ROW | {"cues", "categories", "overlap"}),
        ("train", 1, None, OF_ANY_ROW | {"cues", "known_issues"}),
        ("test_private", 15, None, {"splits", "databases", "hidden"}),
        ("train", 0, {"claim_id": 500}, set()),
        ("train", 1, {"claim_id": 500}, {"known_issues"}),
    ],
)  # fmt: skip
def test_exactly_the_sections_that_count_a_row_change(
    copy: str, tmp_path: Path, split: str, claim_id: int, change: Row | None, changed: set[str]
) -> None:
    write_issues(tmp_path, {"claim_id": 1, "db_name": "ferry_lines", "reason": "odd"})
    rows = rows_of(copy)
    before = texts_of(of_rows(tmp_path, **rows))
    (at,) = [i for i, row in enumerate(rows[split]) if row["claim_id"] == claim_id]
    rows[split][at : at + 1] = [] if change is None else [rows[split][at] | change]
    after = texts_of(of_rows(tmp_path, **rows))
    assert before.keys() == after.keys()
    assert {name for name in before if before[name] != after[name]} == changed


def test_a_whole_split_that_goes_changes_what_it_was_counted_in(copy: str) -> None:
    rows = rows_of(copy)
    before = texts_of(of_rows(**rows))
    del rows["test_private"]
    after = texts_of(of_rows(**rows))
    assert {name for name in before if before[name] != after[name]} == (
        OF_ANY_ROW | {"hidden", "overlap"}
    )
    assert after["hidden"] == "No label is hidden."


ODD: dict[str, dict[str, Any]] = {
    "no train": {"test_public": labelled(range(6)), "test_private": hidden([9])},
    "only train": {"train": labelled(range(9))},
    "only hidden": {"test_private": hidden(range(3))},
    "one label": {"test_public": [claim(i, 0) for i in range(6)]},
    "one claim": {"dev": [claim(1, 2)]},
    "no questions": {
        "train": labelled(range(6), bird_id=-1),
        "test_public": labelled(range(6, 12), bird_id=-1),
        "test_private": hidden([20]),
    },
    "a database a label": {
        "test_public": [claim(i, i % 2, f"db_{i % 2}", bird_id=i) for i in range(6)]
    },
    "a question a label": {"test_public": [claim(i, i % 2, bird_id=i % 2) for i in range(6)]},
    "no words": {"test_public": [claim(i, i % 3, claim=f"{i} .", bird_id=i) for i in range(6)]},
}


@pytest.mark.parametrize("name", ODD)
def test_every_section_says_something_of_an_odd_benchmark(name: str) -> None:
    texts = texts_of(of_rows(**ODD[name]))
    assert {key for key, text in texts.items() if not text.strip()} == {"funnel", "label_noise"}
    for text in texts.values():
        if text.startswith("|"):
            assert len(table_of(text)) > 0


@pytest.mark.parametrize(
    ("name", "section", "said"),
    [
        ("only train", "overlap", "There is only one split, so nothing is shared"),
        ("only hidden", "cues", "All labels are hidden, so no word can be counted by label."),
        ("only train", "hidden", "No label is hidden."),
        ("only hidden", "baselines", "All labels are hidden"),
        ("only hidden", "categories", "No claim has a category."),
        ("one label", "baselines", "could not be measured: a classifier needs claims of at least"),
        ("one claim", "baselines", "On dev they could not be measured: "),
        ("no words", "baselines", "could not be measured"),
        ("no questions", "hidden", "for 0, of several for 0, of none for 1."),
    ],
)
def test_what_cannot_be_counted_is_said(name: str, section: str, said: str) -> None:
    assert said in NUMBERS[section](of_rows(**ODD[name]))


@pytest.mark.parametrize("name", ["a database a label", "a question a label"])
def test_whoever_has_seen_one_label_only_guesses_that(name: str) -> None:
    """Which is then wrong of every claim of the other database, or question."""
    rows = table_of(NUMBERS["baselines"](of_rows(**ODD[name])))
    assert rows[-1]["accuracy [95 %]"] == "0.000 [0.000, 0.000]"
    assert rows[0]["accuracy [95 %]"].startswith("0.500 ")


def test_questions_that_are_not_known_are_not_counted_as_none() -> None:
    """bird_id is -1 in train: whether questions are shared is not known, so 0 would be wrong."""
    benchmark = of_rows(train=labelled(range(6), bird_id=-1), test_public=labelled(range(6, 12)))
    (row,) = table_of(NUMBERS["overlap"](benchmark))
    assert (row["questions of both"], row["claims of the first on them"]) == ("–", "–")
    assert row["claims of the first on them (2)"] == "6"
    trained = table_of(NUMBERS["splits"](benchmark))[0]
    assert trained["questions"] == "–"


def test_where_no_question_is_known_each_claim_is_one_of_its_own() -> None:
    rows = [claim(i, i % 2, bird_id=-1, claim=f"It has {'no ' * (i % 2)}owl {i}") for i in range(8)]
    shown = table_of(NUMBERS["baselines"](of_rows(test_public=rows)))
    assert [row["accuracy [95 %]"].split(" ")[0] for row in shown][2] == "1.000"
    assert len(shown) == 3
