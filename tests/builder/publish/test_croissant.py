"""croissant.json: what mlcroissant reads of it is what was published."""

from __future__ import annotations

import json
import logging
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from claimdb_builder.publish.benchmark import read_benchmark
from claimdb_builder.publish.croissant import Described, croissant_text, published_on
from claimdb_builder.publish.parquet_files import write_parquet
from claimdb_builder.publish.tree import FEATURES, write_tree
from tests.builder.publish.made_benchmarks import labelled, of_rows

# mlcroissant's own: rdflib and pandas below it.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


@pytest.fixture
def tree(copy: str, tmp_path: Path) -> Path:
    """The small copy as it is published, without databases."""
    write_tree(read_benchmark(copy), tmp_path / "tree", "you/claims")
    return tmp_path / "tree"


@pytest.mark.slow
def test_mlcroissant_loads_it_without_complaint(
    tree: Path, caplog: pytest.LogCaptureFixture
) -> None:
    import mlcroissant

    with caplog.at_level(logging.WARNING):
        dataset = mlcroissant.Dataset(jsonld=str(tree / "croissant.json"))
    issues = dataset.metadata.issues
    assert (set(issues.errors), set(issues.warnings)) == (set(), set())
    assert [record.message for record in caplog.records] == []


@pytest.mark.slow
def test_mlcroissant_reads_every_row(tree: Path) -> None:
    import mlcroissant

    dataset = mlcroissant.Dataset(jsonld=str(tree / "croissant.json"))
    names = [record_set.id for record_set in dataset.metadata.record_sets]
    assert sorted(names) == [
        *("claims/test_private", "claims/test_public", "claims/train"),
        *("databases/test", "databases/train", "inspect/test_public", "inspect/train"),
        "nei/counterfactual",
    ]
    for name in names:
        config, split = name.split("/")
        rows = pq.read_table(tree / f"data/{config}/{split}-00000-of-00001.parquet").to_pylist()
        read = [
            {key.removeprefix(f"{name}/"): as_text(value) for key, value in record.items()}
            for record in dataset.records(name)
        ]
        assert read == rows


def as_text(value: Any) -> Any:
    """Croissant gives texts as bytes."""
    return value.decode() if isinstance(value, bytes) else value


def test_it_lists_each_file_with_its_hash_and_length(tree: Path) -> None:
    import hashlib

    described = json.loads((tree / "croissant.json").read_text("utf-8"))
    files = {file["@id"]: file for file in described["distribution"]}
    paths = {path.relative_to(tree).as_posix(): path for path in tree.glob("data/**/*.parquet")}
    assert files.keys() == paths.keys()
    for name, path in paths.items():
        assert files[name]["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
        assert files[name]["contentSize"] == f"{path.stat().st_size} B"
        assert files[name]["contentUrl"] == name


def test_it_says_what_and_whose_it_is(tree: Path) -> None:
    described = json.loads((tree / "croissant.json").read_text("utf-8"))
    assert described["name"] == "claims"
    assert described["url"] == "https://huggingface.co/datasets/you/claims"
    assert described["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    assert described["datePublished"] == date.today().isoformat()
    assert "by-sa/4.0" in described["license"]


@pytest.mark.parametrize(
    ("card", "licence"),
    [
        (None, "https://creativecommons.org/licenses/by-sa/4.0/"),
        ("# Mine\n", "https://creativecommons.org/licenses/by-sa/4.0/"),
        ("---\nlicense: cc-by-sa-4.0\n---\n", "https://creativecommons.org/licenses/by-sa/4.0/"),
        ("---\nlicense: mit\n---\n# Mine\n", "mit"),
        ("---\nlicense: [mit, odbl]\n---\n", "mit, odbl"),
    ],
)
def test_the_licence_is_that_of_the_card(
    copy: str, tmp_path: Path, card: str | None, licence: str
) -> None:
    old = {"README.md": card.encode()} if card else {}
    write_tree(read_benchmark(copy), tmp_path, "you/claims", read_old=old.get)
    described = json.loads((tmp_path / "croissant.json").read_text("utf-8"))
    assert described["license"] == licence


@pytest.mark.parametrize("title", ["ClaimDB", "my-claims.v2_x", 'a "quoted" – title'])
@pytest.mark.slow
def test_any_name_of_a_repository_is_valid(tmp_path: Path, title: str) -> None:
    import mlcroissant

    (table,) = of_rows(dev=labelled([1])).claims.values()
    file = write_parquet(tmp_path, "claims", "dev", [table], FEATURES["claims"])
    for is_claimdb in (False, True):
        described = Described(title, "you/x", "2026-01-20", "mit", is_claimdb)
        text = croissant_text(described, tmp_path, [file], FEATURES)
        (tmp_path / "croissant.json").write_text(text, "utf-8")
        issues = mlcroissant.Dataset(jsonld=str(tmp_path / "croissant.json")).metadata.issues
        assert (set(issues.errors), set(issues.warnings)) == (set(), set())


def test_a_second_push_keeps_the_date_of_the_first(copy: str, tmp_path: Path) -> None:
    old = json.dumps({"datePublished": "2025-01-02"}).encode()
    write_tree(read_benchmark(copy), tmp_path, "you/claims", read_old={"croissant.json": old}.get)
    described = json.loads((tmp_path / "croissant.json").read_text("utf-8"))
    assert described["datePublished"] == "2025-01-02"


@pytest.mark.parametrize(
    ("old", "is_kept"),
    [
        (b'{"datePublished": "2025-01-02"}', True),
        (b'{"datePublished": "20250102"}', True),
        (b'{"datePublished": "2. Jan."}', False),
        (b'{"datePublished": 2025}', False),
        (b'{"datePublished": null}', False),
        (b'{"datePublished": "2025-01-02\xff"}', False),
        *[(text, False) for text in (None, b"", b"{}", b"[]", b"null", b"oops", b"[" * 9999)],
    ],
)
def test_a_date_that_is_none_is_today(old: bytes | None, is_kept: bool) -> None:
    assert published_on(old) == ("2025-01-02" if is_kept else date.today().isoformat())
