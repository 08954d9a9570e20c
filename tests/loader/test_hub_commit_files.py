"""The files of a commit: large ones are sent once, wrong ones refused in the Hub's own words."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from claimdb_loader.fingerprints import file_sha256
from claimdb_loader.hub_commit import ALONE_BYTES, commit
from claimdb_loader.hub_head import Changes, Head, Repo, compare, read_head
from claimdb_metric.errors import ClaimDBError, DataError, UnavailableError
from tests.hub import LocalHub
from tests.pushes import MINE, OLD_CLIENT, asked, n_commits, noted_naps, send, written

pytestmark = OLD_CLIENT

OLD = {"a.txt": b"1"}
SMALL = {"b.txt": b"2", "small.zip": b"PK"}
LARGE = {f"{name}.zip": name.encode() * ALONE_BYTES for name in "xyz"}
PUT = r"^/_lfs/\w+$"


@pytest.fixture
def naps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    return noted_naps(monkeypatch)


def oid(name: str) -> str:
    return hashlib.sha256({**SMALL, **LARGE}[name]).hexdigest()


def puts(hub: LocalHub, since: int = 0) -> list[str]:
    """The names of the files that the hub was sent and has taken."""
    names = {f"/_lfs/{oid(name)}": name for name in (*LARGE, "small.zip")}
    return [names[path] for path in asked(hub, "PUT", PUT, since)]


FAULTS: list[dict[str, Any]] = [
    {"status": 500},
    {"status": 503, "headers": {"Retry-After": "9"}},
    {"status": 403},
    {"status": 422},
]


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", ["y.zip", "small.zip"])
def test_the_next_push_sends_only_what_is_missing(
    hub: LocalHub, tmp_path: Path, naps: list[float], name: str, fault: dict[str, Any]
) -> None:
    hub.add_repo("you/r", OLD)
    hub.fault(oid(name), method="PUT", times=None, **fault)
    with pytest.raises(ClaimDBError, match=rf"you/r|{name}"):
        send(tmp_path, {**SMALL, **LARGE})
    assert hub.files("you/r") == OLD
    hub.clear_faults()
    sent_before, since = puts(hub), len(hub.requests)
    send(tmp_path, {**SMALL, **LARGE})
    assert hub.files("you/r") == {**OLD, **SMALL, **LARGE}
    assert sorted(sent_before + puts(hub, since)) == ["small.zip", *LARGE]
    assert sent_before == (["x.zip"] if name == "y.zip" else list(LARGE))


@pytest.mark.parametrize("fault", [{"status": 503}, {"cut_after_bytes": 1}])
def test_a_large_file_that_is_cut_is_sent_again(
    hub: LocalHub, tmp_path: Path, naps: list[float], fault: dict[str, Any]
) -> None:
    """By the client, and from its beginning: the whole of it arrives."""
    hub.add_repo("you/r", OLD)
    hub.fault(oid("x.zip"), method="PUT", times=2, **fault)
    send(tmp_path, {"x.zip": LARGE["x.zip"]})
    assert hub.files("you/r") == {**OLD, "x.zip": LARGE["x.zip"]}
    assert len([r for r in hub.requests if r.method == "PUT"]) == 3
    assert n_commits(hub) == 1


def test_what_the_hub_holds_already_is_not_sent(hub: LocalHub, tmp_path: Path) -> None:
    """Also under another name, and in another repository."""
    hub.add_repo("your-lab/r", {"other.zip": LARGE["x.zip"]})
    hub.add_repo("you/r", {**OLD, "renamed.zip": LARGE["y.zip"]})
    send(tmp_path, LARGE, gone=("renamed.zip",))
    assert hub.files("you/r") == {**OLD, **LARGE}
    assert puts(hub) == ["z.zip"]


def test_a_busy_hub_does_not_get_large_files_twice(
    hub: LocalHub, tmp_path: Path, naps: list[float]
) -> None:
    hub.add_repo("you/r", OLD)
    hub.fault("/commit/", status=503, times=3)
    send(tmp_path, {**SMALL, **LARGE})
    assert sorted(puts(hub)) == ["small.zip", *LARGE]


BAD_CARDS = [
    ("---\na: [\n---\n", "while parsing a flow node"),
    ("---\n- a\n---\n", "must be an object"),
    (
        '---\nconfigs:\n- config_name: c\n  data_files:\n  - split: a-b\n    path: "*"\n---\n',
        '"a-b" fails to match the pattern',
    ),
]


@pytest.mark.parametrize(("card", "words"), BAD_CARDS)
def test_a_card_that_the_hub_refuses(hub: LocalHub, tmp_path: Path, card: str, words: str) -> None:
    hub.add_repo("you/r", OLD)
    with pytest.raises(DataError, match=r"^the Hub refuses ") as caught:
        send(tmp_path, {"README.md": card.encode(), "x.zip": b"PK"})
    assert words in str(caught.value)
    assert "dataset repository you/r" in str(caught.value)
    assert hub.files("you/r") == OLD
    assert puts(hub) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: [", "Invalid eval.yaml: not valid YAML"),
        ("name: x\ndescription: y\nevaluation_framework: none\ntasks: [1]", "must be one of"),
        ("name: x\n", '"description" is required'),
    ],
)
def test_an_eval_file_that_the_hub_refuses(
    hub: LocalHub, tmp_path: Path, text: str, words: str
) -> None:
    hub.add_repo("you/r", OLD)
    with pytest.raises(DataError, match=r"^the Hub refuses the push") as caught:
        send(tmp_path, {"eval.yaml": text.encode()})
    assert words in str(caught.value)
    assert "Traceback" not in str(caught.value)
    assert hub.files("you/r") == OLD


@pytest.mark.parametrize("path", ["/commit/", "validate-yaml", "/preupload/", "objects/batch"])
def test_a_web_page_is_no_refusal(
    hub: LocalHub, tmp_path: Path, naps: list[float], path: str
) -> None:
    hub.add_repo("you/r", OLD)
    hub.fault(path, html=True, times=None)
    with pytest.raises(UnavailableError, match="a web page"):
        send(tmp_path, {"README.md": b"# r\n", "x.zip": b"PK"})
    assert hub.files("you/r") == OLD


@pytest.mark.parametrize(("token", "repo_id"), [("hf_read", "you/r"), ("hf_fine", "your-lab/r")])
def test_a_token_that_may_not_write(
    hub: LocalHub, tmp_path: Path, token: str, repo_id: str
) -> None:
    hub.add_repo(repo_id, OLD)
    with pytest.raises(DataError, match=r"^your token may not write to .* must name this repo"):
        send(tmp_path, SMALL, Repo(repo_id, token=token))
    with pytest.raises(DataError, match=r"^your token may not write"):
        send(tmp_path, SMALL, Repo("you/new", token=token))
    assert hub.files(repo_id) == OLD


def test_a_foreign_repository_takes_pull_requests_only(hub: LocalHub, tmp_path: Path) -> None:
    hub.add_repo("o/r", OLD)
    repo = Repo("o/r", token="hf_test")
    with pytest.raises(DataError, match=r"^your token may not write to dataset repository o/r"):
        send(tmp_path, SMALL, repo)
    sent = send(tmp_path, {**SMALL, **LARGE}, repo, create_pr=True)
    assert sent.pull_request == f"{hub.url}/datasets/o/r/discussions/1"
    assert hub.files("o/r", "refs/pr/1") == {**OLD, **SMALL, **LARGE}
    assert hub.files("o/r") == OLD


@pytest.mark.parametrize("name", ["x.zip", "small.zip", "b.txt"])
def test_a_file_that_was_changed_since_it_was_described(
    hub: LocalHub, tmp_path: Path, name: str
) -> None:
    hub.add_repo("you/r", OLD)
    head, files = read_head(MINE), written(tmp_path, {**SMALL, "x.zip": LARGE["x.zip"]})
    known = {name: file_sha256(files[name])}
    changes = compare(files, head, sha256=known)
    files[name].write_bytes(files[name].read_bytes()[::-1] + b"?")
    with pytest.raises(DataError, match=rf"{name} was changed meanwhile: push again"):
        commit(MINE, head, files, changes, "m", sha256=known)
    assert hub.files("you/r") == OLD
    assert puts(hub) == []


@pytest.mark.parametrize("name", ["x.zip", "b.txt"])
def test_a_file_that_was_taken_away(hub: LocalHub, tmp_path: Path, name: str) -> None:
    hub.add_repo("you/r", OLD)
    files = written(tmp_path, {**SMALL, "x.zip": b"PK"})
    head = read_head(MINE)
    changes = compare(files, head)
    files[name].unlink()
    with pytest.raises((ClaimDBError, FileNotFoundError), match=name):
        commit(MINE, head, files, changes, "m")
    assert hub.files("you/r") == OLD


def test_a_path_that_no_repository_takes(hub: LocalHub, tmp_path: Path) -> None:
    hub.add_repo("you/r", OLD)
    path = "databases/.git/.git.sqlite"
    with pytest.raises(DataError, match=r"\.git"):
        send(tmp_path, {path: b"SQLite"})


def test_nothing_to_remove_is_no_fault(hub: LocalHub, tmp_path: Path) -> None:
    """Somebody took the file away already: their commit stands, and ours says so."""
    hub.add_repo("you/r", {**OLD, "gone.txt": b""})
    head = read_head(MINE)
    hub.update_repo("you/r", {}, delete=["gone.txt"])
    with pytest.raises(UnavailableError, match="somebody else changed"):
        commit(MINE, head, {}, Changes((), (), ("gone.txt",), ()), "m")
    assert compare({}, Head()) == Changes((), (), (), ())
