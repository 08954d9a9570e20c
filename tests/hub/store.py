"""Everything a local hub remembers: repositories, uploaded LFS objects, and who may do what."""

from __future__ import annotations

from pathlib import Path

from tests.hub.message import Call, HubError, Role
from tests.hub.repo import Commit, Repo, StoredFile

USER = "you"
TOKENS: dict[str, Role] = {"hf_test": "write", "hf_read": "read"}


class Store:
    """State behind the routes. Callers hold the server's lock while they use it."""

    def __init__(self, scratch: Path) -> None:
        self.scratch = scratch
        self.repos: dict[tuple[str, str], Repo] = {}
        self.lfs_objects: dict[str, StoredFile] = {}

    def repo_for(self, call: Call, repo_type: str, repo_id: str) -> Repo:
        """The repository, if this caller may see it.

        Raises:
            HubError: 404 if there is none; 401 to a caller without a token, who must not learn
                whether there is a private one.
        """
        repo = self.repos.get((repo_type, repo_id))
        if repo is None or (repo.private and call.role == "anonymous"):
            anonymous = call.role == "anonymous"
            message = "Invalid username or password." if anonymous else "Repository not found"
            raise HubError(401 if anonymous else 404, "RepoNotFound", message)
        return repo

    def commit_for(
        self, call: Call, repo_type: str, repo_id: str, revision: str
    ) -> tuple[Repo, Commit]:
        """The repository and the commit that `revision` names in it."""
        repo = self.repo_for(call, repo_type, repo_id)
        commit = repo.find_commit(revision)
        if commit is None:
            raise HubError(404, "RevisionNotFound", f"Invalid rev id: {revision}")
        return repo, commit

    def remember_lfs(self, file: StoredFile) -> None:
        if file.is_lfs:
            self.lfs_objects[file.oid] = file


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


def require_write(call: Call) -> None:
    """Raises HubError unless the caller's token may write: 401 without one, 403 if read-only."""
    if call.role == "anonymous":
        raise HubError(401, "Unauthorized", "Invalid username or password.")
    if call.role == "read":
        raise HubError(403, "Forbidden", "you must use a write token to change a repository")
