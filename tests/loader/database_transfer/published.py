"""A repository with one database in a zip, and what a test sees of its transfer."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from claimdb_loader import zip_member
from claimdb_loader.databases import open_database
from tests.hub import LocalHub
from tests.hub.journal import Request
from tests.loader.made_databases import (
    listing,
    make_zip,
)

REPO = "michaeltheologitis/claimdb"
NAME = "beer_factory"  # a published name of which no hash is known
MEMBER = f"train/train_databases/{NAME}/{NAME}.sqlite"
ZIP = r"train_databases\.zip$"


def publish(hub: LocalHub, tmp_path: Path, members: dict[str, bytes], repo: str = REPO) -> str:
    made = make_zip(tmp_path / "published" / "a.zip", members)
    return hub.add_repo(repo, {"train_databases.zip": made.read_bytes(), "train.jsonl": b""})


def n_heroes(db_name: str = NAME, **where: str) -> Any:
    with open_database(db_name, **where) as db:
        return db.query("SELECT count(*) FROM heroes").rows[0][0]


def left(folder: Path) -> list[str]:
    """The names of what lies in the cache, without locks."""
    return [Path(name).name for name in listing(folder) if not name.endswith(".lock")]


def zip_reads(hub: LocalHub) -> list[Request]:
    return [r for r in hub.requests if r.method == "GET" and re.search(ZIP, r.path)]


def n_before_the_second_block(hub: LocalHub) -> int:
    """How many reads of the big zip come before the second block of its database."""
    n_heroes()
    sizes = [request.bytes_sent for request in zip_reads(hub)]
    return sizes.index(zip_member.COPY_BYTES) + 1


def forget(hub: LocalHub, cache_dir: Path) -> None:
    """As if nothing had been fetched yet."""
    for path in cache_dir.rglob("*.sqlite"):
        path.unlink()
