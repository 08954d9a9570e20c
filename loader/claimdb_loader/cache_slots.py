"""Which prepared copy in the cache of `datasets` belongs to which data."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from claimdb_loader import hub, sources
from claimdb_loader.exclusions import read_known_issues
from claimdb_loader.features import FORMAT_VERSION
from claimdb_loader.fingerprints import file_sha256


def cache_name(config_name: str) -> str:
    """Return the name of the folder in the cache of `datasets` that holds a config.

    Without `import claimdb`, `load_dataset("claimdb")` serves the newest copy in the folder
    `claimdb` (datasets 5.2, packaged_modules/cache): only the default config may stand there.
    """
    return "claimdb" if config_name == sources.DEFAULT_CONFIG else f"claimdb_{config_name}"


def cache_key(config_name: str, data_dir: str | None, exclude_known_issues: bool) -> str:
    """Return the hash that names the prepared copy in the cache of `datasets`, 64 hex digits.

    Local files are named by their content, so an edited file is prepared anew.
    """
    if config_name == sources.SAMPLE:
        key = content_key(sources.sample())
    elif data_dir is not None:
        key = content_key(sources.local(data_dir))
    else:
        key = default_key()
    if not exclude_known_issues:
        return key
    return _sha256_of_json([key, read_known_issues(data_dir)])


def default_key() -> str:
    """Return the cache key of the published data, 64 hex digits.

    It names data and format, never source text: a release that changes neither keeps the cache.
    """
    return _sha256_of_json([FORMAT_VERSION, hub.UPSTREAM_REPO, sources.KNOWN_SHA256])


def content_key(source: sources.Source) -> str:
    """Return the cache key of local files, 64 hex digits: the same content gives the same key."""
    digests = {
        split: [file_sha256(Path(path)) for path in paths]
        for split, paths in sorted(source.files.items())
    }
    return _sha256_of_json([FORMAT_VERSION, digests])


def _sha256_of_json(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
