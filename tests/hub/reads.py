"""The JSON routes that only look: repository info, file lists, refs, commits, who am I."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha1
from typing import Any
from urllib.parse import parse_qs

from tests.hub.message import Answer, Call, HubError, json_answer
from tests.hub.repo import Commit, Repo, StoredFile
from tests.hub.rights import USER, account, may_see, require_token
from tests.hub.store import Store

Json = dict[str, Any]
LFS_POINTER_BYTES = 130


def whoami(store: Store, call: Call) -> Answer:
    require_token(call)
    return json_answer(account(call.role))


def list_repos(store: Store, call: Call, repo_type: str) -> Answer:
    author = call.query.get("author", "")
    visible = [
        {"_id": "0", "id": repo.repo_id, "private": repo.private}
        for repo in store.repos.values()
        if repo.repo_type == repo_type
        and (not author or repo.repo_id.startswith(f"{author}/"))
        and may_see(call, repo)
    ]
    return json_answer(visible)


def no_namespace(store: Store, call: Call) -> Answer:
    """Names without an owner: the Hub has stopped giving them out."""
    raise HubError(404, "RepoNotFound", "Repository not found")


def repo_info(
    store: Store, call: Call, repo_type: str, repo_id: str, revision: str = "main"
) -> Answer:
    repo, commit = store.commit_for(call, repo_type, repo_id, revision)
    card = card_data(commit)
    siblings = [
        {"rfilename": path, **(blob(file) if call.flag("blobs") else {})}
        for path, file in sorted(commit.files.items())
    ]
    info = {
        "_id": "0",
        "id": repo.repo_id,
        "author": repo.namespace,
        "sha": commit.sha,
        "createdAt": repo.created,
        "lastModified": commit.date,
        "private": repo.private,
        "gated": False,
        "disabled": False,
        "downloads": 0,
        "likes": 0,
        "tags": card.get("tags") or [],
        "cardData": card,
        "siblings": siblings,
    }
    if repo.repo_type == "space":
        info["sdk"] = card.get("sdk") or repo.sdk
    return json_answer(info)


def card_data(commit: Commit) -> Json:
    """The YAML block of README.md, {} if there is none."""
    from huggingface_hub import RepoCard  # needs the client's YAML parser, and only here

    readme = commit.files.get("README.md")
    if readme is None:
        return {}
    card = RepoCard(readme.read().decode(), ignore_metadata_errors=True)
    data: Any = card.data  # its methods carry no types
    return dict(data.to_dict())


def blob(file: StoredFile) -> Json:
    """Size and ids of a file, as `siblings` of a repository spell them."""
    if not file.is_lfs:
        return {"size": file.size, "blobId": file.oid}
    lfs = {"sha256": file.oid, "size": file.size, "pointerSize": LFS_POINTER_BYTES}
    return {"size": file.size, "blobId": pseudo_oid(file.oid), "lfs": lfs}


def tree(
    store: Store, call: Call, repo_type: str, repo_id: str, revision: str, path: str = ""
) -> Answer:
    """What a folder holds; with `recursive`, at any depth. All in one page."""
    _, commit = store.commit_for(call, repo_type, repo_id, revision)
    path = path.strip("/")
    found = [path] if path in commit.files else list(walk(commit, path, call.flag("recursive")))
    if path and not found:
        raise HubError(404, "EntryNotFound", f"{path} does not exist at {revision}")
    return json_answer([entry(commit, item, call.flag("expand")) for item in found])


def walk(commit: Commit, folder: str, recursive: bool) -> Iterator[str]:
    """Paths below `folder`, each folder before its files."""
    prefix = f"{folder}/" if folder else ""
    seen: set[str] = set()
    for path in sorted(p for p in commit.files if p.startswith(prefix)):
        parts = path.removeprefix(prefix).split("/")
        for depth in range(1, len(parts) + 1 if recursive else 2):
            item = prefix + "/".join(parts[:depth])
            if item not in seen:
                seen.add(item)
                yield item


def paths_info(store: Store, call: Call, repo_type: str, repo_id: str, revision: str) -> Answer:
    """Entries for the asked paths; those that do not exist are left out."""
    _, commit = store.commit_for(call, repo_type, repo_id, revision)
    if "json" in call.headers.get("content-type", ""):
        asked: list[str] = call.json()["paths"]
        expand = bool(call.json().get("expand"))
    else:
        form = parse_qs(call.body.decode())
        asked = form.get("paths", [])
        expand = form.get("expand", [""])[0].lower() in {"1", "true"}
    known = [p for p in asked if p in commit.files or any(walk(commit, p, recursive=False))]
    return json_answer([entry(commit, path, expand) for path in known])


def entry(commit: Commit, path: str, expand: bool) -> Json:
    """One line of a file list; `expand` adds the last commit (here: always the listed one)."""
    last = {"id": commit.sha, "title": commit.title, "date": commit.date}
    more: Json = {"lastCommit": last} if expand else {}
    file = commit.files.get(path)
    if file is None:
        return {"type": "directory", "path": path, "oid": pseudo_oid(path), "size": 0, **more}
    line = {"type": "file", "path": path, "size": file.size, **more}
    if not file.is_lfs:
        return {**line, "oid": file.oid}
    lfs = {"oid": file.oid, "size": file.size, "pointerSize": LFS_POINTER_BYTES}
    return {**line, "oid": pseudo_oid(file.oid), "lfs": lfs}


def pseudo_oid(text: str) -> str:
    """A stand-in for the git id of a folder or of an LFS pointer, which nobody looks up."""
    return sha1(text.encode()).hexdigest()


def refs(store: Store, call: Call, repo_type: str, repo_id: str) -> Answer:
    repo = store.repo_for(call, repo_type, repo_id)
    pulls = {ref: sha for ref, sha in repo.branches.items() if ref.startswith("refs/pr/")}
    listed: Json = {
        "branches": ref_lines(
            "refs/heads/", {n: sha for n, sha in repo.branches.items() if n not in pulls}
        ),
        "tags": ref_lines("refs/tags/", repo.tags),
        "converts": [],
    }
    if call.flag("include_prs"):
        listed["pullRequests"] = ref_lines("", pulls)
    return json_answer(listed)


def ref_lines(prefix: str, targets: dict[str, str]) -> list[Json]:
    return [{"name": n, "ref": prefix + n, "targetCommit": sha} for n, sha in targets.items()]


def commits(store: Store, call: Call, repo_type: str, repo_id: str, revision: str) -> Answer:
    repo, head = store.commit_for(call, repo_type, repo_id, revision)
    return json_answer([commit_line(commit) for commit in repo.history(head)])


def commit_line(commit: Commit) -> Json:
    authors = [{"user": USER}]
    line = {"id": commit.sha, "title": commit.title, "message": "", "date": commit.date}
    return {**line, "authors": authors}


def repo_url(call: Call, repo: Repo) -> str:
    """Where a browser would find the repository."""
    prefix = "" if repo.repo_type == "model" else f"{repo.repo_type}s/"
    return f"{call.host_url}/{prefix}{repo.repo_id}"
