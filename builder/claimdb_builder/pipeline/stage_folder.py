"""The folder of one stage: its key, its batches while it runs, its files when it is done.

stages/select-1f0c…/part.jsonl     batches so far, in order; a torn one at the end is cut off
stages/select-1f0c…/kept.jsonl     all that was kept
stages/select-1f0c…/dropped.jsonl  all that was not, with reasons
stages/select-1f0c…/stage.json     what it was made from, and counts; written last
"""

from __future__ import annotations

import hashlib
import json
import os
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from claimdb_loader.storage import replace_atomically
from claimdb_metric.errors import DataError

KEY_LENGTH: Final = 16
SYNC_S: Final = 1.0
"""Batches are written at once, so that a killed build loses none, and forced to the disk once a
second: a machine that loses power may lose the batches of the last one."""

Counts = dict[str, dict[str, Any]]
"""By database: {"in": n, "kept": n, "dropped": {reason: n}}."""


@dataclass(frozen=True)
class Batch:
    """What became of a batch of records.

    Args:
        counts: by database.
        kept, dropped: lines, each with its end.
    """

    counts: Counts
    kept: bytes
    dropped: bytes

    @property
    def n_in(self) -> int:
        """How many records went in."""
        return sum(counts["in"] for counts in self.counts.values())


@dataclass(frozen=True)
class StageFolder:
    """The folder of one stage under one key.

    Args:
        path: the folder.
        made_from: what the key is made of: code version, settings, hashes of the input.
    """

    path: Path
    made_from: Mapping[str, Any]

    @classmethod
    def of(cls, run: Path, name: str, made_from: Mapping[str, Any]) -> StageFolder:
        """Return the folder of a stage in a run, named by what it is made from."""
        text = json.dumps({"stage": name} | dict(made_from), sort_keys=True)
        key = hashlib.sha256(text.encode()).hexdigest()[:KEY_LENGTH]
        return cls(run / "stages" / f"{name}-{key}", made_from)

    @property
    def kept(self) -> Path:
        """What the stage kept, a record a line."""
        return self.path / "kept.jsonl"

    @property
    def dropped(self) -> Path:
        """What the stage dropped, with reasons."""
        return self.path / "dropped.jsonl"

    @property
    def part(self) -> Path:
        """The batches so far."""
        return self.path / "part.jsonl"

    @property
    def summary(self) -> Path:
        """What the stage was made from, and its counts; there when it is done."""
        return self.path / "stage.json"

    def read_summary(self) -> dict[str, Any] | None:
        """Return the summary of a stage that is done, None where it is not.

        Raises:
            DataError: its files are not those that it wrote.
        """
        if not self.summary.exists():
            return None
        try:
            summary: dict[str, Any] = json.loads(self.summary.read_bytes())
            is_ours = summary.pop("sha256") == _sha256_of(summary)
        except (ValueError, KeyError, TypeError, AttributeError):
            is_ours = False
        if not is_ours:
            raise self._changed(self.summary)
        for path in (self.kept, self.dropped):
            if not path.is_file() or file_sha256(path) != summary[f"{path.stem}_sha256"]:
                raise self._changed(path)
        return summary

    def _changed(self, path: Path) -> DataError:
        return DataError(
            f"{path} is not as the stage wrote it; delete its folder to have the stage done again"
        )

    def batches_so_far(self) -> int:
        """Return how many records the part's whole batches took; cuts off what follows them."""
        if not self.part.exists():
            return 0
        n_in, end = 0, 0
        with self.part.open("rb") as file:
            for batch in _batches(file):
                n_in, end = n_in + batch.n_in, file.tell()
        if end < self.part.stat().st_size:
            os.truncate(self.part, end)
        return n_in

    def append(self, batches: Iterable[Batch]) -> Iterator[int]:
        """Write batches as they come; yield how many records each took."""
        self.path.mkdir(parents=True, exist_ok=True)
        synced = time.monotonic()
        with self.part.open("ab") as file:
            for batch in batches:
                # One write: what another thread or a signal does cannot come between its lines.
                file.write(_framed(batch))
                file.flush()
                if time.monotonic() - synced > SYNC_S:
                    os.fsync(file.fileno())
                    synced = time.monotonic()
                yield batch.n_in
            os.fsync(file.fileno())

    def finish(self, stage: str) -> dict[str, Any]:
        """Make the stage's files of its part; return its summary."""
        counts: Counts = {}
        paths = {name: self.path / f".{name}.new" for name in ("kept", "dropped")}
        with (
            self.part.open("rb") as part,
            paths["kept"].open("wb") as kept,
            paths["dropped"].open("wb") as dropped,
        ):
            for batch in _batches(part):
                kept.write(batch.kept)
                dropped.write(batch.dropped)
                add_counts(counts, batch.counts)
            for file in (kept, dropped):
                file.flush()
                os.fsync(file.fileno())
        paths["kept"].replace(self.kept)
        paths["dropped"].replace(self.dropped)
        summary = {"stage": stage} | dict(self.made_from) | total(counts)
        summary |= {"databases": {name: counts[name] for name in sorted(counts)}}
        summary |= {"kept_sha256": file_sha256(self.kept)}
        summary |= {"dropped_sha256": file_sha256(self.dropped)}
        replace_atomically(self.summary, as_json(summary | {"sha256": _sha256_of(summary)}))
        self.part.unlink()
        return summary


