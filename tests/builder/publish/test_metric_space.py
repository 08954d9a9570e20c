"""The Space of the metric: its files, `evaluate.load` from it, and its page."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from huggingface_hub import HfApi, snapshot_download

import claimdb
from claimdb_builder.publish.metric_space import metric_files, push_metric
from claimdb_loader.hub_head import Repo, read_head
from claimdb_metric.errors import ClaimDBError, DataError, UnavailableError
from tests.children import child_env
from tests.hub import LocalHub
from tests.metrics.module_runs import EXPECTED, FOLDER, NOT_INSTALLED, run_child
from tests.pushes import OLD_CLIENT, n_commits, noted_naps, wrote_nothing

pytestmark = OLD_CLIENT

SPACE = Repo("you/claimdb_metric", "space", token="hf_test")
SHIPPED = {p.name for p in FOLDER.iterdir() if p.suffix in (".py", ".md", ".txt")}
START_WITHIN_S = 60


def files_of(hub: LocalHub, revision: str = "main") -> dict[str, bytes]:
    return hub.files(SPACE.repo_id, revision, repo_type="space")


def titles() -> list[str]:
    listed = HfApi(token="hf_test").list_repo_commits(SPACE.repo_id, repo_type="space")
    return [made.title for made in listed]


def test_the_files_of_the_space(hub: LocalHub) -> None:
    changes, sent = push_metric(SPACE)
    assert set(changes.added) == SHIPPED
    found = files_of(hub)
    assert found.keys() == {*SHIPPED, ".gitattributes"}
    assert {name: found[name] for name in SHIPPED} == {
        name: (FOLDER / name).read_bytes() for name in SHIPPED
    }
    assert sent is not None
    assert sent.url == f"{hub.url}/spaces/you/claimdb_metric/commit/{read_head(SPACE).sha}"
    assert titles() == [f"Publish the metric with claimdb {claimdb.__version__}", "initial commit"]
    info = HfApi(token="hf_test").space_info(SPACE.repo_id)
    assert (info.sdk, info.private) == ("gradio", False)


def test_files_that_are_there_as_long_as_they_are_needed() -> None:
    with ExitStack() as stack:
        files = metric_files(stack)
        assert files.keys() == SHIPPED
        assert all(path.is_file() for path in files.values())


def test_the_same_again_makes_no_commit(hub: LocalHub) -> None:
    push_metric(SPACE)
    since = len(hub.requests)
    changes, sent = push_metric(SPACE, force=True)
    assert (bool(changes), sent) == (False, None)
    assert wrote_nothing(hub, since)


def test_a_lost_answer_makes_no_second_commit(
    hub: LocalHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted_naps(monkeypatch)
    hub.fault("/commit/", cut_after_bytes=1)
    _, sent = push_metric(SPACE)
    assert (len(titles()), n_commits(hub)) == (2, 1)
    assert sent is not None
    assert sent.url == f"{hub.url}/spaces/you/claimdb_metric/commit/{sent.sha}"


@pytest.mark.parametrize("force", [False, True])
def test_an_older_version_is_replaced(hub: LocalHub, force: bool) -> None:
    """Modules that are no more go; what is no part of the metric stays."""
    push_metric(SPACE)
    theirs = {"logo.png": b"\0", ".gitignore": b"x", "notes.md": b"x", "packages.txt": b"x"}
    old = {"app.py": b"old", "gone.py": b"x", **theirs}
    hub.update_repo(SPACE.repo_id, old, repo_type="space")
    changes, _ = push_metric(SPACE, message="Newer", force=force)
    assert (changes.changed, changes.removed) == (("app.py",), ("gone.py",))
    assert files_of(hub).keys() == {*SHIPPED, ".gitattributes", *theirs}
    assert titles()[0] == "Newer"


def test_a_branch_of_what_main_holds(hub: LocalHub) -> None:
    push_metric(SPACE)
    changes, sent = push_metric(replace(SPACE, revision="v1"))
    assert (bool(changes), sent) == (False, None)
    assert files_of(hub, "v1") == files_of(hub)


def test_what_is_public_is_not_said_to_be_private(hub: LocalHub) -> None:
    push_metric(SPACE)
    with pytest.raises(DataError, match=r"claimdb_metric is public: .* leave out --private"):
        push_metric(SPACE, private=True)


@pytest.mark.parametrize("files", [{"app.py": b"1"}, {"index.html": b"x", "README.md": b"# x\n"}])
def test_another_app_is_not_replaced_unasked(hub: LocalHub, files: dict[str, bytes]) -> None:
    hub.add_repo(SPACE.repo_id, files, repo_type="space")
    with pytest.raises(DataError, match=r"^space repository you/claimdb_metric holds another app"):
        push_metric(SPACE)
    assert files_of(hub) == files
    push_metric(SPACE, force=True)
    assert files_of(hub).keys() == SHIPPED


def test_a_space_that_was_made_on_the_hub(hub: LocalHub) -> None:
    card = b"---\ntitle: Mine\nsdk: gradio\n---\n"
    hub.add_repo(SPACE.repo_id, {"README.md": card, ".gitattributes": b""}, repo_type="space")
    push_metric(SPACE)
    assert files_of(hub).keys() == {*SHIPPED, ".gitattributes"}


def test_private_and_pull_requests(hub: LocalHub) -> None:
    push_metric(SPACE, private=True)
    assert read_head(SPACE).private
    hub.update_repo(SPACE.repo_id, {"app.py": b"old"}, repo_type="space")
    _, sent = push_metric(SPACE, create_pr=True)
    assert sent is not None
    assert sent.pull_request == f"{hub.url}/spaces/you/claimdb_metric/discussions/1"
    assert files_of(hub)["app.py"] == b"old"
    assert files_of(hub, "refs/pr/1")["app.py"] == (FOLDER / "app.py").read_bytes()


WRONG: list[tuple[Repo, type[ClaimDBError], str]] = [
    (Repo("you/metric", "space", token="hf_test"), DataError, r"name the Space you/claimdb_metric"),
    (Repo("you/Claimdb_metric", "space", token="hf_test"), DataError, "would look for another"),
    (Repo("claimdb_metric", "space", token="hf_test"), DataError, "must be OWNER/NAME"),
    (Repo("o/claimdb_metric", "space", token="hf_test"), DataError, "belongs to o"),
    (Repo("you/claimdb_metric", "space"), DataError, "no Hub token"),
    (Repo("you/claimdb_metric", "space", token="hf_read"), DataError, "may only read"),
    (Repo("you/claimdb_metric", "space", token="hf_fine"), DataError, "may not write to space"),
    (Repo("you/claimdb_metric", "space", token="hf_no"), UnavailableError, "not valid"),
]


@pytest.mark.parametrize(("space", "kind", "message"), WRONG)
def test_what_is_refused(
    hub: LocalHub, space: Repo, kind: type[ClaimDBError], message: str
) -> None:
    with pytest.raises(kind, match=message):
        push_metric(space)
    assert n_commits(hub) == 0


def test_evaluate_loads_it(hub: LocalHub, tmp_path: Path) -> None:
    """As its users do: from the Space alone, the package not installed."""
    push_metric(SPACE)
    program = NOT_INSTALLED + (
        "metric = evaluate.load('you/claimdb_metric')\n"
        "predictions = ['ENTAILED', 'CONTRADICTED', None, 'NOT ENOUGH INFO', 'no label', 1]\n"
        "references = [0, 'ENTAILED', 1, 2, 'NOT ENOUGH INFO', 1]\n"
        "import json\n"
        "print(json.dumps(metric.compute(predictions=predictions, references=references)))\n"
    )
    printed = run_child(program, tmp_path, hub_env=hub.env(tmp_path, token=None))
    assert json.loads(printed.strip().split("\n")[-1]) == json.loads(json.dumps(EXPECTED))


def address_in(log: Path, child: subprocess.Popen[bytes]) -> str:
    """The address that the server prints once it answers."""
    deadline = time.monotonic() + START_WITHIN_S
    while time.monotonic() < deadline and child.poll() is None:
        if found := re.search(r"http://127\.0\.0\.1:\d+", log.read_text()):
            return found[0]
        time.sleep(0.1)
    pytest.fail(f"the page did not start:\n{log.read_text()}")


@pytest.mark.slow
def test_its_page_starts_from_its_files(hub: LocalHub, tmp_path: Path) -> None:
    pytest.importorskip("gradio_client", reason="the page needs gradio, of the `dev` extra")
    from gradio_client import Client

    push_metric(SPACE)
    folder = snapshot_download(
        SPACE.repo_id, repo_type="space", local_dir=tmp_path / "space", token=False
    )
    serve = NOT_INSTALLED + "import runpy\nrunpy.run_path('app.py', run_name='__main__')\n"
    switches = {"HF_HUB_OFFLINE": "0", "HF_EVALUATE_OFFLINE": "0", "PYTHONUNBUFFERED": "1"}
    env = child_env(tmp_path, **switches, GRADIO_TEMP_DIR=str(tmp_path / "gradio"))
    log = tmp_path / "log"
    with log.open("wb") as out:
        child = subprocess.Popen(
            [sys.executable, "-c", serve], cwd=folder, env=env, stdout=out, stderr=out
        )
    try:
        url = address_in(log, child)
        with urlopen(url, timeout=START_WITHIN_S) as answer:
            assert 'content="ClaimDB metric"' in answer.read().decode()
        client = Client(url, verbose=False, analytics_enabled=False)
        result: Any = client.predict(api_name="/score")
        client.close()
        assert result[-1]["n"] == 7
    finally:
        child.kill()
        child.wait()
