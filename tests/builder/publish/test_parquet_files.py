"""The Parquet files of a repository, and what the card's YAML says of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import datasets
import pyarrow.parquet as pq
import pytest

from claimdb_builder.publish.parquet_files import (
    ParquetFile,
    configs_of,
    dataset_info_of,
    write_parquet,
)
from claimdb_builder.publish.tree import FEATURES
from claimdb_loader.features import CLAIM_FEATURES, DATABASE_FEATURES
from tests.builder.publish.made_benchmarks import hidden, labelled, of_rows
from tests.loader.claim_files import jsonl, read

CONFIGS = ("claims", "nei", "databases", "inspect")


def types_in(value: object) -> set[str]:
    """Every `_type` that stands anywhere in the features' JSON."""
    if isinstance(value, list):
        return {name for item in value for name in types_in(item)}
    if not isinstance(value, dict):
        return set()
    own = {value["_type"]} if isinstance(value.get("_type"), str) else set()
    return own.union(*(types_in(item) for item in value.values()))


@pytest.mark.matrix
@pytest.mark.parametrize("config", CONFIGS)
def test_features_are_values_and_class_labels_only(tmp_path: Path, config: str) -> None:
    """A list is `List` since datasets 4, which 3.6 does not know, and `Sequence` before."""
    features = FEATURES[config]
    write_parquet(tmp_path, config, "train", [], features)
    path = tmp_path / "data" / config / "train-00000-of-00001.parquet"
    stored = json.loads(pq.read_schema(path).metadata[b"huggingface"])
    assert types_in(stored) <= {"Value", "ClassLabel"}
    assert datasets.Features.from_arrow_schema(pq.read_schema(path)) == features


def written(folder: Path, **splits: Any) -> list[ParquetFile]:
    benchmark = of_rows(**splits)
    return [
        write_parquet(folder, "claims", split, [table], CLAIM_FEATURES)
        for split, table in benchmark.claims.items()
    ]


def test_the_same_rows_give_the_same_bytes_wherever_they_are_written(tmp_path: Path) -> None:
    rows = [*labelled(range(40)), *hidden([99])]
    contents = []
    for name in ("one", "another folder"):
        (file,) = written(tmp_path / name, train=rows)
        contents.append((tmp_path / name / file.name).read_bytes())
    assert contents[0] == contents[1]
    assert str(tmp_path).encode() not in contents[0]
    (changed,) = written(tmp_path / "third", train=rows[:-1])
    assert (tmp_path / "third" / changed.name).read_bytes() != contents[0]


def test_hidden_labels_survive(tmp_path: Path) -> None:
    (file,) = written(tmp_path, test_private=hidden([5, 6]))
    table = pq.read_table(tmp_path / file.name)
    assert table["label"].to_pylist() == table["category"].to_pylist() == [-1, -1]
    assert table["bird_id"].to_pylist() == [-1, -1]
    assert table.equals(read(jsonl(hidden([5, 6]))))


def test_what_was_written_is_counted(tmp_path: Path) -> None:
    table = read(jsonl(labelled(range(7))))
    file = write_parquet(tmp_path, "claims", "train", [table, table], CLAIM_FEATURES)
    path = tmp_path / "data/claims/train-00000-of-00001.parquet"
    assert (file.name, file.n_rows) == ("data/claims/train-00000-of-00001.parquet", 14)
    assert file.n_bytes == path.stat().st_size
    assert file.row_bytes > 0


FILES = [
    ParquetFile("claims", "train", 2, 100, 300),
    ParquetFile("claims", "test_public", 1, 10, 30),
    ParquetFile("databases", "train", 5, 1, 3),
]


def test_configs_name_globs_and_one_default() -> None:
    assert configs_of(FILES, "claims") == [
        {
            "config_name": "claims",
            "default": True,
            "data_files": [
                {"split": "train", "path": "data/claims/train-*.parquet"},
                {"split": "test_public", "path": "data/claims/test_public-*.parquet"},
            ],
        },
        {
            "config_name": "databases",
            "data_files": [{"split": "train", "path": "data/databases/train-*.parquet"}],
        },
    ]


@pytest.mark.parametrize("n_files", [1, 3])
def test_the_yaml_of_sizes_adds_up(n_files: int) -> None:
    infos = {info["config_name"]: info for info in dataset_info_of(FILES[:n_files], FEATURES)}
    claims = infos["claims"]
    splits = {s["name"]: (s["num_examples"], s["num_bytes"]) for s in claims["splits"]}
    assert splits["train"] == (2, 300)
    assert claims["download_size"] == sum(f.n_bytes for f in FILES[:n_files] if f.n_rows < 5)
    assert claims["dataset_size"] == sum(size for _, size in splits.values())
    assert len(infos) == (2 if n_files == 3 else 1)


def test_the_yaml_of_features_holds_values_and_class_labels_only() -> None:
    files = [ParquetFile(config, "train", 1, 1, 1) for config in CONFIGS]
    for info in dataset_info_of(files, FEATURES):
        for feature in info["features"]:
            dtype = feature["dtype"]
            assert set(feature) == {"name", "dtype"}
            assert dtype in ("int64", "string") or set(dtype) == {"class_label"}


def test_the_yaml_gives_back_the_features() -> None:
    (info,) = dataset_info_of([ParquetFile("databases", "train", 1, 1, 1)], FEATURES)
    assert datasets.Features._from_yaml_list(info["features"]) == DATABASE_FEATURES
