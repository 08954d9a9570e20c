"""The routing table: which function answers which method and path."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import unquote

from tests.hub import content, downloads, reads, writes
from tests.hub.message import Answer, Call, HubError
from tests.hub.store import Store

API = r"/api/(?P<repo_type>models|datasets|spaces)"
REPO = API + r"/(?P<repo_id>[^/]+/[^/]+)"
REVISION = r"/(?P<revision>[^/]+)"
REF = r"/(?P<name>[^/]+)"
FILES = r"/(?:(?P<repo_type>datasets|spaces)/)?(?P<repo_id>[^/]+/[^/]+)"
LFS = r"/_lfs/(?P<oid>[0-9a-f]{64})"
SUBJECTS = "revision|tree|paths-info|preupload|commit|commits|branch|tag"
ANY = "GET HEAD POST PUT DELETE PATCH"

TABLE: tuple[tuple[str, str, Callable[..., Answer]], ...] = (
    (ANY, rf"/api/(?:model|dataset|space)s/[^/]+(?:/refs|/(?:{SUBJECTS})/.+)?", reads.no_namespace),
    (ANY, r"/(?:datasets/|spaces/)?[^/]+/resolve/.+", reads.no_namespace),
    ("GET HEAD", FILES + r"/resolve" + REVISION + r"/(?P<path>.+)", downloads.resolve),
    ("GET", r"/api/whoami-v2", reads.whoami),
    ("POST", r"/api/validate-yaml", content.validate_yaml),
    ("GET", API, reads.list_repos),
    ("GET", REPO, reads.repo_info),
    ("GET", REPO + r"/revision" + REVISION, reads.repo_info),
    ("GET", REPO + r"/tree" + REVISION + r"(?:/(?P<path>.*))?", reads.tree),
    ("POST", REPO + r"/paths-info" + REVISION, reads.paths_info),
    ("GET", REPO + r"/refs", reads.refs),
    ("GET", REPO + r"/commits" + REVISION, reads.commits),
    ("POST", r"/api/repos/create", writes.create_repo),
    ("DELETE", r"/api/repos/delete", writes.delete_repo),
    ("POST", REPO + r"/preupload" + REVISION, writes.preupload),
    ("POST", FILES + r"\.git/info/lfs/objects/batch", writes.lfs_batch),
    ("PUT", LFS, writes.lfs_put),
    ("POST", LFS + r"/verify", writes.lfs_verify),
    ("POST", REPO + r"/commit" + REVISION, writes.commit),
    ("POST", REPO + r"/branch" + REF, writes.create_branch),
    ("DELETE", REPO + r"/branch" + REF, writes.delete_branch),
    ("POST", REPO + r"/tag" + REF, writes.create_tag),
    ("DELETE", REPO + r"/tag" + REF, writes.delete_tag),
)


class NoRoute(HubError):
    """Nothing here answers this method and path."""


@dataclass(frozen=True)
class Route:
    methods: frozenset[str]
    pattern: re.Pattern[str]
    function: Callable[..., Answer]


ROUTES = tuple(
    Route(frozenset(methods.split()), re.compile(pattern), function)
    for methods, pattern, function in TABLE
)


def answer_call(store: Store, call: Call) -> Answer:
    """What the hub says to `call`.

    Raises:
        NoRoute: 404 if no route has this path, 405 if none of those that do takes the method.
        HubError: The route refuses.
    """
    allowed: set[str] = set()
    for route in ROUTES:
        match = route.pattern.fullmatch(call.path)
        if match is None:
            continue
        if call.method in route.methods:
            return route.function(store, call, **arguments(match))
        allowed |= route.methods
    if not allowed:
        raise NoRoute(404, "EntryNotFound", f"no route for {call.path}")
    if call.method == "OPTIONS":
        return Answer(200, {"Allow": ", ".join(sorted(allowed | {"OPTIONS"}))})
    raise NoRoute(405, "MethodNotAllowed", f"{call.method} is not for {call.path}")


def arguments(match: re.Match[str]) -> dict[str, str]:
    """The named parts of the path, decoded; groups that took no part are left out."""
    found = {key: unquote(value) for key, value in match.groupdict().items() if value is not None}
    if "repo_id" in found or "repo_type" in found:
        found["repo_type"] = found.get("repo_type", "models").removesuffix("s")
    return found
