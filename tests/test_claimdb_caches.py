"""Which prepared copy `load_dataset("claimdb", …)` serves, and when it is made anew."""

from __future__ import annotations

import pickle
import shutil
from pathlib import Path
from typing import Any

import datasets
import pytest
from datasets import (
    load_dataset,
)

import claimdb
from claimdb_loader import cache_slots, sources
from tests.conftest import Load
from tests.loader.claim_files import claim, ids, jsonl, write_copy

pytestmark = pytest.mark.matrix

COLUMNS = ["claim_id", "bird_id", "db_name", "claim", "extra_info", "label", "category"]


def test_an_edited_file_is_read_anew_and_the_same_content_is_not(load: Load, copy: str) -> None:
    before = load(data_dir=copy, split="train").cache_files
    assert load(data_dir=copy, split="train").cache_files == before
    write_copy(Path(copy), train=[claim(1)])
    after = load(data_dir=copy, split="train")
    assert (len(after), after.cache_files == before) == (1, False)


def test_an_option_at_its_default_shares_the_cache(load: Load, copy: str) -> None:
    plain = load(data_dir=copy, split="train").cache_files
    named = load(data_dir=copy, split="train", exclude_known_issues=False, train_excludes=None)
    assert named.cache_files == plain


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


def test_the_key_names_data_and_format_never_source_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """The literal changes only when the data or the format does: every user prepares anew then."""
    key = cache_slots.default_key()
    assert key == "6083bdb66dfe0e37852cc7cc58ddaf3c412aba91b1b3e478cc952aad559167f6"
    monkeypatch.setattr(cache_slots, "FORMAT_VERSION", 2)
    other_format = cache_slots.default_key()
    monkeypatch.setitem(sources.KNOWN_SHA256, "test-public.jsonl", "0" * 64)
    assert len({key, other_format, cache_slots.default_key()}) == 3


def test_only_the_published_data_lies_where_the_bare_name_looks(load: Load, copy: str) -> None:
    """A copy that is half written there breaks every load without `import claimdb`."""
    path = str(Path(copy) / "train.jsonl")
    for arguments in (
        {"data_dir": copy},
        {"data_files": path},
        {"data_dir": copy, "train_excludes": "test_questions"},
    ):
        (folder,) = {Path(file["filename"]).parents[3] for file in _files(load(**arguments))}
        assert folder.name == "claimdb_claims"


def _files(splits: Any) -> list[dict[str, str]]:
    return [file for split in splits.values() for file in split.cache_files]


def test_the_same_builder_reads_changed_files_anew(tmp_path: Path) -> None:
    copy = write_copy(tmp_path / "c", train=[claim(1)], test_public=[claim(2), claim(3)])
    builder = claimdb.ClaimDB(data_dir=str(copy), cache_dir=str(tmp_path / "cache"))
    builder.download_and_prepare()
    write_copy(copy, train=[claim(1), claim(3)], test_public=[claim(2)])
    builder.download_and_prepare(download_mode="force_redownload")
    assert ids(builder.as_dataset("train")) == [1, 3]


def test_an_edited_file_of_data_files_is_read_anew(load: Load, tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    for expected in ([1], [1, 2]):
        path.write_bytes(jsonl([claim(n) for n in expected]))
        assert ids(load(data_files=str(path), split="train")) == expected
