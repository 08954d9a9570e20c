"""What a push refuses, and that it then has changed nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from claimdb_builder.publish.benchmark import read_benchmark
from claimdb_builder.publish.dataset_push import Push, Pushed, dry_run, push
from claimdb_loader.hub_commit import MAX_FILE_BYTES
from claimdb_loader.hub_head import Repo
from claimdb_metric.errors import (
    ClaimDBError,
    ClaimFileError,
    DatabaseFileError,
    DataError,
    HiddenLabelsError,
    UnavailableError,
)
from tests.hub import LocalHub
from tests.loader.claim_files import claim, jsonl, write_copy
from tests.loader.made_databases import make_database
from tests.pushes import MINE, OLD_CLIENT, n_commits, wrote_nothing

pytestmark = OLD_CLIENT


def pushed(folder: str | Path, repo: Repo = MINE, **options: Any) -> Pushed:
    return push(read_benchmark(str(folder)), repo, Push(**options))


ACCOUNTS: list[tuple[Repo, dict[str, Any], type[ClaimDBError], str]] = [
    (Repo("you/r"), {}, DataError, "no Hub token"),
    (Repo("you/r", token="hf_gone"), {}, UnavailableError, "your token is not valid"),
    (Repo("you/r", token="hf_read"), {}, DataError, "may only read"),
    (Repo("you/r", token="hf_fine"), {}, DataError, "your token may not write to dataset"),
    (Repo("o/r", token="hf_test"), {}, DataError, "o/r belongs to o"),
    (Repo("o/r", token="hf_test"), {"create_pr": True}, ClaimDBError, "o/r"),
    (Repo("r", token="hf_test"), {}, DataError, "must be OWNER/NAME"),
    (Repo("you/r s", token="hf_test"), {}, DataError, "cannot be a repository's name"),
    (Repo("you/r", revision="v2", token="hf_test"), {"create_pr": True}, DataError, "--revision"),
]


@pytest.mark.parametrize(("repo", "options", "kind", "message"), ACCOUNTS)
def test_accounts(
    hub: LocalHub,
    copy: str,
    repo: Repo,
    options: dict[str, Any],
    kind: type[ClaimDBError],
    message: str,
) -> None:
    with pytest.raises(kind, match=message):
        pushed(copy, repo, **options)
    assert n_commits(hub) == 0


def test_what_lost_its_card_is_still_ours(hub: LocalHub, copy: str) -> None:
    pushed(copy, databases="split")
    before = hub.files("you/r")
    hub.update_repo("you/r", {"README.md": b"# Mine\n", "notes.md": b"x"})
    pushed(copy)
    after = hub.files("you/r")
    assert after["README.md"].endswith(b"\n# Mine\n")
    assert after.keys() == {*before, "notes.md"}


@pytest.mark.parametrize(
    "files", [{}, {".gitattributes": b"", ".gitignore": b"x\n"}, {"LICENSE": b"x"}]
)
def test_an_empty_repository_is_nobodys(hub: LocalHub, copy: str, files: dict[str, bytes]) -> None:
    hub.add_repo("you/r", files)
    pushed(copy)
    assert hub.files("you/r").items() >= files.items()


def private(folder: Path, content: bytes) -> None:
    (folder / "private-labels.jsonl").write_bytes(content)


def labelled(folder: Path) -> None:
    rows = [claim(15, None, "solar_coop"), claim(16, 1, "solar_coop")]
    (folder / "test-private.jsonl").write_bytes(jsonl(rows))


def shared(folder: Path) -> None:
    with (folder / "train.jsonl").open("ab") as train:
        train.write(jsonl([claim(900, 1, "solar_coop", claim=claim(15)["claim"].upper())]))


LEAKS: dict[str, tuple[Any, str]] = {
    "labels in test_private": (labelled, r"test_private .* column label .* claim_id 16$"),
    "in another split": (shared, r"hidden claims stand with their label .* claim_id 15;"),
    "listed": (lambda f: private(f, b'{"claim_id": 9}\n'), r"test_public shows: claim_id 9$"),
    "listed as text": (lambda f: private(f, b'{"claim_id": "9"}\n'), r"private-labels\.jsonl"),
    "listed twice": (lambda f: private(f, b'{"claim_id": 9, "claim_id": 99}\n'), "private-labels"),
    "a list": (lambda f: private(f, b'{"claim_id": [9]}\n'), "private-labels"),
    "no claim_id": (lambda f: private(f, b'{"id": 9}\n'), "private-labels"),
    "no UTF-8": (lambda f: private(f, b"\xff\n"), "private-labels"),
    "no JSON": (lambda f: private(f, b'{"claim_id": 9'), "private-labels"),
}


@pytest.mark.parametrize("case", LEAKS)
@pytest.mark.parametrize("force", [False, True])
def test_private_labels_never_leave(hub: LocalHub, copy: str, case: str, force: bool) -> None:
    spoil, message = LEAKS[case]
    spoil(Path(copy))
    with pytest.raises(HiddenLabelsError, match=message):
        pushed(copy, force=force, databases="split")
    assert wrote_nothing(hub)
    with pytest.raises(HiddenLabelsError, match=message):
        dry_run(read_benchmark(copy), MINE, Path(copy).parent / "tree", Push(force=force))
    assert not list((Path(copy).parent / "tree").rglob("*.parquet"))


def test_a_row_that_is_wrong_is_named(hub: LocalHub, copy: str) -> None:
    train = Path(copy) / "train.jsonl"
    train.write_bytes(train.read_bytes().replace(b'"CONTRADICTED"', b'"FALSE"', 1))
    with pytest.raises(ClaimFileError, match=r'train\.jsonl:2: unknown label "FALSE"'):
        pushed(copy)
    assert wrote_nothing(hub)


def too_large(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)  # sparse: it takes no space


def with_log(path: Path) -> None:
    make_database(path)
    path.with_name(f"{path.name}-wal").write_bytes(b"log" * 20)


BAD_DATABASES: dict[str, tuple[Any, str]] = {
    "too large": (too_large, r"200,000,000,001 bytes, over the Hub's limit .*--databases none"),
    "no SQLite": (lambda path: path.write_bytes(b"<html>" * 50), "not SQLite|HTML"),
    "empty": (lambda path: path.write_bytes(b""), "empty"),
    "a log beside it": (with_log, "has a log beside it"),
}


@pytest.mark.parametrize("case", BAD_DATABASES)
def test_a_database_that_cannot_be_sent(hub: LocalHub, copy: str, case: str) -> None:
    path = Path(copy) / "ferry_lines" / "ferry_lines.sqlite"
    path.parent.mkdir()
    spoil, message = BAD_DATABASES[case]
    spoil(path)
    with pytest.raises(DatabaseFileError, match=message) as caught:
        pushed(copy, databases="split")
    assert str(path) in str(caught.value)
    assert wrote_nothing(hub)


def test_a_database_that_is_not_here(hub: LocalHub, tmp_path: Path) -> None:
    folder = write_copy(tmp_path / "other", train=[claim(1, 0, "zoo")])
    with pytest.raises(
        DataError, match=r"^1 database not on this machine: zoo; put each at NAME/NAME\.sqlite of"
    ):
        pushed(folder, databases="split")
    assert wrote_nothing(hub)
    assert pushed(folder).sent is not None


def test_a_tag_is_no_branch(hub: LocalHub, copy: str, tmp_path: Path) -> None:
    """Pushing again would not help, so that is not what is said."""
    from huggingface_hub import HfApi

    pushed(copy)
    HfApi(token="hf_test").create_tag("you/r", tag="v1", repo_type="dataset")
    hub.update_repo("you/r", {"more.txt": b"x"})
    since = len(hub.requests)
    with pytest.raises(DataError, match=r"^v1 of .* is a tag: give the name of a branch$"):
        pushed(copy, Repo("you/r", revision="v1", token="hf_test"), databases="split")
    assert wrote_nothing(hub, since)
