"""A benchmark -> one commit of a dataset repository, or a folder that shows what would be sent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import claimdb
from claimdb_builder.publish import card, tree_folder
from claimdb_builder.publish.benchmark import Benchmark
from claimdb_builder.publish.databases import Choice
from claimdb_builder.publish.front_matter import parted
from claimdb_builder.publish.parquet_files import read_texts
from claimdb_builder.publish.tree import CARD, CITATION, Tree, is_replaced, write_tree
from claimdb_loader import hub
from claimdb_loader.hub_account import check_token, sign_in
from claimdb_loader.hub_commit import Sent, check_privacy, commit, ensure_repo
from claimdb_loader.hub_head import Changes, Head, Repo, compare, read_head
from claimdb_loader.published import claim_files
from claimdb_metric.errors import DataError, UnavailableError

_OF_ANY_DATASET: Final = {".gitattributes", ".gitignore", CARD, CITATION, "LICENSE"}


@dataclass(frozen=True)
class Push:
    """What a push is to do beside its benchmark and repository.

    Attributes:
        databases: which database files go along.
        private: create the repository as a private one.
        create_pr: open a pull request in place of changing the branch.
        message: of the commit; None says how many claims it publishes.
        force: replace a dataset that has no claim in common with this one.
    """

    databases: Choice = "none"
    private: bool = False
    create_pr: bool = False
    message: str | None = None
    force: bool = False


@dataclass(frozen=True)
class Pushed:
    """What a push did: how the tree differed, and the commit, None where nothing was sent.

    Attributes:
        made_branch: whether the branch was made, from what main holds.
        is_compared: whether the Hub was there to be compared with, which a dry run does not need.
    """

    tree: Tree
    changes: Changes
    sent: Sent | None = None
    made_branch: bool = False
    is_compared: bool = True


def push(benchmark: Benchmark, repo: Repo, options: Push = Push()) -> Pushed:
    """Return what changed in a dataset repository after one commit, or none if nothing differs.

    Raises:
        DataError: no token, no right to write, another dataset in the repository, or a benchmark
            that must not be published.
        UnavailableError: the Hub does not answer; the old revision stands, push again.
    """
    repo.check(options.create_pr)
    sign_in(repo.token).check_may_write(repo.repo_id, options.create_pr)
    head = read_head(repo)
    check_privacy(repo, head, options.private)
    if options.create_pr and head.sha is None:
        raise DataError(f"{repo.what} does not exist: push without --create-pr to make it")
    is_new = head.is_new_branch
    with TemporaryDirectory(prefix="claimdb-push-") as scratch:
        tree, changes = _prepared(benchmark, Path(scratch), repo, head, options, benchmark.folder)
        if changes or is_new:
            head = ensure_repo(repo, head, options.private)
        if not changes:
            return Pushed(tree, changes, made_branch=is_new)
        message = options.message or (
            f"Publish {tree.n_claims:,} claims with claimdb {claimdb.__version__}"
        )
        sent = commit(repo, head, tree.files, changes, message, options.create_pr, tree.sha256)
    return Pushed(tree, changes, sent, made_branch=is_new)


def dry_run(benchmark: Benchmark, repo: Repo, folder: Path, options: Push = Push()) -> Pushed:
    """Return what a push would change, after writing the whole tree to a folder.

    Needs neither token nor network: without them everything counts as added.

    Args:
        folder: a new or empty folder, or one that an earlier dry run wrote.

    Raises:
        DataError: as `push`, or the folder holds something else.
    """
    repo.check(options.create_pr)
    check_token(repo.token)
    stale = tree_folder.stale_files(folder, benchmark)
    is_compared = True
    try:
        head = read_head(repo)
    except UnavailableError as error:
        cause = error.__cause__
        if isinstance(cause, Exception) and not hub.is_unreachable(cause):
            raise  # a token that the Hub does not know, say
        head, is_compared = Head(), False
    # What was written into the card of an earlier dry run is kept, as on the Hub.
    own = folder if tree_folder.repo_of(folder) == repo.repo_id else benchmark.folder
    with TemporaryDirectory(prefix="claimdb-push-") as scratch:
        tree, changes = _prepared(benchmark, Path(scratch), repo, head, options, own)
        tree = tree_folder.replace_tree(folder, stale, tree)
    return Pushed(tree, changes, is_compared=is_compared)


def _prepared(
    benchmark: Benchmark, scratch: Path, repo: Repo, head: Head, options: Push, own: Path | None
) -> tuple[Tree, Changes]:
    """The tree, written to a scratch folder, and how it differs from what the branch holds.

    Args:
        own: the folder whose card and citation are taken where the repository has none.
    """
    read_old = _reader(repo, head)
    is_other = _holds_other_dataset(benchmark, head, read_old)
    if is_other and not options.force:
        raise DataError(
            f"{repo.what} holds another dataset: give another --repo-id, or replace it with --force"
        )

    def read(name: str) -> bytes | None:
        content = None if is_other else read_old(name)
        return _own_text(own, name) if content is None else content

    tree = write_tree(benchmark, scratch, repo.repo_id, options.databases, read)
    stale = head.files if is_other else filter(is_replaced, head.files)
    # A script of the repository's name keeps `datasets` 4 and newer from loading what is beside it.
    gone = {*stale, f"{repo.repo_id.partition('/')[2]}.py"} - {".gitattributes"}
    return tree, compare(tree.files, head, gone, tree.sha256)


def _own_text(folder: Path | None, name: str) -> bytes | None:
    """The card or citation in a folder; a README without YAML or our markers is no card."""
    path = folder / name if folder is not None and name in (CARD, CITATION) else None
    if path is None or not path.is_file():
        return None
    content = path.read_bytes()
    if name == CITATION:
        return content
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        raise DataError(f"{path} is not UTF-8: save it anew") from None
    return content if card.is_ours(text) or parted(text)[0] else None


def _reader(repo: Repo, head: Head) -> Callable[[str], bytes | None]:
    """Gives the content of a file at the head of the branch."""

    def read(name: str) -> bytes | None:
        if head.sha is None or name not in head.files:
            return None
        snapshot = hub.Snapshot(repo.repo_id, head.sha, head.sha, frozenset(head.files), True)
        return Path(hub.fetch(snapshot, name, repo.token)).read_bytes()

    return read


def _holds_other_dataset(
    benchmark: Benchmark, head: Head, read_old: Callable[[str], bytes | None]
) -> bool:
    """Whether the branch holds files that are not an earlier push of this benchmark.

    What tells is its claims: a benchmark has some in common with what it was before.
    """
    if not head.files.keys() - _OF_ANY_DATASET:
        return False
    rows = benchmark.rows
    claims: set[tuple[str, ...]] = set(zip(rows["db_name"], rows["claim"], strict=True))
    names = [name for files in claim_files(head.files).values() for name in files]
    columns = ("db_name", "claim")
    return not any(claims & set(read_texts(read_old(name) or b"", columns)) for name in names)
