"""The claims from the Hub: the real clients against a local hub."""

from __future__ import annotations

import logging
import time
from pathlib import Path
from typing import Any

import pytest

import claimdb
from claimdb_loader import hub as hub_access
from claimdb_loader.hub import UPSTREAM_REPO
from tests.children import answer_of, child_env, run_claimdb, run_python
from tests.conftest import Load
from tests.hub import LocalHub
from tests.loader.claim_files import claim, jsonl, small_copy

pytestmark = pytest.mark.matrix

FILES = {
    "README.md": b"# ClaimDB\n",
    "train.jsonl": jsonl([claim(i, i % 3) for i in range(6)]),
    "test-public.jsonl": jsonl([claim(i, i % 3) for i in range(6, 9)]),
    "test-private.jsonl": jsonl([claim(9, None)]),
    "train_databases.zip": b"not needed here",
}
COUNTS = {"train": 6, "test_public": 3, "test_private": 1}


def counts(splits: Any) -> dict[str, int]:
    return {name: len(list(split)) for name, split in splits.items()}


def test_the_default_source_is_the_published_repository(load: Load, hub: LocalHub) -> None:
    hub.add_repo(UPSTREAM_REPO, FILES)
    assert counts(load()) == COUNTS
    assert counts(load(streaming=True)) == COUNTS
    assert hub.bytes_sent(r"train_databases\.zip") == 0


def test_a_prepared_copy_asks_the_hub_nothing(load: Load, hub: LocalHub) -> None:
    hub.add_repo(UPSTREAM_REPO, FILES)
    load()
    before = len(hub.requests)
    assert counts(load()) == COUNTS
    assert load(split="train[:2]")["claim_id"][:] == [0, 1]
    assert len(hub.requests) == before


def test_another_repository_and_revision(load: Load, hub: LocalHub) -> None:
    first = hub.add_repo("you/mine", {"train.jsonl": jsonl([claim(1)])})
    hub.update_repo("you/mine", {"train.jsonl": jsonl([claim(1), claim(2)])})
    assert counts(load(repo_id="you/mine")) == {"train": 2}
    assert counts(load(repo_id="you/mine", revision=first)) == {"train": 1}
    assert counts(load(repo_id="you/mine", revision=first, streaming=True)) == {"train": 1}


def test_force_redownload_takes_what_is_new(load: Load, hub: LocalHub) -> None:
    hub.add_repo(UPSTREAM_REPO, FILES)
    load()
    hub.update_repo(UPSTREAM_REPO, {"train.jsonl": jsonl([claim(0)])}, delete=["test-public.jsonl"])
    assert counts(load()) == COUNTS
    again = load(download_mode="force_redownload")
    assert counts(again) == {"train": 1, "test_private": 1}


def test_a_private_repository_with_a_token(load: Load, hub: LocalHub) -> None:
    hub.add_repo("you/private", FILES, private=True)
    with pytest.raises(claimdb.DataError, match="you/private does not exist, or is private"):
        load(repo_id="you/private")
    assert counts(load(repo_id="you/private", token="hf_read")) == COUNTS


@pytest.mark.parametrize("streaming", [False, True])
def test_a_newer_upstream_file_is_named(
    load: Load, hub: LocalHub, caplog: pytest.LogCaptureFixture, streaming: bool
) -> None:
    sha = hub.add_repo(UPSTREAM_REPO, FILES)
    with caplog.at_level(logging.WARNING, "claimdb"):
        counts(load(streaming=streaming))
    said = [m for m in caplog.messages if "is not the file that this release knows" in m]
    assert [m.split()[0] for m in said] == ["test-public.jsonl", "test-private.jsonl"]
    assert sha[:12] in said[0]
    assert "revision= pins an older commit" in said[0]


def test_the_published_files_are_recognised(
    load: Load, hub: LocalHub, shared: Path, caplog: pytest.LogCaptureFixture
) -> None:
    names = ("test-public.jsonl", "test-private.jsonl")
    hub.add_repo(UPSTREAM_REPO, {name: shared / "data" / "claimdb" / name for name in names})
    with caplog.at_level(logging.WARNING, "claimdb"):
        assert counts(load()) == {"test_public": 1000, "test_private": 999}
    assert not [m for m in caplog.messages if "is not the file" in m]


@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        ({"status": 401}, claimdb.UnavailableError, "the Hub answered 401"),
        ({"status": 403}, claimdb.UnavailableError, "403 .* your token may not read it"),
        ({"status": 429, "headers": {"Retry-After": "1"}}, claimdb.UnavailableError, "too many"),
        ({"status": 500}, claimdb.UnavailableError, "the Hub answered 500 .* try again later"),
        ({"html": True}, claimdb.UnavailableError, "web page.* login or proxy in between"),
        ({"cut_after_bytes": 5}, claimdb.UnavailableError, "could not reach http://127"),
    ],
)
def test_a_hub_that_refuses_is_one_error_at_once(
    load: Load, hub: LocalHub, fault: dict[str, Any], kind: type[Exception], words: str
) -> None:
    hub.add_repo("you/refused", FILES)
    hub.fault("api/datasets/you/refused", times=None, **fault)
    started = time.monotonic()
    with pytest.raises(kind, match=words) as caught:
        load(repo_id="you/refused")
    assert 'load_dataset("claimdb", "sample")' in str(caught.value)
    assert time.monotonic() - started < 5


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"repo_id": "you/absent"}, "you/absent does not exist, or is private"),
        ({"repo_id": "you/empty"}, r"you/empty holds none of train\.jsonl"),
        ({"repo_id": "you/empty", "revision": "v9"}, "has no revision 'v9'"),
    ],
)
def test_a_repository_that_is_not_there(
    load: Load, hub: LocalHub, arguments: dict[str, str], words: str
) -> None:
    hub.add_repo("you/empty", {"README.md": b"# nothing\n"})
    with pytest.raises(claimdb.DataError, match=words):
        load(**arguments)


