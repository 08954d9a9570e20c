"""The file route: GET and HEAD `/{type}/{id}/resolve/{revision}/{path}`, whole or by range."""

from __future__ import annotations

import re

from tests.hub.message import Answer, Call, HubError
from tests.hub.repo import StoredFile
from tests.hub.store import Store

SINGLE_RANGE = re.compile(r"bytes=(\d*)-(\d*)")


def resolve(
    store: Store, call: Call, repo_type: str, repo_id: str, revision: str, path: str
) -> Answer:
    """The file's bytes with the headers that `hf_hub_download` keys its cache on."""
    _, commit = store.commit_for(call, repo_type, repo_id, revision)
    file = commit.files.get(path)
    if file is None:
        error = HubError(404, "EntryNotFound", f"{path} does not exist at {revision}").answer()
        headers = {**error.headers, "X-Repo-Commit": commit.sha}
        return Answer(error.status, headers, error.content, 0, error.length)
    headers = {
        "Accept-Ranges": "bytes",
        "Content-Type": "application/octet-stream",
        "ETag": f'"{file.oid}"',
        "X-Linked-ETag": f'"{file.oid}"',
        "X-Linked-Size": str(file.size),
        "X-Repo-Commit": commit.sha,
    }
    wanted = call.headers.get("range") if call.method == "GET" else None
    return partial_answer(file, headers, wanted or "")


def partial_answer(file: StoredFile, headers: dict[str, str], wanted: str) -> Answer:
    """206 for one valid range, 416 for one outside the file, else 200 with everything.

    A header that is malformed or lists several ranges is ignored, as RFC 9110 allows.
    """
    span = byte_span(wanted, file.size)
    if span is None:
        return Answer(200, headers, file.content, 0, file.size)
    first, last = span
    if first > last:
        return Answer(416, {"Content-Range": f"bytes */{file.size}"})
    headers = {**headers, "Content-Range": f"bytes {first}-{last}/{file.size}"}
    return Answer(206, headers, file.content, first, last - first + 1)


def byte_span(wanted: str, size: int) -> tuple[int, int] | None:
    """First and last byte of a Range header; first > last if no byte of the file is meant.

    >>> byte_span("bytes=2-5", 100), byte_span("bytes=90-", 100), byte_span("bytes=-10", 100)
    ((2, 5), (90, 99), (90, 99))
    >>> byte_span("bytes=100-", 100), byte_span("bytes=5-2", 100), byte_span("", 100)
    ((100, 99), None, None)
    """
    match = SINGLE_RANGE.fullmatch(wanted.strip())
    if match is None or match[0] == "bytes=-":
        return None
    first, last = match.groups()
    if not first:
        return max(0, size - int(last)), size - 1
    if last and int(last) < int(first):
        return None
    return int(first), min(int(last or size), size - 1)
