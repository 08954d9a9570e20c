"""Reads the splits of one source: every row checked, exclusions applied, each notice given once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from claimdb_loader import exclusions
from claimdb_loader.claim_ids import ClaimIds
from claimdb_loader.claim_tables import ClaimFileReader
from claimdb_loader.fingerprints import manifest_rows
from claimdb_loader.notices import OnceLog, notice_changed_upstream
from claimdb_loader.problems import Problems
from claimdb_loader.published import DATABASE_MANIFEST
from claimdb_loader.sources import Source
from claimdb_metric.errors import ClaimFileError

OpenFile = Callable[[str], AbstractContextManager[BinaryIO]]
FilesOfSplit = Mapping[str, tuple[str, ...]]
"""The paths or hf:// addresses of each split that is there."""


@dataclass(frozen=True)
class Exclusions:
    """What the user asked to leave out; `train_excludes` is a key of exclusions.TRAIN_EXCLUDES."""

    known_issues: bool = False
    train_excludes: str | None = None


class ClaimReader:
    """The rows of each split of a source.

    Args:
        source: where the files were found.
        files: the paths or addresses of each split that is there.
        leave_out: which claims are left out.
        open_file: opens a path or address for reading bytes.
        streams: whether files are far away, so that none is read only to find more faults.

    Raises:
        DataError: `train_excludes` is unknown, or needs a split that is not there; or the source's
            own list of known issues is none.
        DatabaseFileError: the source's list of databases is none.

    Attributes:
        listed_databases: the rows of that list; empty where there is none.
    """

    def __init__(
        self,
        source: Source,
        files: FilesOfSplit,
        leave_out: Exclusions,
        open_file: OpenFile,
        streams: bool,
    ) -> None:
        exclusions.check_train_excludes(leave_out.train_excludes, files)
        self.source = source
        self.files = files
        self.streams = streams
        self._leave_out = leave_out
        self._open_file = open_file
        self._log = OnceLog()
        self._ids: dict[str, ClaimIds] = {}
        # At once: `datasets` would wrap the error of a bad list in one of its own.
        wanted = leave_out.known_issues
        self._known_issues = exclusions.read_known_issues(source.issues_folder) if wanted else []
        manifest = Path(source.manifest).read_bytes() if source.manifest else b"[]"
        self.listed_databases = manifest_rows(manifest, DATABASE_MANIFEST)

    def rows(self, split: str) -> Iterator[pa.Table]:
        """Yield the rows of one split as tables of CLAIM_SCHEMA, less what is excluded.

        Raises:
            ClaimFileError: rows are wrong; unless streaming, it lists faults of other splits too.
        """
        for table in self._checked(split):
            if self._known_issues:
                table = exclusions.without_known_issues(table, self._known_issues)
            if split == "train" and self._leave_out.train_excludes is not None:
                table = exclusions.without_values(table, *self._shared_with_tests)
            yield table

    @cached_property
    def _shared_with_tests(self) -> tuple[str, pa.Array]:
        """The column that train must not share with the tests, and the tests' values of it."""
        column, splits = exclusions.TRAIN_EXCLUDES[str(self._leave_out.train_excludes)]
        tables = (table for split in splits for table in self._checked(split))
        return column, exclusions.shared_values(column, tables)

    def _checked(self, split: str) -> Iterator[pa.Table]:
        problems = Problems(self._log)
        reader = ClaimFileReader(problems, with_sha256=self.source.snapshot is not None)
        try:
            yield from self._tables(reader, split)
            others = [ids for name, ids in self._ids.items() if name != split]
            reader.check_ids(others)
        except ClaimFileError:
            if not self.streams:
                self._search_other_splits(problems, split)
            problems.raise_if_any()
        self._ids[split] = reader.ids
        notice_changed_upstream(self._log, self.source, reader.sha256)

    def _tables(self, reader: ClaimFileReader, split: str) -> Iterator[pa.Table]:
        for path in self.files[split]:
            with self._open_file(path) as file:
                yield from reader.tables(file, path)

    def _search_other_splits(self, problems: Problems, faulty_split: str) -> None:
        """Add the faults of the splits that were not read yet, so that one error lists them all."""
        for split in self.files.keys() - self._ids.keys() - {faulty_split}:
            with suppress(ClaimFileError):
                for _ in self._tables(ClaimFileReader(problems), split):
                    pass
