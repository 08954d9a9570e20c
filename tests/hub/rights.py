"""Who may do what: three tokens of one user, who owns one name and writes for one organisation.

The refusals are worded as the Hub's; of those with status 403 it names no error code.
"""

from __future__ import annotations

from typing import Any

from tests.hub.message import Call, HubError, Role
from tests.hub.repo import Repo

USER = "you"
ORGANISATION = "your-lab"
TOKENS: dict[str, Role] = {"hf_test": "write", "hf_read": "read", "hf_fine": "fineGrained"}
PULL_REQUEST_REFS = "refs/pr/"


def role_of(authorization: str | None) -> Role:
    """What the Authorization header allows.

    Raises:
        HubError: 401 for a token nobody has issued; the Hub then refuses public repos as well.
    """
    if not authorization:
        return "anonymous"
    role = TOKENS.get(authorization.removeprefix("Bearer "))
    if role is None:
        raise HubError(401, "Unauthorized", "Invalid credentials in Authorization header")
    return role


def account(role: Role) -> dict[str, Any]:
    """What the Hub says about the user to a token with this role."""
    user = {"type": "user", "id": "0", "name": USER, "fullname": USER, "canPay": False}
    lab = {"type": "org", "id": "1", "name": ORGANISATION, "fullname": "Your Lab", "email": None}
    orgs = [{**lab, "canPay": False, "isEnterprise": False, "roleInOrg": "write"}]
    token = {"displayName": "test", "role": role, "createdAt": "2026-01-01T00:00:00.000Z"}
    if role != "fineGrained":
        return {**user, "email": "", "orgs": orgs, "auth": signed_in(token)}
    scoped = [
        {"entity": {"_id": "0", "type": kind, "name": name}, "permissions": ["repo.content.read"]}
        for kind, name in (("user", USER), ("org", ORGANISATION))
    ]
    scopes = {"canReadGatedRepos": True, "global": [], "scoped": scoped}
    return {**user, "orgs": orgs, "auth": signed_in({**token, "fineGrained": scopes})}


def signed_in(token: dict[str, Any]) -> dict[str, Any]:
    return {"type": "access_token", "accessToken": token}


def owns(namespace: str) -> bool:
    return namespace in (USER, ORGANISATION)


def may_see(call: Call, repo: Repo) -> bool:
    """Whether the repository is public or one of the caller's own."""
    return not repo.private or (call.role != "anonymous" and owns(repo.namespace))


def forbidden(message: str) -> HubError:
    return HubError(403, None, message)


def require_token(call: Call) -> None:
    if call.role == "anonymous":
        raise HubError(401, "Unauthorized", "Invalid username or password.")


def require_write(call: Call) -> None:
    """Raises HubError unless the caller's token may write: 401 without one, else 403."""
    require_token(call)
    if call.role == "read":
        raise forbidden("you must use a write token to upload to a repository")
    if call.role == "fineGrained":
        raise no_permission()


def no_permission() -> HubError:
    return forbidden("You have read access but not the required permissions for this operation")


def require_creator(call: Call, repo_type: str, namespace: str) -> None:
    """Raises HubError unless the caller may create repositories under this name."""
    require_token(call)
    if call.role != "write" or not owns(namespace):
        message = f"You don't have the rights to create a {repo_type} under the namespace"
        raise forbidden(f'{message} "{namespace}"')


def require_owner(repo: Repo) -> None:
    """Raises HubError where only the owner may act: branches, tags, the repository itself."""
    if not owns(repo.namespace):
        raise no_permission()


def require_committer(call: Call, repo: Repo, revision: str) -> None:
    """Raises HubError where others than the owner may only propose."""
    if not (owns(repo.namespace) or call.flag("create_pr") or is_proposal(revision)):
        way_out = "pass `create_pr=1` as a query parameter to create a Pull Request"
        raise forbidden(f"Forbidden: {way_out}")


def require_uploader(repo: Repo, revision: str | None) -> None:
    """The same for LFS objects, whose request names no revision if they go to a pull request."""
    if not (owns(repo.namespace) or revision is None or is_proposal(revision)):
        raise forbidden("Authorization error.")


def is_proposal(revision: str) -> bool:
    """Whether commits on this revision go to a pull request; here all are opened by the user."""
    return revision.startswith(PULL_REQUEST_REFS)
