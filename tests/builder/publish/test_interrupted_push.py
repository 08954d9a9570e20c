"""A push that is killed leaves the old revision, and the next one sends what is missing."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import HfApi

from tests.builder.publish.made_benchmarks import parquet
from tests.hub import LocalHub
from tests.loader.claim_files import claim, write_copy
from tests.loader.made_databases import MEGABYTE, database_bytes
from tests.pushes import asked, tree_of

pytestmark = pytest.mark.slow

REPO = "you/claimdb"
OLD = {
    "README.md": b"<!-- claimdb:splits -->\n<!-- /claimdb:splits -->\n",
    "eval.yaml": b"old",
    "data/claims/train-00000-of-00001.parquet": parquet(
        db_name=["ferry_lines"], claim=[claim(1)["claim"]]
    ),
}
DATABASES = ("ferry_lines", "fleet", "harbour", "pier", "quay", "strait", "tide", "wharf")
"""The first is large."""
N_THREADS = 5
LONG_S = 60.0


@dataclass
class Pushing:
    """A `claimdb push` in a process of its own, with a folder for its temporary files."""

    child: subprocess.Popen[str]
    scratch: Path

    def killed_by(self, number: signal.Signals) -> tuple[int, str]:
        """Exit code and stderr after a signal."""
        self.child.send_signal(number)
        _, err = self.child.communicate(timeout=30)
        return self.child.returncode, err

    def done(self) -> str:
        out, err = self.child.communicate(timeout=120)
        assert self.child.returncode == 0, err
        return out


Start = Callable[[], Pushing]


@pytest.fixture
def start(hub: LocalHub, tmp_path: Path) -> Start:
    """Starts pushes of a benchmark with a large database to a repository with an old revision.

    Its labels are hidden: without baselines on its card, a push takes half as long.
    """
    hidden = [claim(i, None, name) for i, name in enumerate(DATABASES, 1)]
    copy = write_copy(tmp_path / "copy", test_private=hidden)
    for i, name in enumerate(DATABASES):
        size = 0 if i else 12 * MEGABYTE
        (copy / f"{name}.sqlite").write_bytes(database_bytes(5 + i, blob_bytes=size))
    hub.add_repo(REPO, OLD)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    env = hub.env(tmp_path / "hf") | {"TMPDIR": str(scratch)}
    command = [sys.executable, "-P", "-m", "claimdb_cli", "push", str(copy), "--repo-id", REPO]

    def run() -> Pushing:
        child = subprocess.Popen(
            [*command, "--databases", "split"],
            env=env,
            cwd=tmp_path,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        return Pushing(child, scratch)

    return run


def wait_for(hub: LocalHub, pushing: Pushing, method: str, pattern: str) -> None:
    """Wait until the hub was asked this; it has not answered yet."""
    deadline = time.monotonic() + 60
    while not any(r.method == method and re.search(pattern, r.path) for r in hub.requests):
        assert pushing.child.poll() is None, pushing.child.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)


def n_puts(hub: LocalHub) -> int:
    return sum(r.method == "PUT" for r in hub.requests)


def titles() -> list[str]:
    listed = HfApi(token="hf_test").list_repo_commits(REPO, repo_type="dataset")
    return [made.title.partition(" ")[0] for made in listed]


MOMENTS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "look": ("GET", f"datasets/{REPO}$", {}),
    "modes": ("POST", "/preupload/", {}),
    "first upload": ("PUT", "/_lfs/", {}),
    "large is stored": ("POST", "/_lfs/.*/verify", {}),
    "validation": ("POST", "validate-yaml", {}),
    "commit": ("POST", "/commit/", {"status": 503}),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_push_is_taken_up(hub: LocalHub, start: Start, moment: str) -> None:
    method, pattern, fault = MOMENTS[moment]
    hub.fault(pattern, method=method, delay_s=LONG_S, **fault)
    first = start()
    wait_for(hub, first, method, pattern)
    code, _ = first.killed_by(signal.SIGKILL)
    assert code == -signal.SIGKILL
    assert hub.files(REPO) == OLD
    hub.clear_faults()
    stored = set(asked(hub, "PUT", "/_lfs/"))
    since = len(hub.requests)
    start().done()
    sent = asked(hub, "PUT", "/_lfs/", since)
    assert not stored & set(sent)
    assert titles() == ["Publish", "update"]
    found = hub.files(REPO)
    assert sum(name.endswith(".sqlite") for name in found) == len(DATABASES)
    if moment == "commit":
        assert len(stored) >= len(DATABASES)
        assert sent == []


def test_a_push_that_is_killed_after_its_commit_has_landed(hub: LocalHub, start: Start) -> None:
    """The hub takes it while nobody waits for the answer any more."""
    hub.fault("/commit/", method="POST", delay_s=1.5)
    first = start()
    wait_for(hub, first, "POST", "/commit/")
    first.killed_by(signal.SIGKILL)
    deadline = time.monotonic() + 10
    while len(titles()) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert "no commit made" in start().done()
    assert titles() == ["Publish", "update"]


@pytest.mark.parametrize("moment", ["look", "first upload", "commit"])
def test_an_interrupted_push_says_nothing_and_leaves_nothing(
    hub: LocalHub, start: Start, moment: str
) -> None:
    method, pattern, fault = MOMENTS[moment]
    hub.fault(pattern, method=method, delay_s=LONG_S, **fault)
    first = start()
    wait_for(hub, first, method, pattern)
    began = time.monotonic()
    code, err = first.killed_by(signal.SIGINT)
    assert code == 130
    assert "Traceback" not in err
    assert time.monotonic() - began < 5
    assert tree_of(first.scratch) == {}
    assert not list(first.scratch.glob("claimdb-push-*"))
    assert hub.files(REPO) == OLD


def test_an_interrupted_push_begins_nothing_new(hub: LocalHub, start: Start) -> None:
    """Small files are sent by several threads; those on their way arrive, and no other."""
    hub.fault("/_lfs/", method="PUT")  # the large one goes through
    hub.fault("/_lfs/", method="PUT", times=None, delay_s=3)
    first = start()
    deadline = time.monotonic() + 60
    while n_puts(hub) < 3:
        assert first.child.poll() is None, first.child.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    code, err = first.killed_by(signal.SIGINT)
    assert (code, "Traceback" in err) == (130, False)
    assert n_puts(hub) <= 1 + N_THREADS
    assert not list(first.scratch.glob("claimdb-push-*"))
    assert hub.files(REPO) == OLD
    hub.clear_faults()
    stored, since = set(asked(hub, "PUT", "/_lfs/")), len(hub.requests)
    start().done()
    sent = set(asked(hub, "PUT", "/_lfs/", since))
    assert not stored & sent
    assert len(stored | sent) > 1 + N_THREADS
