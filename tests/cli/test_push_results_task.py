"""`claimdb push-results` against the eval.yaml of the benchmark: which task, and on which split."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from claimdb_builder.publish.benchmark import read_benchmark
from claimdb_builder.publish.dataset_push import push
from claimdb_harness.eval_results import benchmark_head, checked_task
from claimdb_loader.hub_head import Repo
from claimdb_metric import LABELS
from claimdb_metric.errors import DataError
from tests.children import child_env, run_claimdb
from tests.cli.conftest import Call
from tests.harness.runs import write_run
from tests.hub import LocalHub
from tests.loader.claim_files import claim, write_copy
from tests.pushes import MINE, OLD_CLIENT

pytestmark = OLD_CLIENT

CARD = b"# A model\n"
HERE = ("run.jsonl", "--model-id", "you/model", "--repo-id", "you/claimdb", "--notes", "x")
TASKS = b"""
tasks:
- {id: no_tools, split: test_public}
- {id: sql, split: train}
- {id: plain}
"""


def checked(task_id: str | None, split: str) -> str:
    return checked_task(MINE, benchmark_head(MINE), task_id, split)


@pytest.mark.parametrize(
    ("task_id", "split"), [("no_tools", "test_public"), ("sql", "train"), ("plain", "test")]
)
def test_a_task_that_is_there(hub: LocalHub, task_id: str, split: str) -> None:
    hub.add_repo("you/r", {"eval.yaml": TASKS})
    assert checked(task_id, split) == task_id


def test_the_only_task_need_not_be_named(hub: LocalHub) -> None:
    hub.add_repo("you/r", {"eval.yaml": b"tasks: [{id: sql, split: train}]"})
    assert checked(None, "train") == checked("sql", "train") == "sql"
    with pytest.raises(DataError, match=r"^task sql is asked on train, and the run was .* dev$"):
        checked(None, "dev")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (TASKS, ": give --task-id, one of no_tools, sql, plain$"),
        (b"tasks: []", "one of none$"),
    ],
)
def test_of_several_tasks_or_none_no_one_is_taken(hub: LocalHub, content: bytes, said: str) -> None:
    hub.add_repo("you/r", {"eval.yaml": content})
    with pytest.raises(DataError, match=said) as caught:
        checked(None, "train")
    assert "no task None" not in str(caught.value)


@pytest.mark.parametrize(
    ("task_id", "split", "said"),
    [
        ("SQL", "train", "^dataset repository you/r has no task 'SQL': give --task-id, one of "),
        ("", "train", "has no task ''"),
        (
            "sql",
            "test_public",
            "^task sql is asked on train, and the run was scored on test_publ",
        ),
        ("plain", "train", "^task plain is asked on test, and"),
    ],
)
def test_a_task_that_is_not_there_or_asks_others(
    hub: LocalHub, task_id: str, split: str, said: str
) -> None:
    hub.add_repo("you/r", {"eval.yaml": TASKS})
    with pytest.raises(DataError, match=said):
        checked(task_id, split)


def test_a_benchmark_without_tasks_takes_any(hub: LocalHub) -> None:
    hub.add_repo("you/r", {"README.md": b"# r\n"})
    assert checked("any", "train") == "any"
    said = r"^dataset repository you/r has no eval\.yaml with a task: name it, --task-id$"
    with pytest.raises(DataError, match=said):
        checked(None, "train")


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"tasks: [", b"[]", b"7", b"hello", b"tasks:", b"tasks: 7", b"tasks: [1]"),
        *(b"tasks: [{split: a}]", b"tasks: {id: a}", b"name: x", b"since: 2026-13-45\ntasks: []"),
        *[b"tasks: [{id: a, split: 2026-13-45}]"],
    ],
)
def test_a_damaged_list_of_tasks_is_named(hub: LocalHub, content: bytes) -> None:
    hub.add_repo("you/r", {"eval.yaml": content})
    with pytest.raises(DataError, match=r"^eval\.yaml of dataset repository you/r is damaged: "):
        checked("sql", "train")


@pytest.mark.parametrize(
    "content", [b"tasks: [{id: 1}, {id: b}]", b"tasks: [{id: null}]", b"tasks: [{id: [a]}]"]
)
def test_tasks_whose_names_are_no_texts(hub: LocalHub, content: bytes) -> None:
    hub.add_repo("you/r", {"eval.yaml": content})
    with pytest.raises(DataError, match=r"^dataset repository you/r has no task 'sql': give "):
        checked("sql", "train")


def test_a_task_whose_name_is_a_number(hub: LocalHub) -> None:
    """An option of a command is a text."""
    hub.add_repo("you/r", {"eval.yaml": b"tasks: [{id: 1}, {id: b}]"})
    assert checked("1", "test") == "1"


def test_a_benchmark_that_is_not_there(hub: LocalHub) -> None:
    with pytest.raises(DataError, match=r"^dataset repository you/r does not exist: push the"):
        benchmark_head(MINE)
    with pytest.raises(DataError, match="must be OWNER/NAME"):
        benchmark_head(Repo("r"))


@pytest.fixture
def run(hub: LocalHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A faultless run on the public test split of a benchmark at you/claimdb."""
    monkeypatch.setenv("HF_TOKEN", "hf_test")
    hub.add_repo("you/model", {"README.md": CARD}, repo_type="model")
    rows = [claim(number, number % 3) for number in range(12)]
    train = [claim(number, number % 3) for number in range(20, 29)]
    copy = write_copy(tmp_path / "copy", test_public=rows, train=train)
    push(read_benchmark(str(copy)), Repo("you/claimdb", token="hf_test"))
    write_run(tmp_path / "train.jsonl", {n: LABELS[n % 3] for n in range(20, 29)})
    return write_run(tmp_path / "run.jsonl", {number: LABELS[number % 3] for number in range(12)})


