"""Pull requests: one for each content, and none that others opened is taken for it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from huggingface_hub import HfApi

from claimdb_loader.hub_commit import MAX_PULL_REQUESTS
from tests.hub import LocalHub
from tests.pushes import MINE, OLD_CLIENT, n_commits, noted_naps, send

pytestmark = OLD_CLIENT

OLD = {"a.txt": b"1", "gone.txt": b"2", "old.zip": b"PK1"}
NEW = {"a.txt": b"3", "b.txt": b"4", "d/new.zip": b"PK2"}


@pytest.fixture
def naps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    return noted_naps(monkeypatch)


def pull_requests(hub: LocalHub) -> list[str]:
    refs = HfApi(token="hf_test").list_repo_refs(
        "you/r", repo_type="dataset", include_pull_requests=True
    )
    return [ref.ref for ref in refs.pull_requests or ()]


def address(hub: LocalHub, number: int) -> str:
    return f"{hub.url}/datasets/you/r/discussions/{number}"


def test_a_lost_answer_opens_no_second_pull_request(
    hub: LocalHub, tmp_path: Path, naps: list[float]
) -> None:
    hub.add_repo("you/r", OLD)
    hub.fault("/commit/", method="POST", cut_after_bytes=1)
    sent = send(tmp_path, NEW, create_pr=True)
    refs = HfApi(token="hf_test").list_repo_refs(
        "you/r", repo_type="dataset", include_pull_requests=True
    )
    (ref,) = refs.pull_requests or []
    assert (ref.ref, ref.target_commit, n_commits(hub)) == ("refs/pr/1", sent.sha, 1)
    assert sent.pull_request == f"{hub.url}/datasets/you/r/discussions/1"


@pytest.mark.parametrize("gone", [(), ("gone.txt",)])
def test_a_pull_request_of_the_same_content_is_not_opened_twice(
    hub: LocalHub, tmp_path: Path, gone: tuple[str, ...]
) -> None:
    hub.add_repo("you/r", OLD)
    first = send(tmp_path, NEW, gone=gone, create_pr=True)
    assert send(tmp_path, NEW, gone=gone, create_pr=True) == first
    assert first.pull_request == address(hub, 1)
    assert (pull_requests(hub), n_commits(hub)) == (["refs/pr/1"], 1)


@pytest.mark.parametrize(
    ("contents", "gone"),
    [
        ({**NEW, "a.txt": b"5"}, ()),
        ({**NEW, "c.txt": b"5"}, ()),
        (NEW, ("gone.txt",)),
    ],
    ids=["changed", "added", "removed"],
)
def test_another_content_is_another_pull_request(
    hub: LocalHub, tmp_path: Path, contents: dict[str, bytes], gone: tuple[str, ...]
) -> None:
    hub.add_repo("you/r", OLD)
    send(tmp_path, NEW, create_pr=True)
    assert send(tmp_path, contents, gone=gone, create_pr=True).pull_request == address(hub, 2)


def test_one_among_those_of_others_is_found(
    hub: LocalHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one that came while ours had failed is not ours."""
    hub.add_repo("you/r", OLD)

    def theirs(seconds: float) -> None:
        send(tmp_path / "theirs", {"theirs.txt": b"x"}, create_pr=True)

    monkeypatch.setattr("claimdb_loader.hub.time.sleep", theirs)
    hub.fault("/commit/", method="POST", status=503)
    assert send(tmp_path, NEW, create_pr=True).pull_request == address(hub, 2)
    assert hub.files("you/r", "refs/pr/1") == {**OLD, "theirs.txt": b"x"}
    assert hub.files("you/r", "refs/pr/2") == {**OLD, **NEW}
    for number in range(MAX_PULL_REQUESTS - 1):
        send(tmp_path / "theirs", {"theirs.txt": b"%d" % number}, create_pr=True)
    assert send(tmp_path, NEW, create_pr=True).pull_request == address(hub, 2)


def test_only_the_latest_are_looked_at(hub: LocalHub, tmp_path: Path) -> None:
    """Which are those of the highest numbers, 10 after 9."""
    hub.add_repo("you/r", OLD)
    send(tmp_path, NEW, create_pr=True)
    for number in range(2, 11):
        send(tmp_path / "theirs", {"theirs.txt": b"%d" % number}, create_pr=True)
    since = len(hub.requests)
    assert send(tmp_path, NEW, create_pr=True).pull_request == address(hub, 11)
    looked = [re.findall(r"/pr(?:/|%2F)(\d+)", r.path) for r in hub.requests[since:]]
    assert {number for found in looked for number in found} == {"10", "9", "8", "7", "6"}


def test_a_branch_is_no_pull_request(hub: LocalHub, tmp_path: Path) -> None:
    hub.add_repo("you/r", OLD)
    hub.update_repo("you/r", NEW, revision="v1")
    assert send(tmp_path, NEW, create_pr=True).pull_request == address(hub, 1)


def test_one_that_was_merged_before_main_moved_on_is_not_open(
    hub: LocalHub, tmp_path: Path
) -> None:
    """Its content is proposed anew: the address of the old one would lead nowhere."""
    hub.add_repo("you/r", OLD)
    send(tmp_path, NEW, create_pr=True)
    hub.update_repo("you/r", NEW)  # as when it is merged
    hub.update_repo("you/r", {"a.txt": b"9"})
    again = send(tmp_path, NEW, create_pr=True)
    assert again.pull_request == address(hub, 2)


def test_a_push_to_a_branch_looks_at_no_pull_request(hub: LocalHub, tmp_path: Path) -> None:
    hub.add_repo("you/r", OLD)
    send(tmp_path, NEW, create_pr=True)
    sent = send(tmp_path, NEW, MINE)
    assert sent.pull_request is None
    assert hub.files("you/r") == {**OLD, **NEW}