def _framed(batch: Batch) -> bytes:
    """A line with the batch's counts and what follows it: lengths and checksum."""
    head = {
        "kept": len(batch.kept),
        "dropped": len(batch.dropped),
        # After a loss of power, a file may have its length and not its content.
        "crc32": zlib.crc32(batch.kept + batch.dropped),
        "counts": batch.counts,
    }
    return json.dumps(head, ensure_ascii=False).encode() + b"\n" + batch.kept + batch.dropped


def _batches(file: IO[bytes]) -> Iterator[Batch]:
    """The whole batches of a part, up to one that is torn."""
    while line := file.readline():
        try:
            head = json.loads(line)
            kept, dropped = file.read(head["kept"]), file.read(head["dropped"])
        except (ValueError, KeyError, TypeError):
            return
        if zlib.crc32(kept + dropped) != head["crc32"]:
            return
        yield Batch(head["counts"], kept, dropped)


def add_counts(counts: Counts, more: Counts) -> None:
    """Add the counts of some databases to others, in place."""
    for name, added in more.items():
        held = counts.setdefault(name, {"in": 0, "kept": 0, "dropped": {}})
        held["in"] += added["in"]
        held["kept"] += added["kept"]
        for reason, n in added["dropped"].items():
            held["dropped"][reason] = held["dropped"].get(reason, 0) + n


def total(counts: Counts) -> dict[str, Any]:
    """Return the sum of the counts of all databases, reasons in order of their names.

    >>> total({"zoo": {"in": 3, "kept": 2, "dropped": {"tie": 1}}})
    {'in': 3, 'kept': 2, 'dropped': {'tie': 1}}
    """
    summed: Counts = {}
    add_counts(summed, {"": {"in": 0, "kept": 0, "dropped": {}}})
    for one in counts.values():
        add_counts(summed, {"": one})
    summed[""]["dropped"] = dict(sorted(summed[""]["dropped"].items()))
    return summed[""]


def write_if_other(path: Path, content: bytes) -> None:
    """Write a file, unless it has this content already."""
    if not path.exists() or path.read_bytes() != content:
        replace_atomically(path, content)


def _sha256_of(value: object) -> str:
    return hashlib.sha256(as_json(value)).hexdigest()


def as_json(value: object) -> bytes:
    """Return a value as JSON for people and programs, the same bytes for the same value."""
    text = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    return text.encode(errors="backslashreplace")  # names of files may be no UTF-8


def file_sha256(path: Path) -> str:
    """Return the sha256 of a file, 64 hex digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
