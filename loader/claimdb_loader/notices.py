"""What a user should know about the data that was loaded, said in one log line each."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import PurePath

import pyarrow as pa
import pyarrow.compute as pc

from claimdb_loader.sources import KNOWN_SHA256, Source
from claimdb_metric.labels import HIDDEN

logger = logging.getLogger("claimdb")


def notice_hidden_labels(split: str, table: pa.Table) -> None:
    """Log one line when every label of a table is hidden."""
    if "label" not in table.column_names or table.num_rows == 0:
        return
    if pc.all(pc.equal(table["label"], HIDDEN)).as_py():
        logger.warning(
            "the labels of %s are hidden: label is -1 in every row. Do not train or score on them",
            split,
        )


def notice_changed_upstream(source: Source | None, sha256: Mapping[str, str]) -> None:
    """Log one line for each file from the Hub that is not the published one that we know.

    Args:
        source: where the files came from; files of a local copy are the user's own affair.
        sha256: the hash of each file that was read, by path.
    """
    if source is None or source.snapshot is None:
        return
    for path, digest in sha256.items():
        name = PurePath(path).name
        if digest != KNOWN_SHA256.get(name, digest):
            logger.warning(
                "%s of %s at commit %s is not the file that this release knows (sha256 %s, known "
                "%s): claims or labels may have changed. revision= pins an older commit",
                name,
                source.snapshot.repo_id,
                source.snapshot.sha[:12],
                digest[:12],
                KNOWN_SHA256[name][:12],
            )
