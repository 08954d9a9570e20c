"""What the tests of the local hub share."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from huggingface_hub import HfApi, close_session

from tests.hub import LocalHub


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalHub]:
    """A hub that has to know every request it gets, used over plain HTTP."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_XET", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_PROGRESS_BARS", True)
    with LocalHub() as hub:
        yield hub
        close_session()
        assert (hub.unrouted, hub.crashes) == ([], [])


@pytest.fixture
def api(hub: LocalHub) -> HfApi:
    return HfApi(endpoint=hub.url, token="hf_test")


@pytest.fixture
def naps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses between the client's retries, noted instead of slept."""
    pauses: list[float] = []
    for module in ("utils._http", "file_download"):
        clock = SimpleNamespace(sleep=pauses.append)
        monkeypatch.setattr(f"huggingface_hub.{module}.time", clock)
    return pauses
