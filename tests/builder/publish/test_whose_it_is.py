"""Whose a benchmark is: what is said of ClaimDB, of BIRD and of any other, and where."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
import yaml

from claimdb_builder.publish import benchmark as benchmark_module
from claimdb_builder.publish import card_sources
from claimdb_builder.publish.benchmark import Benchmark, read_benchmark
from claimdb_builder.publish.card import NUMBERS
from claimdb_builder.publish.card_considerations import licence
from claimdb_builder.publish.citation import citation_text
from claimdb_builder.publish.databases import local_file
from claimdb_builder.publish.front_matter import parted, read_fields
from claimdb_builder.publish.tree import write_tree
from claimdb_loader.cache_folder import database_folder
from claimdb_loader.fingerprints import Fingerprint, KnownDatabase, file_sha256
from claimdb_loader.hub import UPSTREAM_REPO
from claimdb_metric.citation import BIBTEX
from tests.builder.publish.made_benchmarks import as_claimdb, hidden, labelled, of_rows, texts_of
from tests.loader.claim_files import Row, claim
from tests.loader.made_databases import make_database

AUTHORS = ["Michael Theologitis", "Preetam Prabhu Srikar Dammu", "Chirag Shah", "Dan Suciu"]
CLAIMS: list[Row] = [
    claim(5, 0, "books"),
    claim(3, 1, "movie", claim="Ä “claim”."),
    claim(9, 2, "superhero"),
]

TOLD = ("claim_id", "db_name", "claim", "label")


def digest(rows: list[Row]) -> str:
    """As the published splits were digested: id, database, words and label, sorted."""
    listed = sorted([row[key] for key in TOLD] for row in rows)
    return hashlib.sha256(json.dumps(listed).encode()).hexdigest()


@pytest.fixture
def known_split(monkeypatch: pytest.MonkeyPatch) -> None:
    """CLAIMS are taken for the published public test."""
    known = {"test_public": digest(CLAIMS), "test_private": "0" * 64}
    monkeypatch.setattr(benchmark_module, "_CLAIMDB_SHA256", known)


@pytest.mark.usefixtures("known_split")
@pytest.mark.parametrize(
    ("splits", "is_claimdb"),
    [
        ({"test_public": CLAIMS}, True),
        ({"test_public": CLAIMS[::-1]}, True),
        ({"test_public": CLAIMS, "train": labelled([20], db_name="books")}, True),
        ({"test_public": CLAIMS, "train": labelled([20], db_name="zoo")}, False),
        ({"test_public": CLAIMS, "dev": labelled([20], db_name="books")}, False),
        ({"test_public": CLAIMS, "test_private": hidden([30], db_name="books")}, False),
        ({"test_public": [*CLAIMS[:-1], claim(9, 1, "superhero")]}, False),
        ({"test_public": CLAIMS[:-1]}, False),
        ({"test_public": [*CLAIMS, claim(4)]}, False),
        ({"test_public": [*CLAIMS[:-1], CLAIMS[-1] | {"claim_id": 8}]}, False),
        ({"test_public": [*CLAIMS[:-1], CLAIMS[-1] | {"claim": "Another."}]}, False),
        ({"test_public": [*CLAIMS[:-1], CLAIMS[-1] | {"db_name": "lake"}]}, False),
        ({"train": CLAIMS}, False),
        ({"test_private": [{k: row[k] for k in TOLD[:3]} for row in CLAIMS]}, False),
    ],
    ids=[
        *("same", "order", "train too", "train on others", "another split", "another private"),
        *("label", "part", "longer", "claim_id", "claim", "database"),
        *("train", "private"),
    ],
)
def test_only_whole_test_splits_are_those_of_the_published_benchmark(
    splits: dict[str, list[Row]], is_claimdb: bool
) -> None:
    assert of_rows(**splits).is_claimdb == is_claimdb


@pytest.mark.parametrize("split", ["test_public", "test_private"])
def test_each_published_test_split_is_known(shared: Path, split: str) -> None:
    published = read_benchmark(str(shared / "data" / "claimdb"))
    assert Benchmark({"claims": {split: published.claims[split]}}).is_claimdb
    part = published.claims[split].slice(0, 900)
    assert not Benchmark({"claims": {split: part}}).is_claimdb
    assert not Benchmark({"claims": {"train": published.claims[split]}}).is_claimdb


def test_a_tree_of_somebodys_benchmark_names_nobody_else(copy: str, tmp_path: Path) -> None:
    tree = write_tree(read_benchmark(copy), tmp_path / "tree", "your-lab/my-claims")
    texts = {name: path.read_text("utf-8") for name, path in tree.files.items() if "." in name[-5:]
             and not name.endswith((".parquet", ".sqlite"))}  # fmt: skip
    for name, text in texts.items():
        assert "BIRD" not in text.replace("BIRD_ID", ""), name
        without_the_paper = text.replace(BIBTEX, "")
        if name != "CITATION.cff":
            assert "Theologitis" not in without_the_paper, name
    fields = read_fields(parted(texts["README.md"])[0])
    assert (fields["pretty_name"], fields["source_datasets"]) == ("my-claims", ["original"])
    assert fields["annotations_creators"] == fields["language_creators"] == ["other"]
    assert "\n# my-claims\n" in texts["README.md"]
    assert "Claims come from the maker of this dataset, unless" in texts["README.md"]
    described = json.loads(texts["croissant.json"])
    owner = {"name": "your-lab", "url": "https://huggingface.co/your-lab"}
    assert described["creator"] == [{"@type": "sc:Organization", **owner}]
    url = "https://huggingface.co/datasets/your-lab/my-claims"
    assert described["citeAs"] == f"your-lab. my-claims. {url}"
    assert (described["name"], described["url"]) == ("my-claims", url)
    assert yaml.safe_load(texts["eval.yaml"])["name"] == "my-claims"


def test_a_tree_of_the_published_benchmark_names_its_authors(copy: str, tmp_path: Path) -> None:
    tree = write_tree(as_claimdb(read_benchmark(copy)), tmp_path / "tree", "you/my-copy")
    card = tree.files["README.md"].read_text("utf-8")
    fields = read_fields(parted(card)[0])
    assert fields["pretty_name"] == "ClaimDB"
    assert fields["source_datasets"] == ["extended|other-BIRD"]
    assert fields["annotations_creators"] == fields["language_creators"] == ["machine-generated"]
    assert "\n# ClaimDB\n" in card
    assert "Databases and questions are those of [BIRD]" in card
    described = json.loads(tree.files["croissant.json"].read_text("utf-8"))
    assert [author["name"] for author in described["creator"]] == AUTHORS
    assert described["citeAs"].endswith("arXiv:2601.14698")
    assert described["name"] == "ClaimDB"


def people(citation: str) -> list[str]:
    authors = yaml.safe_load(citation)["authors"]
    return [a.get("name") or f"{a['given-names']} {a['family-names']}" for a in authors]


def test_citations() -> None:
    benchmark = of_rows(train=labelled([1]))
    own = yaml.safe_load(citation_text(benchmark, "my.claims-2_x", "0-lab/my.claims-2_x"))
    assert (own["title"], own["authors"], own["type"]) == (
        *("my.claims-2_x", [{"name": "0-lab"}], "dataset"),
    )
    (paper,) = own["references"]
    theirs = citation_text(as_claimdb(benchmark), "ClaimDB", "you/claims")
    assert people(theirs) == [f"{a['given-names']} {a['family-names']}" for a in paper["authors"]]
    assert people(theirs) == AUTHORS
    for cff in (own, yaml.safe_load(theirs)):
        assert {"cff-version", "message", "title", "authors"} <= cff.keys()
        assert "{" not in str(cff["title"])


@pytest.mark.parametrize("name", ["0123", "1.0", "no", "null", "2026-01-20", "1e5"])
def test_names_that_look_like_something_else_stay_texts(name: str) -> None:
    cff = yaml.safe_load(citation_text(of_rows(train=labelled([1])), name, f"{name}/{name}"))
    assert (cff["title"], cff["authors"]) == (name, [{"name": name}])


@pytest.mark.parametrize("is_claimdb", [False, True])
def test_what_is_said_of_citation_noise_and_biases(is_claimdb: bool) -> None:
    benchmark = of_rows(train=labelled([1]))
    texts = texts_of(as_claimdb(benchmark) if is_claimdb else benchmark)
    assert bool(texts["label_noise"]) == is_claimdb
    assert texts["citation"].startswith(
        "Cite [the paper]" if is_claimdb else "Cite this dataset as `CITATION.cff` says."
    )
    assert texts["citation"].endswith(f"\n\n```bibtex\n{BIBTEX}```")
    assert ("text-to-SQL" in texts["biases"]) == is_claimdb


@pytest.mark.parametrize("name", ["mit", "mit, odbl", "a | <!-- b"])
def test_what_a_licence_allows_is_only_said_of_ours(name: str) -> None:
    said = licence(name)
    assert "Creative" not in said and "CC BY" not in said  # noqa: PT018
    assert texts_of(of_rows(train=labelled([1])), licence=name)["licence"] == said
    assert "<!--" not in said
    ours = licence("cc-by-sa-4.0")
    assert ours.startswith("[CC BY-SA 4.0](https://creativecommons.org/licenses/by-sa/4.0/): ")
    assert all("keep the licences of their own sources" in text for text in (said, ours))


def test_only_databases_that_equal_a_release_are_said_to_be_birds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not by their names: anybody may name a database superhero."""
    names = ("superhero", "financial", "toxicology", "zoo")
    for n_rows, name in enumerate(names, 3):
        make_database(tmp_path / name / f"{name}.sqlite", n_rows)
    path = tmp_path / "superhero" / "superhero.sqlite"
    release = Fingerprint("made", path.stat().st_size, file_sha256(path))
    same_size = Fingerprint("made", release.n_bytes, "0" * 64)
    marks = {"superhero": (release,), "financial": (same_size,), "toxicology": (), "away": ()}
    known = {n: KnownDatabase(n, "test", 1, 3, mark) for n, mark in marks.items()}
    monkeypatch.setattr(card_sources, "known_databases", lambda: known)
    rows = [claim(i, 0, name) for i, name in enumerate((*names, "away"))]
    said = NUMBERS["sources"](of_rows(tmp_path, train=rows))
    bird = "[BIRD](https://bird-bench.github.io) (Li et al., CC BY-SA 4.0)"
    assert f"By their sha256, these databases are {bird}: superhero." in said
    assert f"the names of databases of {bird}: away, financial, toxicology. Where they" in said
    others = NUMBERS["sources"](of_rows(tmp_path, train=rows[1:]))
    assert "sha256" not in others
    assert "BIRD" not in NUMBERS["sources"](of_rows(tmp_path, train=[claim(1, 0, "zoo")]))


def test_a_release_whose_size_is_not_known_is_known_by_its_hash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_database(tmp_path / "superhero.sqlite")
    mark = Fingerprint("made", None, file_sha256(path))
    known = {"superhero": KnownDatabase("superhero", "test", 1, 3, (mark,))}
    monkeypatch.setattr(card_sources, "known_databases", lambda: known)
    assert "By their sha256" in NUMBERS["sources"](
        of_rows(tmp_path, train=[claim(1, 0, "superhero")])
    )


def test_a_database_of_bird_itself(shared: Path) -> None:
    benchmark = of_rows(shared / "data/bird/databases", train=[claim(1, 0, "superhero")])
    assert NUMBERS["sources"](benchmark).endswith("4.0): superhero.")
    assert not benchmark.is_claimdb


def test_what_the_cache_holds_of_the_published_benchmark_is_not_of_another(
    cache_dir: Path,
) -> None:
    made = make_database(database_folder(UPSTREAM_REPO, None) / "superhero" / "superhero.sqlite")
    benchmark = of_rows(train=[claim(1, 0, "superhero")])
    assert local_file(benchmark, "superhero") is None
    assert local_file(as_claimdb(benchmark), "superhero") == made
