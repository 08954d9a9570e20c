"""What was pushed comes back the same: through `datasets`, `claimdb`, pandas, duckdb and `hf://`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import huggingface_hub
import pytest
from datasets import Dataset, get_dataset_config_names, get_dataset_split_names, load_dataset
from huggingface_hub import DatasetCard, HfApi, HfFileSystem, hf_hub_download

import claimdb
from claimdb_builder.publish.benchmark import read_benchmark
from claimdb_builder.publish.dataset_push import Push, Pushed, dry_run, push
from claimdb_loader.hub_head import Repo
from tests.children import answer_of, child_env
from tests.conftest import Load
from tests.hub import LocalHub
from tests.loader.claim_files import claim, ids, small_copy, write_copy
from tests.pushes import OLD_CLIENT

pytestmark = [pytest.mark.matrix, OLD_CLIENT]

REPO = "you/claimdb"
SPLITS = {
    "claims": ["train", "test_public", "test_private"],
    "nei": ["counterfactual"],
    "databases": ["train", "test"],
    "inspect": ["train", "test_public"],
}
PUBLIC = "data/claims/test_public-00000-of-00001.parquet"
Found = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The benchmark that is published."""
    return str(small_copy(tmp_path_factory.mktemp("benchmark") / "copy"))


@pytest.fixture(scope="module")
def hub(session_hub: LocalHub, folder: str) -> Iterator[LocalHub]:
    """The local hub with the benchmark and its databases pushed once, for all of these tests."""
    session_hub.reset()
    published(folder, REPO, "split")
    yield session_hub
    assert (session_hub.unrouted, session_hub.crashes) == ([], [])


def published(folder: str, repo_id: str, databases: Any = "none") -> Pushed:
    repo = Repo(repo_id, token="hf_test")
    return push(read_benchmark(folder), repo, Push(databases=databases))


def manifest(hub: LocalHub) -> dict[str, dict[str, Any]]:
    rows = json.loads(hub.files(REPO)["databases/manifest.json"])
    return {row["db_name"]: row for row in rows}


def contents(splits: Any) -> dict[str, Any]:
    """Features and rows of every split that has rows."""
    found = {name: [repr(rows.features), list(rows)] for name, rows in splits.items()}
    return {name: part for name, part in found.items() if part[1]}


@pytest.fixture(scope="module")
def expected(hub: LocalHub, folder: str, tmp_path_factory: pytest.TempPathFactory) -> Found:
    """What was published, as the local files give it."""
    cache = str(tmp_path_factory.mktemp("local"))
    found: Found = {
        config: contents(load_dataset("claimdb", config, data_dir=folder, cache_dir=cache))
        for config in ("claims", "nei", "databases")
    }
    for _, rows in found["databases"].values():
        # What was measured takes the place of what nobody knew.
        rows[:] = [row | manifest(hub)[row["db_name"]] for row in rows]
    return found


EVERYTHING = """
import json, sys
from datasets import get_dataset_config_names, load_dataset
found = {}
for config in get_dataset_config_names("you/claimdb"):
    splits = load_dataset("you/claimdb", config, streaming=STREAMING)
    found[config] = {s: [repr(rows.features), list(rows)] for s, rows in splits.items()}
assert not [name for name in sys.modules if name.startswith("claimdb")]
print(json.dumps(found))
"""


@pytest.mark.parametrize("streaming", [False, True])
def test_without_claimdb(hub: LocalHub, expected: Found, tmp_path: Path, streaming: bool) -> None:
    env = child_env(tmp_path) | hub.env(tmp_path / "hf", token=None) | {"HF_HUB_OFFLINE": "0"}
    found = answer_of(f"STREAMING = {streaming}\n{EVERYTHING}", tmp_path, env)
    assert {config: list(splits) for config, splits in found.items()} == SPLITS
    keys = ("claim_id", "db_name", "claim", "label")
    for split, (_, rows) in found.pop("inspect").items():
        asked = [[row[key] for key in keys] for row in rows]
        assert asked == [[row[key] for key in keys] for row in expected["claims"][split][1]]
    assert found == expected


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("config", ["claims", "nei", "databases"])
def test_with_claimdb_imported(
    hub: LocalHub, expected: Found, tmp_path: Path, config: str, streaming: bool
) -> None:
    splits = load_dataset(REPO, config, streaming=streaming, cache_dir=str(tmp_path))
    assert contents(splits) == expected[config]


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("config", ["claims", "nei"])
def test_through_the_loader(
    hub: LocalHub, expected: Found, load: Load, config: str, streaming: bool
) -> None:
    assert contents(load(config, repo_id=REPO, streaming=streaming)) == expected[config]


def test_the_databases_of_the_loader(hub: LocalHub, load: Load) -> None:
    rows = load("databases", repo_id=REPO)
    counted = {n: dict(zip(r["db_name"], r["n_claims"], strict=True)) for n, r in rows.items()}
    train = {"city_library": 1, "ferry_lines": 6, "solar_coop": 3}
    assert counted == {"train": train, "test": {"city_library": 6, "solar_coop": 3}}


def test_names_and_the_default_config(hub: LocalHub, tmp_path: Path) -> None:
    assert get_dataset_config_names(REPO) == list(SPLITS)
    assert {config: get_dataset_split_names(REPO, config) for config in SPLITS} == SPLITS
    rows = load_dataset(
        REPO, split="test_private", cache_dir=str(tmp_path), verification_mode="all_checks"
    )
    assert ids(rows) == [15, 16, 17]
    hidden = [rows[column][:] for column in ("label", "bird_id", "category")]
    assert hidden == [[-1] * 3] * 3
    assert rows.features["label"].names == list(claimdb.LABELS)
    assert rows.features["category"].names == list(claimdb.CATEGORIES)


