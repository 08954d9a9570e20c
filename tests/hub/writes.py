"""The routes that change something: repositories, uploads, commits, branches, tags."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

from tests.hub.content import EVAL_FILE, check_eval_file
from tests.hub.message import Answer, Call, HubError, bytes_answer, json_answer
from tests.hub.reads import repo_url
from tests.hub.repo import Repo, StoredFile, goes_to_lfs, read_chunks, store_file
from tests.hub.rights import (
    USER,
    is_proposal,
    require_committer,
    require_creator,
    require_owner,
    require_uploader,
    require_write,
)
from tests.hub.store import Store

GITATTRIBUTES = b"*.parquet filter=lfs diff=lfs merge=lfs -text\n"
SPACE_SDKS = ("gradio", "streamlit", "docker", "static")


def create_repo(store: Store, call: Call) -> Answer:
    """A new repository with one commit, which adds .gitattributes as the Hub does."""
    asked = call.json()
    repo_type, repo_id = named_repo(asked)
    require_creator(call, repo_type, repo_id.split("/")[0])
    if repo_type == "space" and asked.get("sdk") not in SPACE_SDKS:
        raise HubError(400, "BadRequest", f'"sdk" must be one of [{", ".join(SPACE_SDKS)}]')
    if existing := store.repos.get((repo_type, repo_id)):
        error = {"error": "You already created this repo", "url": repo_url(call, existing)}
        return json_answer(error, status=409)
    private = asked.get("visibility") == "private" or bool(asked.get("private"))
    repo = Repo(repo_type, repo_id, private, asked.get("sdk"))
    first = {".gitattributes": store_file(".gitattributes", GITATTRIBUTES)}
    repo.commit("main", first, title="initial commit")
    store.repos[repo_type, repo_id] = repo
    return json_answer({"url": repo_url(call, repo), "name": repo_id, "id": repo_id})


def delete_repo(store: Store, call: Call) -> Answer:
    repo = owned_repo(store, call, *named_repo(call.json()))
    del store.repos[repo.repo_type, repo.repo_id]
    return json_answer({})


def owned_repo(store: Store, call: Call, repo_type: str, repo_id: str) -> Repo:
    """The repository, for what only its owner may do."""
    require_write(call)
    repo = store.repo_for(call, repo_type, repo_id)
    require_owner(repo)
    return repo


def named_repo(asked: dict[str, Any]) -> tuple[str, str]:
    """Type and full id of the repository in a create or delete request."""
    return asked.get("type") or "model", f"{asked.get('organization') or USER}/{asked['name']}"


def preupload(store: Store, call: Call, repo_type: str, repo_id: str, revision: str) -> Answer:
    """How each file has to be sent, and the id it has now so that the client can skip it."""
    require_write(call)
    repo, commit = store.commit_for(call, repo_type, repo_id, revision)
    require_committer(call, repo, revision)
    files = []
    for asked in call.json()["files"]:
        head = base64.b64decode(asked.get("sample", ""))
        mode = "lfs" if goes_to_lfs(asked["path"], asked["size"], head) else "regular"
        line = {"path": asked["path"], "uploadMode": mode, "shouldIgnore": False}
        current = commit.files.get(asked["path"])
        files.append({**line, "oid": current.oid} if current else line)
    return json_answer({"files": files})


def lfs_batch(store: Store, call: Call, repo_type: str, repo_id: str) -> Answer:
    """Upload addresses for the objects that are not here yet."""
    require_write(call)
    request = call.json()
    ref = request.get("ref") or {}
    require_uploader(store.repo_for(call, repo_type, repo_id), ref.get("name"))
    objects = []
    for asked in request["objects"]:
        line: dict[str, Any] = {"oid": asked["oid"], "size": asked["size"]}
        if asked["oid"] not in store.lfs_objects:
            href = f"{call.host_url}/_lfs/{asked['oid']}"
            line["actions"] = {"upload": {"href": href}, "verify": {"href": f"{href}/verify"}}
        objects.append(line)
    body = json.dumps({"transfer": "basic", "objects": objects}).encode()
    return bytes_answer(body, "application/vnd.git-lfs+json")


def lfs_put(store: Store, call: Call, oid: str) -> Answer:
    """The bytes of an object; like a presigned storage address, it asks for no token."""
    if call.upload is None:
        raise HubError(400, "BadRequest", "an LFS object needs a body")
    size, digest = call.upload.stat().st_size, hashlib.sha256()
    for chunk in read_chunks(call.upload, 0, size):
        digest.update(chunk)
    if digest.hexdigest() != oid:
        raise HubError(422, "BadOid", f"the body has sha256 {digest.hexdigest()}")
    store.remember_lfs(StoredFile(call.upload, size, oid, is_lfs=True))
    return json_answer({})


def lfs_verify(store: Store, call: Call, oid: str) -> Answer:
    if oid not in store.lfs_objects:
        raise HubError(404, "EntryNotFound", f"no LFS object {oid}")
    return json_answer({})


@dataclass
class Change:
    """The operations of one commit request."""

    title: str = "update"
    parent: str | None = None
    added: dict[str, StoredFile] = field(default_factory=dict)
    deleted: list[str] = field(default_factory=list)


def parse_change(store: Store, body: bytes) -> Change:
    """Reads the lines of a commit request: a header, then one operation each."""
    change = Change()
    for line in filter(None, body.split(b"\n")):
        operation = json.loads(line)
        key, value = operation["key"], operation["value"]
        if key == "header":
            change.title, change.parent = value["summary"], value.get("parentCommit")
        elif key == "file":
            content = base64.b64decode(value["content"])
            change.added[value["path"]] = store_file(value["path"], content, is_lfs=False)
        elif key == "lfsFile":
            if value["oid"] not in store.lfs_objects:
                raise HubError(400, "BadRequest", f"LFS object {value['oid']} was not uploaded")
            change.added[value["path"]] = store.lfs_objects[value["oid"]]
        elif key in ("deletedFile", "deletedFolder"):
            change.deleted.append(value["path"])
        else:
            raise HubError(400, "BadRequest", f"unknown operation {key!r}")
    return change


def commit(store: Store, call: Call, repo_type: str, repo_id: str, revision: str) -> Answer:
    """One commit on a branch or, with `create_pr`, on a new pull request that starts there."""
    require_write(call)
    repo, head = store.commit_for(call, repo_type, repo_id, revision)
    require_committer(call, repo, revision)
    change = parse_change(store, call.body)
    if repo_type == "dataset" and EVAL_FILE in change.added:
        check_eval_file(change.added[EVAL_FILE].read())
    if change.parent not in (None, head.sha):
        raise HubError(412, "PreconditionFailed", f"{revision} has moved on to {head.sha}")
    for path in change.deleted:
        if not any(f"{known}/".startswith(path.rstrip("/") + "/") for known in head.files):
            raise HubError(404, "EntryNotFound", f"A file with this name doesn't exist: {path}")
    branch = revision
    if call.flag("create_pr"):
        branch = repo.next_pull_request()
        repo.branches[branch] = head.sha
    elif revision not in repo.branches:
        raise HubError(404, "RevisionNotFound", f"Invalid rev id: {revision}")
    new = repo.commit(branch, change.added, deleted=change.deleted, title=change.title)
    url = repo_url(call, repo)
    made = {"success": True, "commitOid": new.sha, "commitUrl": f"{url}/commit/{new.sha}"}
    if branch != revision:
        made["pullRequestUrl"] = f"{url}/discussions/{branch.rsplit('/', 1)[-1]}"
    return json_answer({**made, "hookOutput": ""})


def create_branch(store: Store, call: Call, repo_type: str, repo_id: str, name: str) -> Answer:
    require_write(call)
    start = call.json().get("startingPoint") or "main"
    repo, start_commit = store.commit_for(call, repo_type, repo_id, start)
    require_owner(repo)
    if is_proposal(name):
        raise HubError(400, "BadRequest", f"Invalid reference for a branch: {name}")
    return create_ref(repo.branches, name, start_commit.sha)


def create_tag(store: Store, call: Call, repo_type: str, repo_id: str, name: str) -> Answer:
    """Here `name` is the revision to tag; the tag stands in the body."""
    require_write(call)
    repo, target = store.commit_for(call, repo_type, repo_id, name)
    require_owner(repo)
    return create_ref(repo.tags, call.json()["tag"], target.sha)


def create_ref(refs: dict[str, str], name: str, sha: str) -> Answer:
    if name in refs:
        raise HubError(409, "Conflict", f"Reference already exists: {name}")
    refs[name] = sha
    return json_answer({})


def delete_branch(store: Store, call: Call, repo_type: str, repo_id: str, name: str) -> Answer:
    return delete_ref(owned_repo(store, call, repo_type, repo_id).branches, name)


def delete_tag(store: Store, call: Call, repo_type: str, repo_id: str, name: str) -> Answer:
    return delete_ref(owned_repo(store, call, repo_type, repo_id).tags, name)


def delete_ref(refs: dict[str, str], name: str) -> Answer:
    if refs.pop(name, None) is None:
        raise HubError(404, "RevisionNotFound", f"Invalid rev id: {name}")
    return json_answer({})
