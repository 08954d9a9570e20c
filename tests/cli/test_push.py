"""`claimdb push`, called as its users call it."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import HfApi

from claimdb_loader.hub_head import Repo, read_head
from tests.children import child_env, run_claimdb
from tests.cli.conftest import Call
from tests.hub import LocalHub
from tests.loader.claim_files import claim, write_copy
from tests.loader.made_databases import make_database
from tests.pushes import OLD_CLIENT, n_commits, tree_of, wrote_nothing

pytestmark = OLD_CLIENT

METRIC = ("--metric", "--space-id", "you/claimdb_metric")
TO_ME = ("--repo-id", "you/claimdb")


@pytest.fixture(autouse=True)
def _token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_test")


@pytest.fixture
def call(claimdb_command: Call) -> Call:
    """Exit code, stdout and stderr of one `claimdb push …`."""
    return partial(claimdb_command, "push")


@pytest.fixture
def good(call: Call) -> Callable[..., str]:
    """The output of a call that goes well and says nothing else."""

    def run(*arguments: object) -> str:
        code, out, err = call(*arguments)
        assert (code, err) == (0, "")
        return out

    return run


def titles(repo_id: str, repo_type: str = "dataset", revision: str | None = None) -> list[str]:
    listed = HfApi(token="hf_test").list_repo_commits(
        repo_id, repo_type=repo_type, revision=revision
    )
    return [made.title for made in listed]


def test_a_push_says_what_it_did(hub: LocalHub, copy: str, good: Callable[..., str]) -> None:
    *files, counts, address = good(copy, *TO_ME).splitlines()
    names = sorted(hub.files("you/claimdb").keys() - {".gitattributes"})
    assert files == [f"+ {name}" for name in names]
    assert counts == f"you/claimdb: {len(names)} added, 0 changed, 0 removed, 0 unchanged"
    sha = read_head(Repo("you/claimdb")).sha
    assert address == f"{hub.url}/datasets/you/claimdb/commit/{sha}"
    again = good(copy, *TO_ME)
    nothing = f"0 added, 0 changed, 0 removed, {len(names)} unchanged; no commit made"
    assert again == f"you/claimdb is as it was: {nothing}\n"
    (Path(copy) / "test-public.jsonl").unlink()
    marks = [line[:2] for line in good("--data-dir", copy, *TO_ME).splitlines()[:-2]]
    assert sorted(set(marks)) == ["- ", "~ "]
    assert n_commits(hub) == 2


def test_a_push_for_programs(hub: LocalHub, copy: str, answer: Callable[..., Any]) -> None:
    push = partial(answer, "push", copy, *TO_ME)
    first, second = push("--databases", "split"), push("--databases", "split")
    keys = ["repo_id", "repo_type", "tree", "added", "changed", "removed", "unchanged", "commit"]
    assert list(first) == list(second) == keys
    assert first["commit"]["sha"] == read_head(Repo("you/claimdb")).sha
    assert first["commit"]["pull_request"] is None
    assert "databases/ferry_lines/ferry_lines.sqlite" in first["added"]
    assert second["commit"] is None
    assert second["unchanged"] == first["added"]


def test_options(hub: LocalHub, copy: str, good: Callable[..., str]) -> None:
    good(copy, *TO_ME, "--private", "--message", "Ours", "--revision", "v1")
    assert read_head(Repo("you/claimdb")).private
    assert titles("you/claimdb", revision="v1") == ["Ours", "initial commit"]
    out = good(copy, *TO_ME, "--create-pr")
    assert out.splitlines()[-1] == f"{hub.url}/datasets/you/claimdb/discussions/1"
    assert titles("you/claimdb") == ["initial commit"]


def test_a_branch_of_what_main_holds(
    hub: LocalHub, copy: str, good: Callable[..., str], answer: Callable[..., Any]
) -> None:
    good(copy, *TO_ME)
    out = good(copy, *TO_ME, "--revision", "v1")
    nothing, made = out.splitlines()
    assert nothing.endswith(" unchanged; no commit made")
    assert made == "branch v1 was made from main"
    assert hub.files("you/claimdb", "v1") == hub.files("you/claimdb")
    assert "branch" not in good(copy, *TO_ME, "--revision", "v1")
    assert answer("push", copy, *TO_ME, "--revision", "v2")["commit"] is None
    assert hub.files("you/claimdb", "v2") == hub.files("you/claimdb")


def test_the_folder_of_the_environment(
    hub: LocalHub, copy: str, good: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAIMDB_DATA_DIR", copy)
    assert "data/claims/test_private" in good("--repo-id", "your-lab/claimdb")


def test_a_dry_run(
    hub: LocalHub, copy: str, good: Callable[..., str], answer: Callable[..., Any], tmp_path: Path
) -> None:
    out = good(copy, *TO_ME, "--dry-run", "tree", "--databases", "split")
    names = sorted(tree_of(tmp_path / "tree"))
    assert out.splitlines() == [
        *(f"+ {name}" for name in names),
        f"you/claimdb would have {len(names)} added, 0 changed, 0 removed, 0 unchanged; "
        "its files are in tree",
    ]
    assert wrote_nothing(hub)
    told = answer("push", "tree", *TO_ME, "--dry-run", "other", "--databases", "split")
    assert (told["tree"], told["commit"], told["added"]) == ("other", None, names)
    assert tree_of(tmp_path / "other") == tree_of(tmp_path / "tree")


def test_notes_are_told_on_stderr(
    hub: LocalHub, call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = write_copy(tmp_path / "mine", train=[claim(i, i % 3, "zoo") for i in range(6)])
    note = (
        "note: the prompts of config inspect show no schema, as not every database is on this "
        "machine\n"
    )
    code, out, err = call(copy, *TO_ME, "--dry-run", "tree", "--json")
    assert (code, err) == (0, note)
    assert json.loads(out)["commit"] is None
    code, out, err = call(copy, *TO_ME)
    assert (code, err) == (0, note)
    assert "note" not in out
    make_database(copy / "zoo.sqlite")
    assert call(copy, *TO_ME, "--databases", "split")[2] == ""
    (copy / "zoo.sqlite").unlink()
    make_database(copy / "zoo.sqlite", 5000)
    differs = "note: another size than in the repository: zoo; send with --databases"
    assert call(copy, *TO_ME)[2] == f"{differs}\n"


def test_a_pull_request_is_opened_once(hub: LocalHub, copy: str, good: Callable[..., str]) -> None:
    hub.add_repo("you/claimdb", {})
    first, second = (good(copy, *TO_ME, "--create-pr").splitlines()[-1] for _ in range(2))
    assert first == second == f"{hub.url}/datasets/you/claimdb/discussions/1"
    assert n_commits(hub) == 1


def test_a_dry_run_without_network(copy: str, tmp_path: Path) -> None:
    env = child_env(tmp_path / "home")
    done = run_claimdb("push", copy, *TO_ME, "--dry-run", "tree", "--json", cwd=tmp_path, env=env)
    assert done.returncode == 0
    assert done.stderr == "the Hub could not be reached, so everything counts as added\n"
    assert json.loads(done.stdout)["added"] == sorted(tree_of(tmp_path / "tree"))


def test_no_network(copy: str, tmp_path: Path) -> None:
    env = child_env(tmp_path / "home", HF_TOKEN="hf_test")
    done = run_claimdb("push", copy, *TO_ME, cwd=tmp_path, env=env)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("claimdb: could not reach http")
    assert done.stderr.count("\n") == 1


def test_another_dataset_needs_force(
    hub: LocalHub, copy: str, call: Call, good: Callable[..., str]
) -> None:
    hub.add_repo("you/claimdb", {"data.csv": b"1"})
    code, _, err = call(copy, *TO_ME)
    assert code == 2
    assert err.endswith("another dataset: give another --repo-id, or replace it with --force\n")
    assert "- data.csv\n" in good(copy, *TO_ME, "--force")


def test_help_is_readable(tmp_path: Path) -> None:
    env = child_env(tmp_path, COLUMNS="80", TERM="dumb")
    done = run_claimdb("push", "--help", cwd=tmp_path, env=env)
    assert done.returncode == 0
    assert max(map(len, done.stdout.splitlines())) <= 80
    options = ("--repo-id", "--databases", "--dry-run", "--metric", "--space-id", "--private")
    for option in (*options, "--revision", "--create-pr", "--message", "--force", "--json"):
        assert f" {option} " in done.stdout
    assert "…" not in done.stdout


def test_the_metric(hub: LocalHub, good: Callable[..., str], answer: Callable[..., Any]) -> None:
    *files, counts, address = good(*METRIC).splitlines()
    assert {"+ app.py", "+ claimdb_metric.py", "+ README.md", "+ requirements.txt"} <= {*files}
    assert counts.startswith("you/claimdb_metric: ")
    assert address.startswith(f"{hub.url}/spaces/you/claimdb_metric/commit/")
    assert good(*METRIC).endswith("unchanged; no commit made\n")
    told = answer("push", *METRIC)
    assert (told["repo_type"], told["commit"]) == ("space", None)
    assert len(titles("you/claimdb_metric", "space")) == 2


def test_another_app_needs_force(hub: LocalHub, call: Call, good: Callable[..., str]) -> None:
    hub.add_repo("you/claimdb_metric", {"app.py": b"1", "old.bin": b"2"}, repo_type="space")
    code, _, err = call(*METRIC)
    assert (code, err) == (
        2,
        "claimdb: space repository you/claimdb_metric holds another app: replace it with --force\n",
    )
    out = good(*METRIC, "--force", "--message", "Ours")
    assert "- old.bin\n" in out
    assert "~ app.py\n" in out
    assert titles("you/claimdb_metric", "space")[0] == "Ours"
