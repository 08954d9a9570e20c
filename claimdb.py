"""ClaimDB: fact verification over databases too large to read.

    import claimdb
    from datasets import load_dataset

    claims = load_dataset("claimdb", split="test_public")
    with claimdb.open_database(claims[0]["db_name"]) as db:
        print(db.schema())

Importing this module registers the names "claimdb" with `datasets` and "claimdb_metric" with
`evaluate`; nothing else happens. This file holds the builder class, because `datasets` takes the
builder from the module that is registered; what it does lives in `claimdb_loader`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import datasets
import pyarrow as pa
from datasets.exceptions import DatasetGenerationError

from claimdb_loader import cache_slots, load_options, sources
from claimdb_loader.attach import attach_databases
from claimdb_loader.claim_tables import ClaimFileReader
from claimdb_loader.databases import Database, open_database
from claimdb_loader.features import CLAIM_FEATURES, DATABASE_FEATURES
from claimdb_loader.hub import UPSTREAM_REPO
from claimdb_loader.notices import notice_changed_upstream, notice_hidden_labels
from claimdb_loader.plans import PLANNERS, Files, Options, Plan
from claimdb_loader.registration import register, unregister
from claimdb_metric.errors import (
    ClaimDBError,
    ClaimFileError,
    DatabaseFileError,
    DataError,
    HiddenLabelsError,
    UnavailableError,
    UnknownDatabaseError,
)
from claimdb_metric.labels import CATEGORIES, LABELS, label_name

try:
    from datasets.builder import Key
except ImportError:  # datasets < 5 takes any pair

    def Key(*parts: int) -> Any:
        return parts


__version__ = "0.1.0"
__all__ = [
    "CATEGORIES",
    "LABELS",
    "ClaimDB",
    "ClaimDBConfig",
    "ClaimDBError",
    "ClaimFileError",
    "DataError",
    "Database",
    "DatabaseFileError",
    "HiddenLabelsError",
    "UnavailableError",
    "UnknownDatabaseError",
    "__version__",
    "attach_databases",
    "label_name",
    "open_database",
    "register",
    "unregister",
]

_DESCRIPTION = (
    "Claims to be judged ENTAILED, CONTRADICTED or NOT ENOUGH INFO against databases that are too "
    "large to read: only a program can decide."
)
_LICENSE = "CC BY-SA 4.0; made from BIRD (https://bird-bench.github.io) and ClaimDB"


class RejectedRowsError(ClaimFileError, DatasetGenerationError):
    """ClaimFileError in the one form that `datasets` hands to the user as it is."""


@dataclass
class ClaimDBConfig(datasets.BuilderConfig):
    """The options of `load_dataset("claimdb", ...)` beside data_dir= and data_files=.

    Args:
        source_repo: Hub repository of the claims files; users give it as `repo_id=`.
        revision: branch, tag or commit of that repository; None is its main branch.
        exclude_known_issues: leave out the claims listed in `dataset_card/known_issues.jsonl`.
        train_excludes: "test_questions" drops train rows on questions known to be in test_public,
            "test_databases" train rows on databases that a test split uses.

    >>> ClaimDBConfig(train_excludes="test_questions").train_excludes
    'test_questions'
    """

    source_repo: str = UPSTREAM_REPO
    revision: str | None = None
    exclude_known_issues: bool = False
    train_excludes: str | None = None


class ClaimDB(datasets.ArrowBasedBuilder):
    """The builder behind `load_dataset("claimdb")`; configs: claims, nei, databases, sample.

    >>> ClaimDB(config_name="sample").info.features["label"].names
    ['ENTAILED', 'CONTRADICTED', 'NOT ENOUGH INFO']
    """

    VERSION = datasets.Version("1.0.0")
    BUILDER_CONFIG_CLASS = ClaimDBConfig
    BUILDER_CONFIGS = [  # noqa: RUF012
        ClaimDBConfig(
            name="claims", version=VERSION, description="train, test_public, test_private"
        ),
        ClaimDBConfig(name="nei", version=VERSION, description="labelled NEI claims by category"),
        ClaimDBConfig(name="databases", version=VERSION, description="one row per database"),
        ClaimDBConfig(name="sample", version=VERSION, description="embedded; needs no network"),
    ]
    DEFAULT_CONFIG_NAME = "claims"

    def __init__(
        self,
        cache_dir: str | None = None,
        dataset_name: str | None = None,
        config_name: str | None = None,
        hash: str | None = None,
        *,
        data_dir: str | None = None,
        data_files: Any = None,
        repo_id: str | None = None,
        **kwargs: Any,
    ) -> None:
        """Make a builder; arguments are those of `datasets.DatasetBuilder` and ClaimDBConfig.

        Args:
            dataset_name, hash: set by `datasets`; the cache folder is named by data and format.
            data_dir: folder of a local copy; default is CLAIMDB_DATA_DIR if that is set.
            data_files: claims files (JSONL) of your own, as `datasets` takes them.
            repo_id: Hub repository to read instead of upstream's.
        """
        config_name = config_name or self.DEFAULT_CONFIG_NAME
        options = load_options.chosen_options(ClaimDBConfig, repo_id, kwargs)
        if data_files is None:
            data_dir = load_options.chosen_data_dir_of(config_name, data_dir, options)
        self.source: sources.Source | None = None
        self._readers: dict[str, ClaimFileReader] = {}
        self._streams = False
        super().__init__(
            cache_dir=cache_dir,
            dataset_name=cache_slots.cache_name(config_name),
            config_name=config_name,
            hash=cache_slots.cache_key(config_name, data_dir, "exclude_known_issues" in options),
            data_dir=data_dir,
            data_files=data_files or None,
            **kwargs,
            **options,
        )

    def _info(self) -> datasets.DatasetInfo:
        is_databases = self.config.name == "databases"
        return datasets.DatasetInfo(
            description=_DESCRIPTION,
            features=DATABASE_FEATURES if is_databases else CLAIM_FEATURES,
            homepage="https://arxiv.org/abs/2601.14698",
            license=_LICENSE,
        )

    def _split_generators(self, dl_manager: Any) -> list[datasets.SplitGenerator]:
        self._streams = bool(dl_manager.is_streaming)
        if not self._streams:
            self.info.splits = None  # what an older copy held is no promise for this one
        self.source = self.source or sources.find(self.config, self.token)
        files = sources.reachable_files(self.source, dl_manager, self.token)
        options = Options(
            exclude_known_issues=self.config.exclude_known_issues,
            train_excludes=self.config.train_excludes,
            folder=self.source.folder,
        )
        plans = PLANNERS[self.config.name](files, options)
        return [datasets.SplitGenerator(p.split, gen_kwargs={"plan": p}) for p in plans]

    def _generate_tables(self, plan: Plan) -> Iterator[tuple[Any, pa.Table]]:
        try:
            for number, table in enumerate(plan.rows(self._read(plan.files), self._read)):
                if self._streams and number == 0:
                    notice_hidden_labels(plan.split, table)
                yield Key(0, number), table
        except ClaimFileError as error:
            raise RejectedRowsError(str(error)) from None

    def _read(self, files: Files) -> Iterator[pa.Table]:
        """Yield the rows of some files; `open` is the one that `datasets` replaces to stream."""
        from_hub = self.source is not None and self.source.snapshot is not None
        for split in dict.fromkeys(split for split, _ in files):
            reader = ClaimFileReader(with_sha256=from_hub)
            for path in (path for of_split, path in files if of_split == split):
                with open(path, "rb") as file:  # noqa: PTH123
                    yield from reader.tables(file, path)
            others = [other for name, other in self._readers.items() if name != split]
            reader.check_ids(others)
            self._readers[split] = reader
            notice_changed_upstream(self.source, reader.sha256)

    def as_dataset(self, split: Any = None, *args: Any, **kwargs: Any) -> Any:
        """Return the prepared split, or a dict of all; says which splits are there."""
        return self._load_split(super().as_dataset, split, *args, **kwargs)

    def _as_dataset(self, split: Any = None, in_memory: bool = False) -> Any:
        name = str(split)
        if name in self.info.splits and self.info.splits[name].num_examples == 0:
            # `datasets` takes a split without rows for an error ("corresponds to no data").
            return datasets.Dataset(self.info.features.arrow_schema.empty_table(), self.info, split)
        dataset = super()._as_dataset(split, in_memory)
        notice_hidden_labels(name, dataset.data.table)
        return dataset

    def as_streaming_dataset(self, split: Any = None, *args: Any, **kwargs: Any) -> Any:
        """Return the split as a stream, or a dict of all; without network, of a prepared copy."""
        try:
            return self._load_split(super().as_streaming_dataset, split, *args, **kwargs)
        except UnavailableError:
            if self.info.splits is None:
                raise
            prepared = self.as_dataset(split)
        if not isinstance(prepared, dict):
            return prepared.to_iterable_dataset()
        streams = {name: dataset.to_iterable_dataset() for name, dataset in prepared.items()}
        return datasets.IterableDatasetDict(streams)

    def _load_split(self, load: Any, split: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return load(split, *args, **kwargs)
        except ClaimDBError:
            raise
        except ValueError as error:
            there = self.info.splits or (self.source.files if self.source else ())
            where = self.config.data_dir or self.config.source_repo
            message = load_options.missing_split(self.config.name, split, where, there)
            if message is None:
                raise
            raise DataError(message) from error


register()
