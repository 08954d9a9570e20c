"""`claimdb push` with what cannot be: one line that says why, exit code 2, and nothing sent."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Call
from tests.hub import LocalHub
from tests.loader.claim_files import claim, jsonl
from tests.pushes import OLD_CLIENT, noted_naps, wrote_nothing

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
        ("hf_tëst", "token"),
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
