"""Repositories of the local hub: files, commits and refs, all in memory.

A commit is a full snapshot (path -> file), so reading an old revision is one dict look-up.
Only the content of a big file stays outside: a `Path` on disk is read when somebody downloads it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

CHUNK_BYTES = 1 << 16
LFS_MIN_BYTES = 10 << 20  # the Hub takes larger files through LFS only
LFS_SUFFIXES = {".7z", ".arrow", ".bin", ".bz2", ".db", ".duckdb", ".gz", ".parquet"} | {
    ".safetensors",
    ".sqlite",
    ".tar",
    ".xz",
    ".zip",
    ".zst",
}

Content = bytes | Path


def timestamp() -> str:
    """Now, as the Hub writes it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")


@dataclass(frozen=True)
class StoredFile:
    """One file of a commit; `oid` is what git or LFS calls it, and what downloads send as ETag."""

    content: Content
    size: int
    oid: str
    is_lfs: bool

    def read(self) -> bytes:
        return self.content if isinstance(self.content, bytes) else self.content.read_bytes()


def store_file(path: str, content: Content, *, is_lfs: bool | None = None) -> StoredFile:
    """The record of `content` under the name `path`; hashes it once, in chunks.

    Args:
        is_lfs: How the file arrived, if that is settled already (None: as the Hub would decide).
    """
    size = len(content) if isinstance(content, bytes) else content.stat().st_size
    if is_lfs is None:
        is_lfs = goes_to_lfs(path, size, next(read_chunks(content, 0, min(size, 512)), b""))
    digest = hashlib.sha256() if is_lfs else hashlib.sha1(b"blob %d\0" % size)
    for chunk in read_chunks(content, 0, size):
        digest.update(chunk)
    return StoredFile(content, size, digest.hexdigest(), is_lfs)


def goes_to_lfs(path: str, size: int, head: bytes) -> bool:
    """Whether the Hub keeps such a file in LFS: by suffix, by size, or because it is binary.

    Empty files never go there: LFS has no object of size 0.
    """
    if size == 0:
        return False
    return Path(path).suffix.lower() in LFS_SUFFIXES or size > LFS_MIN_BYTES or b"\0" in head


def read_chunks(content: Content, start: int, length: int) -> Iterator[bytes]:
    """`length` bytes of `content` from `start` on, never more than CHUNK_BYTES at a time."""
    if isinstance(content, bytes):
        view = memoryview(content)[start : start + length]
        for offset in range(0, len(view), CHUNK_BYTES):
            yield bytes(view[offset : offset + CHUNK_BYTES])
        return
    with content.open("rb") as file:
        file.seek(start)
        while length > 0 and (chunk := file.read(min(length, CHUNK_BYTES))):
            length -= len(chunk)
            yield chunk


@dataclass(frozen=True)
class Commit:
    """A snapshot of a repository."""

    sha: str
    parent: str | None
    title: str
    date: str
    files: Mapping[str, StoredFile]


@dataclass
class Repo:
    """One repository; `branches` also holds the pull requests, as `refs/pr/1` and so on."""

    repo_type: str
    repo_id: str
    private: bool = False
    sdk: str | None = None  # of a Space
    created: str = field(default_factory=timestamp)
    commits: dict[str, Commit] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=count)

    @property
    def namespace(self) -> str:
        """The user or organisation that owns it."""
        return self.repo_id.split("/")[0]

    def commit(
        self,
        branch: str,
        added: Mapping[str, StoredFile],
        *,
        deleted: Iterable[str] = (),
        title: str = "update",
    ) -> Commit:
        """Add a commit to `branch`, which starts at main if it is new.

        A deleted path may be a file or a folder. The sha depends on the content, because clients
        key caches on it that may outlive this hub.
        """
        parent = self.branches.get(branch) or self.branches.get("main")
        files = dict(self.commits[parent].files) if parent else {}
        for gone in (path.rstrip("/") for path in deleted):
            files = {p: f for p, f in files.items() if p != gone and not p.startswith(gone + "/")}
        files.update(added)
        snapshot = sorted((path, file.oid) for path, file in files.items())
        identity = (self.repo_type, self.repo_id, parent, title, next(self._numbers), snapshot)
        sha = hashlib.sha1(repr(identity).encode()).hexdigest()
        self.commits[sha] = Commit(sha, parent, title, timestamp(), files)
        self.branches[branch] = sha
        return self.commits[sha]

    def find_commit(self, revision: str) -> Commit | None:
        """The commit that a branch, a tag, a pull request ref or a (shortened) sha names."""
        if sha := self.branches.get(revision) or self.tags.get(revision):
            return self.commits[sha]
        if len(revision) < 7:
            return None
        return next((c for sha, c in self.commits.items() if sha.startswith(revision)), None)

    def history(self, commit: Commit) -> Iterator[Commit]:
        """`commit` and its ancestors, newest first."""
        current: Commit | None = commit
        while current:
            yield current
            current = self.commits[current.parent] if current.parent else None

    def next_pull_request(self) -> str:
        """The ref that the next pull request gets."""
        return f"refs/pr/{1 + sum(name.startswith('refs/pr/') for name in self.branches)}"
