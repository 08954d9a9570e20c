"""A database of a repository is what the repository's own manifest says, or it is discarded."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from claimdb_loader import hub as hub_access
from claimdb_loader.databases import open_database
from claimdb_loader.published import DATABASE_MANIFEST, database_name
from claimdb_loader.verify import verify_database
from claimdb_metric.errors import DatabaseFileError
from tests.hub import LocalHub
from tests.loader.database_transfer.published import NAME, REPO, n_heroes
from tests.loader.made_databases import database_bytes

OWN = "you/own"
WHERE = f"{DATABASE_MANIFEST} of {OWN}"


@pytest.fixture(autouse=True)
def _own_hub_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test meets the repository for the first time."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))


def entry(content: bytes, **changes: object) -> dict[str, object]:
    """The manifest's item on the database "mine"."""
    digest = hashlib.sha256(content).hexdigest()
    true = {
        "db_name": "mine",
        "n_tables": 1,
        "n_rows": 5,
        "n_bytes": len(content),
        "sha256": digest,
    }
    return true | changes


def add(hub: LocalHub, content: bytes, manifest: object, repo_id: str = OWN) -> None:
    hub.add_repo(
        repo_id,
        {database_name("mine"): content, DATABASE_MANIFEST: json.dumps(manifest).encode()},
    )


def in_hub_cache(repo_id: str = OWN) -> bool:
    return hub_access.cached_file(repo_id, database_name("mine"), None) is not None


def n_fetched(hub: LocalHub) -> int:
    """How often the database itself was transferred."""
    asked = [r for r in hub.requests if r.method == "GET" and r.path.endswith("/mine.sqlite")]
    return len([r for r in asked if r.bytes_sent > 1000])


def test_a_file_that_is_as_listed(hub: LocalHub, small: bytes) -> None:
    add(hub, small, [entry(b"", db_name="other"), entry(small)])
    assert n_heroes("mine", repo_id=OWN) == 5
    assert verify_database("mine", repo_id=OWN).state == WHERE
    asked = len(hub.requests)
    assert n_heroes("mine", repo_id=OWN) == 5
    assert len(hub.requests) == asked


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"sha256": "0" * 64},
            "is no known release of this database: it has 8,192 bytes and sha256 [0-9a-f]{64}; "
            f"known are {WHERE}: 8,192 bytes, sha256 0{{64}}; what was fetched is discarded",
        ),
        ({"n_bytes": 8191}, f"has 8,192 bytes, not 8,191 as {WHERE} says; what was fetched is dis"),
    ],
    ids=["sha256", "n_bytes"],
)
def test_a_file_that_is_not_as_listed_is_discarded(
    hub: LocalHub, small: bytes, changes: dict[str, object], words: str
) -> None:
    add(hub, small, [entry(small, **changes)])
    for n_times in (1, 2):
        with pytest.raises(DatabaseFileError, match=f"{OWN} {words}"):
            open_database("mine", repo_id=OWN)
        assert not in_hub_cache()
        assert n_fetched(hub) == n_times


@pytest.mark.parametrize(
    ("manifest", "words"),
    [
        (b"oops", r"is not JSON \(Expecting value.*\)"),
        (b"\xff", r"is not JSON \('utf-8' codec can't decode"),
        (b"[" * 100_000, r"is not JSON \("),
        (b'{"mine": {}}', "is not a list of databases"),
        (b"[1]", ": item 1 lacks db_name"),
        ([entry(b""), {}], r": item 2 lacks db_name \(text\), n_bytes \(integer\) or sha256 \(64"),
        ([entry(b"", n_bytes="5")], ": item 1 lacks"),
        ([entry(b"", n_bytes=True)], ": item 1 lacks"),
        ([entry(b"", sha256="ABC")], ": item 1 lacks"),
        ([entry(b"", sha256=None)], ": item 1 lacks"),
        ([entry(b"", db_name=3)], ": item 1 lacks"),
        ([], "lists mine 0 times"),
        ([entry(b"", db_name="Mine")], "lists mine 0 times"),
        ([entry(b"a"), entry(b"b")], "lists mine 2 times"),
    ],
    ids=lambda value: None if isinstance(value, str) else repr(value)[:25],
)
def test_a_manifest_that_is_none(hub: LocalHub, small: bytes, manifest: Any, words: str) -> None:
    content = manifest if isinstance(manifest, bytes) else json.dumps(manifest).encode()
    hub.add_repo(OWN, {database_name("mine"): small, DATABASE_MANIFEST: content})
    with pytest.raises(DatabaseFileError, match=f"^{WHERE} ?{words}.* with `claimdb push`"):
        open_database("mine", repo_id=OWN)
    assert n_fetched(hub) == 0


def test_a_mended_manifest_is_read_anew(hub: LocalHub, small: bytes) -> None:
    add(hub, small, [])
    with pytest.raises(DatabaseFileError, match="lists mine 0 times"):
        open_database("mine", repo_id=OWN)
    hub.update_repo(OWN, {DATABASE_MANIFEST: json.dumps([entry(small)]).encode()})
    assert n_heroes("mine", repo_id=OWN) == 5


def test_a_revision_has_its_own_manifest(hub: LocalHub, small: bytes) -> None:
    first = hub.add_repo(
        OWN, {database_name("mine"): small, DATABASE_MANIFEST: json.dumps([entry(small)]).encode()}
    )
    hub.update_repo(OWN, {database_name("mine"): database_bytes(2)})
    assert n_heroes("mine", repo_id=OWN, revision=first) == 5
    with pytest.raises(DatabaseFileError, match="is no known release"):
        open_database("mine", repo_id=OWN)


def test_of_upstreams_repository_the_built_in_hashes_are_the_authority(
    hub: LocalHub, small: bytes
) -> None:
    names = ("superhero", NAME)
    listed = [entry(small, db_name=name) for name in names]
    files = {database_name(name): small for name in names}
    hub.add_repo(REPO, files | {DATABASE_MANIFEST: json.dumps(listed).encode()})
    with pytest.raises(DatabaseFileError, match="known are BIRD dev, 2024-06-27"):
        open_database("superhero")
    assert n_heroes() == 5


def test_a_published_name_in_another_repository(hub: LocalHub, small: bytes) -> None:
    """There it is what that repository says, not what upstream published."""
    name = database_name("superhero")
    listed = json.dumps([entry(small, db_name="superhero")]).encode()
    hub.add_repo(OWN, {name: small, DATABASE_MANIFEST: listed})
    assert n_heroes("superhero", repo_id=OWN) == 5
    assert verify_database("superhero", repo_id=OWN).state == WHERE


def test_verify_names_what_is_not_as_listed(hub: LocalHub, small: bytes) -> None:
    add(hub, small, [entry(small)])
    path = open_database("mine", repo_id=OWN).path
    path.resolve().write_bytes(database_bytes(4))
    verdict = verify_database("mine", repo_id=OWN)
    assert verdict.state == "faulty"
    assert f"known are {WHERE}: 8,192 bytes" in str(verdict.fault)
    manifest = hub_access.cached_file(OWN, DATABASE_MANIFEST, None)
    Path(str(manifest)).write_text("[]")
    assert f"{WHERE} lists mine 0 times" in str(verify_database("mine", repo_id=OWN).fault)


def test_a_repository_without_manifest_is_taken_as_it_is(hub: LocalHub, small: bytes) -> None:
    hub.add_repo(OWN, {database_name("mine"): small})
    assert n_heroes("mine", repo_id=OWN) == 5
    assert verify_database("mine", repo_id=OWN).state == "whole; no hash known"
