"""Ordered faults, and what the real clients make of them (huggingface_hub 2.4)."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import HfApi, HfFileSystem
from huggingface_hub.errors import HfHubHTTPError

from tests.hub import LocalHub
from tests.hub.clients import DIGITS, ask, download
from tests.hub.faults import LOGIN_PAGE

FILE = "/datasets/o/r/resolve/main/t.bin"
BODY = DIGITS * 10_000
CHUNK_BYTES = 10 << 20  # hf_hub_download writes, and resumes, in steps of that many bytes


def read_range(hub: LocalHub, start: int = 50_000, length: int = 20_000) -> bytes:
    fs = HfFileSystem(endpoint=hub.url, token="hf_test")
    with fs.open("datasets/o/r/t.bin", "rb", cache_type="none") as file:
        file.seek(start)
        return bytes(file.read(length))


def history(hub: LocalHub) -> list[tuple[str, int, int]]:
    return [(r.method, r.status, r.bytes_sent) for r in hub.requests if r.path == FILE]


def test_a_status_for_the_next_requests(hub: LocalHub) -> None:
    hub.add_repo("o/r", {"t.bin": BODY})
    hub.fault(r"t\.bin$", status=429, headers={"Retry-After": "7"}, times=2)
    answers = [ask(hub, "GET", FILE) for _ in range(3)]
    assert [(status, headers["Retry-After"]) for status, headers, _ in answers] == [
        (429, "7"),
        (429, "7"),
        (200, None),
    ]


def test_faults_pick_by_method_and_are_used_in_order(hub: LocalHub) -> None:
    hub.add_repo("o/r", {"t.bin": BODY})
    hub.fault("t.bin", method="GET", status=500)
    hub.fault("t.bin", status=503)
    hub.fault("elsewhere", status=418, times=None)
    statuses = [ask(hub, method, FILE)[0] for method in ("HEAD", "HEAD", "GET", "GET")]
    assert statuses == [503, 200, 500, 200]


def test_cleared_faults_are_gone(hub: LocalHub) -> None:
    hub.add_repo("o/r", {"t.bin": BODY})
    hub.fault("t.bin", status=500, times=None)
    assert [ask(hub, "GET", FILE)[0] for _ in range(3)] == [500] * 3
    hub.clear_faults()
    assert ask(hub, "GET", FILE)[0] == 200


def test_a_slow_answer(hub: LocalHub, api: HfApi) -> None:
    hub.add_repo("o/r", {"t.bin": BODY})
    hub.fault("t.bin", delay_s=0.2)
    start = time.monotonic()
    assert ask(hub, "GET", FILE)[2] == BODY
    assert time.monotonic() - start >= 0.2
    hub.fault("api/datasets", delay_s=60)  # and the hub does not wait for it when it closes
    with pytest.raises(Exception, match="timed out"):
        api.dataset_info("o/r", timeout=0.2)


def test_a_page_of_html_instead_of_the_file(hub: LocalHub, tmp_path: Path) -> None:
    hub.add_repo("o/r", {"t.bin": BODY})
    hub.fault("t.bin", html=True)
    status, headers, body = ask(hub, "GET", FILE)
    assert (status, headers["Content-Type"], body) == (200, "text/html; charset=utf-8", LOGIN_PAGE)
    hub.fault("t.bin", html=True, method="GET")
    with pytest.raises(OSError, match="Consistency check failed"):
        download(hub, tmp_path, "t.bin")
    hub.fault("t.bin", html=True)
    with pytest.raises(FileNotFoundError, match="X-Repo-Commit"):
        download(hub, tmp_path, "t.bin")


def test_a_file_system_takes_html_for_data(hub: LocalHub) -> None:
    """Known of the client: a 200 for a range passes unseen, so check what you have read."""
    hub.add_repo("o/r", {"t.bin": BODY})
    hub.fault("t.bin", html=True)
    assert read_range(hub) == LOGIN_PAGE


@pytest.mark.parametrize(
    ("fault", "pauses"),
    [
        ({"status": 429, "headers": {"Retry-After": "3"}}, [4, 4]),
        ({"status": 503}, [1, 2]),
        ({"cut_after_bytes": 1000}, [1, 2]),
        ({"cut_after_bytes": 0}, [1, 2]),
    ],
)
def test_a_file_system_tries_a_range_again(
    hub: LocalHub, naps: list[float], fault: dict[str, Any], pauses: list[float]
) -> None:
    hub.add_repo("o/r", {"t.bin": BODY})
    hub.fault("t.bin", times=2, **fault)
    assert read_range(hub) == BODY[50_000:70_000]
    assert naps == pauses
    failed = (fault.get("status", 206), fault.get("cut_after_bytes", history(hub)[0][2]))
    assert history(hub) == [("GET", *failed)] * 2 + [("GET", 206, 20_000)]


@pytest.mark.parametrize(
    ("fault", "error", "message", "pauses"),
    [
        ({"status": 429, "headers": {"Retry-After": "3"}}, "HfHubHTTPError", "429", [4] * 5),
        ({"status": 503}, "HfHubHTTPError", "503", [1, 2, 4, 8, 8]),
        ({"cut_after_bytes": 1000}, "RemoteProtocolError", "peer closed", [1, 2, 4, 8, 8]),
        ({"status": 403}, "HfHubHTTPError", "403", []),
    ],
)
def test_a_file_system_gives_up(
    hub: LocalHub,
    naps: list[float],
    fault: dict[str, Any],
    error: str,
    message: str,
    pauses: list[float],
) -> None:
    """Known of the client: what comes out of a cut connection is no OSError."""
    hub.add_repo("o/r", {"t.bin": BODY})
    hub.fault("t.bin", times=None, **fault)
    with pytest.raises(Exception, match=message) as caught:
        read_range(hub)
    assert (type(caught.value).__name__, naps) == (error, pauses)
    assert isinstance(caught.value, OSError) == (error == "HfHubHTTPError")


def test_a_cut_download_resumes_within_the_call(
    hub: LocalHub, naps: list[float], tmp_path: Path
) -> None:
    big = BODY * 120
    hub.add_repo("o/r", {"t.bin": big})
    hub.fault("t.bin", cut_after_bytes=CHUNK_BYTES + 5000)
    assert download(hub, tmp_path, "t.bin").read_bytes() == big
    gets = [(r.range, r.bytes_sent) for r in hub.requests if r.method == "GET"]
    assert gets == [
        (None, CHUNK_BYTES + 5000),
        (f"bytes={CHUNK_BYTES}-", len(big) - CHUNK_BYTES),
    ]


def test_a_failed_download_starts_again_in_the_next_call(hub: LocalHub, tmp_path: Path) -> None:
    hub.add_repo("o/r", {"t.bin": BODY})
    hub.fault("t.bin", status=500, method="GET")
    with pytest.raises(HfHubHTTPError, match="500"):
        download(hub, tmp_path, "t.bin")
    assert download(hub, tmp_path, "t.bin").read_bytes() == BODY
    assert hub.requests[-1].range is None


@pytest.mark.parametrize("status", [401, 403, 404, 429, 503])
def test_repository_info_does_not_try_again(hub: LocalHub, api: HfApi, status: int) -> None:
    hub.add_repo("o/r", {"t.bin": BODY})
    hub.fault("api/datasets", status=status, headers={"Retry-After": "1"})
    with pytest.raises(HfHubHTTPError) as caught:
        api.dataset_info("o/r")
    assert caught.value.response.status_code == status
    assert len(hub.requests) == 1
