"""What a Hub repository holds, its files on this disk, and errors that say what to do."""

from __future__ import annotations

import errno
import os
import re
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from huggingface_hub import HfApi, hf_hub_download, try_to_load_from_cache
from huggingface_hub.errors import (
    GatedRepoError,
    HfHubHTTPError,
    HFValidationError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)

from claimdb_metric.errors import ClaimDBError, DataError, UnavailableError

UPSTREAM_REPO: Final = "michaeltheologitis/claimdb"
DEFAULT_REVISION: Final = "main"
LOOKUP_TIMEOUT_S: Final = 10.0
MAX_TRIES: Final = 4
RETRY_WITHIN_S: Final = 20.0
MAX_WAIT_S: Final = 60.0

HUB_ERRORS: Final[tuple[type[Exception], ...]] = (OSError, *HfHubHTTPError.__mro__[1:-3])
"""All that a Hub call raises when the network or the Hub fails.

huggingface_hub is built on requests (0.x), httpx (1.x) or httpx2 (2.x). Transport errors of the
last two are no OSError, but share a base with HfHubHTTPError; its own bases stand before Exception,
BaseException and object in its order of bases.
"""

ANSWER_ERRORS: Final[tuple[type[Exception], ...]] = (*HUB_ERRORS, ValueError)
"""Also what the Hub's own client raises on a name or an answer that is no valid one."""

Token = str | bool | None
T = TypeVar("T")


@dataclass(frozen=True)
class Snapshot:
    """The files of one commit of a dataset repository."""

    repo_id: str
    revision: str
    sha: str
    names: frozenset[str]
    is_online: bool

    def url(self, name: str) -> str:
        """Return the hf:// address of one file."""
        return f"hf://datasets/{self.repo_id}@{self.sha}/{name}"


def look_up(repo_id: str, revision: str | None, token: Token, wanted: list[str]) -> Snapshot:
    """Return what the repository holds, from the Hub or, without network, from the Hub cache.

    Args:
        repo_id: "owner/name" of a dataset repository.
        revision: branch, tag or commit; None is the main branch.
        token: as in huggingface_hub; None takes the one of `hf auth login` or HF_TOKEN.
        wanted: the file names that are looked for in the cache when the Hub does not answer.

    Raises:
        UnavailableError: the Hub does not answer and nothing is cached; after at most 10 s.
        DataError: the repository or revision does not exist, or is not open to you.
    """
    try:
        info = HfApi(token=token).dataset_info(repo_id, revision=revision, timeout=LOOKUP_TIMEOUT_S)
    except ANSWER_ERRORS as error:
        cached = _cached(repo_id, revision, wanted)
        if cached is not None and is_unreachable(error):
            return cached
        raise hub_error(error, f"dataset repository {repo_id}", revision) from error
    names = frozenset(file.rfilename for file in info.siblings or ())
    revision = revision or DEFAULT_REVISION
    return Snapshot(repo_id, revision, info.sha or revision, names, is_online=True)


def fetch(snapshot: Snapshot, name: str, token: Token) -> str:
    """Return the path on this disk of one file of the repository, fetched once.

    Raises:
        UnavailableError: the transfer failed.
    """
    cached = cached_file(snapshot.repo_id, name, snapshot.sha)
    if cached is not None:
        return cached
    what = f"{name} of {snapshot.repo_id}"

    def download() -> str:
        # By branch, not by commit: only then does the cache know offline what the branch was.
        return hf_hub_download(
            snapshot.repo_id, name, repo_type="dataset", revision=snapshot.revision, token=token
        )

    path = patiently(download, what)
    if snapshot.is_online and _commit_of(path) != snapshot.sha:
        raise UnavailableError(f"{what} was changed while it was being fetched: load again")
    return path


def patiently(
    call: Callable[[], T],
    what: str,
    max_tries: int = MAX_TRIES,
    within_s: float = RETRY_WITHIN_S,
    max_wait_s: float = MAX_WAIT_S,
) -> T:
    """Return what a Hub call gives, and try again where an older huggingface_hub gives up at once.

    Version 1.33 and newer wait and try again by themselves, for longer than RETRY_WITHIN_S; before,
    each version lets something through at once: a 429 (0.x), a cut connection (1.x).

    Args:
        what: the words for what is asked for, for the error.
        max_tries: how often it is called at most.
        within_s: seconds from the beginning, after which it is not called again.
        max_wait_s: the longest time between two calls.

    Raises:
        UnavailableError: the network or the Hub failed to the last, or something else answered.
        DataError: what is asked for does not exist, or is not open to you.
    """
    started = time.monotonic()
    n_tries = 0
    while True:
        try:
            return call()
        except ANSWER_ERRORS as error:
            if isinstance(error, ClaimDBError):
                raise
            n_tries += 1
            is_late = time.monotonic() - started > within_s
            may_help = isinstance(error, HUB_ERRORS) and is_unreachable(error)
            is_offline = isinstance(error, OfflineModeIsEnabled)
            if n_tries == max_tries or is_late or is_offline or not may_help:
                raise hub_error(error, what) from error
            time.sleep(min(max_wait_s, retry_after(error) or 2.0 ** (n_tries - 1)))


