"""Which prepared copy in the cache of `datasets` belongs to which data."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Final

from claimdb_loader import hub, sources
from claimdb_loader.exclusions import read_known_issues
from claimdb_loader.features import FORMAT_VERSION
from claimdb_loader.fingerprints import file_sha256

ORIGIN_FILE: Final = "claimdb_origin.txt"


def cache_name(config_name: str, is_published: bool) -> str:
    """Return the name of the folder in the cache of `datasets` that holds a prepared copy.

    Without `import claimdb`, `load_dataset("claimdb")` serves the newest copy in the folder
    `claimdb`, and fails on a copy that is half written there (datasets 5.2, packaged_modules/
    cache): so only the default config of the published data, without options, may stand in it.
    """
    is_served = is_published and config_name == sources.DEFAULT_CONFIG
    return "claimdb" if is_served else f"claimdb_{config_name}"


def cache_key(source: sources.Source | None, exclude_known_issues: bool) -> str:
    """Return the hash that names the prepared copy in the cache of `datasets`, 64 hex digits.

    Args:
        source: local files, which are named by their content, or another repository's commit; None
            is the published data.
    """
    key = default_key() if source is None else content_key(source)
    if not exclude_known_issues:
        return key
    return _sha256_of_json([key, read_known_issues(source.issues_folder if source else None)])


def default_key() -> str:
    """Return the cache key of the published data, 64 hex digits.

    It names data and format, never source text: a release that changes neither keeps the cache.
    """
    return _sha256_of_json([FORMAT_VERSION, hub.UPSTREAM_REPO, sources.KNOWN_SHA256])


def content_key(source: sources.Source) -> str:
    """Return the cache key of a source, 64 hex digits: the same content gives the same key."""
    if source.snapshot is not None:
        return _sha256_of_json([FORMAT_VERSION, source.snapshot.repo_id, source.snapshot.sha])
    digests = {
        split: [file_sha256(Path(path)) for path in paths]
        for split, paths in sorted(source.files.items())
    }
    if source.manifest is None:
        return _sha256_of_json([FORMAT_VERSION, digests])
    return _sha256_of_json([FORMAT_VERSION, digests, file_sha256(Path(source.manifest))])


def write_origin(folder: str, source: sources.Source) -> None:
    """Note in the folder of a prepared copy where its claims came from.

    A folder elsewhere (`output_dir="s3://…"`) is the user's own and gets no note.
    """
    if not Path(folder).is_dir():
        return
    where = source.where if source.folder is None else str(Path(source.folder).absolute())
    (Path(folder) / ORIGIN_FILE).write_text(where, encoding="utf-8")


def read_origin(folder: str) -> str | None:
    """Return where the claims of a prepared copy came from, None where nobody noted it."""
    path = Path(folder) / ORIGIN_FILE
    return path.read_text(encoding="utf-8") if path.is_file() else None


def _sha256_of_json(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
