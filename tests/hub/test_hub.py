"""The local hub answers real clients as the Hugging Face Hub does: reading."""

from __future__ import annotations

import http.client
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from huggingface_hub import HfApi, HfFileSystem
from huggingface_hub.errors import (
    HfHubHTTPError,
    RemoteEntryNotFoundError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)

from tests.hub import LocalHub
from tests.hub.clients import DIGITS, ask, download
from tests.hub.journal import Request
from tests.hub.local_hub import RepoType

BIG_BYTES = 20_000_000


def big_file(tmp_path: Path) -> Path:
    """A large file that takes no room on disk."""
    path = tmp_path / "big.zip"
    with path.open("wb") as file:
        file.truncate(BIG_BYTES)
    return path


@pytest.mark.parametrize(
    ("asked", "status", "body", "content_range"),
    [
        (None, 200, DIGITS, None),
        ("bytes=2-5", 206, b"2345", "bytes 2-5/10"),
        ("bytes=7-", 206, b"789", "bytes 7-9/10"),
        ("bytes=0-0", 206, b"0", "bytes 0-0/10"),
        ("bytes=7-99", 206, b"789", "bytes 7-9/10"),
        ("bytes=-3", 206, b"789", "bytes 7-9/10"),
        ("bytes=-99", 206, DIGITS, "bytes 0-9/10"),
        ("bytes=10-", 416, b"", "bytes */10"),
        ("bytes=-0", 416, b"", "bytes */10"),
        ("bytes=5-2", 200, DIGITS, None),
        ("bytes=0-1,4-5", 200, DIGITS, None),
        ("lines=0-1", 200, DIGITS, None),
    ],
)
def test_ranges(
    hub: LocalHub, asked: str | None, status: int, body: bytes, content_range: str | None
) -> None:
    hub.add_repo("o/r", {"digits.txt": DIGITS})
    headers = {"range": asked} if asked else {}
    path = "/datasets/o/r/resolve/main/digits.txt"
    answer = ask(hub, "GET", path, headers)
    assert (answer[0], answer[2], answer[1]["Content-Range"]) == (status, body, content_range)
    assert hub.requests == [Request("GET", path, "", asked, status, len(body))]


def test_head_tells_what_get_would_send(hub: LocalHub, tmp_path: Path) -> None:
    sha = hub.add_repo("o/r", {"big.zip": big_file(tmp_path)})
    status, headers, body = ask(hub, "HEAD", "/datasets/o/r/resolve/main/big.zip")
    assert (status, body, headers["Content-Length"]) == (200, b"", str(BIG_BYTES))
    assert (headers["X-Repo-Commit"], headers["X-Linked-Size"]) == (sha, str(BIG_BYTES))
    assert headers["ETag"] == headers["X-Linked-ETag"] == f'"{blob_id(hub)}"'
    assert hub.bytes_sent("big.zip") == 0


def blob_id(hub: LocalHub) -> str:
    info = HfApi(endpoint=hub.url).dataset_info("o/r", files_metadata=True)
    assert info.siblings is not None
    assert info.siblings[0].lfs is not None
    return info.siblings[0].lfs.sha256


@pytest.mark.parametrize(
    ("prefix", "repo_type"), [("", "model"), ("datasets/", "dataset"), ("spaces/", "space")]
)
def test_every_type_of_repository_has_its_files(
    hub: LocalHub, prefix: str, repo_type: RepoType
) -> None:
    hub.add_repo("o/r", {"a b/é.txt": b"x"}, repo_type=repo_type)
    assert ask(hub, "GET", f"/{prefix}o/r/resolve/main/a%20b/%C3%A9.txt")[2] == b"x"


def test_a_download_is_cached_and_follows_the_branch(hub: LocalHub, tmp_path: Path) -> None:
    first = hub.add_repo("o/r", {"t.txt": b"one", "big.zip": big_file(tmp_path)})
    assert download(hub, tmp_path, "big.zip").stat().st_size == BIG_BYTES
    assert download(hub, tmp_path, "t.txt").read_bytes() == b"one"
    assert download(hub, tmp_path, "t.txt").read_bytes() == b"one"
    assert (hub.bytes_sent("t.txt"), hub.bytes_sent("big.zip")) == (3, BIG_BYTES)
    hub.update_repo("o/r", {"t.txt": b"two!"}, delete=["big.zip"])
    assert download(hub, tmp_path, "t.txt").read_bytes() == b"two!"
    assert download(hub, tmp_path, "t.txt", revision=first).read_bytes() == b"one"
    assert hub.files("o/r") == {"t.txt": b"two!"}
    assert sorted(hub.files("o/r", first)) == ["big.zip", "t.txt"]


def test_a_file_system_lists_and_reads_ranges(hub: LocalHub, tmp_path: Path) -> None:
    hub.add_repo("o/r", {"db/a/a.bin": DIGITS * 1000, "db/b.txt": b"b", "README.md": b"# r"})
    fs = HfFileSystem(endpoint=hub.url, token="hf_test")
    root = "datasets/o/r"
    assert fs.ls(f"{root}/db", detail=False) == [f"{root}/db/a", f"{root}/db/b.txt"]
    assert fs.glob(f"{root}/**/*.bin") == [f"{root}/db/a/a.bin"]
    assert fs.info(f"{root}/db/b.txt", expand_info=True)["last_commit"].title == "update"
    with fs.open(f"{root}/db/a/a.bin", "rb", cache_type="none") as file:
        file.seek(5000)
        assert file.read(12) == b"012345678901"
    assert hub.bytes_sent("a.bin") == 12
    assert fs.cat(f"{root}/db/b.txt") == b"b"


