"""The published benchmark itself: the two real test files and a real database."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from datasets import load_dataset

import claimdb
from claimdb_loader.exclusions import read_known_issues
from claimdb_loader.fingerprints import known_databases

# ClaimDB's test files as published: ENTAILED, CONTRADICTED, NOT ENOUGH INFO; and hidden.
COUNTS = {
    "california_schools": (21, 21, 26, 66),
    "card_games": (21, 29, 18, 88),
    "codebase_community": (38, 31, 32, 112),
    "debit_card_specializing": (20, 13, 19, 55),
    "european_football_2": (29, 34, 29, 90),
    "financial": (29, 33, 38, 92),
    "formula_1": (38, 43, 49, 142),
    "student_club": (32, 33, 17, 85),
    "superhero": (42, 33, 45, 102),
    "thrombosis_prediction": (27, 38, 44, 100),
    "toxicology": (36, 23, 19, 67),
}


@pytest.fixture
def splits(shared: Path, tmp_path: Path) -> Any:
    return load_dataset(
        "claimdb", data_dir=str(shared / "data" / "claimdb"), cache_dir=str(tmp_path)
    )


def test_rows_labels_and_categories_per_database(splits: Any) -> None:
    assert {name: len(split) for name, split in splits.items()} == {
        "test_public": 1000,
        "test_private": 999,
    }
    public = Counter(
        zip(splits["test_public"]["db_name"], splits["test_public"]["label"], strict=True)
    )
    private = Counter(splits["test_private"]["db_name"])
    assert {
        db_name: (*(public[db_name, label] for label in range(3)), private[db_name])
        for db_name in private
    } == COUNTS
    categories = Counter(splits["test_public"]["category"])
    assert categories == {-1: 664, 0: 111, 1: 112, 2: 113}


def test_hidden_rows_hide_label_question_and_category(splits: Any) -> None:
    private = splits["test_private"]
    assert {*private["label"], *private["bird_id"], *private["category"]} == {-1}


def test_all_superhero_nei_claims(shared: Path, tmp_path: Path) -> None:
    nei = load_dataset(
        "claimdb", "nei", data_dir=str(shared / "data" / "claimdb"), cache_dir=str(tmp_path)
    )
    counts = {name: split["db_name"][:].count("superhero") for name, split in nei.items()}
    assert sum(counts.values()) == 45
    assert {name: len(split) for name, split in nei.items()} == {
        "out_of_schema": 111,
        "subjective": 112,
        "counterfactual": 113,
    }


def test_text_is_kept_to_the_letter(splits: Any) -> None:
    public = splits["test_public"]
    assert sum(not text for text in public["extra_info"]) == 93
    assert sum(text != text.strip() for text in public["extra_info"]) == 19
    assert sum(not text.isascii() for text in public["claim"]) == 72


def test_known_issues_name_claims_of_the_public_split(shared: Path, tmp_path: Path) -> None:
    folder = str(shared / "data" / "claimdb")
    kept = load_dataset(
        "claimdb",
        split="test_public",
        data_dir=folder,
        exclude_known_issues=True,
        cache_dir=str(tmp_path),
    )
    listed = {issue["claim_id"] for issue in read_known_issues(None)}
    assert len(kept) == 1000 - len(listed) == 992
    assert not listed & set(kept["claim_id"])


def test_the_manifest_knows_eighty_databases() -> None:
    known = known_databases()
    assert len(known) == 80
    tests = [database for database in known.values() if database.split == "test"]
    assert {database.db_name for database in tests} == set(COUNTS)
    assert sum(database.n_tables for database in tests) == 75
    assert sum(database.n_tables for database in known.values()) == 597
    assert all(database.fingerprints for database in tests)


def test_the_real_superhero_database_is_the_known_one(shared: Path) -> None:
    folder = shared / "data" / "bird" / "databases"
    with claimdb.open_database("superhero", data_dir=folder) as db:
        known = known_databases()["superhero"]
        assert len(db.tables()) == known.n_tables
        rows = sum(db.query(f'SELECT count(*) FROM "{name}"').rows[0][0] for name in db.tables())
        assert rows == known.n_rows
