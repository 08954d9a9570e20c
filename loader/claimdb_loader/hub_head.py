"""What a branch on the Hub holds, and how a tree on this disk differs from it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import MappingProxyType

from huggingface_hub import HfApi
from huggingface_hub.errors import RepositoryNotFoundError, RevisionNotFoundError
from huggingface_hub.hf_api import RepoFile

from claimdb_loader import hub
from claimdb_loader.fingerprints import file_sha256
from claimdb_metric.errors import DataError


@dataclass(frozen=True)
class Repo:
    """A repository on the Hub that is written to.

    Attributes:
        repo_type: dataset, space or model.
        revision: the branch; None is main.
    """

    repo_id: str
    repo_type: str = "dataset"
    revision: str | None = None
    token: hub.Token = None

    @property
    def what(self) -> str:
        """The words that stand for it in messages."""
        return f"{self.repo_type} repository {self.repo_id}"


@dataclass(frozen=True)
class RemoteFile:
    """Size and hash of a file on the Hub: the sha256 of large ones, else git's own of a blob."""

    n_bytes: int
    sha256: str | None
    git_oid: str


@dataclass(frozen=True)
class Head:
    """What a branch holds; `sha` is None where the repository or the branch is not there yet."""

    sha: str | None = None
    files: Mapping[str, RemoteFile] = field(default_factory=dict)
    private: bool | None = None


@dataclass(frozen=True)
class Changes:
    """How a tree differs from what the Hub holds: paths, sorted."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed)


def read_head(repo: Repo) -> Head:
    """Return what the branch holds now; of a branch that is not there, what main holds.

    Raises:
        DataError: the name cannot be one, or the repository is not open to you.
        UnavailableError: the Hub does not answer.
    """
    for revision in dict.fromkeys((repo.revision, None)):
        try:
            return hub.patiently(partial(_head_at, repo, revision), repo.what)
        except DataError as error:
            if isinstance(error.__cause__, RevisionNotFoundError) and revision is not None:
                continue
            if type(error.__cause__) is RepositoryNotFoundError:
                return Head()
            raise
    return Head()


def _head_at(repo: Repo, revision: str | None) -> Head:
    api = HfApi(token=repo.token)
    info = api.repo_info(repo.repo_id, repo_type=repo.repo_type, revision=revision)
    listed = api.list_repo_tree(
        repo.repo_id, recursive=True, repo_type=repo.repo_type, revision=info.sha
    )
    files = {item.path: _remote(item) for item in listed if isinstance(item, RepoFile)}
    return Head(info.sha, files, info.private)


def _remote(item: RepoFile) -> RemoteFile:
    return RemoteFile(item.size, item.lfs.sha256 if item.lfs else None, item.blob_id)


def compare(
    files: Mapping[str, Path],
    head: Head,
    gone: Iterable[str] = (),
    sha256: Mapping[str, str] = MappingProxyType({}),
) -> Changes:
    """Return how local files differ from those of a branch.

    Args:
        files: path in the repository -> file on this disk.
        gone: paths that are to be removed.
        sha256: hashes of files that are known already, so that no large one is read again.
    """
    added = sorted(files.keys() - head.files.keys())
    both = sorted(files.keys() & head.files.keys())
    same = [name for name in both if is_same(files[name], head.files[name], sha256.get(name))]
    return Changes(
        tuple(added),
        tuple(name for name in both if name not in set(same)),
        tuple(sorted(set(gone) & head.files.keys() - files.keys())),
        tuple(same),
    )


def is_same(path: Path, remote: RemoteFile, sha256: str | None = None) -> bool:
    """Whether a local file, whose hash may be known already, is what the Hub holds."""
    if path.stat().st_size != remote.n_bytes:
        return False
    if remote.sha256 is not None:
        return (sha256 or file_sha256(path)) == remote.sha256
    content = path.read_bytes()
    blob = b"blob %d\0" % len(content) + content
    return hashlib.sha1(blob, usedforsecurity=False).hexdigest() == remote.git_oid
