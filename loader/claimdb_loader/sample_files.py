"""The sample's databases, unpacked from this package at first use."""

from __future__ import annotations

import hashlib
import json
import lzma
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Final

from filelock import FileLock

from claimdb_loader.cache_folder import cache_folder
from claimdb_loader.storage import replace_atomically, storage_errors

DATABASES: Final = ("city_library", "ferry_lines", "solar_coop")


def unpacked(db_name: str) -> Path:
    """Return the path of a sample database on this disk.

    The folder is named after the packed file's hash, so a new release never meets an old copy.

    Raises:
        UnavailableError: the cache folder cannot be written.
    """
    folder = cache_folder() / "databases" / f"sample-{_key(db_name)}" / db_name
    target = folder / f"{db_name}.sqlite"
    if target.is_file():
        return target
    with storage_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / ".lock"):
            if not target.is_file():
                replace_atomically(target, lzma.decompress(_packed(db_name)))
    return target


def _packed(db_name: str) -> bytes:
    return (resources.files("claimdb_loader.sample") / f"{db_name}.sqlite.xz").read_bytes()


@cache
def _key(db_name: str) -> str:
    return hashlib.sha256(_packed(db_name)).hexdigest()[:16]


def questions_path() -> Path:
    """Return the path of the sample's questions, a JSON object a line."""
    return Path(str(resources.files("claimdb_loader.sample") / "questions.jsonl"))


def questions() -> list[dict[str, Any]]:
    """Return the sample's questions: bird_id, db_name, question, extra_info and gold_sql of each.

    >>> sorted({question["db_name"] for question in questions()})
    ['city_library', 'ferry_lines', 'solar_coop']
    """
    text = questions_path().read_text("utf-8")
    return [json.loads(line) for line in text.split("\n") if line]
