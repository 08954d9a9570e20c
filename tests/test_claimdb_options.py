"""The options of `load_dataset("claimdb", …)`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Load
from tests.hub import LocalHub
from tests.loader.claim_files import claim, ids, jsonl, write_copy

pytestmark = pytest.mark.matrix

COLUMNS = ["claim_id", "bird_id", "db_name", "claim", "extra_info", "label", "category"]


def test_data_files_of_your_own(load: Load, tmp_path: Path) -> None:
    for name, rows in {"a": [claim(1)], "b": [claim(2), claim(3)], "c": [claim(4)]}.items():
        (tmp_path / f"{name}.jsonl").write_bytes(jsonl(rows))
    a, b, c = (str(tmp_path / f"{name}.jsonl") for name in "abc")
    assert ids(load(data_files=a)["train"]) == [1]
    assert ids(load(data_files=[a, b], split="train")) == [1, 2, 3]
    both = load(data_files={"dev": [a, b], "test": c})
    assert {name: ids(split) for name, split in both.items()} == {"dev": [1, 2, 3], "test": [4]}
    streamed = load(data_files={"dev": [a, b]}, split="dev", streaming=True)
    assert ids(streamed) == [1, 2, 3]


def test_a_gzipped_file_of_your_own(load: Load, tmp_path: Path) -> None:
    import gzip

    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(jsonl([claim(1)])))
    assert ids(load(data_files=str(path), split="train")) == [1]
    assert ids(load(data_files=str(path), split="train", streaming=True)) == [1]


def test_the_environment_names_a_local_copy(
    load: Load, copy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAIMDB_DATA_DIR", copy)
    assert len(load(split="train")) == 10
    assert len(load("sample", split="test")) == 144
    other = write_copy(tmp_path / "other", train=[claim(1)])
    assert len(load(data_dir=str(other), split="train")) == 1


@pytest.mark.parametrize(
    ("train_excludes", "expected"),
    [(None, [*range(9), 20]), ("test_questions", [0, 1, 2, 20])],
)
def test_train_rows_on_test_questions_can_be_left_out(
    load: Load, copy: str, train_excludes: str | None, expected: list[int]
) -> None:
    # The copy's public claims are on questions 1 and 2, of which train has claims 3 to 8.
    splits = load(data_dir=copy, train_excludes=train_excludes)
    assert ids(splits["train"]) == expected
    assert len(splits["test_public"]) == 6


def test_train_rows_on_test_databases_can_be_left_out(load: Load, copy: str) -> None:
    splits = load(data_dir=copy, train_excludes="test_databases")
    assert set(splits["train"]["db_name"]) == {"ferry_lines"}
    streamed = load(data_dir=copy, train_excludes="test_databases", split="train", streaming=True)
    assert ids(streamed) == ids(splits["train"]) == [0, 1, 2, 3, 4, 5]


def test_known_issues_can_be_left_out(load: Load, tmp_path: Path) -> None:
    rows = [claim(5324, 0, "formula_1"), claim(5325, 0, "formula_1"), claim(5326, 0, "formula_1")]
    copy = write_copy(tmp_path / "c", test_public=rows)
    assert len(load(data_dir=str(copy), split="test_public")) == 3
    kept = load(data_dir=str(copy), split="test_public", exclude_known_issues=True)
    assert ids(kept) == [5326]
    (copy / "known_issues.jsonl").write_text('{"claim_id": 5326, "db_name": "formula_1"}')
    kept = load(data_dir=str(copy), split="test_public", exclude_known_issues=True)
    assert ids(kept) == []


def test_exclusions_hold_in_every_config(load: Load, tmp_path: Path) -> None:
    copy = write_copy(
        tmp_path / "c",
        train=[claim(0, 2, "a"), claim(3, 2, "b")],
        test_public=[claim(6, 2, "a")],
        test_private=[claim(9, None, "a")],
    )
    (copy / "known_issues.jsonl").write_text('{"claim_id": 6, "db_name": "a"}')
    arguments = {"data_dir": str(copy), "train_excludes": "test_databases"}
    nei = load("nei", **arguments, exclude_known_issues=True)
    assert ids(nei["out_of_schema"]) == [3]
    databases = load("databases", **arguments, exclude_known_issues=True)
    assert {row["db_name"]: row["n_claims"] for row in databases["train"]} == {"b": 1}
    assert {row["db_name"]: row["n_claims"] for row in databases["test"]} == {"a": 1}


def test_data_files_are_looked_for_in_data_dir(load: Load, copy: str) -> None:
    assert ids(load(data_dir=copy, data_files="train.jsonl", split="train")) == [*range(9), 20]


def test_an_unknown_key_is_named_once_for_a_config(
    load: Load, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    copy = write_copy(tmp_path / "c", train=[claim(2, 2, x=1)], test_public=[claim(5, 2, x=2)])
    load("nei", data_dir=str(copy))
    said = [record.getMessage() for record in caplog.records if record.name == "claimdb"]
    assert said == ['key "x" is not part of a claim row; its values are left out']


def test_a_slice_of_an_empty_split_is_empty(load: Load, copy: str) -> None:
    assert len(load("nei", data_dir=copy, split="subjective[:10]")) == 0
    assert len(load("nei", data_dir=copy, split="subjective+out_of_schema")) == 0


def test_the_environment_may_name_databases_only(
    load: Load, hub: LocalHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Claims then come from where they come from without it."""
    (tmp_path / "dbs" / "zoo").mkdir(parents=True)
    (tmp_path / "dbs" / "zoo" / "zoo.sqlite").touch()
    monkeypatch.setenv("CLAIMDB_DATA_DIR", str(tmp_path / "dbs"))
    hub.add_repo("michaeltheologitis/claimdb", {"train.jsonl": jsonl([claim(1)])})
    assert ids(load(split="train")) == [1]


def test_a_repository_that_is_asked_for_wins_over_the_environment(
    load: Load, hub: LocalHub, copy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAIMDB_DATA_DIR", copy)
    hub.add_repo("you/mine", {"train.jsonl": jsonl([claim(77)])})
    assert ids(load(repo_id="you/mine", split="train")) == [77]
