"""`LocalHub`: what tests see of the local hub."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Literal, Self

from tests.hub.faults import Fault
from tests.hub.journal import Request
from tests.hub.repo import Content, Repo, store_file
from tests.hub.server import HubServer
from tests.hub.store import Store

RepoType = Literal["model", "dataset", "space"]
CLIENT_PREFIXES = ("HF_", "HUGGINGFACE_", "HUGGING_FACE_")


class LocalHub:
    """A Hugging Face Hub on a loopback port, for as long as the `with` block lasts.

    Tokens are all of the user "you", a member of "your-lab": "hf_test" may write, "hf_read" and
    the fine-grained "hf_fine" only read, any other is refused. In repositories of others the user
    may open pull requests, and nothing else.
    The clients need HF_HUB_DISABLE_XET=1, because the hub speaks plain HTTP and LFS only.

    >>> with LocalHub() as hub:
    ...     sha = hub.add_repo("you/x", {"data.txt": b"one"})
    ...     hub.files("you/x")
    {'data.txt': b'one'}
    """

    def __init__(self, port: int = 0) -> None:
        self._port = port

    def __enter__(self) -> Self:
        self._scratch = TemporaryDirectory(prefix="local-hub-")
        self._store = Store(Path(self._scratch.name))
        self._server = HubServer(self._store, self._port)
        self._server.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.stop()
        self._scratch.cleanup()

    @property
    def url(self) -> str:
        """The endpoint, "http://127.0.0.1:PORT"."""
        return self._server.url

    def add_repo(
        self,
        repo_id: str,
        files: Mapping[str, Content],
        *,
        repo_type: RepoType = "dataset",
        private: bool = False,
    ) -> str:
        """Create a repository with one commit and return that commit's sha.

        Args:
            files: Path in the repository -> bytes, or a file on disk that is read when asked for.
        """
        with self._server.lock:
            if (repo_type, repo_id) in self._store.repos:
                raise ValueError(f"{repo_type} {repo_id} exists already: use update_repo")
            self._store.repos[repo_type, repo_id] = Repo(repo_type, repo_id, private)
        return self.update_repo(repo_id, files, repo_type=repo_type)

    def update_repo(
        self,
        repo_id: str,
        files: Mapping[str, Content],
        *,
        delete: Iterable[str] = (),
        revision: str = "main",
        repo_type: RepoType = "dataset",
    ) -> str:
        """Add a commit to a branch (a new one starts at main) and return the commit's sha."""
        added = {path: store_file(path, content) for path, content in files.items()}
        with self._server.lock:
            for file in added.values():
                self._store.remember_lfs(file)
            repo = self._repo(repo_id, repo_type)
            return repo.commit(revision, added, deleted=delete).sha

    def files(
        self, repo_id: str, revision: str = "main", repo_type: RepoType = "dataset"
    ) -> dict[str, bytes]:
        """Path -> content of everything at a revision."""
        with self._server.lock:
            commit = self._repo(repo_id, repo_type).find_commit(revision)
            if commit is None:
                raise KeyError(f"{repo_id} has no revision {revision!r}")
            return {path: file.read() for path, file in sorted(commit.files.items())}

    def _repo(self, repo_id: str, repo_type: RepoType) -> Repo:
        repo = self._store.repos.get((repo_type, repo_id))
        if repo is None:
            raise KeyError(f"no {repo_type} {repo_id}")
        return repo

    def env(self, home: Path, *, token: str | None = "hf_test") -> dict[str, str]:
        """The whole environment for a child process whose Hub this is.

        Args:
            home: Where the child's Hugging Face caches go.
            token: What the child signs in with (None: nothing).
        """
        kept = {k: v for k, v in os.environ.items() if not k.startswith(CLIENT_PREFIXES)}
        ours = {
            "HF_ENDPOINT": self.url,
            "HF_HOME": str(home),
            "HF_HUB_DISABLE_PROGRESS_BARS": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "HF_HUB_DISABLE_XET": "1",
            "HF_UPDATE_DOWNLOAD_COUNTS": "0",
            "NO_PROXY": "127.0.0.1",
            "no_proxy": "127.0.0.1",
        }
        return kept | ours | ({"HF_TOKEN": token} if token else {})

    @property
    def requests(self) -> list[Request]:
        """Every request so far, in order of arrival."""
        return self._server.journal.requests()

    def bytes_sent(self, path_pattern: str) -> int:
        """Body bytes sent for all paths in which the regular expression is found."""
        return sum(r.bytes_sent for r in self.requests if re.search(path_pattern, r.path))

    @property
    def unrouted(self) -> list[str]:
        """Requests that no route knows ("GET /path"): what the hub has yet to learn."""
        return list(self._server.unrouted)

    @property
    def crashes(self) -> list[str]:
        """Tracebacks of errors in the hub itself."""
        return list(self._server.crashes)

    def fault(
        self,
        pattern: str,
        *,
        method: str | None = None,
        times: int | None = 1,
        status: int | None = None,
        headers: Mapping[str, str] | None = None,
        cut_after_bytes: int | None = None,
        html: bool = False,
        delay_s: float = 0.0,
    ) -> None:
        """Answer the next `times` requests in whose path `pattern` is found as `Fault` describes.

        `pattern` sees the path decoded and without its query. Faults are used up in the order
        they were ordered; `times=None` lasts until clear_faults.
        """
        fault = Fault(
            re.compile(pattern), method, status, headers or {}, cut_after_bytes, html, delay_s
        )
        self._server.faults.add(fault, times)

    def clear_faults(self) -> None:
        self._server.faults.clear()

    def reset(self) -> None:
        """Forget every repository, fault and request, so that a test starts with an empty hub."""
        with self._server.lock:
            self._store.repos.clear()
            self._store.lfs_objects.clear()
            self._server.unrouted.clear()
            self._server.crashes.clear()
        self._server.faults.clear()
        self._server.journal.clear()
