"""Rows -> the Parquet files of a repository, and what the card says of each config."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
import pyarrow.parquet as pq

from claimdb_loader.published import parquet_glob, parquet_name


@dataclass(frozen=True)
class ParquetFile:
    """One split of a config as it was written.

    Attributes:
        n_bytes: length of the file.
        row_bytes: of its rows before compression.
    """

    config: str
    split: str
    n_rows: int
    n_bytes: int
    row_bytes: int

    @property
    def name(self) -> str:
        """The path in the repository."""
        return parquet_name(self.config, self.split)


def write_parquet(
    folder: Path, config: str, split: str, tables: Iterable[pa.Table], features: datasets.Features
) -> ParquetFile:
    """Return what was written: one Parquet file, of the same bytes for the same rows.

    The features stand in the file too, so that label names survive without the card.
    """
    path = folder / parquet_name(config, split)
    path.parent.mkdir(parents=True, exist_ok=True)
    schema = features.arrow_schema
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for table in tables:
            writer.write_table(table.cast(schema))
    written = pq.read_metadata(path)
    row_bytes = sum(written.row_group(i).total_byte_size for i in range(written.num_row_groups))
    return ParquetFile(config, split, written.num_rows, path.stat().st_size, row_bytes)


def read_texts(content: bytes, names: Iterable[str]) -> list[tuple[str, ...]]:
    """Return the rows of some columns of texts; none where the bytes hold no such columns.

    Args:
        content: of a Parquet file that anybody may have written.
        names: of the columns.
    """
    names = list(names)
    try:
        table = pq.read_table(pa.BufferReader(content), columns=names).select(names)
    except (pa.ArrowException, KeyError, OSError):
        return []
    columns = [table[name].to_pylist() for name in names]
    if not all(isinstance(value, str) for column in columns for value in column):
        return []
    return list(zip(*columns, strict=True))


def configs_of(files: Iterable[ParquetFile], default: str) -> list[dict[str, Any]]:
    """Return the `configs` of a card's front matter: which files each split is made of."""
    configs: dict[str, dict[str, Any]] = {}
    for file in files:
        entry: dict[str, Any] = {"config_name": file.config, "data_files": []}
        if file.config == default:
            entry = {"config_name": file.config, "default": True, "data_files": []}
        data_files = configs.setdefault(file.config, entry)["data_files"]
        data_files.append({"split": file.split, "path": parquet_glob(file.config, file.split)})
    return list(configs.values())


def dataset_info_of(
    files: Iterable[ParquetFile], features: Mapping[str, datasets.Features]
) -> list[dict[str, Any]]:
    """Return the `dataset_info` of a card's front matter: columns, splits and sizes."""
    from datasets.info import DatasetInfosDict
    from huggingface_hub import DatasetCardData

    by_config: dict[str, list[ParquetFile]] = {}
    for file in files:
        by_config.setdefault(file.config, []).append(file)
    infos = DatasetInfosDict(
        {config: _info(config, splits, features[config]) for config, splits in by_config.items()}
    )
    card: Any = DatasetCardData()  # its methods carry no types
    infos.to_dataset_card_data(card)
    found: Any = card.to_dict()["dataset_info"]
    return list(found) if isinstance(found, list) else [found]


def _info(
    config: str, files: list[ParquetFile], features: datasets.Features
) -> datasets.DatasetInfo:
    splits = datasets.SplitDict()
    for file in files:
        splits.add(datasets.SplitInfo(file.split, file.row_bytes, file.n_rows))
    return datasets.DatasetInfo(
        config_name=config,
        features=features,
        splits=splits,
        download_size=sum(file.n_bytes for file in files),
        dataset_size=sum(file.row_bytes for file in files),
    )