def test_a_file_that_is_refused_for_a_while_is_fetched(load: Load, hub: LocalHub) -> None:
    hub.add_repo("you/busy", FILES)
    hub.fault(
        r"resolve/.*/train\.jsonl",
        method="GET",
        status=429,
        headers={"Retry-After": "0"},
        times=2,
    )
    hub.fault(r"resolve/.*/test-public\.jsonl", cut_after_bytes=10)
    assert counts(load(repo_id="you/busy")) == COUNTS


def test_a_host_that_hangs_costs_one_timeout(
    load: Load, hub: LocalHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_access, "LOOKUP_TIMEOUT_S", 0.5)
    hub.add_repo("you/slow", FILES)
    hub.fault("api/datasets/you/slow", delay_s=2, times=1)
    started = time.monotonic()
    with pytest.raises(claimdb.UnavailableError, match="could not reach"):
        load(repo_id="you/slow")
    assert time.monotonic() - started < 2


OFFLINE = """
import json, time
import claimdb
from datasets import load_dataset
started = time.monotonic()
try:
    rows = load_dataset("claimdb")
    print(json.dumps({split: len(s) for split, s in rows.items()}))
except claimdb.UnavailableError as error:
    print(json.dumps([str(error), time.monotonic() - started < 2]))
"""


@pytest.mark.parametrize(
    "unreachable",
    [
        {"HF_HUB_OFFLINE": "1"},
        {"HF_HUB_OFFLINE": "0", "HF_ENDPOINT": "http://127.0.0.1:9"},
    ],
    ids=["offline mode", "connection refused"],
)
def test_no_network_and_nothing_local_is_one_error_at_once(
    tmp_path: Path, unreachable: dict[str, str]
) -> None:
    message, was_fast = answer_of(OFFLINE, tmp_path, child_env(tmp_path) | unreachable)
    assert was_fast
    assert 'load_dataset("claimdb", "sample") works everywhere' in message
    assert 'load_dataset("claimdb", data_dir="DIR")' in message
    assert "CLAIMDB_DATA_DIR" in message


def test_no_network_but_files_in_the_hub_cache(tmp_path: Path, hub: LocalHub) -> None:
    hub.add_repo(UPSTREAM_REPO, FILES)
    online = child_env(tmp_path) | hub.env(tmp_path / "hf") | {"HF_HUB_OFFLINE": "0"}
    assert answer_of(OFFLINE, tmp_path, online) == COUNTS
    # The prepared copy is thrown away; the files that were fetched are still there.
    offline = online | {"HF_HUB_OFFLINE": "1", "HF_DATASETS_CACHE": str(tmp_path / "empty")}
    assert answer_of(OFFLINE, tmp_path, offline) == COUNTS


def test_pushing_with_datasets_own_call(tmp_path: Path, hub: LocalHub) -> None:
    code = """
from datasets import load_dataset
import claimdb, json
if __name__ == "__main__":
    load_dataset("claimdb", "sample").push_to_hub("you/claimdb", "sample")
    claimdb.unregister()
    back = load_dataset("you/claimdb", "sample", split="test")
    print(json.dumps([len(back), back.features["label"].names]))
"""
    env = child_env(tmp_path) | hub.env(tmp_path / "hf") | {"HF_HUB_OFFLINE": "0"}
    assert answer_of(code, tmp_path, env) == [144, list(claimdb.LABELS)]
    assert any(name.endswith(".parquet") for name in hub.files("you/claimdb"))


def test_a_child_cannot_reach_the_network(tmp_path: Path) -> None:
    code = "import urllib.request as r; r.urlopen('http://192.0.2.1')"
    done = run_python(code, tmp_path, child_env(tmp_path))
    assert "NetworkUsedInTestError" in done.stderr
    assert done.returncode != 0


STREAM_OFFLINE = """
import json
import claimdb
from datasets import load_dataset
streams = load_dataset("claimdb", streaming=True)
one = load_dataset("claimdb", split="train", streaming=True)
print(json.dumps([{name: len(list(rows)) for name, rows in streams.items()}, len(list(one))]))
"""


def test_a_prepared_copy_streams_without_network(tmp_path: Path) -> None:
    env = child_env(tmp_path)
    copy = small_copy(tmp_path / "copy")
    assert run_claimdb("prepare", "--data-dir", str(copy), cwd=tmp_path, env=env).returncode == 0
    counts = {"train": 10, "test_public": 6, "test_private": 3}
    assert answer_of(STREAM_OFFLINE, tmp_path, env) == [counts, 10]


def test_a_branch_of_another_repository_is_followed(load: Load, hub: LocalHub) -> None:
    hub.add_repo("you/mine", {"train.jsonl": jsonl([claim(1)])})
    assert counts(load(repo_id="you/mine")) == {"train": 1}
    hub.update_repo("you/mine", {"train.jsonl": jsonl([claim(1), claim(2)])})
    assert counts(load(repo_id="you/mine")) == {"train": 2}
    assert counts(load(repo_id="you/mine", streaming=True)) == {"train": 2}