def test_two_hubs_are_not_confused(hub: LocalHub) -> None:
    hub.add_repo("o/r", {"t.txt": b"one"})
    with LocalHub() as other:
        other.add_repo("o/r", {"t.txt": b"two"})
        systems = [HfFileSystem(endpoint=h.url, token="hf_test") for h in (hub, other)]
        assert [fs.cat("datasets/o/r/t.txt") for fs in systems] == [b"one", b"two"]


def test_repository_info(hub: LocalHub, api: HfApi) -> None:
    readme = b"---\nlicense: mit\ntags: [claims]\n---\n# r"
    sha = hub.add_repo("o/r", {"README.md": readme, "d/t.txt": b"x"})
    info = api.dataset_info("o/r")
    assert (info.sha, info.private, info.tags) == (sha, False, ["claims"])
    assert info.card_data is not None
    assert info.card_data.license == "mit"
    assert [s.rfilename for s in info.siblings or ()] == ["README.md", "d/t.txt"]
    assert api.dataset_info("o/r", revision=sha[:8]).sha == sha
    assert [p.path for p in api.get_paths_info("o/r", ["d", "no"], repo_type="dataset")] == ["d"]
    assert [d.id for d in api.list_datasets(author="o")] == ["o/r"]


def test_who_am_i(hub: LocalHub) -> None:
    roles = {t: HfApi(endpoint=hub.url, token=t).whoami()["auth"] for t in ("hf_test", "hf_read")}
    assert {t: auth["accessToken"]["role"] for t, auth in roles.items()} == {
        "hf_test": "write",
        "hf_read": "read",
    }


@pytest.mark.parametrize(
    ("token", "repo_id", "revision", "path", "error", "status"),
    [
        (False, "o/r", "main", "no.txt", RemoteEntryNotFoundError, 404),
        (False, "o/r", "nope", "t.txt", RevisionNotFoundError, 404),
        ("hf_test", "o/none", "main", "t.txt", RepositoryNotFoundError, 404),
        (False, "o/none", "main", "t.txt", RepositoryNotFoundError, 401),
        (False, "claimdb", "main", "t.txt", RepositoryNotFoundError, 404),
        (False, "you/private", "main", "t.txt", RepositoryNotFoundError, 401),
        ("hf_wrong", "o/r", "main", "t.txt", HfHubHTTPError, 401),
    ],
)
def test_refused_downloads(
    hub: LocalHub,
    tmp_path: Path,
    token: str | bool,
    repo_id: str,
    revision: str,
    path: str,
    error: type[HfHubHTTPError],
    status: int,
) -> None:
    hub.add_repo("o/r", {"t.txt": b"x"})
    hub.add_repo("you/private", {"t.txt": b"x"}, private=True)
    api = HfApi(endpoint=hub.url, token=token)
    with pytest.raises(error) as caught:
        api.hf_hub_download(
            repo_id, path, repo_type="dataset", revision=revision, cache_dir=tmp_path
        )
    assert (type(caught.value), caught.value.response.status_code) == (error, status)
    if path != "no.txt":
        with pytest.raises(error) as caught:
            api.dataset_info(repo_id, revision=revision)
        assert caught.value.response.status_code == status


@pytest.mark.parametrize("token", ["hf_test", "hf_read"])
def test_a_private_repository_opens_with_a_token(hub: LocalHub, token: str) -> None:
    hub.add_repo("you/private", {"t.txt": b"x"}, private=True)
    fs = HfFileSystem(endpoint=hub.url, token=token)
    assert fs.cat("datasets/you/private/t.txt") == b"x"
    assert list(HfApi(endpoint=hub.url, token=False).list_datasets(author="you")) == []


def test_a_stalled_reader_holds_up_nobody(hub: LocalHub, tmp_path: Path) -> None:
    hub.add_repo("o/r", {"big.zip": big_file(tmp_path), "t.txt": b"x"})
    path = "/datasets/o/r/resolve/main/t.txt"
    with socket.create_connection(("127.0.0.1", int(hub.url.rsplit(":", 1)[1]))) as stalled:
        stalled.sendall(b"GET /datasets/o/r/resolve/main/big.zip HTTP/1.1\r\n\r\n")
        assert stalled.recv(12) == b"HTTP/1.1 200"
        with ThreadPoolExecutor(8) as pool:
            answers = pool.map(lambda _: ask(hub, "GET", path)[2], range(32))
        assert list(answers) == [b"x"] * 32


def test_unknown_routes_and_methods_are_remembered() -> None:
    with LocalHub() as hub:
        hub.add_repo("o/r", {"t.txt": b"x"})
        file = "/datasets/o/r/resolve/main/t.txt"
        calls = [("GET", "/nowhere"), ("PUT", file), ("OPTIONS", file), ("BREW", file)]
        assert [ask(hub, *call)[0] for call in calls] == [404, 405, 200, 501]
        assert hub.unrouted == ["GET /nowhere", f"PUT {file}"]


def test_no_thread_outlives_the_hub() -> None:
    def threads() -> int:
        return sum(thread.name == url for thread in threading.enumerate())

    with LocalHub() as hub:
        url = hub.url
        idle = http.client.HTTPConnection(url.removeprefix("http://"))
        idle.request("GET", "/api/datasets")
        idle.getresponse().read()  # the connection stays open, as a client's pool keeps it
        assert threads() == 2
    assert threads() == 0
    idle.close()