def refused(call: Call, hub: LocalHub, *arguments: str) -> str:
    """The one message of a call that is refused and sends nothing."""
    code, out, err = call("push-results", *arguments)
    assert (code, out) == (2, "")
    assert "Traceback" not in err
    assert hub.files("you/model", repo_type="model") == {"README.md": CARD}
    return " ".join(err.replace("│", " ").split())


def test_a_task_of_no_benchmark(claimdb_command: Call, hub: LocalHub, run: Path) -> None:
    for more in ((), ("--dry-run",)):
        said = refused(claimdb_command, hub, *HERE, "--task-id", "claimdb_sql", *more)
        assert said == (
            "claimdb: dataset repository you/claimdb has no task 'claimdb_sql': give "
            "--task-id, one of claimdb_public"
        )


def test_a_split_of_another_task(claimdb_command: Call, hub: LocalHub, run: Path) -> None:
    said = refused(claimdb_command, hub, "train.jsonl", *HERE[1:], "--split", "train")
    assert said == (
        "claimdb: task claimdb_public is asked on test_public, and the run was scored on train"
    )


def test_a_task_of_ones_own(
    claimdb_command: Call, answer: Callable[..., Any], hub: LocalHub, run: Path
) -> None:
    tasks = yaml.safe_load(hub.files("you/claimdb")["eval.yaml"])
    tasks["tasks"].append({**tasks["tasks"][0], "id": "claimdb_sql", "split": "train"})
    sha = hub.update_repo("you/claimdb", {"eval.yaml": yaml.safe_dump(tasks).encode()})
    options = ("--task-id", "claimdb_sql", "--split", "train")
    (row,) = yaml.safe_load(answer("push-results", "train.jsonl", *HERE[1:], *options)["yaml"])
    assert row["dataset"] == {"id": "you/claimdb", "task_id": "claimdb_sql", "revision": sha}
    assert row["value"] == 1.0


@pytest.mark.parametrize("url", ["x.org/logs", "ftp://x.org", "javascript:alert(1)", "/logs"])
def test_a_source_that_is_no_web_address(
    claimdb_command: Call, hub: LocalHub, run: Path, url: str
) -> None:
    said = refused(claimdb_command, hub, *HERE, "--source-url", url, "--dry-run")
    assert f"--source-url '{url}' is no web address" in said


def test_a_web_address_without_a_lock(answer: Callable[..., Any], hub: LocalHub, run: Path) -> None:
    found = answer("push-results", *HERE, "--source-url", "http://x.org/a", "--dry-run")
    assert yaml.safe_load(found["yaml"])[0]["source"] == {"url": "http://x.org/a"}


def other_answers(folder: Path) -> tuple[str, ...]:
    """A local copy of the same claims of which four have the labels of the run."""
    rows = [claim(number, number % 3 if number < 4 else (number + 1) % 3) for number in range(12)]
    write_copy(folder / "mine", test_public=rows)
    return ("--data-dir", "mine")


def test_a_local_copy_is_scored_and_the_repository_asked_for_its_task(
    claimdb_command: Call, answer: Callable[..., Any], hub: LocalHub, run: Path
) -> None:
    """No commit of the repository was scored, so none is named."""
    local = other_answers(run.parent)
    (row,) = yaml.safe_load(answer("push-results", *HERE, *local, "--dry-run")["yaml"])
    assert row["dataset"] == {"id": "you/claimdb", "task_id": "claimdb_public"}
    assert row["value"] == 0.3333
    hub.update_repo("you/claimdb", {}, delete=["eval.yaml"])
    for more in ((), ("--dry-run",)):
        said = refused(claimdb_command, hub, *HERE, *local, *more)
        assert said.endswith("has no eval.yaml with a task: name it, --task-id")
        gone = ("--repo-id", "you/none", "--task-id", "any")
        said = refused(claimdb_command, hub, *HERE, *gone, *local, *more)
        assert said.endswith("you/none does not exist: push the benchmark first")


def test_without_network_nothing_is_known_of_the_task(run: Path, tmp_path: Path) -> None:
    arguments = ["push-results", *HERE, *other_answers(tmp_path), "--dry-run", "--json"]
    done = run_claimdb(*arguments, cwd=tmp_path, env=child_env(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("claimdb: could not reach http")
    assert done.stderr.count("\n") == 1


def test_a_list_of_tasks_that_is_no_text(hub: LocalHub) -> None:
    hub.add_repo("you/r", {"eval.yaml": b"\xff\xfe"})
    with pytest.raises(DataError, match=r"^eval\.yaml of dataset repository you/r is not UTF-8"):
        checked("sql", "train")
