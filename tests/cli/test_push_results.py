"""`claimdb push-results`: the command, on benchmarks of a local hub and of this disk."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from claimdb_builder.publish.benchmark import read_benchmark
from claimdb_builder.publish.dataset_push import push
from claimdb_loader.hub import UPSTREAM_REPO
from claimdb_loader.hub_head import Repo
from claimdb_metric import LABELS
from tests.cli.conftest import Call
from tests.harness.runs import right_labels, write_run
from tests.hub import LocalHub
from tests.loader.claim_files import claim, jsonl, write_copy
from tests.pushes import OLD_CLIENT

pytestmark = OLD_CLIENT

PATH = ".eval_results/you--claimdb.yaml"
CARD = b"# A model\n"
LABEL_OF = {claim_id: claim_id % 3 for claim_id in range(30, 42)}
"""The public test split: four claims of each label."""

Answer = Callable[..., Any]


@pytest.fixture
def sha(hub: LocalHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The commit of a benchmark at you/claimdb, beside the models you/model and them/model.

    The public test split of upstream has the same claims, and other labels.
    """
    monkeypatch.setenv("HF_TOKEN", "hf_test")
    rows = [claim(claim_id, label) for claim_id, label in LABEL_OF.items()]
    upstream = [claim(claim_id, (label + 1) % 3) for claim_id, label in LABEL_OF.items()]
    hub.add_repo(UPSTREAM_REPO, {"test-public.jsonl": jsonl(upstream)})
    for name in ("you/model", "them/model"):
        hub.add_repo(name, {"README.md": CARD}, repo_type="model")
    private = [claim(i, None) for i in range(3)]
    copy = write_copy(tmp_path / "copy", test_public=rows, test_private=private)
    issue = {"claim_id": 30, "db_name": "ferry_lines", "reason": "two answers", "source": "us"}
    (copy / "known_issues.jsonl").write_bytes(jsonl([issue]))
    sent = push(read_benchmark(str(copy)), Repo("you/claimdb", token="hf_test")).sent
    assert sent is not None
    return sent.sha


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Predictions of which three of twelve are wrong."""
    wrong = {30, 33, 37}
    labels = {i: LABELS[(label + (i in wrong)) % 3] for i, label in LABEL_OF.items()}
    return write_run(tmp_path / "run.jsonl", labels)


NOTES = ("--notes", "no tools")
HERE = ("run.jsonl", "--model-id", "you/model", "--repo-id", "you/claimdb", *NOTES)


def result(text: str) -> dict[str, Any]:
    (row,) = yaml.safe_load(text)
    return dict(row)


def in_model(hub: LocalHub, repo_id: str = "you/model", revision: str = "main") -> dict[str, Any]:
    return result(hub.files(repo_id, revision, repo_type="model")[PATH].decode())


def nothing_sent(hub: LocalHub) -> bool:
    """Whether both models are as they were."""
    models = [hub.files(name, repo_type="model") for name in ("you/model", "them/model")]
    return models == [{"README.md": CARD}] * 2


def test_a_run_on_the_benchmark_of_the_repository(
    claimdb_command: Call, hub: LocalHub, sha: str, run: Path
) -> None:
    code, out, err = claimdb_command("push-results", *HERE)
    assert (code, err) == (0, "")
    row = in_model(hub)
    assert row["dataset"] == {"id": "you/claimdb", "task_id": "claimdb_public", "revision": sha}
    assert row["value"] == 0.75
    assert row["notes"].startswith("no tools; accuracy [")
    assert "|split:test_public|n:12|inv:wrong|ki:none|" in row["notes"]
    text = hub.files("you/model", repo_type="model")[PATH].decode()
    head, _, url = out.rstrip("\n").rpartition("\n")
    assert head == f"{text}you/model: {PATH}"
    assert url.startswith(f"{hub.url}/you/model/commit/")
    assert not [r.path for r in hub.requests if UPSTREAM_REPO in r.path]
    code, out, err = claimdb_command("push-results", *HERE)
    said = f"you/model is as it was: this is in {PATH} already; no commit made\n"
    assert (code, out, err) == (0, text + said, "")


def test_json(answer: Answer, hub: LocalHub, sha: str, run: Path) -> None:
    link = ["--source-url", "https://x.org/logs", "--task-id", "claimdb_public"]
    found = answer("push-results", *HERE, *link)
    assert (found["model_id"], found["path"]) == ("you/model", PATH)
    row = result(found["yaml"])
    assert row == in_model(hub)
    assert row["dataset"]["task_id"] == "claimdb_public"
    assert row["source"] == {"url": "https://x.org/logs"}
    sha = found["commit"]["sha"]
    url = f"{hub.url}/you/model/commit/{sha}"
    assert found["commit"] == {"sha": sha, "url": url, "pull_request": None}
    assert hub.files("you/model", sha, repo_type="model")[PATH].decode() == found["yaml"]
    assert answer("push-results", *HERE, *link)["commit"] is None


def test_a_pull_request(claimdb_command: Call, hub: LocalHub, sha: str, run: Path) -> None:
    options = ["--model-id", "them/model", "--repo-id", "you/claimdb", "--message", "Ours", *NOTES]
    code, out, err = claimdb_command("push-results", run, *options, "--create-pr")
    assert (code, err) == (0, "")
    assert out.endswith(f"them/model: {PATH}\n{hub.url}/them/model/discussions/1\n")
    assert in_model(hub, "them/model", "refs/pr/1")["value"] == 0.75
    assert nothing_sent(hub)


def test_a_dry_run_needs_no_token(
    claimdb_command: Call,
    answer: Answer,
    hub: LocalHub,
    sha: str,
    run: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("HF_TOKEN")
    before = len(hub.requests)
    code, out, err = claimdb_command("push-results", *HERE, "--dry-run")
    assert (code, err) == (0, "")
    text, _, said = out.rstrip("\n").rpartition("\n")
    assert said == f"you/model would get this result in {PATH}"
    assert result(text)["value"] == 0.75
    assert result(text)["dataset"]["revision"] == sha
    found = answer("push-results", *HERE, "--dry-run")
    assert (found["yaml"], found["commit"]) == (f"{text}\n", None)
    assert {r.method for r in hub.requests[before:]} <= {"GET", "HEAD"}
    assert nothing_sent(hub)


def test_known_issues_of_the_repository_are_left_out(
    answer: Answer, hub: LocalHub, sha: str, run: Path
) -> None:
    found = answer("push-results", *HERE, "--exclude-known-issues", "--dry-run")
    row = result(found["yaml"])
    assert row["value"] == round(9 / 11, 4)
    assert "|n:11|inv:wrong|ki:1-" in row["notes"]


def test_the_repository_wins_over_the_environment(
    answer: Answer, hub: LocalHub, sha: str, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = write_copy(run.parent / "other", test_public=[claim(i, 0) for i in LABEL_OF])
    monkeypatch.setenv("CLAIMDB_DATA_DIR", str(other))
    row = result(answer("push-results", *HERE, "--dry-run")["yaml"])
    assert (row["value"], row["dataset"]["revision"]) == (0.75, sha)


def test_the_sample_is_of_no_repository(
    claimdb_command: Call, hub: LocalHub, sha: str, tmp_path: Path
) -> None:
    """It comes with the package, so no commit of you/claimdb is what was scored."""
    write_run(tmp_path / "run.jsonl", right_labels())
    code, out, err = claimdb_command("push-results", *HERE, "--split", "sample")
    assert (code, out) == (2, "")
    assert "the embedded sample" in err
    assert nothing_sent(hub)


REFUSED: list[tuple[list[str], str, str]] = [
    (["--split", "test_private"], "hf_test", "3 of 3 labels of test_private are hidden"),
    (["--split", "dev"], "hf_test", "no split 'dev'"),
    (["--split", "train"], "hf_test", "train"),
    (["--repo-id", "you/none"], "hf_test", "you/none does not exist"),
    (["--repo-id", "claimdb", "--data-dir", "copy"], "hf_test", "must be OWNER/NAME"),
    (["--data-dir", "nothing"], "hf_test", "nothing"),
    (["--model-id", "them/model"], "hf_test", "open a pull request with --create-pr"),
    (["--model-id", "you/none"], "hf_test", "you/none does not exist: push the model first"),
    (["--model-id", "model"], "hf_test", "must be OWNER/NAME"),
    ([], "hf_read", "the token of you may only read"),
    ([], "hf_fine", "your token may not write to model repository you/model"),
    ([], "", "no Hub token: `hf auth login`, or set HF_TOKEN"),
]


@pytest.mark.parametrize(("options", "token", "words"), REFUSED)
def test_what_is_refused(
    claimdb_command: Call,
    hub: LocalHub,
    sha: str,
    run: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    token: str,
    words: str,
) -> None:
    monkeypatch.setenv("HF_TOKEN", token)
    code, out, err = claimdb_command("push-results", *HERE, *options)
    assert (code, out) == (2, "")
    assert words in err
    assert "Traceback" not in err
    assert nothing_sent(hub)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "no such file: run.jsonl"),
        (b"", "no rows"),
        (b"{torn", "not JSON"),
        (jsonl([{"claim_id": 999, "label": 0}]), "claim_id 999 is none of the 12 claims"),
        (jsonl([{"claim_id": 30, "label": 0}]), "11 of 12 claims have no prediction"),
    ],
)
def test_a_wrong_file(
    claimdb_command: Call, hub: LocalHub, sha: str, run: Path, content: bytes | None, words: str
) -> None:
    run.unlink()
    if content is not None:
        run.write_bytes(content)
    code, out, err = claimdb_command("push-results", *HERE)
    assert (code, out) == (2, "")
    assert words in err
    assert nothing_sent(hub)


@pytest.mark.parametrize("missing", ["--model-id", "--repo-id", "--notes", "RUN"])
def test_what_must_be_given(claimdb_command: Call, missing: str) -> None:
    place = 0 if missing == "RUN" else HERE.index(missing)
    rest = HERE[:place] + HERE[place + (1 if missing == "RUN" else 2) :]
    code, out, err = claimdb_command("push-results", *rest)
    assert (code, out) == (2, "")
    assert missing in err
