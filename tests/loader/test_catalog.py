"""The list of databases, and where each can be had."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path

import pytest

from claimdb_loader.cache_folder import database_folder
from claimdb_loader.catalog import Entry, catalog
from claimdb_loader.databases import open_database
from claimdb_loader.fingerprints import known_databases
from claimdb_loader.sample_files import DATABASES
from claimdb_metric.errors import DatabaseFileError, DataError, UnavailableError
from tests.hub import LocalHub
from tests.loader.made_databases import database_bytes, listing, make_database, make_zip


def places(**where: str) -> dict[str, str]:
    return {entry.db_name: entry.place for entry in catalog(**where)}


def test_the_published_databases_and_the_sample(hub: LocalHub, cache_dir: Path) -> None:
    entries = catalog()
    assert Counter(entry.place for entry in entries) == {"hub": 80, "sample": 3}
    assert Counter(entry.split for entry in entries) == {"train": 69, "test": 11, None: 3}
    assert [entry.db_name for entry in entries] == sorted({*known_databases(), *DATABASES})
    by_name = {entry.db_name: entry for entry in entries}
    assert by_name["beer_factory"] == Entry("beer_factory", "hub", "train", 7, 14_039)
    assert (hub.requests, listing(cache_dir)) == ([], {})


@pytest.mark.parametrize("by", ["argument", "environment"])
def test_each_place(
    tmp_path: Path, cache_dir: Path, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    folder = tmp_path / "copy"
    make_database(folder / "superhero" / "superhero.sqlite")
    make_database(folder / "mine.sqlite")
    make_database(folder / "databases" / "deep" / "deep.sqlite")
    make_database(folder / "other" / "not_its_folder.sqlite")
    content = database_bytes()
    members = {
        "x/zipped.sqlite": content,
        "superhero.sqlite": content,
        "toxicology.sqlite": content,
    }
    make_zip(folder / "test_databases.zip", members)
    for name in ("beer_factory", "toxicology"):
        make_database(database_folder("michaeltheologitis/claimdb", None) / name / f"{name}.sqlite")
    if by == "environment":
        monkeypatch.setenv("CLAIMDB_DATA_DIR", str(folder))
    found = places(data_dir=str(folder)) if by == "argument" else places()
    assert {name: place for name, place in found.items() if place not in ("hub", "sample")} == {
        "superhero": "local copy",
        "mine": "local copy",
        "deep": "local copy",
        "zipped": "local zip",
        "toxicology": "local zip",
        "beer_factory": "cache",
    }


def test_another_repository_is_asked(hub: LocalHub, tmp_path: Path, cache_dir: Path) -> None:
    made = make_zip(tmp_path / "a.zip", {"x/zipped.sqlite": database_bytes()}).read_bytes()
    flat = {"databases/flat/flat.sqlite": database_bytes(), "databases/README.md": b""}
    first = hub.add_repo("you/catalog", {"test_databases.zip": made})
    hub.update_repo("you/catalog", flat)
    assert places(repo_id="you/catalog") == {"flat": "hub", "zipped": "hub"}
    assert places(repo_id="you/catalog", revision=first) == {"zipped": "hub"}
    for name in ("flat", "zipped"):
        open_database(name, repo_id="you/catalog")
    assert places(repo_id="you/catalog") == {"flat": "cache", "zipped": "cache"}
    assert places(repo_id="you/catalog", revision=first) == {"zipped": "hub"}


LISTED = {"db_name": "superhero", "n_tables": 2, "n_rows": 30, "n_bytes": 9, "sha256": "a" * 64}


def manifest(*rows: object) -> dict[str, bytes]:
    return {"databases/manifest.json": json.dumps(rows).encode()}


def test_another_repository_says_itself_how_large_its_databases_are(
    hub: LocalHub, cache_dir: Path
) -> None:
    """Also where a published database has the same name."""
    files = {f"databases/{n}/{n}.sqlite": database_bytes() for n in ("superhero", "financial")}
    without = hub.add_repo("you/sized", files)
    content = files["databases/superhero/superhero.sqlite"]
    marks = {"n_bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    hub.update_repo("you/sized", manifest(LISTED | marks))
    assert catalog(repo_id="you/sized") == [
        Entry("financial", "hub"),
        Entry("superhero", "hub", None, 2, 30),
    ]
    assert catalog(repo_id="you/sized", revision=without) == [
        Entry("financial", "hub"),
        Entry("superhero", "hub"),
    ]
    open_database("superhero", repo_id="you/sized")
    assert catalog(repo_id="you/sized")[1] == Entry("superhero", "cache", None, 2, 30)


@pytest.mark.parametrize("counts", [{}, {"n_tables": -1, "n_rows": -1}])
def test_a_manifest_that_says_no_counts_gives_none(
    hub: LocalHub, cache_dir: Path, counts: dict[str, int]
) -> None:
    bare = {key: LISTED[key] for key in ("db_name", "n_bytes", "sha256")}
    files = {"databases/superhero/superhero.sqlite": database_bytes()}
    hub.add_repo("you/bare", files | manifest(bare | counts))
    assert catalog(repo_id="you/bare") == [Entry("superhero", "hub")]


def test_a_damaged_manifest_of_another_repository_is_named(hub: LocalHub, cache_dir: Path) -> None:
    files = {"databases/superhero/superhero.sqlite": database_bytes()}
    hub.add_repo("you/damaged", files | manifest({"db_name": "superhero"}))
    said = r"^databases/manifest\.json of you/damaged: item 1 lacks "
    with pytest.raises(DatabaseFileError, match=said):
        catalog(repo_id="you/damaged")


def test_what_cannot_be_listed(hub: LocalHub, tmp_path: Path, cache_dir: Path) -> None:
    with pytest.raises(DataError, match="does not exist, or is private"):
        catalog(repo_id="no/where")
    hub.fault("api/", status=503)
    with pytest.raises(UnavailableError, match="answered 503"):
        catalog(repo_id="no/where")
    with pytest.raises(DataError, match="is not a folder"):
        catalog(str(tmp_path / "gone"))
