"""ClaimDB: fact verification over databases too large to read.

    import claimdb
    from datasets import load_dataset

    claims = load_dataset("claimdb", split="test_public")
    with claimdb.open_database(claims[0]["db_name"]) as db:
        print(db.schema())

Importing it makes "claimdb" known to `datasets` and "claimdb_metric" to `evaluate`, nothing more.
`datasets` takes the builder class from this module; what that does lives in `claimdb_loader`.
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
from claimdb_loader.claim_reader import ClaimReader, Exclusions
from claimdb_loader.databases import Database, open_database
from claimdb_loader.features import dataset_info
from claimdb_loader.hub import UPSTREAM_REPO
from claimdb_loader.notices import notice_hidden_labels, notice_origin
from claimdb_loader.plans import PLANNERS, Plan
from claimdb_loader.registration import register, unregister
from claimdb_metric import (
    CATEGORIES,
    LABELS,
    ClaimDBError,
    ClaimFileError,
    DatabaseFileError,
    DataError,
    HiddenLabelsError,
    UnavailableError,
    UnknownDatabaseError,
    compare,
    label_name,
    score,
)

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
    "RejectedRowsError",
    "UnavailableError",
    "UnknownDatabaseError",
    "__version__",
    "attach_databases",
    "compare",
    "label_name",
    "open_database",
    "register",
    "score",
    "unregister",
]


class RejectedRowsError(ClaimFileError, DatasetGenerationError):
    """ClaimFileError in the one form that `datasets` hands to the user as it is."""


@dataclass
class ClaimDBConfig(datasets.BuilderConfig):
    """The options of `load_dataset("claimdb", ...)` beside data_dir= and data_files=.

    Args:
        source_repo: Hub repository of the claims files; users give it as `repo_id=`.
        revision: branch, tag or commit of that repository; None is its main branch.
        exclude_known_issues: leave out claims of known_issues.jsonl: ours, and the source's own.
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
            data_files: claims files (JSONL, Parquet) of your own, as `datasets` takes them.
            repo_id: Hub repository to read instead of upstream's.
        """
        config_name = config_name or self.DEFAULT_CONFIG_NAME
        options = load_options.chosen_options(ClaimDBConfig, repo_id, kwargs)
        source = None
        if data_files is None:
            data_dir = load_options.chosen_data_dir_of(config_name, data_dir, options)
            source = sources.find_early(config_name, data_dir, options, kwargs.get("token"))
        elif data_dir is not None:
            kwargs.setdefault("base_path", data_dir)  # as in `datasets`' own builders
        self.is_published = source is None and data_files is None and not options
        self.source: sources.Source | None = None
        self._reader: ClaimReader | None = None
        self._planned: list[str] = []
        super().__init__(
            cache_dir=cache_dir,
            dataset_name=cache_slots.cache_name(config_name, self.is_published),
            config_name=config_name,
            hash=cache_slots.cache_key(source, "exclude_known_issues" in options),
            data_dir=data_dir,
            data_files=data_files or None,
            **kwargs,
            **options,
        )

    def _info(self) -> datasets.DatasetInfo:
        return dataset_info(self.config.name)

    def download_and_prepare(self, *args: Any, **kwargs: Any) -> None:
        """Prepare the splits, as `datasets` does, and note beside them where they came from."""
        self._reader = None
        super().download_and_prepare(*args, **kwargs)
        if self._reader is not None:
            cache_slots.write_origin(self._output_dir, self._reader.source)

    def _split_generators(self, dl_manager: Any) -> list[datasets.SplitGenerator]:
        if not dl_manager.is_streaming:
            self.info.splits = None  # what an older copy held is no promise for this one
        source = self.source or sources.find(self.config, self.token)
        files = sources.reachable_files(source, dl_manager, self.token)
        leave_out = Exclusions(self.config.exclude_known_issues, self.config.train_excludes)
        streams = bool(dl_manager.is_streaming)
        self._reader = ClaimReader(source, files, leave_out, self._open, streams)
        plans = PLANNERS[self.config.name](files)
        self._planned = [plan.split for plan in plans]
        return [datasets.SplitGenerator(p.split, gen_kwargs={"plan": p}) for p in plans]

    def _open(self, path: str) -> Any:
        return open(path, "rb")  # noqa: PTH123 (datasets replaces `open` here to stream)

    def _generate_tables(self, plan: Plan) -> Iterator[tuple[Any, pa.Table]]:
        reader = self._reader
        if reader is None:
            raise RuntimeError("_split_generators makes the reader before any table is asked for")
        try:
            for number, table in enumerate(plan.rows(reader)):
                if reader.streams and number == 0:
                    notice_hidden_labels(plan.split, table)
                yield Key(0, number), table
        except ClaimFileError as error:
            raise RejectedRowsError(str(error)) from None

    def as_dataset(self, split: Any = None, *args: Any, **kwargs: Any) -> Any:
        """Return the prepared split, or a dict of all; says which splits are there."""
        if self.is_published:
            origin = cache_slots.read_origin(self.cache_dir)
            notice_origin(origin, sources.where_on_hub(self.config.source_repo))
        return self._load_split(super().as_dataset, split, *args, **kwargs)

    def _as_dataset(self, split: Any = None, in_memory: bool = False) -> Any:
        parts = [self.info.splits.get(name) for name in load_options.split_names(split)]
        if parts and all(part is not None and part.num_examples == 0 for part in parts):
            # `datasets` takes a split without rows for an error ("corresponds to no data").
            return datasets.Dataset(self.info.features.arrow_schema.empty_table(), self.info, split)
        dataset = super()._as_dataset(split, in_memory)
        notice_hidden_labels(str(split), dataset.data.table)
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
            there = self.info.splits or self._planned
            origin = cache_slots.read_origin(self.cache_dir) or self.config.data_dir
            where = origin or sources.where_on_hub(self.config.source_repo)
            message = load_options.missing_split(self.config.name, split, where, there)
            if message is None:
                raise
            raise DataError(message) from error


register()
