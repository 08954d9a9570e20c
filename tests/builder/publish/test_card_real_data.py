"""The card of the published benchmark: numbers that are known from the paper and its data."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pandas as pd
import pytest

from claimdb_builder.publish.benchmark import Benchmark, read_benchmark
from claimdb_builder.publish.card import NUMBERS
from claimdb_builder.publish.card_counts import databases
from claimdb_builder.publish.card_limits import identifiable
from claimdb_builder.publish.checks import check_benchmark, check_database_names
from claimdb_metric.labels import LABELS
from tests.builder.publish.made_benchmarks import table_of


@pytest.fixture(scope="module")
def published(shared: Path) -> Benchmark:
    return read_benchmark(str(shared / "data" / "claimdb"))


def test_it_may_be_published(published: Benchmark) -> None:
    check_benchmark(published)
    check_database_names(published.db_names)


def test_claims_by_label_and_category(published: Benchmark) -> None:
    public, private, both = table_of(NUMBERS["splits"](published))
    assert [public[label] for label in LABELS] == ["333", "331", "336"]
    assert (public["claims"], public["hidden"], public["questions"]) == ("1,000", "0", "609")
    assert (private["claims"], private["hidden"], private["questions"]) == ("999", "999", "–")
    assert (both["claims"], both["databases"]) == ("1,999", "11")
    assert table_of(NUMBERS["categories"](published)) == [
        {
            "split": "test_public",
            "OUT-OF-SCHEMA": "111",
            "SUBJECTIVE": "112",
            "COUNTERFACTUAL": "113",
        }
    ]


def test_lengths(published: Benchmark) -> None:
    """95 % lie between 185 and 187 characters: pandas interpolates."""
    rows = {(r["split"], r["label"]): list(r.values())[2:] for r in table_of(
        NUMBERS["lengths"](published))}  # fmt: skip
    assert rows["test_public", "all"] == [
        *("29", "105.0", "97", "185", "439"),
        *("5", "16.9", "16", "30", "73"),
    ]
    assert [rows["test_public", label][6] for label in LABELS] == ["14.3", "14.4", "21.9"]
    assert (rows["test_private", "all"][6], rows["test_private", "all"][9]) == ("17.0", "57")


def test_databases_have_the_counts_of_the_clean_release(published: Benchmark) -> None:
    rows = table_of(databases(published, []))
    assert len(rows) == 11
    assert sum(int(row["tables"]) for row in rows) == 75
    superhero = next(row for row in rows if row["database"] == "superhero")
    assert [superhero[name] for name in ("test_public", "test_private", *LABELS)] == [
        *("120", "102"),
        *("42", "33", "45"),
    ]


def test_words_that_go_with_a_label(published: Benchmark) -> None:
    rows = {row["labelled claims"]: row for row in table_of(NUMBERS["cues"](published))}
    assert [rows['starts with "If"'][label] for label in LABELS] == ["0", "0", "108"]
    assert [rows['contains "would"'][label] for label in LABELS] == ["1", "0", "115"]


def test_how_many_hidden_claims_can_be_tied_to_a_question(
    published: Benchmark, shared: Path
) -> None:
    rows = published.rows
    hidden = rows[rows["label"] == "HIDDEN"]
    questions = pd.DataFrame(json.loads((shared / "data/bird/dev.json").read_text("utf-8")))
    questions = questions.rename(
        columns={"db_id": "db_name", "evidence": "extra_info", "question_id": "bird_id"}
    )
    assert identifiable(hidden, questions) == (856, 143, 0)
    counted = [int(n) for n in re.findall(r"for (\d+)", NUMBERS["hidden"](published))]
    assert sum(counted) == 999


def test_known_issues(published: Benchmark) -> None:
    assert len(published.known_issues) == 8
    assert NUMBERS["known_issues"](published).startswith("8 claims: 4697, 5324, 5325, 6218, ")


def test_it_is_said_to_be_made_from_bird(published: Benchmark) -> None:
    assert published.is_claimdb
    assert NUMBERS["sources"](published).startswith("Databases and questions are those of [BIRD]")
    (row,) = table_of(NUMBERS["overlap"](published))
    assert list(row.values()) == [
        *("test_public", "test_private", "–", "–"),
        *("11", "1,000", "0"),
    ]
