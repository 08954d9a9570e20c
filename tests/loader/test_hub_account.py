"""Whose token it is and what it may write, asked of a real Hub by the real client."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from huggingface_hub import constants

from claimdb_loader.hub_account import Account, check_repo_id, sign_in
from claimdb_metric.errors import ClaimDBError, DataError, UnavailableError
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


@pytest.mark.parametrize("token", ["hf_te\nst", "hf_tëst"])
def test_what_can_be_no_token(hub: LocalHub, naps: list[float], token: str) -> None:
    """It is the token that is wrong, and nothing is to be waited for."""
    with pytest.raises(ClaimDBError, match="token"):
        sign_in(token)
    assert naps == []


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
    check_repo_id("you/claimdb")
    check_repo_id("your-lab/claim.db_2")


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
        check_repo_id(repo_id)
