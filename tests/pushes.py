"""What tests of pushes share: the files of a push, and what the local hub was asked to write."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Final

import pytest

from claimdb_loader.hub_commit import Sent, check_privacy, commit, ensure_repo
from claimdb_loader.hub_head import Head, Repo, compare, read_head
from tests.hub import LocalHub

MINE: Final = Repo("you/r", token="hf_test")
OLD_CLIENT: Final = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")
"""huggingface_hub 2.4 sends LFS files in a way that its HTTP library has deprecated."""


def noted_naps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses between tries, noted instead of slept; the clock moves on by them."""
    pauses: list[float] = []
    clock = SimpleNamespace(sleep=pauses.append, monotonic=lambda: sum(pauses))
    monkeypatch.setattr("huggingface_hub.utils._http.time", clock)
    monkeypatch.setattr("claimdb_loader.hub.time", clock)
    return pauses


def written(folder: Path, contents: Mapping[str, bytes]) -> dict[str, Path]:
    """Files on this disk by their path in the repository."""
    files = {name: folder / "written" / name for name in contents}
    for name, path in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents[name])
    return files


def send(
    folder: Path,
    contents: Mapping[str, bytes],
    repo: Repo = MINE,
    *,
    head: Head | None = None,
    gone: tuple[str, ...] = (),
    private: bool = False,
    create_pr: bool = False,
) -> Sent:
    """One push of these files, from a look at the branch to its commit."""
    head = read_head(repo) if head is None else head
    check_privacy(repo, head, private)
    files = written(folder, contents)
    changes = compare(files, head, gone)
    head = ensure_repo(repo, head, private)
    return commit(repo, head, files, changes, "Say what is new", create_pr)


def asked(hub: LocalHub, method: str, pattern: str, since: int = 0) -> list[str]:
    """The paths of requests with a good answer, after the first `since` ones."""
    found = [r for r in hub.requests[since:] if r.method == method and 0 < r.status < 300]
    return [r.path for r in found if re.search(pattern, r.path)]


def n_commits(hub: LocalHub) -> int:
    """How many commits the hub has taken from clients so far."""
    return len(asked(hub, "POST", "/commit/"))


def wrote_nothing(hub: LocalHub, since: int = 0) -> bool:
    """Whether every request since then only looked."""
    return all(r.method in ("GET", "HEAD") for r in hub.requests[since:])


def tree_of(folder: Path) -> dict[str, bytes]:
    """Path -> content of everything below a folder."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
