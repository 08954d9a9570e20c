"""Whose token it is and what it may write, asked of a real Hub by the real client."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from huggingface_hub import constants

from claimdb_loader.hub_account import Account, sign_in
from claimdb_loader.hub_head import Repo
from claimdb_metric.errors import DataError, UnavailableError
from tests.hub import LocalHub
from tests.pushes import noted_naps

ROLES = {"hf_test": "write", "hf_read": "read", "hf_fine": "fineGrained"}


@pytest.fixture
def naps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    return noted_naps(monkeypatch)


@pytest.fixture
def saved_token(hub: LocalHub) -> Iterator[Path]:
    """Where `hf auth login` keeps its token; there is none after the test."""
    path = Path(constants.HF_TOKEN_PATH)
    path.parent.mkdir(parents=True, exist_ok=True)
    yield path
    path.unlink(missing_ok=True)


@pytest.mark.parametrize("token", ROLES)
def test_a_token_tells_whose_it_is(hub: LocalHub, token: str) -> None:
    assert sign_in(token) == Account("you", ("your-lab",), ROLES[token])


def test_a_token_of_the_environment(hub: LocalHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_fine")
    assert sign_in().role == "fineGrained"
    assert sign_in("hf_read").role == "read"


def test_a_token_of_hf_auth_login(saved_token: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved_token.write_text("hf_read\n")
    assert sign_in().role == "read"
    monkeypatch.setenv("HF_TOKEN", "hf_test")
    assert sign_in().role == "write"


@pytest.mark.parametrize("value", [None, "", "  \n"])
def test_no_token(hub: LocalHub, monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
    if value is not None:
        monkeypatch.setenv("HF_TOKEN", value)
    with pytest.raises(DataError, match=r"no Hub token: `hf auth login`, or set HF_TOKEN .*/tok"):
        sign_in()
    assert hub.requests == []


@pytest.mark.parametrize("is_given", [True, False])
@pytest.mark.parametrize("token", ["hf_te\tst", "hf_tëst", "hf_te\x7fst", "hf\N{NO-BREAK SPACE}t"])
def test_what_can_be_no_token(
    hub: LocalHub,
    naps: list[float],
    monkeypatch: pytest.MonkeyPatch,
    token: str,
    is_given: bool,
) -> None:
    """It is the token that is wrong, and nobody is asked, nor anything waited for."""
    monkeypatch.setenv("HF_TOKEN", "hf_test" if is_given else token)
    with pytest.raises(DataError, match=r"^the Hub token holds .* no token has: copy it anew$"):
        sign_in(token if is_given else None)
    assert (naps, hub.requests) == ([], [])


def test_a_token_of_several_lines_is_none(hub: LocalHub) -> None:
    with pytest.raises(DataError, match="the Hub token holds"):
        sign_in("hf_te\nst")
    assert hub.requests == []


def test_a_token_that_nobody_has_issued(hub: LocalHub) -> None:
    with pytest.raises(UnavailableError, match=r"answered 401 for your account.*not valid; `hf"):
        sign_in("hf_gone")
    assert len(hub.requests) == 1


def test_a_web_page_is_no_account(hub: LocalHub) -> None:
    hub.fault("whoami", html=True, times=None)
    with pytest.raises(UnavailableError, match="a web page"):
        sign_in("hf_test")


@pytest.mark.parametrize("asked", [3, None])
def test_a_busy_hub_is_asked_again(hub: LocalHub, naps: list[float], asked: int | None) -> None:
    headers = {"Retry-After": str(asked)} if asked else {}
    hub.fault("whoami", status=429, headers=headers, times=2)
    assert sign_in("hf_test").name == "you"
    assert naps == ([3.0, 3.0] if asked else [1.0, 2.0])


MAY: list[tuple[str, str, bool, str | None]] = [
    ("write", "you/r", False, None),
    ("write", "your-lab/r", False, None),
    ("write", "o/r", False, r"^o/r belongs to o, .* as you: push to you/… or your-lab/…, .*-pr"),
    ("write", "o/r", True, None),
    ("write", "You/r", False, "belongs to You"),
    ("write", "your-lab2/r", False, "belongs to your-lab2"),
    ("read", "you/r", False, r"^the token of you may only read: .* role write at http.*/tokens"),
    ("read", "o/r", True, "may only read"),
    ("fineGrained", "you/r", False, None),
    ("fineGrained", "o/r", False, "belongs to o"),
    ("", "you/r", False, None),
]


@pytest.mark.parametrize(("role", "repo_id", "create_pr", "message"), MAY)
def test_who_may_write(role: str, repo_id: str, create_pr: bool, message: str | None) -> None:
    account = Account("you", ("your-lab",), role)
    if message is None:
        account.check_may_write(repo_id, create_pr)
        return
    with pytest.raises(DataError, match=message):
        account.check_may_write(repo_id, create_pr)


def test_names_of_a_repository() -> None:
    Repo("you/claimdb").check()
    Repo("your-lab/claim.db_2", "space").check(create_pr=True)


@pytest.mark.parametrize(
    ("repo_id", "message"),
    [
        ("claimdb", r"^'claimdb' must be OWNER/NAME, such as you/claimdb$"),
        ("", "cannot be a repository's name"),
        ("a/b/c", "cannot be a repository's name"),
        ("/claimdb", "cannot be a repository's name"),
        ("you/", "cannot be a repository's name"),
        ("you/claim db", "cannot be a repository's name"),
        ("you/claimdb.git", "cannot be a repository's name"),
        ("you/../claimdb", "cannot be a repository's name"),
        ("you/claimdb\n", "cannot be a repository's name"),
        ("https://huggingface.co/datasets/you/claimdb", "cannot be a repository's name"),
    ],
)
def test_what_is_no_name_of_a_repository(repo_id: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Repo(repo_id).check()


BRANCHES = [
    "main",
    "v1",
    "v1/a",
    "2026-01",
    "a.b_c",
    "refs/pr/1",
    "0" * 39,
    "0" * 41,
    "0" * 39 + "g",
]


@pytest.mark.parametrize("revision", [None, *BRANCHES])
def test_names_of_a_branch(revision: str | None) -> None:
    Repo("you/r", revision=revision).check()


@pytest.mark.parametrize(
    "revision", ["", " ", "a b", "-x", "/a", ".a", "v1\n", "a:b", "a~1", "0" * 40, "5503434d" * 5]
)
def test_what_is_no_name_of_a_branch(revision: str) -> None:
    """Nor is the hash of a commit, which nothing can be written to."""
    with pytest.raises(DataError, match=r" cannot be the name of a branch$") as caught:
        Repo("you/r", revision=revision).check()
    assert repr(revision) in str(caught.value)


@pytest.mark.parametrize(("revision", "is_refused"), [(None, False), ("main", False), ("v1", True)])
def test_a_pull_request_is_against_main(revision: str | None, is_refused: bool) -> None:
    repo = Repo("you/r", revision=revision)
    repo.check()
    if not is_refused:
        repo.check(create_pr=True)
        return
    with pytest.raises(DataError, match="against main: leave out --revision"):
        repo.check(create_pr=True)
