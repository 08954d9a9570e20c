"""`claimdb push` with what cannot be: one line that says why, exit code 2, and nothing sent."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import HfApi

from tests.cli.conftest import Call
from tests.hub import LocalHub
from tests.loader.claim_files import claim, jsonl
from tests.pushes import OLD_CLIENT, noted_naps, wrote_nothing

pytestmark = OLD_CLIENT

METRIC = ("--metric", "--space-id", "you/claimdb_metric")
TO_ME = ("--repo-id", "you/claimdb")
SHA = "5503434d" * 5


@pytest.fixture(autouse=True)
def _token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_test")


@pytest.fixture
def call(claimdb_command: Call) -> Call:
    """Exit code, stdout and stderr of one `claimdb push …`."""
    return partial(claimdb_command, "push")


WRONG: list[tuple[tuple[str, ...], str]] = [
    ((), "--repo-id NAME/claimdb says where to publish"),
    (("COPY",), "--repo-id NAME/claimdb says where to publish"),
    (("COPY", "--data-dir", "COPY", *TO_ME), "give the folder or --data-dir, not both"),
    (("COPY", "--space-id", "you/claimdb_metric", *TO_ME), "--space-id goes with --metric"),
    (("--metric",), "--metric needs --space-id NAME/claimdb_metric"),
    (("--metric", *TO_ME), "--metric needs --space-id"),
    ((*METRIC, "COPY"), "--metric publishes no claims: leave out a folder"),
    ((*METRIC, "--data-dir", "COPY"), "leave out --data-dir"),
    ((*METRIC, *TO_ME), "leave out --repo-id"),
    ((*METRIC, "--dry-run", "tree"), "leave out --dry-run"),
    ((*METRIC, "--databases", "all"), "leave out --databases"),
    ((*METRIC, "--create-pr", "--revision", "v2"), "leave out --revision"),
    (("COPY", *TO_ME, "--databases", "some"), "--databases"),
    (("COPY", *TO_ME, "--create-pr", "--revision", "v2"), "leave out --revision"),
    (("COPY", *TO_ME, "--create-pr", "--revision", "v2", "--dry-run", "t"), "leave out --revision"),
    (("COPY", *TO_ME, "--create-pr"), "you/claimdb does not exist: push without --create-pr to"),
    (("COPY", *TO_ME, "--message", ""), "--message take a text that is not empty"),
    (("COPY", *TO_ME, "--message", " \n"), "--message take a text that is not empty"),
    (("COPY", *TO_ME, "--dry-run", ""), "--dry-run and --message take a text"),
    ((*METRIC, "--message", " "), "--message take a text that is not empty"),
    (("COPY", *TO_ME, "--revision", ""), "'' cannot be the name of a branch"),
    (("COPY", *TO_ME, "--revision", "a b"), "'a b' cannot be the name of a branch"),
    (("COPY", *TO_ME, "--revision", SHA), f"'{SHA}' cannot be the name of a branch"),
    (("COPY", *TO_ME, "--revision", SHA, "--dry-run", "tree"), "cannot be the name of a branch"),
    ((*METRIC, "--revision", SHA), "cannot be the name of a branch"),
    (("COPY", "--repo-id", "claimdb"), "'claimdb' must be OWNER/NAME, such as you/claimdb"),
    (("COPY", "--repo-id", "you/a b"), "cannot be a repository's name"),
    (("COPY", "--repo-id", "claimdb", "--dry-run", "tree"), "must be OWNER/NAME"),
    (("COPY", *TO_ME, "--dry-run", "."), "holds something else"),
    (("COPY", *TO_ME, "--dry-run", "COPY"), "is the benchmark itself"),
    (("none", *TO_ME), "none is not a folder"),
    (("COPY", "COPY", *TO_ME), "unexpected extra argument"),
    (("COPY", *TO_ME, "--privat"), "--private"),
    (("COPY", "--repo-id", "o/claimdb"), "o/claimdb belongs to o"),
    (("--metric", "--space-id", "you/metric"), "name the Space you/claimdb_metric"),
    (("--metric", "--space-id", "o/claimdb_metric"), "o/claimdb_metric belongs to o"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_wrong_input(
    hub: LocalHub, copy: str, call: Call, arguments: tuple[str, ...], message: str
) -> None:
    code, out, err = call(*(copy if part == "COPY" else part for part in arguments))
    assert (code, out) == (2, "")
    assert message in " ".join(err.replace("│", " ").split())
    assert "Traceback" not in err
    assert wrote_nothing(hub)


@pytest.mark.parametrize(
    ("token", "message"),
    [
        (None, "claimdb: no Hub token: `hf auth login`, or set HF_TOKEN to one with the role"),
        ("hf_gone", "your token is not valid"),
        ("hf_read", "claimdb: the token of you may only read"),
        ("hf_fine", "claimdb: your token may not write to "),
        ("hf_tëst", "claimdb: the Hub token holds characters that no token has: copy it anew"),
    ],
)
def test_tokens(
    hub: LocalHub,
    copy: str,
    call: Call,
    monkeypatch: pytest.MonkeyPatch,
    token: str | None,
    message: str,
) -> None:
    monkeypatch.delenv("HF_TOKEN")
    if token is not None:
        monkeypatch.setenv("HF_TOKEN", token)
    for arguments in ((copy, *TO_ME), METRIC):
        code, out, err = call(*arguments)
        assert (code, out) == (2, "")
        assert message in err
        assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("token", "message"),
    [
        ("hf_gone", "your token is not valid; `hf auth login` again or unset HF_TOKEN"),
        ("hf_tëst", "token"),
    ],
)
def test_a_dry_run_with_a_bad_token(
    hub: LocalHub,
    copy: str,
    call: Call,
    monkeypatch: pytest.MonkeyPatch,
    token: str,
    message: str,
) -> None:
    """Which is an error, while none at all is not."""
    monkeypatch.setenv("HF_TOKEN", token)
    code, out, err = call(copy, *TO_ME, "--dry-run", "tree")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err
    assert "could not be reached" not in err
    monkeypatch.delenv("HF_TOKEN")
    assert call(copy, *TO_ME, "--dry-run", "tree")[0] == 0


@pytest.mark.parametrize("dry", [(), ("--dry-run", "tree")])
def test_a_tag_is_no_branch(hub: LocalHub, copy: str, call: Call, dry: tuple[str, ...]) -> None:
    hub.add_repo("you/claimdb", {})
    HfApi(token="hf_test").create_tag("you/claimdb", tag="v1", repo_type="dataset")
    since = len(hub.requests)
    said = "claimdb: v1 of dataset repository you/claimdb is a tag: give the name of a branch\n"
    assert call(copy, *TO_ME, "--revision", "v1", *dry) == (2, "", said)
    assert wrote_nothing(hub, since)


def test_rows_that_are_wrong_are_named(hub: LocalHub, copy: str, call: Call) -> None:
    rows = [claim(1), claim(2, claim=7), claim(3, bird_id="x")]
    (Path(copy) / "train.jsonl").write_bytes(jsonl(rows))
    code, out, err = call(copy, *TO_ME)
    assert (code, out) == (2, "")
    assert "train.jsonl:2: claim " in err
    assert "train.jsonl:3: bird_id " in err
    assert wrote_nothing(hub)


def test_private_labels(hub: LocalHub, copy: str, call: Call) -> None:
    (Path(copy) / "test-private.jsonl").write_bytes(jsonl([claim(15, 1)]))
    for more in ((), ("--force",), ("--dry-run", "tree")):
        code, out, err = call(copy, *TO_ME, *more)
        assert (code, out) == (2, "")
        assert err.startswith("claimdb: test_private cannot be published: column label must be -1")
    assert wrote_nothing(hub)


@pytest.mark.parametrize(
    ("path", "fault"),
    [("/commit/", {"status": 503}), ("/_lfs/", {"status": 503}), ("whoami", {"html": True})],
)
def test_a_hub_that_fails(
    hub: LocalHub,
    copy: str,
    call: Call,
    monkeypatch: pytest.MonkeyPatch,
    path: str,
    fault: dict[str, Any],
) -> None:
    noted_naps(monkeypatch)
    hub.fault(path, times=None, **fault)
    code, out, err = call(copy, *TO_ME)
    assert (code, out) == (2, "")
    assert err.splitlines()[-1].startswith("claimdb: ")
