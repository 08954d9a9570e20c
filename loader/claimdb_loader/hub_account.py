"""Whose token this is, and what may be written with it; asked before any work is done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from huggingface_hub import HfApi, get_token

from claimdb_loader import hub
from claimdb_metric.errors import DataError


@dataclass(frozen=True)
class Account:
    """Who signed in, and the organisations that they are members of."""

    name: str
    organisations: tuple[str, ...]
    role: str

    def check_may_write(self, repo_id: str, create_pr: bool = False) -> None:
        """Raise DataError where the token or the owner rules out a push.

        Fine-grained tokens do not say what they may do: the Hub itself refuses those.

        Args:
            repo_id: "owner/name".
            create_pr: whether only a pull request is opened, which anybody may do.
        """
        if self.role == "read":
            raise DataError(
                f"the token of {self.name} may only read: make one with the role write at "
                f"{hub.endpoint()}/settings/tokens, then `hf auth login` or set HF_TOKEN"
            )
        owner = repo_id.partition("/")[0]
        if create_pr or owner in (self.name, *self.organisations):
            return
        mine = " or ".join(f"{name}/…" for name in (self.name, *self.organisations))
        raise DataError(
            f"{repo_id} belongs to {owner}, and you are signed in as {self.name}: push to {mine}, "
            "or open a pull request with --create-pr"
        )


def sign_in(token: hub.Token = None) -> Account:
    """Return the account of a token; None takes HF_TOKEN or that of `hf auth login`.

    Raises:
        DataError: there is no token, or it cannot be one.
        UnavailableError: the Hub does not answer, or does not know the token.
    """
    if check_token(token) is None:
        raise DataError(
            "no Hub token: `hf auth login`, or set HF_TOKEN to one with the role write "
            f"({hub.endpoint()}/settings/tokens)"
        )
    answer: dict[str, Any] = hub.patiently(lambda: HfApi(token=token).whoami(), "your account")
    organisations = tuple(org["name"] for org in answer.get("orgs", ()))
    role = answer.get("auth", {}).get("accessToken", {}).get("role", "")
    return Account(answer["name"], organisations, role)


def check_token(token: hub.Token = None) -> str | None:
    """Return the token that is to be used, None where there is none.

    Raises:
        DataError: it holds what no token can hold.
    """
    known = token if isinstance(token, str) else get_token()
    if known is not None and not (known.isascii() and known.isprintable()):
        raise DataError("the Hub token holds characters that no token has: copy it anew")
    return None if token is False else known
