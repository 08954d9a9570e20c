"""`load_dataset("claimdb", …)` in one process: configs, splits, options, caches, errors."""

from __future__ import annotations

import logging
import pickle
import shutil
from pathlib import Path
from typing import Any

import datasets
import pytest
from datasets import (
    get_dataset_config_names,
    get_dataset_default_config_name,
    get_dataset_split_names,
    load_dataset,
    load_dataset_builder,
)

import claimdb
from tests.conftest import Load
from tests.loader.claim_files import claim, jsonl, small_copy, write_copy

pytestmark = pytest.mark.matrix

COLUMNS = ["claim_id", "bird_id", "db_name", "claim", "extra_info", "label", "category"]


@pytest.fixture
def copy(tmp_path: Path) -> str:
    return str(small_copy(tmp_path / "copy"))


def ids(dataset: Any) -> list[int]:
    return [row["claim_id"] for row in dataset]


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


def test_an_edited_file_is_read_anew_and_the_same_content_is_not(load: Load, copy: str) -> None:
    before = load(data_dir=copy, split="train").cache_files
    assert load(data_dir=copy, split="train").cache_files == before
    write_copy(Path(copy), train=[claim(1)])
    after = load(data_dir=copy, split="train")
    assert (len(after), after.cache_files == before) == (1, False)


def test_a_copy_may_lack_splits(load: Load, tmp_path: Path) -> None:
    copy = str(write_copy(tmp_path / "c", test_public=[claim(1)]))
    assert list(load(data_dir=copy)) == ["test_public"]
    for split in ("train", "train[:10]"):
        with pytest.raises(claimdb.DataError) as caught:
            load(data_dir=copy, split=split)
        assert "no split 'train': no train.jsonl was found" in str(caught.value)
        assert "gives test_public" in str(caught.value)
    with pytest.raises(claimdb.DataError, match=r"no train\.jsonl was found"):
        load(data_dir=copy, split="train", streaming=True)
    with pytest.raises(claimdb.DataError, match=r"no split 'dev'.*gives test_public"):
        load(data_dir=copy, split="dev")


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


def test_train_excludes_needs_the_test_splits(load: Load, tmp_path: Path) -> None:
    copy = str(write_copy(tmp_path / "c", train=[claim(1)], test_public=[claim(2)]))
    assert len(load(data_dir=copy, train_excludes="test_questions")["train"]) == 0
    with pytest.raises(claimdb.DataError, match="needs test_private, which this copy lacks"):
        load(data_dir=copy, train_excludes="test_databases")
    with pytest.raises(claimdb.DataError, match="must be one of test_questions, test_databases"):
        load(data_dir=copy, train_excludes="questions")


def test_known_issues_can_be_left_out(load: Load, tmp_path: Path) -> None:
    rows = [claim(5324, 0, "formula_1"), claim(5325, 0, "formula_1"), claim(5326, 0, "formula_1")]
    copy = write_copy(tmp_path / "c", test_public=rows)
    assert len(load(data_dir=str(copy), split="test_public")) == 3
    kept = load(data_dir=str(copy), split="test_public", exclude_known_issues=True)
    assert ids(kept) == [5326]
    (copy / "known_issues.jsonl").write_text('{"claim_id": 5326, "db_name": "formula_1"}')
    kept = load(data_dir=str(copy), split="test_public", exclude_known_issues=True)
    assert ids(kept) == []


