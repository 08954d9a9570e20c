"""How long a Hub call is tried again, and what ends it at once."""

from __future__ import annotations

import errno
import socket
import ssl
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from huggingface_hub import HfApi

from claimdb_loader import hub as loader_hub
from claimdb_loader.hub_head import Repo, read_head
from claimdb_metric.errors import DataError, UnavailableError
from tests.hub import LocalHub
from tests.pushes import MINE, OLD_CLIENT, noted_naps, send

pytestmark = OLD_CLIENT

OLD = {"a.txt": b"1"}
NEW = {"a.txt": b"3", "d/new.zip": b"PK2"}


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"RateLimit": '"api";r=0;t=211'}, 211.0),
        ({"Retry-After": "7", "RateLimit": '"api";r=0;t=211'}, 7.0),
        ({"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}, None),
        ({"RateLimit": "nonsense"}, None),
        ({}, None),
    ],
)
def test_how_long_the_hub_asks_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    error: Any = Exception()
    error.response = SimpleNamespace(headers=headers)
    assert loader_hub.retry_after(error) == seconds


def test_an_error_of_ours_is_not_tried_again() -> None:
    calls = []

    def call() -> None:
        calls.append(1)
        raise DataError("no")

    with pytest.raises(DataError, match=r"^no$"):
        loader_hub.patiently(call, "it")
    assert calls == [1]


def test_a_web_page_is_named(hub_of_pages: LocalHub) -> None:
    with pytest.raises(UnavailableError, match="the answer is a web page, not the Hub's"):
        loader_hub.patiently(lambda: HfApi(token="hf_test").whoami(), "your account")
    assert len(hub_of_pages.requests) == 1


@pytest.fixture
def hub_of_pages(hub: LocalHub) -> LocalHub:
    """A hub in front of which something answers every request with a web page."""
    hub.fault(".", html=True, times=None)
    return hub


@pytest.fixture
def naps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    return noted_naps(monkeypatch)


@pytest.mark.parametrize(("asked", "pause"), [(200, 200.0), (9999, 300.0)])
def test_a_push_waits_as_long_as_the_hub_asks_but_not_for_ever(
    hub: LocalHub, tmp_path: Path, naps: list[float], asked: int, pause: float
) -> None:
    hub.add_repo("you/r", OLD)
    hub.fault("/commit/", status=429, headers={"Retry-After": str(asked)})
    send(tmp_path, NEW)
    assert naps == [pause]


@pytest.mark.parametrize("path", ["/commit/", "/_lfs/"])
def test_a_push_is_tried_again_however_long_it_took(
    hub: LocalHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """A large file may take a day to send before its line is cut."""
    hub.add_repo("you/r", OLD)
    head = read_head(MINE)
    seconds = count(0, 86_400)
    clock = SimpleNamespace(sleep=lambda pause: None, monotonic=lambda: next(seconds))
    monkeypatch.setattr("claimdb_loader.hub.time", clock)
    monkeypatch.setattr("huggingface_hub.utils._http.time", clock)
    hub.fault(path, status=503, times=2)
    send(tmp_path, NEW, head=head)
    assert hub.files("you/r") == NEW


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, "No space left on device"),
        OSError(errno.EROFS, "Read-only file system"),
        OSError(errno.EDQUOT, "Disk quota exceeded"),
        PermissionError(errno.EACCES, "Permission denied"),
        FileNotFoundError(errno.ENOENT, "No such file or directory"),
    ],
)
def test_a_fault_of_the_disk_is_not_blamed_on_the_network(error: OSError) -> None:
    said = loader_hub.hub_error(error, "a.txt of you/r", "main")
    assert str(said) == f"could not store a.txt of you/r at revision main: {error}"


@pytest.mark.parametrize(
    "error",
    [
        OSError("Consistency check failed"),
        ConnectionResetError(errno.ECONNRESET, "Connection reset by peer"),
        ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused"),
        BrokenPipeError(errno.EPIPE, "Broken pipe"),
        TimeoutError(errno.ETIMEDOUT, "Connection timed out"),
        socket.gaierror(socket.EAI_NONAME, "Name or service not known"),
        OSError(errno.ENETUNREACH, "Network is unreachable"),
        OSError(errno.EHOSTUNREACH, "No route to host"),
        ssl.SSLError(1, "wrong version number"),
    ],
    ids=lambda error: str(error)[:30],
)
def test_a_fault_of_the_network_is_not_blamed_on_the_disk(error: OSError) -> None:
    said = str(loader_hub.hub_error(error, "a.txt of you/r"))
    assert said.startswith("could not reach http")
    assert str(error) in said


def test_who_may_not_write_hears_the_words_of_the_hub(hub: LocalHub, tmp_path: Path) -> None:
    hub.add_repo("you/r", OLD)
    words = "You have read access but not the required permissions for this operation"
    with pytest.raises(DataError) as caught:
        send(tmp_path, NEW, Repo("you/r", token="hf_fine"))
    said = str(caught.value)
    assert said.startswith(f"your token may not write to dataset repository you/r ({words}): use ")
    assert "\n" not in said
