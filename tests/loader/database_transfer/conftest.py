"""What the tests of a transfer share: an empty cache, clocks, and a large database."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from huggingface_hub.utils._http import http_backoff

from tests.loader.database_transfer.published import (
    MEMBER,
)
from tests.loader.made_databases import (
    MEGABYTE,
    database_bytes,
    make_zip,
)


@pytest.fixture(autouse=True)
def _own_cache(cache_dir: Path) -> None:
    """Each test fetches anew."""


@pytest.fixture
def naps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses between tries, noted instead of slept; the clock moves on by them."""
    pauses: list[float] = []
    clock = SimpleNamespace(sleep=pauses.append, monotonic=lambda: sum(pauses))
    monkeypatch.setattr("huggingface_hub.utils._http.time", clock)
    monkeypatch.setattr("claimdb_loader.hub.time", clock)
    return pauses


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that gives up at once, as older ones do on some faults."""
    at_once = partial(http_backoff, max_retries=0)
    monkeypatch.setattr("huggingface_hub.hf_file_system.http_backoff", at_once)


@pytest.fixture(scope="module")
def small() -> bytes:
    return database_bytes(5)


@pytest.fixture(scope="module")
def big() -> bytes:
    """20 MB that no packer makes smaller: three blocks of a transfer."""
    return database_bytes(5, blob_bytes=20 * MEGABYTE)


@pytest.fixture(scope="module")
def big_zip(big: bytes, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_zip(tmp_path_factory.mktemp("big") / "a.zip", {MEMBER: big})
