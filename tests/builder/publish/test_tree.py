"""The whole tree of a repository: which files, that it loads, that it is the same each time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from datasets import load_dataset

from claimdb_builder.publish.benchmark import CONFIGS, Benchmark, read_benchmark
from claimdb_builder.publish.tree import FEATURES, Tree, is_replaced, write_tree
from claimdb_builder.publish.tree_folder import replace_tree
from claimdb_metric.errors import DatabaseFileError, DataError, HiddenLabelsError
from tests.builder.publish.made_benchmarks import (
    as_read,
    as_read_from_parquet,
    hidden,
    labelled,
    write_funnel,
    write_issues,
)
from tests.loader.claim_files import claim
from tests.loader.made_databases import listing, make_database

ROWS = [
    f"data/{config}/{split}-00000-of-00001.parquet"
    for config, splits in {
        "claims": ("test_private", "test_public", "train"),
        "databases": ("test", "train"),
        "inspect": ("test_public", "train"),
        "nei": ("counterfactual",),
    }.items()
    for split in splits
]
TEXTS = ["CITATION.cff", "README.md", "croissant.json", "eval.yaml", "known_issues.jsonl"]
SAMPLES = ("city_library", "ferry_lines", "solar_coop")


def whole_tree(benchmark: Benchmark, folder: Path) -> Tree:
    """The tree with its databases, as a dry run leaves it."""
    scratch = folder.with_name(f"{folder.name}-scratch")
    return replace_tree(folder, [], write_tree(benchmark, scratch, "you/claims", "split"))


def test_a_tree_holds_exactly_these_files(copy: str, tmp_path: Path) -> None:
    tree = write_tree(read_benchmark(copy), tmp_path / "tree", "you/claims")
    assert sorted(tree.files) == sorted(TEXTS + ROWS)
    assert sorted(listing(tmp_path / "tree")) == sorted(tree.files)
    assert (tree.n_claims, tree.databases, tree.sha256) == (19, (), {})


def test_with_databases_they_and_their_manifest_come_along(copy: str, tmp_path: Path) -> None:
    tree = whole_tree(read_benchmark(copy), tmp_path / "tree")
    names = [f"databases/{name}/{name}.sqlite" for name in SAMPLES]
    assert sorted(tree.files) == sorted([*TEXTS, *ROWS, *names, "databases/manifest.json"])
    files = listing(tmp_path / "tree")
    assert sorted(files) == sorted(tree.files)
    assert all(files[name] == tree.files[name].read_bytes() for name in files)
    manifest = json.loads(files["databases/manifest.json"])
    assert [row["db_name"] for row in manifest] == list(SAMPLES)
    assert {f"databases/{r['db_name']}/{r['db_name']}.sqlite": r["sha256"] for r in manifest} == (
        tree.sha256
    )


def test_a_funnel_goes_along_and_no_script_or_private_label_does(copy: str, tmp_path: Path) -> None:
    stages = [{"stage": "judged", "in": 20, "kept": 19, "dropped": {"no": 1}}]
    write_funnel(Path(copy), stages)
    for name in ("claimdb.py", "copy.py", "notes.txt", "private-labels.jsonl"):
        (Path(copy) / name).write_text("")
    tree = write_tree(read_benchmark(copy), tmp_path / "tree", "you/claims")
    assert sorted(tree.files) == sorted([*TEXTS, *ROWS, "funnel.json"])
    assert json.loads(tree.files["funnel.json"].read_bytes()) == {"stages": stages}
    assert "| judged | 20 | 19 | 1 (no 1) |" in tree.files["README.md"].read_text("utf-8")


def test_two_trees_are_the_same_and_name_no_place_on_this_machine(
    copy: str, tmp_path: Path
) -> None:
    make_database(Path(copy) / "solar_coop" / "solar_coop.sqlite")
    write_issues(Path(copy), {"claim_id": 3, "db_name": "ferry_lines", "reason": "odd"})
    benchmark = read_benchmark(copy)
    whole_tree(benchmark, tmp_path / "one")
    whole_tree(read_benchmark(copy), tmp_path / "two")
    files = listing(tmp_path / "one")
    assert files == listing(tmp_path / "two")
    places = [str(tmp_path), str(Path.home()), str(Path.cwd())]
    for name, content in files.items():
        if not name.endswith(".sqlite"):
            assert [place for place in places if f"{place}/".encode() in content] == []


def test_what_was_published_is_published_again_as_it_is(copy: str, tmp_path: Path) -> None:
    whole_tree(read_benchmark(copy), tmp_path / "one")
    files = listing(tmp_path / "one")
    tree = write_tree(
        read_benchmark(str(tmp_path / "one")),
        tmp_path / "two",
        "you/claims",
        "split",
        files.get,
    )
    again = {name: path.read_bytes() for name, path in tree.files.items()}
    assert again == files


@pytest.mark.matrix
@pytest.mark.parametrize("config", FEATURES)
def test_datasets_loads_the_tree_as_it_stands(copy: str, tmp_path: Path, config: str) -> None:
    benchmark = read_benchmark(copy)
    whole_tree(benchmark, tmp_path / "tree")
    loaded: Any = load_dataset(str(tmp_path / "tree"), config, cache_dir=str(tmp_path / "cache"))
    assert loaded[next(iter(loaded))].features == FEATURES[config]
    rows = {split: list(part) for split, part in loaded.items()}
    if config == "inspect":
        assert {split: [row["claim_id"] for row in part] for split, part in rows.items()} == {
            split: table["claim_id"].to_pylist() for split, table in benchmark.labelled.items()
        }
        return
    wanted = {split: table.to_pylist() for split, table in benchmark.configs[config].items()}
    if config == "databases":
        assert all(row["n_tables"] in (7, 8) for part in rows.values() for row in part)
        n_claims = {s: {r["db_name"]: r["n_claims"] for r in part} for s, part in wanted.items()}
        assert n_claims == {
            s: {r["db_name"]: r["n_claims"] for r in part} for s, part in rows.items()
        }
        return
    assert rows == wanted


@pytest.mark.matrix
def test_the_default_config_is_claims_in_order(copy: str, tmp_path: Path) -> None:
    whole_tree(read_benchmark(copy), tmp_path / "tree")
    loaded: Any = load_dataset(str(tmp_path / "tree"), cache_dir=str(tmp_path / "cache"))
    assert list(loaded) == ["train", "test_public", "test_private"]


@pytest.mark.matrix
@pytest.mark.parametrize("split", ["dev", "test", "all_claims", "validation", "prüfung", "DEV"])
def test_a_split_of_any_name_loads(tmp_path: Path, split: str) -> None:
    rows = {split: labelled(range(6)), "train": labelled(range(10, 16))}
    benchmark = as_read_from_parquet(tmp_path / "copy", **rows)
    whole_tree(benchmark, tmp_path / "tree")
    loaded: Any = load_dataset(
        str(tmp_path / "tree"), split=split, cache_dir=str(tmp_path / "cache")
    )
    assert loaded["claim_id"][:] == list(range(6))


def test_only_hidden_claims_make_a_tree_that_loads(tmp_path: Path) -> None:
    benchmark = as_read(tmp_path / "copy", test_private=hidden(range(4)))
    tree = whole_tree(benchmark, tmp_path / "tree")
    names = {name for name in tree.files if not name.startswith("databases/")}
    assert names == {
        "data/claims/test_private-00000-of-00001.parquet",
        "data/databases/test-00000-of-00001.parquet",
        *TEXTS,
    } - {"eval.yaml"}
    loaded: Any = load_dataset(str(tmp_path / "tree"), cache_dir=str(tmp_path / "cache"))
    assert loaded["test_private"]["label"][:] == [-1] * 4


def test_files_of_the_repository_are_kept_where_they_are_the_owners(
    copy: str, tmp_path: Path
) -> None:
    zoo = {"db_name": "zoo", "n_tables": 1, "n_rows": 3, "n_bytes": 9, "sha256": "ab" * 32}
    citation = b"\xef\xbb\xbfauthors: M\xfcller\r\n"
    old = {"CITATION.cff": citation, "databases/manifest.json": json.dumps([zoo]).encode()}
    tree = write_tree(read_benchmark(copy), tmp_path / "tree", "you/claims", "none", old.get)
    assert tree.files["CITATION.cff"].read_bytes() == citation
    manifest = json.loads(tree.files["databases/manifest.json"].read_text("utf-8"))
    assert manifest == [zoo]
    assert tree.databases == ()


def test_a_card_that_is_not_utf8_is_named(copy: str, tmp_path: Path) -> None:
    old = {"README.md": b"# Caf\xe9\n"}
    with pytest.raises(DataError, match=r"README\.md of the repository is not UTF-8: mend it"):
        write_tree(read_benchmark(copy), tmp_path / "tree", "you/claims", "none", old.get)


def test_a_damaged_manifest_of_the_repository_is_named(copy: str, tmp_path: Path) -> None:
    old = {"databases/manifest.json": b"[1]"}
    with pytest.raises(DatabaseFileError, match=r"^databases/manifest\.json: item 1 lacks"):
        write_tree(read_benchmark(copy), tmp_path / "tree", "you/claims", "none", old.get)


@pytest.mark.parametrize("name", [*ROWS, "eval.yaml", "croissant.json", "funnel.json"])
def test_what_a_push_makes_of_the_benchmark_goes_with_it(name: str) -> None:
    assert is_replaced(name)


@pytest.mark.parametrize(
    "name",
    [
        *("README.md", "CITATION.cff", ".gitattributes", "LICENSE", "databases/manifest.json"),
        *("databases/zoo/zoo.sqlite", "data/claims/mine.parquet", "data/mine/train.parquet"),
        *("data/mine/train-00000-of-00001.parquet", "x/eval.yaml", "eval.yaml.bak", "evalxyaml"),
        "x/data/claims/train-00000-of-00001.parquet",
    ],
)
def test_what_is_its_owners_stays(name: str) -> None:
    assert not is_replaced(name)


def test_known_issues_are_written_where_none_is_known(tmp_path: Path) -> None:
    """Else the list of an earlier push would stay."""
    benchmark = as_read(tmp_path / "copy", train=labelled(range(3)))
    tree = write_tree(benchmark, tmp_path / "tree", "you/claims")
    assert tree.files["known_issues.jsonl"].read_bytes() == b""


def test_a_benchmark_that_must_not_be_published_writes_nothing(tmp_path: Path) -> None:
    benchmark = as_read(tmp_path / "copy", test_private=[*hidden([1]), claim(2, 0)])
    (tmp_path / "tree").mkdir()
    with pytest.raises(HiddenLabelsError):
        write_tree(benchmark, tmp_path / "tree", "you/claims")
    assert listing(tmp_path / "tree") == {}


def test_text_that_utf8_cannot_hold_is_named(tmp_path: Path) -> None:
    benchmark = as_read(tmp_path / "copy", train=labelled(range(3)))
    path = tmp_path / "copy" / "known_issues.jsonl"
    path.write_text('{"claim_id": 1, "db_name": "ferry_lines", "reason": "\\ud800"}\n')
    with pytest.raises(DataError, match=r"known_issues\.jsonl"):
        write_tree(benchmark, tmp_path / "tree", "you/claims")


def test_every_config_that_is_read_has_columns() -> None:
    assert set(FEATURES) == {*CONFIGS, "inspect"}
