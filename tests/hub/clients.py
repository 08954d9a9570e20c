"""Short forms of two clients, for the tests of the local hub."""

from __future__ import annotations

import http.client
from pathlib import Path
from typing import Any

from huggingface_hub import hf_hub_download

from tests.hub import LocalHub

DIGITS = b"0123456789"


def ask(
    hub: LocalHub,
    method: str,
    path: str,
    headers: dict[str, str] | None = None,
    body: bytes | None = None,
) -> tuple[int, http.client.HTTPMessage, bytes]:
    """One request without any client library in between."""
    connection = http.client.HTTPConnection(hub.url.removeprefix("http://"))
    try:
        connection.request(method, path, body, headers or {})
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    finally:
        connection.close()


def download(hub: LocalHub, tmp_path: Path, path: str, **options: Any) -> Path:
    cached = hf_hub_download(
        "o/r", path, repo_type="dataset", endpoint=hub.url, cache_dir=tmp_path / "hf", **options
    )
    return Path(cached)
