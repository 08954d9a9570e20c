"""What wrong rows, files, options and splits of `load_dataset("claimdb", …)` are told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import claimdb
from tests.conftest import Load
from tests.loader.claim_files import claim, jsonl, write_copy

pytestmark = pytest.mark.matrix

COLUMNS = ["claim_id", "bird_id", "db_name", "claim", "extra_info", "label", "category"]


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


def test_train_excludes_needs_the_test_splits(load: Load, tmp_path: Path) -> None:
    copy = str(write_copy(tmp_path / "c", train=[claim(1)], test_public=[claim(2)]))
    assert len(load(data_dir=copy, train_excludes="test_questions")["train"]) == 0
    with pytest.raises(claimdb.DataError, match="needs test_private, which this copy lacks"):
        load(data_dir=copy, train_excludes="test_databases")
    with pytest.raises(claimdb.DataError, match="must be one of test_questions, test_databases"):
        load(data_dir=copy, train_excludes="questions")


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


@pytest.mark.parametrize("config", ["claims", "nei", "databases"])
def test_a_wrong_exclusion_is_refused_in_every_config(load: Load, copy: str, config: str) -> None:
    with pytest.raises(claimdb.DataError, match="must be one of test_questions, test_databases"):
        load(config, data_dir=copy, train_excludes="bogus")


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ({"exclude_known_issues": "False"}, "exclude_known_issues='False' must be a bool"),
        ({"exclude_known_issues": 1}, "exclude_known_issues=1 must be a bool"),
        ({"train_excludes": ["test_questions"]}, r"train_excludes=\['test_questions'\] must be"),
        ({"repo_id": 5}, "repo_id=5 must be a str"),
        ({"data_dir": 5}, "data_dir=5 is not the path of a folder"),
        ({"data_dir": "~nosuchuser/x"}, "data_dir='~nosuchuser/x' is not the path of a folder"),
    ],
)
def test_options_of_a_wrong_type(load: Load, option: dict[str, Any], words: str) -> None:
    with pytest.raises(claimdb.DataError, match=words):
        load(**option)


def test_data_files_that_name_no_file(load: Load, tmp_path: Path) -> None:
    with pytest.raises(claimdb.DataError, match="data_files= names no file for x"):
        load(data_files={"x": []})
    with pytest.raises((claimdb.DataError, FileNotFoundError)):
        load(data_files=str(tmp_path / "*.zzz"))


def test_a_claims_file_that_is_none_is_no_gap(load: Load, copy: str) -> None:
    train = Path(copy) / "train.jsonl"
    train.unlink()
    train.mkdir()
    with pytest.raises(claimdb.DataError, match=r"train\.jsonl is not a file"):
        load(data_dir=copy)
    train.rmdir()
    train.symlink_to("nowhere")
    with pytest.raises(claimdb.DataError, match=r"train\.jsonl is not a file"):
        load(data_dir=copy)
    train.unlink()
    (Path(copy) / "test-public.jsonl").rename(Path(copy) / "test_public.jsonl")
    with pytest.raises(claimdb.DataError, match=r"test_public\.jsonl must be named test-public"):
        load(data_dir=copy)


def test_faults_of_all_splits_are_listed_at_once(load: Load, copy: str) -> None:
    for name in ("train", "test-public", "test-private"):
        with (Path(copy) / f"{name}.jsonl").open("a") as file:
            file.write("oops\n")
    with pytest.raises(claimdb.ClaimFileError, match="3 problems") as caught:
        load(data_dir=copy)
    for place in ("train.jsonl:11", "test-public.jsonl:7", "test-private.jsonl:4"):
        assert f"copy/{place}: not JSON" in str(caught.value)


@pytest.mark.parametrize(
    ("split", "absent"),
    [
        (["train", "dev"], "dev"),
        ("train+dev", "dev"),
        ("dev[:2]+train", "dev"),
        ("test-public", "test-public"),
    ],
)
def test_the_split_that_is_missing_is_named(load: Load, copy: str, split: Any, absent: str) -> None:
    with pytest.raises(claimdb.DataError, match=f"there is no split '{absent}'"):
        load(data_dir=copy, split=split)


def test_a_stream_names_the_splits_of_its_own_config(load: Load, copy: str) -> None:
    with pytest.raises(claimdb.DataError, match="gives out_of_schema, subjective, counterfactual"):
        load("nei", data_dir=copy, split="dev", streaming=True)