def cached_file(repo_id: str, name: str, revision: str | None) -> str | None:
    """Return the path of a file in the Hub cache; asks nobody."""
    try:
        cached = try_to_load_from_cache(
            repo_id, name, revision=revision or DEFAULT_REVISION, repo_type="dataset"
        )
    except HFValidationError:
        return None
    return cached if isinstance(cached, str) else None


def hub_error(error: Exception, what: str, revision: str | None = None) -> ClaimDBError:
    """Return the error of ours that says what a failed Hub call means and what to do."""
    at = f" at revision {revision}" if revision else ""
    if isinstance(error, HFValidationError):
        return DataError(f"{what} cannot exist: {_cause(error)}")
    if isinstance(error, GatedRepoError):
        return DataError(f"{what} is gated: accept its terms on the Hub, then `hf auth login`")
    if isinstance(error, RepositoryNotFoundError):
        return DataError(
            f"{what} does not exist, or is private and your token does not open it: "
            "check the name, then `hf auth login` or set HF_TOKEN"
        )
    if isinstance(error, RevisionNotFoundError):
        return DataError(f"{what} has no revision {revision!r}: check the branch, tag or commit")
    response = getattr(error, "response", None)
    if response is not None:
        status = response.status_code
        hint = _STATUS_HINTS.get(status, "try again later")
        # Without its query, in which storage addresses carry a signature.
        url = str(response.url).partition("?")[0]
        return UnavailableError(f"the Hub answered {status} for {what}{at} ({url}): {hint}")
    # A TLS error has a number of its own, which may be one of these.
    if getattr(error, "errno", None) in _OF_THE_DISK and not isinstance(error, ssl.SSLError):
        return UnavailableError(f"could not store {what}{at}: {error}")
    reason = _cause(error)
    if isinstance(error, OfflineModeIsEnabled):
        reason = "offline mode is on"
    elif isinstance(error, ValueError):
        reason = "the answer is a web page, not the Hub's: is a login or proxy in between?"
    return UnavailableError(f"could not reach {endpoint()} for {what}{at} ({reason})")


_OF_THE_DISK: Final = {
    errno.EACCES,
    errno.EDQUOT,
    errno.EFBIG,
    errno.EIO,
    errno.EISDIR,
    errno.ENAMETOOLONG,
    errno.ENOENT,
    errno.ENOSPC,
    errno.ENOTDIR,
    errno.EPERM,
    errno.EROFS,
}

_STATUS_HINTS: Final = {
    401: "your token is not valid; `hf auth login` again or unset HF_TOKEN",
    403: "your token may not read it; ask its owner or use another token",
    404: "no such file there; check the name and the revision",
    429: "too many requests; wait a few minutes, or log in for a higher limit",
}


def is_unreachable(error: Exception) -> bool:
    """Whether the Hub gave no real answer, so that a cached copy or a new try may help."""
    response = getattr(error, "response", None)
    return response is None or response.status_code == 429 or response.status_code >= 500


def retry_after(error: Exception) -> float | None:
    """Return the seconds that the Hub asks to wait before a new try, None if it does not say."""
    headers = getattr(getattr(error, "response", None), "headers", {})
    asked = headers.get("Retry-After", "")
    if not asked.isdigit():
        # Of the 429s of its own the Hub says it like this: "api";r=0;t=211
        asked = next(iter(re.findall(r";t=(\d+)", headers.get("RateLimit", ""))), "")
    return float(asked) if asked else None


def _cached(repo_id: str, revision: str | None, wanted: list[str]) -> Snapshot | None:
    found = {name: path for name in wanted if (path := cached_file(repo_id, name, revision))}
    if not found:
        return None
    sha = _commit_of(next(iter(found.values())))
    return Snapshot(repo_id, revision or DEFAULT_REVISION, sha, frozenset(found), is_online=False)


def _commit_of(path: str) -> str:
    """The commit of a file in the Hub cache, which keeps it under snapshots/COMMIT/."""
    return path.replace(os.sep, "/").rpartition("/snapshots/")[2].partition("/")[0]


def _cause(error: Exception) -> str:
    return str(error).strip().split("\n")[0] or type(error).__name__


def endpoint() -> str:
    """Return the address of the Hub."""
    return os.environ.get("HF_ENDPOINT", "https://huggingface.co")
