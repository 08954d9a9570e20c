"""`load_dataset("claimdb", …)` in one process: configs, splits, streaming, notices."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from datasets import (
    get_dataset_config_names,
    get_dataset_default_config_name,
    get_dataset_split_names,
    load_dataset_builder,
)

import claimdb
from tests.conftest import Load
from tests.loader.claim_files import claim, ids, write_copy

pytestmark = pytest.mark.matrix

COLUMNS = ["claim_id", "bird_id", "db_name", "claim", "extra_info", "label", "category"]


def test_every_config_and_split_of_a_local_copy(load: Load, copy: str) -> None:
    counts = {
        config: {name: len(split) for name, split in load(config, data_dir=copy).items()}
        for config in ("claims", "nei", "databases")
    }
    assert counts == {
        "claims": {"train": 10, "test_public": 6, "test_private": 3},
        "nei": {"out_of_schema": 0, "subjective": 0, "counterfactual": 5},
        "databases": {"train": 3, "test": 2},
    }


def test_all_splits_have_one_explicit_schema(load: Load, copy: str) -> None:
    splits = load(data_dir=copy)
    assert list(splits) == ["train", "test_public", "test_private"]
    for split in splits.values():
        assert split.column_names == COLUMNS
        assert split.features == splits["train"].features
    assert splits["train"].features["label"].names == list(claimdb.LABELS)
    assert splits["train"].features["category"].names == list(claimdb.CATEGORIES)
    assert set(splits["test_private"]["label"]) == {-1}
    assert set(splits["test_private"]["bird_id"]) == {-1}


def test_the_sample_needs_nothing(load: Load) -> None:
    sample = load("sample")
    assert list(sample) == ["test"]
    assert sample["test"].column_names == COLUMNS
    assert set(sample["test"]["label"]) == {0, 1, 2}


def test_nei_holds_the_labelled_claims_of_each_category(load: Load, tmp_path: Path) -> None:
    rows = [claim(i, 2) for i in range(6)] + [claim(6, 0)]
    copy = write_copy(tmp_path / "c", train=rows[:3], test_public=rows[3:])
    nei = load("nei", data_dir=str(copy))
    assert {name: ids(split) for name, split in nei.items()} == {
        "out_of_schema": [0, 3],
        "subjective": [1, 4],
        "counterfactual": [2, 5],
    }


def test_databases_counts_claims_and_knows_the_published_ones(load: Load, tmp_path: Path) -> None:
    rows = [claim(i, 0, db_name) for i, db_name in enumerate(["superhero", "superhero", "my own"])]
    copy = write_copy(tmp_path / "c", test_public=rows)
    assert list(load("databases", data_dir=str(copy))["test"]) == [
        {
            "db_name": "my own",
            "n_claims": 1,
            "n_tables": -1,
            "n_rows": -1,
            "n_bytes": -1,
            "sha256": "",
        },
        {
            "db_name": "superhero",
            "n_claims": 2,
            "n_tables": 10,
            "n_rows": 10614,
            "n_bytes": 237568,
            "sha256": "75e94a2c3236ee3bb2c01fb97a1c4b4c1c269bcefd4eab1d04be323d2d0825b1",
        },
    ]


@pytest.mark.parametrize(
    ("split", "expected"),
    [
        ("train[:3]", [0, 1, 2]),
        ("train[-1:]", [20]),
        ("train[:20%]", [0, 1]),
        ("test_public+test_private", list(range(9, 18))),
    ],
)
def test_a_split_may_be_sliced_and_added(
    load: Load, copy: str, split: str, expected: list[int]
) -> None:
    assert ids(load(data_dir=copy, split=split)) == expected


def test_several_splits_at_once(load: Load, copy: str) -> None:
    train, public = load(data_dir=copy, split=["train[:1]", "test_public"])
    assert (len(train), len(public)) == (1, 6)


def test_streaming_gives_the_same_rows(load: Load, copy: str) -> None:
    for config in ("claims", "nei", "databases"):
        prepared = load(config, data_dir=copy)
        streamed = load(config, data_dir=copy, streaming=True)
        assert {name: list(split) for name, split in streamed.items()} == {
            name: list(split) for name, split in prepared.items()
        }
    one = load(data_dir=copy, split="train", streaming=True)
    assert ids(one) == ids(one)


def test_num_proc_gives_the_same_rows(load: Load, copy: str) -> None:
    assert ids(load(data_dir=copy, split="train", num_proc=2)) == [*range(9), 20]


def said_by_claimdb(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == "claimdb"]


def test_a_hidden_split_says_so_in_one_line(
    load: Load, copy: str, caplog: pytest.LogCaptureFixture
) -> None:
    for streaming in (False, True):
        for _ in ("first load", "from the cache"):
            caplog.clear()
            with caplog.at_level(logging.WARNING, "claimdb"):
                loaded = load(data_dir=copy, split="test_private", streaming=streaming)
                next(iter(loaded))
            assert said_by_claimdb(caplog) == [
                "the labels of test_private are hidden: label is -1 in every row. "
                "Do not train or score on them"
            ]
    caplog.clear()
    load(data_dir=copy, split="test_public")
    assert said_by_claimdb(caplog) == []


def test_inspection_functions_of_datasets(copy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAIMDB_DATA_DIR", copy)
    assert get_dataset_config_names("claimdb") == ["claims", "nei", "databases", "sample"]
    assert get_dataset_default_config_name("claimdb") == "claims"
    assert get_dataset_split_names("claimdb") == ["train", "test_public", "test_private"]
    assert get_dataset_split_names("claimdb", "sample") == ["test"]
    builder = load_dataset_builder("claimdb", "nei")
    assert list(builder.info.features) == COLUMNS
    assert "CC BY-SA 4.0" in builder.info.license


def test_an_empty_split_is_empty(load: Load, tmp_path: Path) -> None:
    copy = write_copy(tmp_path / "c", train=[], test_public=[claim(1)])
    splits = load(data_dir=str(copy))
    assert (len(splits["train"]), len(splits["test_public"])) == (0, 1)
    assert splits["train"].features == splits["test_public"].features


@pytest.mark.parametrize(("label", "name"), [(0, "ENTAILED"), (-1, "HIDDEN")])
def test_label_name(label: int, name: str) -> None:
    assert claimdb.label_name(label) == name


def test_label_name_of_no_label() -> None:
    with pytest.raises(ValueError, match="label 3 is none of"):
        claimdb.label_name(3)
