"""A Hub that refuses: each refusal has its own error and leaves nothing behind."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from claimdb_loader.databases import open_database
from claimdb_metric.errors import (
    UnavailableError,
)
from tests.hub import LocalHub
from tests.loader.database_transfer.published import (
    MEMBER,
    NAME,
    REPO,
    ZIP,
    left,
    n_heroes,
    publish,
    zip_reads,
)

REFUSALS: list[tuple[str, dict[str, Any], type[Exception], str]] = [
    ("api/", {"status": 401}, UnavailableError, "answered 401 .*your token is not valid"),
    ("api/", {"status": 403}, UnavailableError, "answered 403 .*your token may not read it"),
    ("api/", {"status": 404}, UnavailableError, "answered 404 .*check the name"),
    ("api/", {"status": 429}, UnavailableError, "answered 429 .*too many requests"),
    ("api/", {"status": 500}, UnavailableError, "answered 500 .*try again later"),
    ("api/", {"status": 503}, UnavailableError, "answered 503 .*try again later"),
    ("api/", {"html": True}, UnavailableError, "the answer is a web page, not the Hub's"),
    ("api/", {"cut_after_bytes": 10}, UnavailableError, "could not reach http://127"),
    (ZIP, {"status": 401}, UnavailableError, "answered 401 for train_databases.zip .*not valid"),
    (ZIP, {"status": 403}, UnavailableError, "answered 403 for train_databases.zip .*token"),
    (ZIP, {"status": 404}, UnavailableError, "answered 404 for train_databases.zip"),
    (ZIP, {"status": 429}, UnavailableError, "answered 429 for train_databases.zip"),
    (ZIP, {"status": 500}, UnavailableError, "answered 500 for train_databases.zip"),
    (ZIP, {"status": 503}, UnavailableError, "answered 503 for train_databases.zip"),
    (ZIP, {"html": True}, UnavailableError, "sent HTML, 78 bytes instead of .* sign in"),
    (ZIP, {"cut_after_bytes": 5}, UnavailableError, "could not reach http://127"),
]


@pytest.mark.parametrize(
    ("where", "fault", "error", "message"),
    REFUSALS,
    ids=[f"{where[:5]} {fault}" for where, fault, _, _ in REFUSALS],
)
def test_each_refusal_has_its_own_error_and_leaves_nothing(
    hub: LocalHub,
    tmp_path: Path,
    cache_dir: Path,
    small: bytes,
    naps: list[float],
    where: str,
    fault: dict[str, Any],
    error: type[Exception],
    message: str,
) -> None:
    publish(hub, tmp_path, {MEMBER: small})
    hub.fault(where, times=None, **fault)
    with pytest.raises(error, match=message) as caught:
        open_database(NAME)
    if isinstance(caught.value, UnavailableError):
        assert f"put it at DIR/{NAME}/{NAME}.sqlite and give that DIR" in str(caught.value)
    assert sum(naps) < 60
    assert left(cache_dir) == []
    hub.clear_faults()
    assert n_heroes() == 5


@pytest.mark.parametrize("status", [401, 403, 404, 429, 500, None])
@pytest.mark.parametrize("n_good", [1, 2])
@pytest.mark.usefixtures("naps")
def test_a_hub_that_refuses_after_its_first_answers(
    hub: LocalHub, tmp_path: Path, cache_dir: Path, small: bytes, status: int | None, n_good: int
) -> None:
    publish(hub, tmp_path, {MEMBER: small})
    hub.fault("api/", times=n_good)
    hub.fault("api/", times=None, status=status, html=status is None)
    with pytest.raises(UnavailableError, match=f"answered {status} for train" if status else "web"):
        open_database(NAME)
    assert left(cache_dir) == []
    hub.clear_faults()
    assert n_heroes() == 5


def test_an_error_names_the_address_without_its_query(
    hub: LocalHub, tmp_path: Path, small: bytes
) -> None:
    publish(hub, tmp_path, {MEMBER: small})
    hub.fault(ZIP, status=403)
    url = rf"\({hub.url}/datasets/{REPO}/resolve/[0-9a-f]+/train_databases\.zip\)"
    with pytest.raises(UnavailableError, match=url):
        open_database(NAME)


@pytest.mark.parametrize(
    ("fault", "pauses"),
    [
        ({"status": 429, "headers": {"Retry-After": "7"}}, [7.0, 7.0]),
        ({"status": 429}, [1.0, 2.0]),
        ({"status": 503}, [1.0, 2.0]),
        ({"cut_after_bytes": 5}, [1.0, 2.0]),
    ],
)
def test_a_passing_fault_is_waited_for(
    hub: LocalHub, tmp_path: Path, small: bytes, naps: list[float], fault: Any, pauses: Any
) -> None:
    publish(hub, tmp_path, {MEMBER: small})
    hub.fault(ZIP, times=2, method="GET", **fault)
    assert n_heroes() == 5
    # Newer clients wait themselves, and add a second to what the Hub asks for.
    assert naps in (pauses, [pause + 1 for pause in pauses])


@pytest.mark.parametrize(
    ("fault", "pauses"),
    [
        ({"status": 429, "headers": {"Retry-After": "3"}}, [3.0, 3.0, 3.0]),
        ({"status": 429, "headers": {"Retry-After": "Wed, 21 Oct 2026"}}, [1.0, 2.0, 4.0]),
        ({"status": 429, "headers": {"Retry-After": "900"}}, [60.0]),
        ({"status": 502}, [1.0, 2.0, 4.0]),
        ({"cut_after_bytes": 5}, [1.0, 2.0, 4.0]),
        ({"status": 403}, []),
    ],
)
@pytest.mark.usefixtures("impatient")
def test_a_client_that_gives_up_at_once_is_helped(
    hub: LocalHub, tmp_path: Path, small: bytes, naps: list[float], fault: Any, pauses: Any
) -> None:
    publish(hub, tmp_path, {MEMBER: small})
    hub.fault(ZIP, times=None, method="GET", **fault)
    with pytest.raises(UnavailableError):
        open_database(NAME)
    assert naps == pauses
    hub.clear_faults()
    if pauses[:1] == [1.0]:
        hub.fault(ZIP, times=3, method="GET", **fault)
        assert n_heroes() == 5


def test_a_patient_client_is_not_made_to_wait_four_times(
    hub: LocalHub, tmp_path: Path, small: bytes, naps: list[float]
) -> None:
    publish(hub, tmp_path, {MEMBER: small})
    hub.fault(ZIP, times=None, method="GET", status=503)
    with pytest.raises(UnavailableError, match="answered 503"):
        open_database(NAME)
    assert len(zip_reads(hub)) <= 6


@pytest.mark.slow
def test_offline(hub: LocalHub, tmp_path: Path, small: bytes, cache_dir: Path) -> None:
    publish(hub, tmp_path, {MEMBER: small})
    n_heroes()
    asked = len(hub.requests)
    script = f"""
import time, claimdb
print(claimdb.open_database("{NAME}").tables(), len(claimdb.open_database("city_library").tables()))
start = time.monotonic()
try:
    claimdb.open_database("superhero")
except claimdb.UnavailableError as error:
    print(time.monotonic() - start < 1, error)
"""
    environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
    child = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    tables, error = child.stdout.strip().split("\n")
    assert re.fullmatch(r"\['heroes'\] \d", tables)
    assert error.startswith(f"True could not reach {hub.url} for dataset repository {REPO} (off")
    assert "put it at DIR/superhero/superhero.sqlite" in error
    assert len(hub.requests) == asked


def test_no_server_at_all(cache_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The port of HF_ENDPOINT is taken by nobody: an error at once, not after minutes."""
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    start = time.monotonic()
    with pytest.raises(UnavailableError, match="could not reach"):
        open_database(NAME)
    assert time.monotonic() - start < 5
    assert left(cache_dir) == []
