"""A database as verbs take it: a file, or the name of a benchmark database."""

from __future__ import annotations

import os
from pathlib import Path


def database_path(db: str, data_dir: str | None, repo_id: str | None) -> Path:
    """Return the file where there is one, else that of the database of this name.

    Raises:
        UnknownDatabaseError: no database has that name.
        UnavailableError: it could not be fetched.
    """
    path = Path(db)
    if path.is_file() or path.suffix or "/" in db or os.sep in db:
        return path
    from claimdb_loader.database_files import locate

    return locate(db, data_dir, repo_id, None)