def test_label_names_stand_in_the_file_itself(hub: LocalHub, tmp_path: Path) -> None:
    path = hf_hub_download(REPO, PUBLIC, repo_type="dataset", token=False)
    rows = Dataset.from_parquet(path, cache_dir=str(tmp_path))
    assert rows.features["label"].int2str(2) == "NOT ENOUGH INFO"
    assert rows.features["category"].int2str(2) == "COUNTERFACTUAL"


def test_one_database_is_fetched_and_no_other(hub: LocalHub, cache_dir: Path) -> None:
    listed = manifest(hub)
    before = len(hub.requests)
    with claimdb.open_database("ferry_lines", repo_id=REPO) as db:
        n_rows = sum(db.query(f'SELECT count(*) FROM "{t}"').rows[0][0] for t in db.tables())
        content = db.path.read_bytes()
    entry = listed["ferry_lines"]
    assert (n_rows, len(content)) == (entry["n_rows"], entry["n_bytes"])
    in_config = {
        row["db_name"]: row
        for row in load_dataset(REPO, "databases", split="train", streaming=True)
    }
    assert in_config["ferry_lines"] == entry | {"n_claims": 6}
    digest = hashlib.sha256(content).hexdigest()
    assert digest == entry["sha256"] == in_config["ferry_lines"]["sha256"]
    with claimdb.open_database("ferry_lines") as sample:
        assert content == sample.path.read_bytes()
    sent = [r.path for r in hub.requests[before:] if r.method == "GET" and r.bytes_sent]
    assert [path.rpartition("/resolve/main/")[2] for path in sent if path.endswith(".sqlite")] == [
        "databases/ferry_lines/ferry_lines.sqlite"
    ]


def test_a_revision(hub: LocalHub, tmp_path: Path, load: Load) -> None:
    rows = [claim(i, i % 3) for i in range(6)]
    first = published(str(write_copy(tmp_path / "one", rows)), "you/old", "split")
    published(str(write_copy(tmp_path / "two", [*rows, claim(6)])), "you/old")
    assert first.sent is not None
    sha = first.sent.sha
    cache = str(tmp_path / "plain")
    for options, n_rows in (({"revision": sha}, 6), ({}, 7)):
        plain = load_dataset("you/old", split="train", cache_dir=cache, **options)
        stream = load_dataset("you/old", split="train", streaming=True, **options)
        ours = load(split="train", repo_id="you/old", **options)
        assert [ids(found) for found in (plain, stream, ours)] == [list(range(n_rows))] * 3
    with claimdb.open_database("ferry_lines", repo_id="you/old", revision=sha) as db:
        assert sha in str(db.path)


@pytest.mark.parametrize(
    "texts", [["one"], ["one", "two"], ["one", "two", "three"], ["5 > 3", "4 = 4", "1 < 2"] * 4]
)
def test_too_little_to_learn_from(hub: LocalHub, tmp_path: Path, load: Load, texts: Any) -> None:
    """Few claims, of which some folds hold one label only; or claims without words."""
    rows = [claim(i, i % 3, bird_id=i // 2, claim=text) for i, text in enumerate(texts)]
    repo_id = f"you/few-{len(texts)}"
    published(str(write_copy(tmp_path / "few", rows)), repo_id)
    assert list(load(split="train", repo_id=repo_id)["claim"]) == texts


def test_the_card_validates(hub: LocalHub) -> None:
    card: Any = DatasetCard.load(REPO)  # its methods carry no types
    if int(huggingface_hub.__version__.partition(".")[0]) >= 2:  # older ones ask huggingface.co
        card.validate()
    checked = [r.status for r in hub.requests if r.path == "/api/validate-yaml"]
    assert set(checked) == {200}
    assert [config["config_name"] for config in card.data.configs] == list(SPLITS)
    assert card.data.license == "cc-by-sa-4.0"


def test_pandas(hub: LocalHub, expected: Found) -> None:
    pandas = pytest.importorskip("pandas")
    sha = HfApi().dataset_info(REPO).sha
    for at in ("", f"@{sha}"):
        rows = pandas.read_parquet(f"hf://datasets/{REPO}{at}/{PUBLIC}")
        assert rows.to_dict("records") == expected["claims"]["test_public"][1]


def test_duckdb(hub: LocalHub, expected: Found) -> None:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        # Its own reader of hf:// is an extension that it fetches from the network.
        connection.register_filesystem(HfFileSystem())
        found = connection.execute(
            f"SELECT * FROM 'hf://datasets/{REPO}/data/claims/*.parquet' ORDER BY claim_id"
        )
        names = [column[0] for column in found.description]
        rows = [dict(zip(names, row, strict=True)) for row in found.fetchall()]
    claims = [row for _, split in expected["claims"].values() for row in split]
    assert rows == sorted(claims, key=lambda row: row["claim_id"])


def test_a_tree_of_a_dry_run(
    hub: LocalHub, folder: str, expected: Found, tmp_path: Path, load: Load
) -> None:
    tree = tmp_path / "tree"
    pushed = dry_run(read_benchmark(folder), Repo(REPO), tree, Push(databases="split"))
    local = {p.relative_to(tree).as_posix(): p.read_bytes() for p in tree.rglob("*") if p.is_file()}
    there = hub.files(REPO)
    del there[".gitattributes"]
    assert local == there
    assert not pushed.changes
    assert not published(str(tree), REPO, "split").changes
    assert contents(load(data_dir=str(tree))) == expected["claims"]
