"""One commit, whole or not at all and never twice, whatever the Hub and others do meanwhile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import HfApi

from claimdb_loader.hub_commit import ensure_repo
from claimdb_loader.hub_head import Head, Repo, read_head
from claimdb_metric.errors import DataError, UnavailableError
from tests.hub import LocalHub
from tests.pushes import MINE, OLD_CLIENT, n_commits, noted_naps, send

pytestmark = OLD_CLIENT

OLD = {"a.txt": b"1", "gone.txt": b"2", "old.zip": b"PK1"}
NEW = {"a.txt": b"3", "b.txt": b"4", "d/new.zip": b"PK2"}
CARD = b"---\nlicense: mit\n---\n"


@pytest.fixture
def naps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    return noted_naps(monkeypatch)


def titles(repo_id: str = "you/r", revision: str | None = None) -> list[str]:
    listed = HfApi(token="hf_test").list_repo_commits(
        repo_id, repo_type="dataset", revision=revision
    )
    return [made.title for made in listed]


def test_one_commit_adds_changes_and_removes(hub: LocalHub, tmp_path: Path) -> None:
    hub.add_repo("you/r", OLD)
    sent = send(tmp_path, NEW, gone=("gone.txt",))
    assert hub.files("you/r") == {**NEW, "old.zip": b"PK1"}
    assert titles() == ["Say what is new", "update"]
    assert sent.sha == read_head(MINE).sha
    assert sent.url == f"{hub.url}/datasets/you/r/commit/{sent.sha}"
    assert sent.pull_request is None


@pytest.mark.parametrize(
    ("private", "repo_id", "revision"),
    [(False, "you/r", None), (True, "your-lab/r", None), (True, "you/r", "v1/a")],
)
def test_a_repository_is_made(
    hub: LocalHub, tmp_path: Path, private: bool, repo_id: str, revision: str | None
) -> None:
    repo = Repo(repo_id, revision=revision, token="hf_test")
    send(tmp_path, NEW, repo, private=private)
    assert read_head(repo).private == private
    assert hub.files(repo_id, revision or "main").keys() == {".gitattributes", *NEW}
    assert titles(repo_id, revision) == ["Say what is new", "initial commit"]
    if revision:
        assert titles(repo_id) == ["initial commit"]


def test_what_is_public_is_not_taken_for_private(hub: LocalHub, tmp_path: Path) -> None:
    hub.add_repo("you/r", OLD)
    with pytest.raises(DataError, match=r"dataset repository you/r is public: .*leave out --priv"):
        send(tmp_path, NEW, private=True)
    assert n_commits(hub) == 0


RETRIES: list[tuple[dict[str, Any], list[float]]] = [
    ({"status": 429, "headers": {"Retry-After": "7"}}, [7.0, 7.0]),
    ({"status": 503, "headers": {"Retry-After": "7"}}, [7.0, 7.0]),
    ({"status": 429}, [1.0, 2.0]),
    ({"status": 500}, [1.0, 2.0]),
    ({"status": 502}, [1.0, 2.0]),
    ({"status": 503}, [1.0, 2.0]),
]


@pytest.mark.parametrize(("fault", "pauses"), RETRIES)
@pytest.mark.parametrize("path", ["/commit/", "/preupload/", "validate-yaml", "objects/batch"])
def test_a_busy_hub_gets_exactly_one_commit(
    hub: LocalHub,
    tmp_path: Path,
    naps: list[float],
    path: str,
    fault: dict[str, Any],
    pauses: list[float],
) -> None:
    hub.add_repo("you/r", OLD)
    hub.fault(path, times=2, **fault)
    send(tmp_path, {**NEW, "README.md": CARD})
    assert titles() == ["Say what is new", "update"]
    assert len(naps) == len(pauses)
    # The client's own waiting, of uploads, adds a second.
    assert all(nap >= asked for nap, asked in zip(naps, pauses, strict=True))


@pytest.mark.parametrize("path", ["/api/repos/create", "/branch/"])
@pytest.mark.parametrize("fault", [{"status": 503}, {"cut_after_bytes": 1}])
def test_a_repository_is_made_once(
    hub: LocalHub, tmp_path: Path, naps: list[float], path: str, fault: dict[str, Any]
) -> None:
    hub.fault(path, **fault)
    repo = Repo("you/r", revision="v1", token="hf_test")
    send(tmp_path, NEW, repo)
    assert titles(revision="v1") == ["Say what is new", "initial commit"]


@pytest.mark.parametrize("cut_after_bytes", [0, 1, 40])
@pytest.mark.parametrize("old", [OLD, None])
def test_a_lost_answer_makes_no_second_commit(
    hub: LocalHub,
    tmp_path: Path,
    naps: list[float],
    old: dict[str, bytes] | None,
    cut_after_bytes: int,
) -> None:
    if old:
        hub.add_repo("you/r", old)
    hub.fault("/commit/", method="POST", cut_after_bytes=cut_after_bytes)
    sent = send(tmp_path, NEW, gone=("gone.txt",) if old else ())
    assert titles() == ["Say what is new", "update" if old else "initial commit"]
    assert n_commits(hub) == 1
    assert sent.sha == read_head(MINE).sha
    assert sent.url == f"{hub.url}/datasets/you/r/commit/{sent.sha}"


def test_a_hub_that_stays_down_leaves_the_old_revision(
    hub: LocalHub, tmp_path: Path, naps: list[float]
) -> None:
    hub.add_repo("you/r", OLD)
    hub.fault("/commit/", status=503, times=None)
    with pytest.raises(UnavailableError, match=r"503 for dataset repository you/r .*try again lat"):
        send(tmp_path, NEW)
    assert naps == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]
    assert hub.files("you/r") == OLD


@pytest.mark.parametrize("lost", [False, True])
def test_somebody_else_pushes_meanwhile(
    hub: LocalHub, tmp_path: Path, naps: list[float], lost: bool
) -> None:
    hub.add_repo("you/r", OLD)
    head = read_head(MINE)
    theirs = hub.update_repo("you/r", {"a.txt": b"theirs"})
    if lost:
        hub.fault("/commit/", status=503)
    with pytest.raises(UnavailableError, match=r"^somebody else changed dataset .* push again$"):
        send(tmp_path, NEW, head=head)
    assert read_head(MINE).sha == theirs
    send(tmp_path, NEW)
    assert hub.files("you/r") == {**OLD, **NEW}


def test_somebody_else_pushes_the_same(hub: LocalHub, tmp_path: Path) -> None:
    hub.add_repo("you/r", OLD)
    head = read_head(MINE)
    theirs = hub.update_repo("you/r", NEW)
    assert send(tmp_path, NEW, head=head).sha == theirs
    assert titles() == ["update", "update"]


@pytest.mark.parametrize(
    "files", [{"theirs.csv": b"1"}, {"README.md": CARD}, {".gitattributes": b"", "LICENSE": b"x"}]
)
def test_somebody_else_makes_the_repository_meanwhile(
    hub: LocalHub, tmp_path: Path, files: dict[str, bytes]
) -> None:
    """What was not there at the look may hold anything by now, a card for one."""
    head = read_head(MINE)
    hub.add_repo("you/r", files)
    with pytest.raises(UnavailableError, match=r"^somebody else made dataset .*: push again$"):
        send(tmp_path, NEW, head=head)
    assert hub.files("you/r") == files


def test_what_is_made_meanwhile_and_holds_nothing_is_taken(hub: LocalHub, tmp_path: Path) -> None:
    head = read_head(MINE)
    hub.add_repo("you/r", {".gitattributes": b""})
    send(tmp_path, NEW, head=head)
    assert hub.files("you/r") == {".gitattributes": b"", **NEW}


def test_a_new_space_holds_a_card(hub: LocalHub, tmp_path: Path) -> None:
    space = Repo("you/r", "space", token="hf_test")
    head = ensure_repo(space, read_head(space), private=False, space_sdk="gradio")
    assert (head.sha, head.files) == (read_head(space).sha, read_head(space).files)


@pytest.mark.parametrize(("private", "asked"), [(True, True), (False, None)])
def test_who_is_not_asked_to_make_it_private_leaves_that_to_the_organisation(
    hub: LocalHub, monkeypatch: pytest.MonkeyPatch, private: bool, asked: bool | None
) -> None:
    """Some make every new repository private; False would be an order to make it public."""
    calls: list[object] = []
    create = HfApi.create_repo

    def noted(api: HfApi, *args: Any, **more: Any) -> Any:
        calls.append(more["private"])
        return create(api, *args, **more)

    monkeypatch.setattr(HfApi, "create_repo", noted)
    ensure_repo(MINE, Head(), private=private)
    assert calls == [asked]


def test_a_repository_that_is_public_meanwhile_is_not_private(
    hub: LocalHub, tmp_path: Path
) -> None:
    """Made by hand between the look and the push, and still empty."""
    head = read_head(MINE)
    hub.add_repo("you/r", {".gitattributes": b""})
    with pytest.raises(DataError, match=r"^dataset repository you/r is public: .* out --private$"):
        send(tmp_path, NEW, head=head, private=True)
    assert hub.files("you/r") == {".gitattributes": b""}


@pytest.mark.parametrize("revision", [None, "v1"])
def test_what_the_branch_holds_after_it_was_made(hub: LocalHub, revision: str | None) -> None:
    repo = Repo("you/r", revision=revision, token="hf_test")
    made = ensure_repo(repo, Head(), private=True)
    there = read_head(repo)
    assert (made.sha, made.files, made.private) == (there.sha, there.files, True)
    assert not there.is_new_branch
    since = len(hub.requests)
    assert ensure_repo(repo, there, private=True) == there
    assert hub.requests[since:] == []


@pytest.mark.parametrize("where", ["main", "v1"])
def test_a_new_branch_that_begins_elsewhere_meanwhile(
    hub: LocalHub, tmp_path: Path, where: str
) -> None:
    """Because main moved on, or because somebody else made it."""
    hub.add_repo("you/r", OLD)
    branch = Repo("you/r", revision="v1", token="hf_test")
    head = read_head(branch)
    hub.update_repo("you/r", {"theirs.txt": b"x"}, revision=where)
    with pytest.raises(UnavailableError, match=r"^somebody else changed dataset .* push again$"):
        send(tmp_path, NEW, branch, head=head)
    assert hub.files("you/r", "v1") == {**OLD, "theirs.txt": b"x"}
    send(tmp_path, NEW, branch)
    assert hub.files("you/r", "v1") == {**OLD, **NEW, "theirs.txt": b"x"}
