"""Everything a local hub remembers: repositories and uploaded LFS objects."""

from __future__ import annotations

from pathlib import Path

from tests.hub.message import Call, HubError
from tests.hub.repo import Commit, Repo, StoredFile
from tests.hub.rights import may_see


class Store:
    """State behind the routes. Callers hold the server's lock while they use it."""

    def __init__(self, scratch: Path) -> None:
        self.scratch = scratch
        self.repos: dict[tuple[str, str], Repo] = {}
        self.lfs_objects: dict[str, StoredFile] = {}

    def repo_for(self, call: Call, repo_type: str, repo_id: str) -> Repo:
        """The repository, if this caller may see it.

        Raises:
            HubError: 404 if there is none or it is private and somebody else's; 401 to a caller
                without a token, who must not learn whether there is a private one.
        """
        repo = self.repos.get((repo_type, repo_id))
        if repo is None or not may_see(call, repo):
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
