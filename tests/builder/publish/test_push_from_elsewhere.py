"""A push from a machine that has not all the files of the last one."""

from __future__ import annotations

import io
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from claimdb_builder.publish.benchmark import read_benchmark
from claimdb_builder.publish.dataset_push import Push, Pushed, dry_run, push
from claimdb_metric.errors import DataError
from tests.builder.publish.made_benchmarks import parquet
from tests.hub import LocalHub
from tests.loader.claim_files import claim, jsonl, write_copy
from tests.loader.made_databases import make_database
from tests.pushes import MINE, OLD_CLIENT, tree_of, wrote_nothing

pytestmark = OLD_CLIENT

PROMPTS = "data/inspect/train-00000-of-00001.parquet"
NO_SCHEMA = "the prompts of config inspect show no schema, as not every database is on this machine"


@pytest.fixture
def zoo(tmp_path: Path) -> Path:
    """A benchmark with labelled claims on two databases, which lie beside them."""
    rows = [claim(i, i % 3, "zoo" if i < 3 else "park") for i in range(6)]
    copy = write_copy(tmp_path / "copy", train=rows, test_private=[claim(9, None, "lake")])
    for name in ("zoo", "park", "lake"):
        make_database(copy / name / f"{name}.sqlite")
    return copy


def pushed(folder: Path, **options: Any) -> Pushed:
    return push(read_benchmark(str(folder)), MINE, Push(**options))


def without(folder: Path, *names: str) -> Path:
    """The benchmark on a machine that lacks some databases."""
    for name in names:
        (folder / name / f"{name}.sqlite").unlink()
    return folder


def prompts(hub: LocalHub) -> list[str]:
    content = hub.files("you/r")[PROMPTS]
    return [str(text) for text in pq.read_table(io.BytesIO(content))["prompt"].to_pylist()]


@pytest.mark.parametrize("names", [("zoo",), ("zoo", "park", "lake"), ("lake",)])
@pytest.mark.parametrize("databases", ["split", "none"])
def test_a_push_without_the_databases_changes_nothing(
    hub: LocalHub, zoo: Path, names: tuple[str, ...], databases: str
) -> None:
    pushed(zoo, databases=databases)
    before, since = hub.files("you/r"), len(hub.requests)
    done = pushed(without(zoo, *names))
    assert (bool(done.changes), done.sent, done.tree.notes) == (False, None, ())
    assert wrote_nothing(hub, since)
    assert hub.files("you/r") == before
    assert all("CREATE TABLE heroes" in text for text in prompts(hub))


def test_new_claims_on_known_databases_show_the_known_schema(hub: LocalHub, zoo: Path) -> None:
    pushed(zoo)
    with (zoo / "train.jsonl").open("ab") as train:
        train.write(jsonl([claim(20, 1, "park")]))
    done = pushed(without(zoo, "zoo", "park", "lake"))
    assert done.tree.notes == ()
    assert len(prompts(hub)) == 7
    assert all("CREATE TABLE heroes" in text for text in prompts(hub))


def test_a_database_that_nobody_knows_takes_the_schema_from_all_and_says_so(
    hub: LocalHub, zoo: Path
) -> None:
    pushed(zoo)
    with (zoo / "train.jsonl").open("ab") as train:
        train.write(jsonl([claim(20, 1, "river")]))
    assert pushed(without(zoo, "zoo")).tree.notes == (NO_SCHEMA,)
    assert not any("CREATE TABLE" in text for text in prompts(hub))


def test_only_hidden_claims_need_no_note(hub: LocalHub, tmp_path: Path) -> None:
    copy = write_copy(tmp_path / "copy", test_private=[claim(9, None, "lake")])
    assert pushed(copy).tree.notes == ()


@pytest.mark.parametrize(
    "content",
    [b"", b"oops", parquet(x=[1]), parquet(db_name=["zoo"], claim=["a"], prompt=[None])],
    ids=["empty", "no Parquet", "other columns", "nothing"],
)
def test_damaged_prompts_of_the_repository_are_written_anew(
    hub: LocalHub, zoo: Path, content: bytes
) -> None:
    """They are nothing that anybody could mend."""
    pushed(zoo)
    before = hub.files("you/r")
    hub.update_repo("you/r", {PROMPTS: content})
    assert pushed(without(zoo, "zoo")).tree.notes == (NO_SCHEMA,)
    assert hub.files("you/r").keys() == before.keys()
    assert len(prompts(hub)) == 6


def test_a_database_that_was_changed_is_pointed_out(hub: LocalHub, zoo: Path) -> None:
    pushed(zoo, databases="split")
    for name in ("zoo", "park"):
        with closing(sqlite3.connect(zoo / name / f"{name}.sqlite")) as connection:
            connection.execute("CREATE TABLE more (x)")
            connection.execute("INSERT INTO more VALUES (zeroblob(50000))")
            connection.commit()
    said = "another size than in the repository: park, zoo; send with --databases"
    assert pushed(zoo).tree.notes == (said,)
    assert pushed(zoo, databases="split").tree.notes == ()
    assert pushed(zoo).tree.notes == ()


def test_a_dry_run_has_the_notes_of_the_push(hub: LocalHub, zoo: Path, tmp_path: Path) -> None:
    without(zoo, "zoo")
    done = dry_run(read_benchmark(str(zoo)), MINE, tmp_path / "tree")
    assert done.tree.notes == pushed(zoo).tree.notes == (NO_SCHEMA,)


def test_a_database_of_the_repository_that_is_asked_for_must_be_here(
    hub: LocalHub, zoo: Path, tmp_path: Path
) -> None:
    pushed(zoo, databases="split")
    with pytest.raises(DataError, match=r"^1 database not on this machine: zoo; put each at"):
        pushed(without(zoo, "zoo"), databases="split")
    tree = tmp_path / "tree"
    dry_run(read_benchmark(str(zoo)), MINE, tree)
    manifest = json.loads(tree_of(tree)["databases/manifest.json"])
    assert [row["db_name"] for row in manifest] == ["lake", "park", "zoo"]
