"""Whole pushes of a benchmark: one commit of what differs, none where nothing does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import HfApi

import claimdb
from claimdb_builder.publish.benchmark import Benchmark, read_benchmark
from claimdb_builder.publish.dataset_push import Push, Pushed, push
from claimdb_loader.hub_head import Changes, Repo, read_head
from claimdb_metric.errors import DataError, UnavailableError
from tests.hub import LocalHub
from tests.loader.claim_files import small_copy
from tests.pushes import MINE, OLD_CLIENT, asked, n_commits, noted_naps

pytestmark = OLD_CLIENT

NAMES = ("city_library", "ferry_lines", "solar_coop")
SPLITS = {
    "claims": ("test_private", "test_public", "train"),
    "databases": ("test", "train"),
    "inspect": ("test_public", "train"),
    "nei": ("counterfactual",),
}
ROWS = [f"data/{c}/{s}-00000-of-00001.parquet" for c, splits in SPLITS.items() for s in splits]
TEXTS = ["CITATION.cff", "README.md", "croissant.json", "eval.yaml", "known_issues.jsonl"]
DATABASES = [f"databases/{name}/{name}.sqlite" for name in NAMES]
MANIFEST = "databases/manifest.json"
NOTHING_NEW = ((), (), ())


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    """19 claims in three splits."""
    return read_benchmark(str(small_copy(tmp_path_factory.mktemp("benchmark") / "copy")))


def pushed(benchmark: Benchmark | str, repo: Repo = MINE, **options: Any) -> Pushed:
    """One push of a benchmark or of the folder that it lies in."""
    read = read_benchmark(benchmark) if isinstance(benchmark, str) else benchmark
    return push(read, repo, Push(**options))


def differs(changes: Changes) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    return changes.added, changes.changed, changes.removed


def titles(repo_id: str = "you/r", revision: str | None = None) -> list[str]:
    api = HfApi(token="hf_test")
    return [c.title for c in api.list_repo_commits(repo_id, repo_type="dataset", revision=revision)]


def test_one_commit_holds_everything(hub: LocalHub, benchmark: Benchmark) -> None:
    done = pushed(benchmark, databases="split")
    expected = sorted([*TEXTS, *ROWS, *DATABASES, MANIFEST])
    assert differs(done.changes) == (tuple(expected), (), ())
    assert sorted(hub.files("you/r")) == [".gitattributes", *expected]
    assert titles() == [f"Publish 19 claims with claimdb {claimdb.__version__}", "initial commit"]
    assert done.sent is not None
    assert done.sent.url == f"{hub.url}/datasets/you/r/commit/{read_head(MINE).sha}"
    assert (n_commits(hub), read_head(MINE).private) == (1, False)


def test_no_database_is_sent_unasked(hub: LocalHub, benchmark: Benchmark) -> None:
    pushed(benchmark)
    assert sorted(hub.files("you/r")) == [".gitattributes", *sorted([*TEXTS, *ROWS])]


@pytest.mark.parametrize("databases", ["split", "none"])
def test_the_same_again_makes_no_commit(
    hub: LocalHub, benchmark: Benchmark, databases: str
) -> None:
    """Also without the databases, which then stay with their manifest and what was measured."""
    pushed(benchmark, databases="split")
    before, since = hub.files("you/r"), len(hub.requests)
    done = pushed(benchmark, databases=databases)
    assert (differs(done.changes), done.sent) == (NOTHING_NEW, None)
    assert {r.method for r in hub.requests[since:]} <= {"GET", "HEAD"}
    assert hub.files("you/r") == before
    assert [row["db_name"] for row in json.loads(before[MANIFEST])] == list(NAMES)


def test_databases_may_follow_later(hub: LocalHub, benchmark: Benchmark) -> None:
    pushed(benchmark)
    done = pushed(benchmark, databases="split")
    measured = [name for name in ROWS if "/databases/" in name]
    assert differs(done.changes) == (
        tuple(sorted([*DATABASES, MANIFEST])),
        tuple(sorted(["README.md", "croissant.json", *measured])),
        (),
    )


def test_one_changed_row_sends_what_holds_it(hub: LocalHub, copy: str) -> None:
    pushed(copy, databases="split")
    since = len(hub.requests)
    train = Path(copy) / "train.jsonl"
    train.write_bytes(train.read_bytes().replace(b"Line 3 carried", b"Line 3 took"))
    done = pushed(copy, databases="split")
    rows = [
        name for name in ROWS if name.split("/")[1] in ("claims", "inspect") and "train" in name
    ]
    assert differs(done.changes) == ((), ("README.md", "croissant.json", *rows), ())
    assert len(asked(hub, "PUT", "/_lfs/", since)) == len(rows)
    assert len(asked(hub, "POST", "/commit/", since)) == 1
    assert hub.bytes_sent("databases/.*sqlite") == 0


def test_a_split_that_is_gone_is_removed(hub: LocalHub, copy: str) -> None:
    pushed(copy, databases="split")
    hub.update_repo("you/r", {"data/mine.parquet": b"x", "notes.md": b"x", "data/claims/x": b"x"})
    (Path(copy) / "test-public.jsonl").unlink()
    done = pushed(copy)
    gone = [name for name in ROWS if "test_public" in name]
    assert done.changes.removed == (*gone, "eval.yaml")
    left = hub.files("you/r").keys()
    assert not left & {*gone, "eval.yaml"}
    assert {"data/mine.parquet", "notes.md", "data/claims/x", *DATABASES, MANIFEST} <= left


@pytest.mark.parametrize("repo_id", ["you/r", "your-lab/r"])
def test_a_private_repository(hub: LocalHub, benchmark: Benchmark, repo_id: str) -> None:
    repo = Repo(repo_id, token="hf_test")
    pushed(benchmark, repo, private=True)
    assert read_head(repo).private
    assert pushed(benchmark, repo, private=True).sent is None
    assert pushed(benchmark, repo, databases="split").sent is not None
    assert read_head(repo).private


def test_what_is_public_is_not_said_to_be_private(hub: LocalHub, benchmark: Benchmark) -> None:
    """Neither where something is to be sent, nor where nothing differs."""
    pushed(benchmark)
    for databases in ("split", "none"):
        with pytest.raises(DataError, match=r"you/r is public: .* leave out --private"):
            pushed(benchmark, private=True, databases=databases)
    assert n_commits(hub) == 1


def test_a_new_branch(hub: LocalHub, benchmark: Benchmark) -> None:
    branch = Repo("you/r", revision="v2", token="hf_test")
    pushed(benchmark)
    main = hub.files("you/r")
    pushed(benchmark, branch, databases="split")
    assert hub.files("you/r") == main
    assert set(hub.files("you/r", "v2")) == {*main, *DATABASES, MANIFEST}
    assert pushed(benchmark, branch, databases="split").sent is None
    assert pushed(benchmark).sent is None


def test_a_new_branch_of_what_main_holds(hub: LocalHub, benchmark: Benchmark) -> None:
    pushed(benchmark)
    branch = Repo("you/r", revision="v1", token="hf_test")
    done = pushed(benchmark, branch)
    assert (differs(done.changes), done.sent, done.made_branch) == (NOTHING_NEW, None, True)
    assert hub.files("you/r", "v1") == hub.files("you/r")
    assert not pushed(benchmark, branch).made_branch


def test_a_pull_request_to_my_own(hub: LocalHub, benchmark: Benchmark) -> None:
    first = hub.add_repo("you/r", {})
    done = pushed(benchmark, create_pr=True)
    assert done.sent is not None
    assert done.sent.pull_request == f"{hub.url}/datasets/you/r/discussions/1"
    assert hub.files("you/r") == {} == hub.files("you/r", first)
    assert {*TEXTS, *ROWS} == set(hub.files("you/r", "refs/pr/1"))


@pytest.mark.parametrize("revision", [None, "main"])
def test_a_pull_request_to_somebody_else(
    hub: LocalHub, benchmark: Benchmark, revision: str | None
) -> None:
    pushed(benchmark, databases="split")
    theirs = hub.files("you/r")
    hub.add_repo("o/r", theirs)
    repo = Repo("o/r", revision=revision, token="hf_test")
    with pytest.raises(DataError, match=r"o/r belongs to o, .* --create-pr"):
        pushed(benchmark, repo)
    hub.update_repo("o/r", {}, delete=["eval.yaml"])
    done = pushed(benchmark, repo, create_pr=True, databases="split")
    assert "eval.yaml" in done.changes.added
    assert "eval.yaml" in hub.files("o/r", "refs/pr/1")
    assert "eval.yaml" not in hub.files("o/r")


@pytest.mark.parametrize("message", ["Ours – 2026", "two\nlines"])
def test_a_message(hub: LocalHub, benchmark: Benchmark, message: str) -> None:
    pushed(benchmark, message=message)
    assert titles() == [message, "initial commit"]


@pytest.mark.parametrize(
    "fault", [{"status": 429, "headers": {"Retry-After": "9"}}, {"cut_after_bytes": 1}]
)
def test_a_push_through_a_bad_line_is_one_commit(
    hub: LocalHub, benchmark: Benchmark, monkeypatch: pytest.MonkeyPatch, fault: dict[str, Any]
) -> None:
    noted_naps(monkeypatch)
    for path in ("whoami", "api/datasets/you/r$", "repos/create", "/_lfs/", "/commit/"):
        hub.fault(path, **fault)
    pushed(benchmark, databases="split")
    assert len(titles()) == 2
    assert pushed(benchmark, databases="split").sent is None


def test_somebody_else_pushes_while_rows_are_written(
    hub: LocalHub, benchmark: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look at the branch and the commit, which then is refused."""
    pushed(benchmark)
    from claimdb_builder.publish import dataset_push

    def slow(repo: Repo) -> Any:
        head = read_head(repo)
        hub.update_repo("you/r", {"theirs.txt": b"x"})
        return head

    monkeypatch.setattr(dataset_push, "read_head", slow)
    with pytest.raises(UnavailableError, match=r"somebody else changed .*: push again"):
        pushed(benchmark, databases="split")
    assert "theirs.txt" in hub.files("you/r")
    assert not set(DATABASES) & set(hub.files("you/r"))