def test_an_option_at_its_default_shares_the_cache(load: Load, copy: str) -> None:
    plain = load(data_dir=copy, split="train").cache_files
    named = load(data_dir=copy, split="train", exclude_known_issues=False, train_excludes=None)
    assert named.cache_files == plain


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"train": jsonl([claim(1)]) + b"oops\n"}, r"train\.jsonl:2: not JSON"),
        (
            {"train": jsonl([claim(1)]), "test-public": jsonl([claim(1)])},
            r"test-public\.jsonl:1: claim_id 1 stands already at .*train\.jsonl:1",
        ),
        (
            {"train": jsonl([claim(1, label=0) | {"label": "SUPPORTED"}])},
            r'train\.jsonl:1: unknown label "SUPPORTED"; it must be one of ENTAILED, CONTRADICTED',
        ),
    ],
)
def test_wrong_rows_are_one_error_that_says_where(
    load: Load, tmp_path: Path, files: dict[str, bytes], words: str
) -> None:
    for name, content in files.items():
        (tmp_path / f"{name}.jsonl").write_bytes(content)
    with pytest.raises(claimdb.ClaimFileError, match=words):
        load(data_dir=str(tmp_path))
    streams = load(data_dir=str(tmp_path), streaming=True)
    with pytest.raises(claimdb.ClaimFileError, match=words):
        [list(split) for split in streams.values()]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"data_dir": "no such folder"}, "no such folder is not a folder"),
        ({"data_dir": "."}, r"holds none of train\.jsonl, test-public\.jsonl"),
        ({"name": "sample", "data_dir": "."}, "cannot be combined with the embedded sample"),
        ({"data_dir": ".", "repo_id": "a/b"}, "cannot be combined with repo_id= or revision="),
        ({"data_dir": ".", "revision": "v1"}, "cannot be combined with repo_id= or revision="),
    ],
)
def test_wrong_arguments(
    load: Load,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: dict[str, str],
    words: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(claimdb.DataError, match=words):
        load(**arguments)


def test_an_unknown_config_names_the_known_ones(load: Load) -> None:
    with pytest.raises(ValueError, match=r"not found. Available: \['claims', 'nei', 'databases'"):
        load("dev")


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


def test_a_builder_by_hand_leaves_a_registered_copy_alone(load: Load, tmp_path: Path) -> None:
    by_name = load("sample", split="test")
    builder = claimdb.ClaimDB(config_name="sample", cache_dir=str(tmp_path / "cache"))
    builder.download_and_prepare()
    assert builder.as_dataset("test").cache_files == by_name.cache_files
    assert Path(by_name.cache_files[0]["filename"]).is_file()
    assert len(builder.hash) == 64


def test_a_builder_and_its_datasets_pickle(load: Load, copy: str) -> None:
    builder = pickle.loads(pickle.dumps(claimdb.ClaimDB(data_dir=copy)))
    assert builder.config.data_dir == copy
    train = pickle.loads(pickle.dumps(load(data_dir=copy, split="train")))
    assert ids(train) == [*range(9), 20]


def test_fingerprints_are_stable_and_maps_are_cached(load: Load, copy: str) -> None:
    one, two = (load(data_dir=copy, split="train") for _ in range(2))
    assert one._fingerprint == two._fingerprint
    mapped = one.map(lambda row: {"n": len(row["claim"])}, num_proc=2)
    assert mapped.column_names == [*COLUMNS, "n"]


def test_an_empty_split_is_empty(load: Load, tmp_path: Path) -> None:
    copy = write_copy(tmp_path / "c", train=[], test_public=[claim(1)])
    splits = load(data_dir=str(copy))
    assert (len(splits["train"]), len(splits["test_public"])) == (0, 1)
    assert splits["train"].features == splits["test_public"].features


def test_a_prepared_copy_needs_no_source_any_more(load: Load, copy: str) -> None:
    load(data_dir=copy)
    splits = load(data_dir=copy)
    shutil.rmtree(copy)
    assert len(splits["train"]) == 10
    with pytest.raises(claimdb.DataError, match="is not a folder"):
        load(data_dir=copy)


def test_other_datasets_are_unharmed(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"a": 1}\n')
    path = str(tmp_path / "x.jsonl")
    other = load_dataset("json", data_files=path, split="train", cache_dir=str(tmp_path / "cache"))
    assert list(other) == [{"a": 1}]
    assert isinstance(other, datasets.Dataset)


@pytest.mark.parametrize(("label", "name"), [(0, "ENTAILED"), (-1, "HIDDEN")])
def test_label_name(label: int, name: str) -> None:
    assert claimdb.label_name(label) == name


def test_label_name_of_no_label() -> None:
    with pytest.raises(ValueError, match="label 3 is none of"):
        claimdb.label_name(3)
