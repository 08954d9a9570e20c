"""What a user should know about the data that was loaded, said in one log line each."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import PurePath

import pyarrow as pa
import pyarrow.compute as pc

from claimdb_loader.sources import KNOWN_SHA256, Source
from claimdb_metric.labels import HIDDEN

logger = logging.getLogger("claimdb")
_EXPECTS_HIDDEN: ContextVar[bool] = ContextVar("hidden labels are expected", default=False)


class OnceLog:
    """Warnings to the user, each text once: a split may be read several times."""

    def __init__(self) -> None:
        self._said: set[str] = set()

    def warn(self, text: str) -> None:
        """Log a warning unless this one was given the same text before."""
        if text not in self._said:
            self._said.add(text)
            logger.warning("%s", text)


@contextmanager
def hidden_labels_expected() -> Iterator[None]:
    """Load without a notice of hidden labels, where the caller deals with them."""
    token = _EXPECTS_HIDDEN.set(True)
    try:
        yield
    finally:
        _EXPECTS_HIDDEN.reset(token)


def notice_hidden_labels(split: str, table: pa.Table) -> None:
    """Log one line when every label of a table is hidden."""
    if "label" not in table.column_names or table.num_rows == 0 or _EXPECTS_HIDDEN.get():
        return
    if pc.all(pc.equal(table["label"], HIDDEN)).as_py():
        logger.warning(
            "the labels of %s are hidden: label is -1 in every row. Do not train or score on them",
            split,
        )


def notice_origin(origin: str | None, published: str) -> None:
    """Log one line when what is served by name is a local copy, put there by `claimdb prepare`.

    Args:
        origin: where the prepared copy came from; None where nobody noted it.
        published: the words for the published data's own source.
    """
    if origin not in (None, published):
        logger.warning(
            'load_dataset("claimdb") serves the copy that `claimdb prepare` made from %s; '
            "`claimdb prepare` without --data-dir goes back to %s",
            origin,
            published,
        )


def notice_changed_upstream(log: OnceLog, source: Source, sha256: Mapping[str, str]) -> None:
    """Log one line for each file from the Hub that is not the published one that we know.

    Args:
        source: where the files came from; files of a local copy are the user's own affair.
        sha256: the hash of each file that was read, by path.
    """
    if source.snapshot is None:
        return
    for path, digest in sha256.items():
        name = PurePath(path).name
        if digest != KNOWN_SHA256.get(name, digest):
            log.warn(
                f"{name} of {source.snapshot.repo_id} at commit {source.snapshot.sha[:12]} is not "
                f"the file that this release knows (sha256 {digest[:12]}, known "
                f"{KNOWN_SHA256[name][:12]}): claims or labels may have changed. "
                "revision= pins an older commit"
            )
