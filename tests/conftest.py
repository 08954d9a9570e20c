"""What all tests share: no network, caches of their own, and a local hub in place of the Hub.

The Hugging Face libraries read their settings when they are imported, so the settings are made
here, before any of them is.
"""

from __future__ import annotations

import os
import socket
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

Load = Callable[..., Any]
REPO_ROOT = Path(__file__).parents[1]
SHARED = REPO_ROOT.parent / "shared"
OFFLINE = Path(__file__).parent / "offline"


def _free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


HUB_PORT = _free_port()
HOME = tempfile.TemporaryDirectory(prefix="claimdb-tests-", ignore_cleanup_errors=True)
# MAKE: a `make` that a test runs is not a part of the one that runs the tests.
UNWANTED = ("HF_", "CLAIMDB_", "MAKE", "MFLAGS")
for name in [name for name in os.environ if name.startswith(UNWANTED)]:
    del os.environ[name]
os.environ |= {
    "HF_ENDPOINT": f"http://127.0.0.1:{HUB_PORT}",
    "HF_HOME": f"{HOME.name}/hf",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_XET": "1",
    "HF_UPDATE_DOWNLOAD_COUNTS": "0",
    "CLAIMDB_CACHE_DIR": f"{HOME.name}/claimdb",
    "NO_PROXY": "127.0.0.1",
    # Children start with sockets blocked too, and find the packages of this checkout.
    "PYTHONPATH": os.pathsep.join(filter(None, [str(OFFLINE), os.environ.get("PYTHONPATH")])),
}
sys.path.insert(0, str(OFFLINE))
import sitecustomize  # noqa: E402

sitecustomize.block()

from tests.hub import LocalHub  # noqa: E402
from tests.loader.claim_files import small_copy  # noqa: E402


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Drills are not measured: traced, they take half as long again, and the other tests suffice.

    pytest-cov's mark `no_cover` pauses nothing in workers of xdist (7.1).
    """
    tracer = sys.gettrace()
    if item.get_closest_marker("slow") or item.get_closest_marker("unmeasured"):
        sys.settrace(None)
    try:
        return (yield)
    finally:
        sys.settrace(tracer)


@pytest.fixture(scope="session", autouse=True)
def _children_without_coverage() -> None:
    """It makes a start with `datasets` a third longer, 1.0 to 1.3 s of CPU, in over 500 children.

    What they run is measured where tests call it in this process or in workers of multiprocessing.
    """
    for name in ("COVERAGE_PROCESS_START", "COVERAGE_PROCESS_CONFIG"):
        os.environ.pop(name, None)


@pytest.fixture(scope="session")
def session_hub() -> Iterator[LocalHub]:
    """The hub behind HF_ENDPOINT, for the whole session."""
    with LocalHub(HUB_PORT) as hub:
        yield hub
        import huggingface_hub

        if hasattr(huggingface_hub, "close_session"):  # 1.0 and newer keep connections open
            huggingface_hub.close_session()


@pytest.fixture
def hub(session_hub: LocalHub) -> Iterator[LocalHub]:
    """The local hub, empty; a request that it does not know fails the test."""
    session_hub.reset()
    yield session_hub
    assert (session_hub.unrouted, session_hub.crashes) == ([], [])


@pytest.fixture
def cache_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh folder in CLAIMDB_CACHE_DIR."""
    folder = tmp_path / "claimdb-cache"
    monkeypatch.setenv("CLAIMDB_CACHE_DIR", str(folder))
    return folder


@pytest.fixture(autouse=True)
def _same_environ() -> Iterator[None]:
    """`map(num_proc=)` of datasets leaves a copy in the place of os.environ: put it back."""
    environ = os.environ
    yield
    os.environ = environ  # noqa: B003


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """load_dataset("claimdb", …) with a cache of its own."""
    from datasets import load_dataset

    def call(*args: Any, **kwargs: Any) -> Any:
        return load_dataset("claimdb", *args, cache_dir=str(tmp_path / "cache"), **kwargs)

    return call


@pytest.fixture
def copy(tmp_path: Path) -> str:
    """A local copy of 19 claims in three splits."""
    return str(small_copy(tmp_path / "copy"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data beside a developer's checkout; users do not have it."""
    if not SHARED.is_dir():
        pytest.skip("needs the real BIRD and ClaimDB data in ../shared, which users do not have")
    return SHARED
