"""What a branch holds, and what of a tree on this disk is new to it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import CommitOperationAdd, HfApi

from claimdb_loader.fingerprints import file_sha256
from claimdb_loader.hub_head import Changes, Head, RemoteFile, Repo, compare, is_same, read_head
from claimdb_metric.errors import DataError, UnavailableError
from tests.hub import LocalHub
from tests.pushes import MINE, noted_naps, written, wrote_nothing

TEXT, BINARY = b"\xe2\x80\x93 text\n", b"PK\0binary"
FILES = {"README.md": TEXT, "data/a.zip": BINARY, "empty.txt": b""}


@pytest.fixture
def naps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    return noted_naps(monkeypatch)


def git_oid(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_a_head_names_every_file_with_its_hash(hub: LocalHub) -> None:
    sha = hub.add_repo("you/r", FILES)
    head = read_head(MINE)
    assert (head.sha, head.private) == (sha, False)
    assert head.files.keys() == FILES.keys()
    assert head.files["README.md"] == RemoteFile(len(TEXT), None, git_oid(TEXT))
    assert head.files["empty.txt"] == RemoteFile(0, None, git_oid(b""))
    zipped = head.files["data/a.zip"]
    assert (zipped.n_bytes, zipped.sha256) == (len(BINARY), sha256(BINARY))
    assert wrote_nothing(hub)


@pytest.mark.parametrize("repo_type", ["dataset", "space", "model"])
def test_a_head_of_each_type(hub: LocalHub, repo_type: Any) -> None:
    sha = hub.add_repo("you/r", {"a.txt": b"1"}, repo_type=repo_type)
    repo = Repo("you/r", repo_type, token="hf_test")
    assert read_head(repo).sha == sha
    assert repo.what == f"{repo_type} repository you/r"
    others = {"dataset", "space", "model"} - {repo_type}
    assert [read_head(Repo("you/r", other, token="hf_test")).sha for other in others] == [None] * 2


NOTHING: list[tuple[str, str | None, str | bool]] = [
    ("you/absent", None, "hf_test"),
    ("you/absent", "dev", "hf_test"),
    ("you/absent", None, False),
    ("o/hidden", None, "hf_test"),
    ("you/hidden", None, False),
]


@pytest.mark.parametrize(("repo_id", "revision", "token"), NOTHING)
def test_what_is_not_there_or_not_yours_to_see_holds_nothing(
    hub: LocalHub, repo_id: str, revision: str | None, token: str | bool
) -> None:
    hub.add_repo("o/hidden", FILES, private=True)
    hub.add_repo("you/hidden", FILES, private=True)
    assert read_head(Repo(repo_id, revision=revision, token=token)) == Head(None, {}, None)


def test_a_private_repository_of_mine(hub: LocalHub) -> None:
    sha = hub.add_repo("your-lab/r", FILES, private=True)
    for token in ("hf_test", "hf_read", "hf_fine"):
        head = read_head(Repo("your-lab/r", token=token))
        assert (head.sha, head.private, len(head.files)) == (sha, True, 3)


def test_branches(hub: LocalHub) -> None:
    """A branch that is not there yet will start at main, so it holds what main holds."""
    first = hub.add_repo("you/r", {"a.txt": b"1"})
    dev = hub.update_repo("you/r", {"b.txt": b"2"}, revision="a/b")
    assert read_head(MINE).sha == first
    there, new = (read_head(Repo("you/r", revision=r, token="hf_test")) for r in ("a/b", "new"))
    assert (there.sha, sorted(there.files)) == (dev, ["a.txt", "b.txt"])
    assert (new.sha, sorted(new.files)) == (first, ["a.txt"])
    assert [head.is_new_branch for head in (read_head(MINE), there, new)] == [False, False, True]


def test_a_branch_of_a_repository_that_is_not_there(hub: LocalHub) -> None:
    """It will be new when the repository is made; until then there is nothing to say of it."""
    assert read_head(Repo("you/r", revision="v1", token="hf_test")) == Head()


@pytest.mark.parametrize("revision", ["v1", "v1/a"])
def test_a_tag_is_no_branch(hub: LocalHub, naps: list[float], revision: str) -> None:
    """It is said at once, and as what it is."""
    hub.add_repo("you/r", FILES)
    HfApi(token="hf_test").create_tag("you/r", tag=revision, repo_type="dataset")
    said = f"^{revision} of dataset repository you/r is a tag: give the name of a branch$"
    with pytest.raises(DataError, match=said):
        read_head(Repo("you/r", revision=revision, token="hf_test"))
    assert naps == []


def test_a_branch_with_the_name_of_a_tag_is_the_branch(hub: LocalHub) -> None:
    hub.add_repo("you/r", {"a.txt": b"1"})
    HfApi(token="hf_test").create_tag("you/r", tag="v1", repo_type="dataset")
    there = hub.update_repo("you/r", {"b.txt": b"2"}, revision="v1")
    head = read_head(Repo("you/r", revision="v1", token="hf_test"))
    assert (head.sha, head.is_new_branch) == (there, False)


def test_a_pull_request_is_there_as_it_is(hub: LocalHub) -> None:
    hub.add_repo("you/r", {"a.txt": b"1"})
    info = HfApi(token="hf_test").create_commit(
        "you/r",
        [CommitOperationAdd("b.txt", b"2")],
        commit_message="m",
        repo_type="dataset",
        create_pr=True,
    )
    head = read_head(Repo("you/r", revision="refs/pr/1", token="hf_test"))
    assert (head.sha, sorted(head.files)) == (info.oid, ["a.txt", "b.txt"])
    assert not head.is_new_branch


def test_a_head_is_that_of_one_commit(hub: LocalHub) -> None:
    """The files are listed at the commit that was named before, whoever pushes in between."""
    sha = hub.add_repo("you/r", FILES)
    read_head(MINE)
    assert hub.requests[-1].path == f"/api/datasets/you/r/tree/{sha}"


@pytest.mark.parametrize(
    ("fault", "pauses"),
    [
        ({"status": 429, "headers": {"Retry-After": "5"}}, [5.0, 5.0]),
        ({"status": 500}, [1.0, 2.0]),
        ({"status": 503}, [1.0, 2.0]),
        ({"cut_after_bytes": 5}, [1.0, 2.0]),
    ],
)
@pytest.mark.parametrize("path", ["datasets/you/r$", "/tree/"])
def test_a_hub_that_stumbles_is_asked_again(
    hub: LocalHub, naps: list[float], fault: dict[str, Any], pauses: list[float], path: str
) -> None:
    sha = hub.add_repo("you/r", FILES)
    hub.fault(path, times=2, **fault)
    assert read_head(MINE).sha == sha
    assert sum(naps) >= sum(pauses)


def test_a_hub_that_fails_for_good(hub: LocalHub, naps: list[float]) -> None:
    hub.add_repo("you/r", FILES)
    hub.fault("datasets/you/r$", status=503, times=None)
    with pytest.raises(UnavailableError, match=r"answered 503 for dataset repository you/r"):
        read_head(MINE)
    assert naps == [1.0, 2.0, 4.0]


def test_a_web_page_is_no_head(hub: LocalHub) -> None:
    hub.add_repo("you/r", FILES)
    hub.fault("datasets/you/r", html=True, times=None)
    with pytest.raises(UnavailableError, match="a web page"):
        read_head(MINE)


@pytest.mark.parametrize("repo_id", ["a b/c", "you/r/s"])
def test_a_name_that_cannot_be_one(hub: LocalHub, repo_id: str) -> None:
    with pytest.raises(DataError, match=f"dataset repository {repo_id} cannot exist"):
        read_head(Repo(repo_id, token="hf_test"))


def test_a_token_that_nobody_has_issued(hub: LocalHub) -> None:
    hub.add_repo("you/r", FILES)
    with pytest.raises(UnavailableError, match=r"401 .*your token is not valid"):
        read_head(Repo("you/r", token="hf_gone"))


def test_offline_mode_is_not_waited_for(
    hub: LocalHub, naps: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(UnavailableError, match="offline mode is on"):
        read_head(MINE)
    assert (naps, hub.requests) == ([], [])


def test_compare(hub: LocalHub, tmp_path: Path) -> None:
    same = {"a.txt": TEXT, "a.zip": BINARY, "empty.txt": b""}
    other = {"b.txt": b"old\n", "b.zip": b"PK\0old", "longer.txt": b"x"}
    gone = {"gone.txt": b"", "kept.txt": b"", "gone/b.zip": b"PK"}
    hub.add_repo("you/r", {**same, **other, **gone})
    local = {**same, "b.txt": b"new\n", "b.zip": b"PK\0new", "longer.txt": b"xx"}
    files = written(tmp_path, {**local, "new.txt": b"", "d/new.zip": b"PK"})
    asked_away = ["gone.txt", "gone/b.zip", "never there", "a.txt", "gone.txt"]
    changes = compare(files, read_head(MINE), asked_away)
    assert changes == Changes(
        added=("d/new.zip", "new.txt"),
        changed=("b.txt", "b.zip", "longer.txt"),
        removed=("gone.txt", "gone/b.zip"),
        unchanged=("a.txt", "a.zip", "empty.txt"),
    )
    assert changes


@pytest.mark.parametrize(
    ("changes", "differs"),
    [
        (Changes((), (), (), ()), False),
        (Changes((), (), (), ("a",)), False),
        (Changes(("a",), (), (), ()), True),
        (Changes((), ("a",), (), ()), True),
        (Changes((), (), ("a",), ()), True),
    ],
)
def test_whether_there_is_anything_to_send(changes: Changes, differs: bool) -> None:
    assert bool(changes) == differs


def test_everything_is_new_to_nothing(tmp_path: Path) -> None:
    files = written(tmp_path, FILES)
    assert compare(files, Head(), FILES) == Changes(tuple(sorted(FILES)), (), (), ())


def test_a_known_hash_is_not_taken_again(hub: LocalHub, tmp_path: Path) -> None:
    hub.add_repo("you/r", {"a.zip": BINARY})
    files = written(tmp_path, {"a.zip": BINARY[::-1]})
    head = read_head(MINE)
    assert compare(files, head).changed == ("a.zip",)
    assert compare(files, head, sha256={"a.zip": sha256(BINARY)}).unchanged == ("a.zip",)
    assert compare(files, head, sha256={"a.zip": file_sha256(files["a.zip"])}).changed == ("a.zip",)


def test_a_known_hash_does_not_hide_a_text_of_git(tmp_path: Path) -> None:
    """The hash of a file that the Hub keeps in git is git's own, whatever sha256 is known."""
    path = written(tmp_path, {"a.txt": TEXT})["a.txt"]
    remote = RemoteFile(len(TEXT), None, git_oid(TEXT))
    assert is_same(path, remote, "0" * 64)
    assert not is_same(path, RemoteFile(len(TEXT), None, git_oid(BINARY)), sha256(TEXT))
    assert not is_same(path, RemoteFile(len(TEXT) + 1, sha256(TEXT), git_oid(TEXT)))
