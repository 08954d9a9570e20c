"""What the local hub lets real clients do in repositories of their own and of others."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi
from huggingface_hub.errors import BadRequestError, HfHubHTTPError, RepositoryNotFoundError
from huggingface_hub.lfs import UploadInfo, post_lfs_batch_info

from tests.hub import LocalHub

# huggingface_hub 2.4 sends LFS files in a way that its HTTP library has deprecated.
pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")

PROPOSE = "Forbidden: pass `create_pr=1` as a query parameter to create a Pull Request"
NO_PERMISSION = "You have read access but not the required permissions for this operation"
NO_CREATION = 'You don\'t have the rights to create a dataset under the namespace "{}"'


def refusal(act: Callable[[], object]) -> str:
    """What the client says of a 403."""
    with pytest.raises(HfHubHTTPError) as caught:
        act()
    assert caught.value.response.status_code == 403
    assert "X-Error-Code" not in caught.value.response.headers
    return str(caught.value)


def commit(api: HfApi, repo_id: str) -> object:
    """A commit that asks for no upload beforehand."""
    gone = [CommitOperationDelete("t.txt")]
    return api.create_commit(repo_id, gone, commit_message="x", repo_type="dataset")


def preupload(api: HfApi, repo_id: str) -> None:
    api.preupload_lfs_files(repo_id, [CommitOperationAdd("t.zip", b"PK")], repo_type="dataset")


def lfs_batch(api: HfApi, repo_id: str, revision: str | None = "main") -> object:
    return post_lfs_batch_info(
        [UploadInfo.from_bytes(b"PK")],
        str(api.token),
        "dataset",
        repo_id,
        revision=revision,
        endpoint=api.endpoint,
    )


Write = Callable[[HfApi, str], object]
WRITES: dict[str, tuple[Write, str]] = {
    "delete": (lambda api, r: api.delete_repo(r, repo_type="dataset"), NO_PERMISSION),
    "branch": (
        lambda api, r: api.create_branch(r, branch="b", repo_type="dataset"),
        NO_PERMISSION,
    ),
    "delete branch": (
        lambda api, r: api.delete_branch(r, branch="main", repo_type="dataset"),
        NO_PERMISSION,
    ),
    "tag": (lambda api, r: api.create_tag(r, tag="v1", repo_type="dataset"), NO_PERMISSION),
    "delete tag": (lambda api, r: api.delete_tag(r, tag="v0", repo_type="dataset"), NO_PERMISSION),
    "commit": (commit, PROPOSE),
    "preupload": (preupload, PROPOSE),
    "lfs": (lfs_batch, "Authorization error."),
}


@pytest.mark.parametrize("token", ["hf_test", "hf_fine"])
def test_the_user_is_in_one_organisation(hub: LocalHub, token: str) -> None:
    user = HfApi(endpoint=hub.url, token=token).whoami()
    orgs = [(org["type"], org["name"], org["roleInOrg"]) for org in user["orgs"]]
    assert (user["name"], orgs) == ("you", [("org", "your-lab", "write")])


def test_an_organisation_belongs_to_its_members(hub: LocalHub, api: HfApi, tmp_path: Path) -> None:
    api.create_repo("your-lab/r", repo_type="dataset", private=True)
    (tmp_path / "t.parquet").write_bytes(b"PAR1")
    api.upload_folder(repo_id="your-lab/r", folder_path=tmp_path, repo_type="dataset")
    api.create_tag("your-lab/r", tag="v1", repo_type="dataset")
    assert hub.files("your-lab/r", "v1")["t.parquet"] == b"PAR1"
    assert [found.id for found in api.list_datasets(author="your-lab")] == ["your-lab/r"]
    api.delete_repo("your-lab/r", repo_type="dataset")


@pytest.mark.parametrize("name", WRITES)
def test_a_foreign_repository_is_not_to_be_changed(hub: LocalHub, api: HfApi, name: str) -> None:
    first = hub.add_repo("o/r", {"t.txt": b"one"})
    write, words = WRITES[name]
    assert f"403 Forbidden: {words}.\n" in refusal(partial(write, api, "o/r"))
    assert hub.files("o/r", first) == hub.files("o/r") == {"t.txt": b"one"}


@pytest.mark.parametrize(("token", "namespace"), [("hf_test", "o"), ("hf_fine", "you")])
def test_a_foreign_namespace_takes_no_repository(hub: LocalHub, token: str, namespace: str) -> None:
    api = HfApi(endpoint=hub.url, token=token)
    create = partial(api.create_repo, f"{namespace}/new", repo_type="dataset")
    assert NO_CREATION.format(namespace) in refusal(create)
    assert NO_CREATION.format(namespace) in refusal(partial(create, exist_ok=True))
    assert not api.repo_exists(f"{namespace}/new", repo_type="dataset")


@pytest.mark.parametrize("token", ["hf_read", "hf_fine"])
def test_a_repository_that_exists_passes_for_created(hub: LocalHub, token: str) -> None:
    """Known of the client: `exist_ok` hides the 403, so the first upload is what fails."""
    hub.add_repo("you/r", {"t.txt": b"one"})
    api = HfApi(endpoint=hub.url, token=token)
    assert api.create_repo("you/r", repo_type="dataset", exist_ok=True)
    refusal(partial(preupload, api, "you/r"))


def test_anybody_may_propose(hub: LocalHub, api: HfApi, tmp_path: Path) -> None:
    hub.add_repo("o/m", {"README.md": b"# m\n"}, repo_type="model")
    (tmp_path / "scores.zip").write_bytes(b"PK")
    (tmp_path / "scores.yaml").write_bytes(b"- value: 1\n")
    made = api.upload_folder(
        repo_id="o/m", folder_path=tmp_path, path_in_repo=".eval_results", create_pr=True
    )
    assert made.pr_revision == "refs/pr/1"
    api.delete_file(".eval_results/scores.zip", "o/m", revision="refs/pr/1")
    proposed = hub.files("o/m", "refs/pr/1", repo_type="model")
    assert sorted(proposed) == [".eval_results/scores.yaml", "README.md"]
    assert sorted(hub.files("o/m", repo_type="model")) == ["README.md"]


def test_a_foreign_private_repository_is_not_there(hub: LocalHub, api: HfApi) -> None:
    hub.add_repo("o/private", {"t.txt": b"x"}, private=True)
    with pytest.raises(RepositoryNotFoundError) as caught:
        api.dataset_info("o/private")
    assert caught.value.response.status_code == 404
    with pytest.raises(RepositoryNotFoundError):
        api.upload_file(
            path_or_fileobj=b"x",
            path_in_repo="x.txt",
            repo_id="o/private",
            repo_type="dataset",
            create_pr=True,
        )
    assert list(api.list_datasets(author="o")) == []


@pytest.mark.parametrize("name", WRITES)
def test_a_fine_grained_token_without_scopes_only_reads(hub: LocalHub, name: str) -> None:
    hub.add_repo("you/r", {"t.txt": b"one"}, private=True)
    api = HfApi(endpoint=hub.url, token="hf_fine")
    access = api.whoami()["auth"]["accessToken"]
    permissions = {p for scope in access["fineGrained"]["scoped"] for p in scope["permissions"]}
    assert (access["role"], permissions) == ("fineGrained", {"repo.content.read"})
    assert api.dataset_info("you/r").private
    assert NO_PERMISSION in refusal(partial(WRITES[name][0], api, "you/r"))
    assert hub.files("you/r") == {"t.txt": b"one"}


def test_a_pull_request_is_no_branch_to_create(hub: LocalHub, api: HfApi) -> None:
    hub.add_repo("you/r", {"t.txt": b"one"})
    with pytest.raises(BadRequestError, match="Invalid reference for a branch: refs/pr/5"):
        api.create_branch("you/r", branch="refs/pr/5", repo_type="dataset")
