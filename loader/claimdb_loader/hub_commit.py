"""One commit on the Hub: compared first, sent whole or not at all, and never twice.

Large files are sent one by one before the commit. An interrupted push leaves the old revision as it
was, and a new one sends only what the Hub does not have yet.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TypeVar

from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi

from claimdb_loader import hub
from claimdb_loader.hub_head import Changes, Head, Repo, compare, read_head
from claimdb_metric.errors import ClaimDBError, DataError, UnavailableError

T = TypeVar("T")

ALONE_BYTES: Final = 10_000_000
"""Files of this size and more are sent one by one before the commit: a cut costs one of them."""

MAX_FILE_BYTES: Final = 200 * 10**9
"""What huggingface_hub 1.33 takes for the largest file of a repository (its MAX_FILE_SIZE_GB)."""

MAX_PULL_REQUESTS: Final = 5
"""So many of the latest are looked at for one that proposes the same."""

PUSH_TRIES: Final = 8
PUSH_MAX_WAIT_S: Final = 300.0
"""The Hub counts its limits of requests over five minutes."""


_FIRST_FILES: Final = {
    "dataset": {".gitattributes"},
    "space": {".gitattributes", "README.md"},
}
"""What the first commit of a new repository holds."""


@dataclass(frozen=True)
class Sent:
    """A commit that the Hub has taken; `pull_request` is its address where one was opened."""

    sha: str
    url: str
    pull_request: str | None = None


def check_privacy(repo: Repo, head: Head, private: bool) -> None:
    """Raise DataError where a repository is to be private and is public already."""
    if private and head.private is False:
        raise DataError(
            f"{repo.what} is public: change that in its settings on the Hub, or leave out --private"
        )


def ensure_repo(repo: Repo, head: Head, private: bool, space_sdk: str | None = None) -> Head:
    """Return what the branch holds after the repository and the branch were made, where necessary.

    Raises:
        DataError: you may not.
        UnavailableError: somebody else made the repository meanwhile.
    """
    api = HfApi(token=repo.token)
    if head.sha is None:
        # None, not False: an organisation may have chosen that its new repositories are private.
        make = partial(api.create_repo, repo.repo_id, repo_type=repo.repo_type, exist_ok=True)
        sdk = {"space_sdk": space_sdk} if space_sdk else {}
        _send(partial(make, private=private or None, **sdk), repo)
        head = read_head(repo)
        if head.files.keys() - _FIRST_FILES[repo.repo_type]:
            raise UnavailableError(f"somebody else made {repo.what} meanwhile: push again")
        check_privacy(repo, head, private)
    if head.is_new_branch:
        branch = partial(api.create_branch, repo.repo_id, branch=str(repo.revision), exist_ok=True)
        _send(partial(branch, repo_type=repo.repo_type), repo)
    return head


def commit(
    repo: Repo,
    head: Head,
    files: Mapping[str, Path],
    changes: Changes,
    message: str,
    create_pr: bool = False,
    sha256: Mapping[str, str] = MappingProxyType({}),
) -> Sent:
    """Return the commit that brings a branch to what the changes say.

    429 and 5xx are tried again, after the time that the Hub asks for; whether a commit whose answer
    was lost has landed is looked up before it is sent again.

    Args:
        head: what the branch held when the changes were found.
        files: path in the repository -> file on this disk.
        message: one line.
        create_pr: open a pull request in place of changing the branch.
        sha256: what files were when they were described; one that is another now is not sent.

    Raises:
        DataError: you may not, the Hub refuses a file, or a file was changed meanwhile.
        UnavailableError: the Hub does not answer, or somebody else pushed meanwhile.
    """
    api = HfApi(token=repo.token)
    options: dict[str, Any] = {
        "repo_type": repo.repo_type,
        "revision": repo.revision,
        "create_pr": create_pr,
    }
    operations = _operations(files, changes, sha256)
    for operation in operations:
        if isinstance(operation, CommitOperationAdd) and operation.upload_info.size >= ALONE_BYTES:
            _send(partial(api.preupload_lfs_files, repo.repo_id, [operation], **options), repo)
    was_sent = create_pr  # a pull request of the same content may be open already

    def send() -> Sent:
        nonlocal was_sent
        if was_sent and (landed := _landed(repo, head, files, changes, create_pr)):
            return landed
        was_sent = True
        info = api.create_commit(
            repo.repo_id, operations, commit_message=message, parent_commit=head.sha, **options
        )
        return Sent(info.oid, info.commit_url, info.pr_url)

    return _send(send, repo)


def _operations(
    files: Mapping[str, Path], changes: Changes, sha256: Mapping[str, str]
) -> list[Any]:
    names = [*changes.added, *changes.changed]
    additions = [_addition(name, files[name], sha256.get(name)) for name in names]
    return [*additions, *(CommitOperationDelete(name) for name in changes.removed)]


def _addition(name: str, path: Path, measured: str | None) -> CommitOperationAdd:
    try:
        addition = CommitOperationAdd(name, path)
    except ValueError as error:  # the file is gone, or no repository takes the path
        raise DataError(f"{path} cannot be sent as {name}: {error}") from None
    if measured and measured != addition.upload_info.sha256.hex():
        raise DataError(f"{path} was changed meanwhile: push again")
    return addition


def _landed(
    repo: Repo,
    head: Head,
    files: Mapping[str, Path],
    changes: Changes,
    create_pr: bool,
) -> Sent | None:
    """The commit or pull request of an earlier try, None if there is none."""
    for place in _latest_pull_requests(repo, head) if create_pr else [repo]:
        found = read_head(place)
        if found.sha != head.sha and not compare(files, found, changes.removed):
            number = str(place.revision).rpartition("/")[2]
            pull = f"{repo.url}/discussions/{number}" if create_pr else None
            return Sent(str(found.sha), f"{repo.url}/commit/{found.sha}", pull)
    return None


def _latest_pull_requests(repo: Repo, head: Head) -> list[Repo]:
    """The repository at each of its latest pull requests to this head, newest first.

    One that was merged, or that main has left behind, starts at an older commit.
    """
    api = HfApi(token=repo.token)
    ask = partial(api.list_repo_refs, repo.repo_id, repo_type=repo.repo_type)
    refs = hub.patiently(partial(ask, include_pull_requests=True), repo.what)
    numbers = [ref.ref.rpartition("/")[2] for ref in refs.pull_requests or ()]
    latest = sorted(map(int, filter(str.isdigit, numbers)), reverse=True)[:MAX_PULL_REQUESTS]
    places = [replace(repo, revision=f"refs/pr/{number}") for number in latest]
    return [place for place in places if _parent_of(place) == head.sha]


def _parent_of(place: Repo) -> str | None:
    """The commit under the newest one of a branch or pull request."""
    api = HfApi(token=place.token)
    ask = partial(api.list_repo_commits, place.repo_id, repo_type=place.repo_type)
    commits = hub.patiently(partial(ask, revision=place.revision), place.what)
    return commits[1].commit_id if len(commits) > 1 else None


def _send(call: Callable[[], T], repo: Repo) -> T:
    """Return what a call that writes gives; its errors say what may not be written, and why."""
    try:
        return hub.patiently(
            # However long an upload took, it is tried again.
            partial(_bare, call, repo),
            repo.what,
            PUSH_TRIES,
            math.inf,
            PUSH_MAX_WAIT_S,
        )
    except UnavailableError as error:
        response = getattr(error.__cause__, "response", None)
        raise _refusal(repo, response, error.__cause__) or error from error.__cause__


def _bare(call: Callable[[], T], repo: Repo) -> T:
    """Return what a call gives; the Hub's errors come without what its client wraps around them."""
    try:
        return call()
    except RuntimeError as error:  # around a failed upload
        if isinstance(error.__cause__, hub.HUB_ERRORS):
            raise error.__cause__ from None
        raise
    except ValueError as error:
        if type(error) is not ValueError:
            raise
        raise DataError(f"the Hub refuses README.md of {repo.what}: {error}") from error


def _refusal(repo: Repo, response: Any, cause: BaseException | None) -> ClaimDBError | None:
    """The error for what the Hub answered to a request that writes, None for any other failure."""
    status = getattr(response, "status_code", None)
    said = str(getattr(cause, "server_message", None) or cause).strip()
    if status == 403:
        return DataError(
            f"your token may not write to {repo.what} ({said}): use one with the role write (a "
            f"fine-grained one must name this repository), {hub.endpoint()}/settings/tokens"
        )
    if status == 412:
        return UnavailableError(f"somebody else changed {repo.what} meanwhile: push again")
    if status in (400, 409, 413, 422):
        return DataError(f"the Hub refuses the push to {repo.what}: {said}")
    return None
