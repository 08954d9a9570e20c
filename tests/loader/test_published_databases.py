"""The `databases` config of a repository or folder that lists its databases in a manifest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from claimdb_metric.errors import DatabaseFileError
from tests.conftest import Load
from tests.hub import LocalHub
from tests.loader.claim_files import claim
from tests.loader.parquet_files import published, write_files

FILES = published(train=[claim(0, db_name="zoo"), claim(1, db_name="superhero")])
LISTED = {"db_name": "zoo", "n_tables": 2, "n_rows": 30, "n_bytes": 8192, "sha256": "a" * 64}


def manifest(*rows: Any) -> bytes:
    return json.dumps(rows).encode()


@pytest.fixture(params=["repository", "folder"])
def where(request: pytest.FixtureRequest, hub: LocalHub, tmp_path: Path) -> dict[str, str]:
    """Where a manifest lists one of two databases."""
    files = FILES | {"databases/manifest.json": manifest(LISTED)}
    if request.param == "folder":
        return {"data_dir": write_files(tmp_path / "mine", files)}
    hub.add_repo("you/mine", files)
    return {"repo_id": "you/mine"}


@pytest.mark.matrix
@pytest.mark.parametrize("streaming", [False, True])
def test_sizes_come_from_the_manifest(load: Load, where: dict[str, str], streaming: bool) -> None:
    known, listed = load("databases", **where, split="train", streaming=streaming)
    assert listed == LISTED | {"n_claims": 1}
    assert (known["db_name"], known["n_tables"], len(known["sha256"])) == ("superhero", 10, 64)


def test_a_changed_manifest_is_seen(load: Load, tmp_path: Path) -> None:
    folder = write_files(tmp_path, FILES | {"databases/manifest.json": manifest(LISTED)})
    load("databases", data_dir=folder)
    write_files(tmp_path, {"databases/manifest.json": manifest(LISTED | {"n_rows": 31})})
    assert load("databases", data_dir=folder, split="train")["n_rows"][1] == 31


@pytest.mark.parametrize(
    "content",
    [b"oops", b"7", b"[" * 100_000, manifest({}), manifest(LISTED | {"n_rows": "30"})],
    ids=["no JSON", "no list", "deep", "no name", "a number as text"],
)
def test_a_damaged_manifest_is_named(load: Load, tmp_path: Path, content: bytes) -> None:
    folder = write_files(tmp_path, FILES | {"databases/manifest.json": content})
    with pytest.raises(DatabaseFileError, match=r"databases/manifest\.json"):
        load("databases", data_dir=folder)
