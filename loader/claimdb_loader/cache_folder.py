"""Where ClaimDB keeps databases on this machine."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

CACHE_VARIABLE: Final = "CLAIMDB_CACHE_DIR"


def cache_folder() -> Path:
    """Return CLAIMDB_CACHE_DIR, else `claimdb` in XDG_CACHE_HOME or in ~/.cache."""
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen).expanduser().absolute()
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser().absolute() / "claimdb"


def database_folder(repo_id: str, revision: str | None) -> Path:
    """Return the folder of the databases fetched from one repository, at one revision if given."""
    name = repo_id.replace("/", "--") + (f"@{revision.replace('/', '--')}" if revision else "")
    return cache_folder() / "databases" / name
