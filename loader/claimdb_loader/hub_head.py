"""What a branch on the Hub holds, and how a tree on this disk differs from it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Final

from huggingface_hub import HfApi
from huggingface_hub.errors import RepositoryNotFoundError
from huggingface_hub.hf_api import RepoFile
from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]

from claimdb_loader import hub
from claimdb_loader.fingerprints import file_sha256
from claimdb_metric.errors import DataError

_BRANCH: Final = re.compile(r"(?![0-9a-f]{40}$)[A-Za-z0-9][\w./-]*")
"""A commit's hash is none."""


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

    @property
    def url(self) -> str:
        """Where a browser finds it."""
        folder = "" if self.repo_type == "model" else f"{self.repo_type}s/"
        return f"{hub.endpoint()}/{folder}{self.repo_id}"

    def check(self, create_pr: bool = False) -> None:
        """Raise DataError where the name cannot be one, or the branch rules a pull request out.

        >>> Repo("claimdb").check()
        Traceback (most recent call last):
        claimdb_metric.errors.DataError: 'claimdb' must be OWNER/NAME, such as you/claimdb
        """
        try:
            validate_repo_id(self.repo_id)
        except ValueError as error:
            raise DataError(f"{self.repo_id!r} cannot be a repository's name: {error}") from None
        if self.repo_id.count("/") != 1:
            raise DataError(f"{self.repo_id!r} must be OWNER/NAME, such as you/{self.repo_id}")
        if self.revision is not None and not _BRANCH.fullmatch(self.revision):
            raise DataError(f"{self.revision!r} cannot be the name of a branch")
        if create_pr and self.revision not in (None, hub.DEFAULT_REVISION):
            raise DataError("a pull request is opened against main: leave out --revision")


@dataclass(frozen=True)
class RemoteFile:
    """Size and hash of a file on the Hub: the sha256 of large ones, else git's own of a blob."""

    n_bytes: int
    sha256: str | None
    git_oid: str


@dataclass(frozen=True)
class Head:
    """What a branch holds; of one that is not there yet, what main holds.

    Attributes:
        sha: the commit; None where the repository is not there yet.
        private: None where it is not there yet.
        is_new_branch: whether the branch has yet to be made.
    """

    sha: str | None = None
    files: Mapping[str, RemoteFile] = field(default_factory=dict)
    private: bool | None = None
    is_new_branch: bool = False


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
        DataError: the name cannot be one, the repository is not open to you, or the revision is a
            tag.
        UnavailableError: the Hub does not answer.
    """
    try:
        return hub.patiently(partial(_head, repo), repo.what)
    except DataError as error:
        if type(error.__cause__) is RepositoryNotFoundError:
            return Head()
        raise


def _head(repo: Repo) -> Head:
    api = HfApi(token=repo.token)
    revision = repo.revision
    is_new = False
    if revision is not None and not revision.startswith("refs/"):
        refs = api.list_repo_refs(repo.repo_id, repo_type=repo.repo_type)
        is_new = revision not in {ref.name for ref in refs.branches}
        if is_new and revision in {ref.name for ref in refs.tags}:
            raise DataError(f"{revision} of {repo.what} is a tag: give the name of a branch")
    info = api.repo_info(
        repo.repo_id,
        repo_type=repo.repo_type,
        revision=None if is_new else revision,
        timeout=hub.LOOKUP_TIMEOUT_S,
    )
    listed = api.list_repo_tree(
        repo.repo_id, recursive=True, repo_type=repo.repo_type, revision=info.sha
    )
    files = {item.path: _remote(item) for item in listed if isinstance(item, RepoFile)}
    return Head(info.sha, files, info.private, is_new)


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
