"""Claims from a repository or folder in the layout that `claimdb push` publishes."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

import claimdb
from tests.children import answer_of, child_env
from tests.conftest import Load
from tests.hub import LocalHub
from tests.loader.claim_files import claim, ids, jsonl
from tests.loader.parquet_files import parquet, published, write_files

REPO = "you/mine"
SPLITS = {
    "train": [claim(i, i % 3, "ferry_lines" if i < 6 else "solar_coop") for i in range(9)],
    "test_public": [claim(i, i % 3, "city_library", bird_id=i // 3 - 2) for i in range(9, 15)],
    "test_private": [claim(i, None, "solar_coop") for i in range(15, 18)],
}
FILES = published(**SPLITS) | {"README.md": b"# Mine\n", "databases/a/a.sqlite": b"not needed"}
ISSUES = b'{"claim_id": 10, "db_name": "city_library"}\n{"claim_id": 0, "db_name": "elsewhere"}\n'


@pytest.fixture(params=["repository", "folder"])
def where(request: pytest.FixtureRequest, hub: LocalHub, tmp_path: Path) -> dict[str, str]:
    """The arguments by which FILES are found: on the Hub, or in a folder."""
    if request.param == "folder":
        return {"data_dir": write_files(tmp_path / "mine", FILES)}
    hub.add_repo(REPO, FILES)
    return {"repo_id": REPO}


def add(where: dict[str, str], hub: LocalHub, files: dict[str, bytes]) -> None:
    if "data_dir" in where:
        write_files(Path(where["data_dir"]), files)
    else:
        hub.update_repo(REPO, files)


def rows(splits: Any) -> dict[str, list[dict[str, Any]]]:
    return {name: list(split) for name, split in splits.items()}


@pytest.mark.matrix
@pytest.mark.parametrize("config", ["claims", "nei", "databases"])
def test_every_config_is_that_of_the_same_rows_in_json_lines(
    load: Load, where: dict[str, str], tmp_path: Path, config: str
) -> None:
    names = {"train": "train", "test_public": "test-public", "test_private": "test-private"}
    files = {f"{names[split]}.jsonl": jsonl(content) for split, content in SPLITS.items()}
    expected = rows(load(config, data_dir=write_files(tmp_path / "jsonl", files)))
    prepared = load(config, **where)
    assert rows(prepared) == expected
    assert list(prepared) == list(expected)
    assert rows(load(config, **where, streaming=True)) == expected


@pytest.mark.matrix
def test_only_the_claims_are_fetched(load: Load, hub: LocalHub) -> None:
    hub.add_repo("you/fetched", FILES)
    load(repo_id="you/fetched")
    asked = {r.path.rpartition("/")[2] for r in hub.requests if "/resolve/" in r.path}
    assert asked == {f"{split}-00000-of-00001.parquet" for split in SPLITS}


def test_a_builder_by_hand(where: dict[str, str], tmp_path: Path) -> None:
    builder = claimdb.ClaimDB(**where, cache_dir=str(tmp_path / "cache"))
    builder.download_and_prepare()
    assert ids(builder.as_dataset("test_private")) == [15, 16, 17]


@pytest.mark.matrix
def test_one_split_in_several_processes(load: Load, where: dict[str, str]) -> None:
    assert ids(load(**where, split="train", num_proc=2)) == [*range(9)]


@pytest.mark.matrix
@pytest.mark.parametrize(
    ("option", "expected"),
    [("test_questions", [0, 1, 2]), ("test_databases", [0, 1, 2, 3, 4, 5])],
)
@pytest.mark.parametrize("streaming", [False, True])
def test_train_rows_can_be_left_out(
    load: Load, where: dict[str, str], option: str, expected: list[int], streaming: bool
) -> None:
    train = load(**where, train_excludes=option, split="train", streaming=streaming)
    assert ids(train) == expected


@pytest.mark.matrix
@pytest.mark.parametrize("streaming", [False, True])
def test_known_issues_of_its_own(
    load: Load, hub: LocalHub, where: dict[str, str], streaming: bool
) -> None:
    def public(**options: bool) -> list[int]:
        return ids(load(**where, **options, split="test_public", streaming=streaming))

    everything = [9, 10, 11, 12, 13, 14]
    assert public(exclude_known_issues=True) == everything
    add(where, hub, {"known_issues.jsonl": ISSUES})
    assert public() == everything
    assert not [r for r in hub.requests if "known_issues" in r.path]
    assert public(exclude_known_issues=True) == [9, 11, 12, 13, 14]
    add(where, hub, {"known_issues.jsonl": ISSUES + b'{"claim_id": 9, "db_name": "city_library"}'})
    assert public(exclude_known_issues=True) == [11, 12, 13, 14]


@pytest.mark.matrix
def test_known_issues_of_a_repository_in_json_lines(load: Load, hub: LocalHub) -> None:
    hub.add_repo(REPO, {"train.jsonl": jsonl([claim(1), claim(2)]), "known_issues.jsonl": b""})
    assert ids(load(repo_id=REPO, exclude_known_issues=True, split="train")) == [1, 2]
    hub.update_repo(REPO, {"known_issues.jsonl": b'{"claim_id": 1, "db_name": "ferry_lines"}'})
    assert ids(load(repo_id=REPO, exclude_known_issues=True, split="train")) == [2]
    hub.update_repo(REPO, {"known_issues.jsonl": b"oops"})
    with pytest.raises(claimdb.DataError, match=r"known_issues\.jsonl:1: not JSON"):
        load(repo_id=REPO, exclude_known_issues=True, split="train")


@pytest.mark.matrix
def test_other_splits_follow_the_usual_ones_by_name(load: Load, tmp_path: Path) -> None:
    names = ["zoo", "test_private", "dev", "train"]
    files = published(**{name: [claim(i)] for i, name in enumerate(names)})
    folder = write_files(tmp_path / "mine", files)
    splits = load(data_dir=folder)
    assert list(splits) == ["train", "test_private", "dev", "zoo"]
    assert ids(splits["dev"]) == [2]
    assert load("databases", data_dir=folder)["test"]["n_claims"][:] == [3]


@pytest.mark.matrix
def test_json_lines_win(load: Load, hub: LocalHub, where: dict[str, str]) -> None:
    add(where, hub, {"test-public.jsonl": jsonl([claim(77)])})
    assert {name: ids(split) for name, split in load(**where).items()} == {"test_public": [77]}


@pytest.mark.matrix
def test_a_split_of_several_files(load: Load, hub: LocalHub, where: dict[str, str]) -> None:
    def part(number: int, claim_id: int) -> dict[str, bytes]:
        return {f"data/claims/dev-{number:05}-of-00002.parquet": parquet([claim(claim_id)])}

    add(where, hub, part(0, 50) | part(1, 40))
    assert ids(load(**where, split="dev")) == [50, 40]
    assert ids(load(**where, split="dev", streaming=True)) == [50, 40]


@pytest.mark.matrix
def test_a_faulty_row_is_named_wherever_the_file_is(
    load: Load, hub: LocalHub, where: dict[str, str]
) -> None:
    add(where, hub, published(test_public=[claim(20), claim(21, claim="")]))
    words = r"mend these rows.*\n .*test_public-00000-of-00001\.parquet:2: claim must be a text"
    for streaming in (False, True):
        with pytest.raises(claimdb.ClaimFileError, match=words):
            rows(load(**where, streaming=streaming))


@pytest.mark.matrix
def test_a_claim_in_two_splits_is_found(load: Load, hub: LocalHub, where: dict[str, str]) -> None:
    add(where, hub, published(test_public=[claim(3)]))
    with pytest.raises(claimdb.ClaimFileError, match=r"parquet:1: claim_id 3 stands already at .*"):
        load(**where)


@pytest.mark.matrix
def test_a_missing_split_is_named(load: Load, hub: LocalHub) -> None:
    hub.add_repo(REPO, published(test_public=SPLITS["test_public"]))
    with pytest.raises(claimdb.DataError, match=f"'train'.* repository {REPO} gives test_public"):
        load(repo_id=REPO, split="train")
    with pytest.raises(claimdb.DataError, match="needs test_private, which this copy lacks"):
        load(repo_id=REPO, train_excludes="test_databases")


@pytest.mark.matrix
def test_a_parquet_file_that_is_none_is_no_gap(load: Load, tmp_path: Path) -> None:
    folder = write_files(tmp_path / "mine", published(train=[claim(1)], dev=[claim(2)]))
    path = Path(folder, "data", "claims", "dev-00000-of-00001.parquet")
    path.unlink()
    path.symlink_to("nowhere")
    with pytest.raises(claimdb.DataError, match=r"dev-00000-of-00001\.parquet is not a file"):
        load(data_dir=folder)


@pytest.mark.matrix
def test_the_environment_names_a_published_folder(
    load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAIMDB_DATA_DIR", write_files(tmp_path / "mine", FILES))
    assert ids(load(split="test_private")) == [15, 16, 17]


@pytest.mark.matrix
def test_an_edited_folder_is_read_anew(load: Load, tmp_path: Path) -> None:
    folder = write_files(tmp_path / "mine", FILES)
    assert len(load(data_dir=folder, split="train")) == 9
    write_files(Path(folder), published(train=[claim(1)]))
    assert len(load(data_dir=folder, split="train")) == 1


@pytest.mark.matrix
def test_a_newer_commit_is_read_anew_without_a_notice(
    load: Load, hub: LocalHub, caplog: pytest.LogCaptureFixture
) -> None:
    first = hub.add_repo(REPO, FILES)
    assert len(load(repo_id=REPO, split="train")) == 9
    hub.update_repo(REPO, published(train=[claim(1)]))
    with caplog.at_level(logging.WARNING, "claimdb"):
        assert len(load(repo_id=REPO, split="train")) == 1
        old = load(repo_id=REPO, revision=first, split="train", streaming=True)
        assert ids(old) == [*range(9)]
    assert not [r for r in caplog.records if r.name == "claimdb"]


LOAD = """
import json
import claimdb
from datasets import load_dataset
try:
    splits = load_dataset("claimdb", repo_id="you/mine", exclude_known_issues=EXCLUDE)
    print(json.dumps({name: len(split) for name, split in splits.items()}))
