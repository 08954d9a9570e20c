"""The local hub answers real clients as the Hugging Face Hub does: commits, refs, uploads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi
from huggingface_hub.errors import HfHubHTTPError, RemoteEntryNotFoundError
from huggingface_hub.hf_api import RepoFile

from tests.hub import LocalHub

# huggingface_hub 2.4 sends LFS files in a way that its HTTP library has deprecated.
pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")


def titles(api: HfApi, revision: str = "main") -> list[str]:
    commits = api.list_repo_commits("you/r", repo_type="dataset", revision=revision)
    return [commit.title for commit in commits]


def upload(api: HfApi, path: str, content: bytes, **options: Any) -> str:
    """Commit one file; the sha of the branch afterwards."""
    add = [CommitOperationAdd(path, content)]
    made = api.create_commit(
        "you/r", add, commit_message=f"add {path}", repo_type="dataset", **options
    )
    return str(made.oid)


def test_a_repository_comes_and_goes(hub: LocalHub, api: HfApi) -> None:
    url = api.create_repo("you/r", repo_type="dataset", private=True)
    assert str(url) == f"{hub.url}/datasets/you/r"
    assert api.dataset_info("you/r").private
    assert list(hub.files("you/r")) == [".gitattributes"]
    api.create_repo("you/r", repo_type="dataset", exist_ok=True)
    with pytest.raises(HfHubHTTPError, match="already created"):
        api.create_repo("you/r", repo_type="dataset")
    assert api.create_repo("own", repo_type="dataset").repo_id == "you/own"
    api.delete_repo("you/r", repo_type="dataset")
    assert not api.repo_exists("you/r", repo_type="dataset")


def test_a_commit_adds_and_deletes(hub: LocalHub, api: HfApi) -> None:
    hub.add_repo("you/r", {"old.txt": b"x", "d/1.txt": b"1", "d/2.txt": b"2", "kept.txt": b"k"})
    operations: list[CommitOperationAdd | CommitOperationDelete] = [
        CommitOperationAdd("new.txt", b"new"),
        CommitOperationAdd("README.md", b"---\nlicense: mit\n---\n"),
        CommitOperationDelete("old.txt"),
        CommitOperationDelete("d/"),
    ]
    api.create_commit("you/r", operations, commit_message="tidy", repo_type="dataset")
    assert sorted(hub.files("you/r")) == ["README.md", "kept.txt", "new.txt"]
    assert titles(api) == ["tidy", "update"]
    with pytest.raises(RemoteEntryNotFoundError):
        api.delete_file("gone.txt", "you/r", repo_type="dataset")


def test_large_files_go_through_lfs_once(hub: LocalHub, api: HfApi, tmp_path: Path) -> None:
    hub.add_repo("you/r", {})
    (tmp_path / "a.parquet").write_bytes(b"PAR1" * 100_000)
    (tmp_path / "b.txt").write_bytes(b"text")
    (tmp_path / "c.dat").write_bytes(b"\0binary")
    api.upload_folder(repo_id="you/r", folder_path=tmp_path, repo_type="dataset")
    assert sum(r.method == "PUT" for r in hub.requests) == 2
    assert hub.files("you/r") == {p.name: p.read_bytes() for p in sorted(tmp_path.iterdir())}
    upload(api, "copy.parquet", b"PAR1" * 100_000)
    assert sum(r.method == "PUT" for r in hub.requests) == 2
    listed = api.list_repo_tree("you/r", repo_type="dataset")
    in_lfs = [item.path for item in listed if isinstance(item, RepoFile) and item.lfs]
    assert in_lfs == ["a.parquet", "c.dat", "copy.parquet"]


def test_the_same_files_again_make_no_commit(hub: LocalHub, api: HfApi) -> None:
    hub.add_repo("you/r", {})
    for path, content in (("t.txt", b"x"), ("t.zip", b"PK")):
        assert upload(api, path, content) == upload(api, path, content)
    assert titles(api) == ["add t.zip", "add t.txt", "update"]


def test_a_pull_request_leaves_main_alone(hub: LocalHub, api: HfApi) -> None:
    hub.add_repo("you/r", {"t.txt": b"one"})
    upload(api, "t.txt", b"two", create_pr=True)
    upload(api, "t.txt", b"three", create_pr=True)
    revisions = ("main", "refs/pr/1", "refs/pr/2")
    assert [hub.files("you/r", r)["t.txt"] for r in revisions] == [b"one", b"two", b"three"]
    refs = api.list_repo_refs("you/r", repo_type="dataset", include_pull_requests=True)
    assert [r.ref for r in refs.pull_requests or ()] == ["refs/pr/1", "refs/pr/2"]
    assert [r.name for r in refs.branches] == ["main"]
    upload(api, "more.txt", b"x", revision="refs/pr/1")
    assert titles(api, "refs/pr/1") == ["add more.txt", "add t.txt", "update"]


def test_branches_and_tags(hub: LocalHub, api: HfApi) -> None:
    first = hub.add_repo("you/r", {"t.txt": b"one"})
    api.create_tag("you/r", tag="v1", repo_type="dataset")
    hub.update_repo("you/r", {"t.txt": b"two"})
    api.create_branch("you/r", branch="old", revision=first, repo_type="dataset")
    api.create_branch("you/r", branch="old", repo_type="dataset", exist_ok=True)
    upload(api, "t.txt", b"three", revision="old")
    contents = [hub.files("you/r", r)["t.txt"] for r in ("v1", "main", "old")]
    assert contents == [b"one", b"two", b"three"]
    api.delete_branch("you/r", branch="old", repo_type="dataset")
    api.delete_tag("you/r", tag="v1", repo_type="dataset")
    refs = api.list_repo_refs("you/r", repo_type="dataset")
    assert ([r.name for r in refs.branches], refs.tags) == (["main"], [])


def test_a_commit_on_an_outdated_parent_is_refused(hub: LocalHub, api: HfApi) -> None:
    first = hub.add_repo("you/r", {"t.txt": b"one"})
    second = upload(api, "t.txt", b"two", parent_commit=first)
    with pytest.raises(HfHubHTTPError) as caught:
        upload(api, "t.txt", b"three", parent_commit=first)
    assert caught.value.response.status_code == 412
    assert upload(api, "t.txt", b"three", parent_commit=second) not in (first, second)


WRITES: dict[str, Callable[[HfApi], object]] = {
    "create": lambda api: api.create_repo("you/new", repo_type="dataset"),
    "delete": lambda api: api.delete_repo("you/r", repo_type="dataset"),
    "upload": lambda api: upload(api, "t.txt", b"two"),
    "branch": lambda api: api.create_branch("you/r", branch="b", repo_type="dataset"),
    "tag": lambda api: api.create_tag("you/r", tag="v1", repo_type="dataset"),
}


@pytest.mark.parametrize(
    ("token", "status"), [("hf_read", 403), ("hf_fine", 403), (False, 401), ("hf_wrong", 401)]
)
@pytest.mark.parametrize("write", WRITES)
def test_writing_needs_a_write_token(
    hub: LocalHub, write: str, token: str | bool, status: int
) -> None:
    first = hub.add_repo("you/r", {"t.txt": b"one"})
    with pytest.raises(HfHubHTTPError) as caught:
        WRITES[write](HfApi(endpoint=hub.url, token=token))
    assert caught.value.response.status_code == status
    assert hub.files("you/r", first[:7]) == hub.files("you/r") == {"t.txt": b"one"}