except claimdb.UnavailableError as error:
    print(json.dumps(str(error)))
"""
PLAIN, EXCLUDING = LOAD.replace("EXCLUDE", "False"), LOAD.replace("EXCLUDE", "True")


def test_without_network_the_hub_cache_is_read(tmp_path: Path, hub: LocalHub) -> None:
    hub.add_repo(REPO, published(dev=[claim(1)], zoo=[claim(2)]))
    online = child_env(tmp_path) | hub.env(tmp_path / "hf") | {"HF_HUB_OFFLINE": "0"}
    offline = online | {"HF_HUB_OFFLINE": "1", "HF_DATASETS_CACHE": str(tmp_path / "empty")}
    assert "could not reach" in answer_of(PLAIN, tmp_path, offline)
    assert answer_of(PLAIN, tmp_path, online) == {"dev": 1, "zoo": 1}
    assert answer_of(PLAIN, tmp_path, offline) == {"dev": 1, "zoo": 1}
    # Nobody asked for a list of known issues yet: there may be one.
    assert "whether you/mine has a known_issues.jsonl" in answer_of(EXCLUDING, tmp_path, offline)
    hub.update_repo(REPO, {"known_issues.jsonl": b'{"claim_id": 2, "db_name": "ferry_lines"}'})
    assert answer_of(EXCLUDING, tmp_path, online) == {"dev": 1, "zoo": 0}
    assert answer_of(EXCLUDING, tmp_path, offline) == {"dev": 1, "zoo": 0}
