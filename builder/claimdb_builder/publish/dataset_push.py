"""A benchmark -> one commit of a dataset repository, or a folder that shows what would be sent."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import claimdb
from claimdb_builder.publish import card
from claimdb_builder.publish.benchmark import Benchmark
from claimdb_builder.publish.card_sources import FUNNEL
from claimdb_builder.publish.databases import Choice
from claimdb_builder.publish.tree import (
    CARD,
    CITATION,
    CROISSANT,
    EVAL,
    KNOWN_ISSUES,
    Tree,
    copy_databases,
    write_tree,
)
from claimdb_loader import hub
from claimdb_loader.hub_account import check_repo_id, sign_in
from claimdb_loader.hub_commit import Sent, commit, ensure_repo
from claimdb_loader.hub_head import Changes, Head, Repo, compare, read_head
from claimdb_loader.published import DATABASE_MANIFEST
from claimdb_loader.storage import require_space
from claimdb_metric.errors import DataError, UnavailableError

_OURS: Final = re.compile(
    r"data/(?:claims|nei|databases|inspect)/\w+-\d{5}-of-\d{5}\.parquet"
    rf"|{'|'.join(map(re.escape, (EVAL, KNOWN_ISSUES, CROISSANT, FUNNEL)))}"
)
"""Files that a push removes when the benchmark no longer has them; databases are never removed."""

_DATABASE_ROWS: Final = re.compile(r"data/databases/\w+-\d{5}-of-\d{5}\.parquet")


@dataclass(frozen=True)
class Push:
    """What a push is to do beside its benchmark and repository.

    Attributes:
        databases: which database files go along.
        private: create the repository as a private one.
        create_pr: open a pull request in place of changing the branch.
        message: of the commit; None says how many claims it publishes.
        force: replace a dataset that has no database in common with this one.
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
        is_compared: whether the Hub was there to be compared with, which a dry run does not need.
    """

    tree: Tree
    changes: Changes
    sent: Sent | None = None
    is_compared: bool = True


def check_account(repo: Repo, options: Push = Push()) -> None:
    """Raise DataError where the account or the options rule a push out, before any work is done."""
    check_repo_id(repo.repo_id)
    if options.create_pr and repo.revision not in (None, hub.DEFAULT_REVISION):
        raise DataError("a pull request is opened against main: leave out --revision")
    sign_in(repo.token).check_may_write(repo.repo_id, options.create_pr)


def push(benchmark: Benchmark, repo: Repo, options: Push = Push()) -> Pushed:
    """Return what changed in a dataset repository after one commit, or none if nothing differs.

    Raises:
        DataError: no token, no right to write, another dataset in the repository, or a benchmark
            that must not be published.
        UnavailableError: the Hub does not answer; the old revision stands, push again.
    """
    check_account(repo, options)
    head = read_head(repo)
    with TemporaryDirectory(prefix="claimdb-push-") as scratch:
        tree, changes = _prepared(benchmark, Path(scratch), repo, head, options)
        if not changes:
            return Pushed(tree, changes)
        ensure_repo(repo, head, options.private)
        message = options.message or (
            f"Publish {tree.n_claims:,} claims with claimdb {claimdb.__version__}"
        )
        sent = commit(repo, head, tree.files, changes, message, options.create_pr, tree.sha256)
    return Pushed(tree, changes, sent)


def dry_run(benchmark: Benchmark, repo: Repo, folder: Path, options: Push = Push()) -> Pushed:
    """Return what a push would change, after writing the whole tree to a folder.

    Needs neither token nor network: without them everything counts as added.

    Args:
        folder: a new or empty folder, or one that an earlier dry run wrote.

    Raises:
        DataError: as `push`, or the folder holds something else.
    """
    check_repo_id(repo.repo_id)
    _clear(folder, benchmark)
    is_compared = True
    try:
        head = read_head(repo)
    except UnavailableError:
        head, is_compared = Head(), False
    folder.mkdir(parents=True, exist_ok=True)
    tree, changes = _prepared(benchmark, folder, repo, head, options)
    n_bytes = sum(entry.n_bytes for entry in tree.databases)
    require_space(folder, n_bytes, "give --dry-run a folder on a larger disk")
    copy_databases(tree, folder)
    return Pushed(tree, changes, is_compared=is_compared)


def _prepared(
    benchmark: Benchmark, folder: Path, repo: Repo, head: Head, options: Push
) -> tuple[Tree, Changes]:
    """The tree, written to a folder, and how it differs from what the branch holds."""
    read_old = _reader(repo, head)
    is_other = _holds_other_dataset(benchmark, repo, head, read_old)
    if is_other and not options.force:
        raise DataError(
            f"{repo.what} holds another dataset: give another --repo-id, or replace it with --force"
        )
    tree = write_tree(
        benchmark,
        folder,
        repo.repo_id,
        options.databases,
        (lambda name: None) if is_other else read_old,
    )
    stale = head.files if is_other else filter(_OURS.fullmatch, head.files)
    # A script of the repository's name keeps `datasets` 4 and newer from loading what is beside it.
    gone = {*stale, f"{repo.repo_id.partition('/')[2]}.py"} - {".gitattributes"}
    return tree, compare(tree.files, head, gone, tree.sha256)


def _reader(repo: Repo, head: Head) -> Callable[[str], str | None]:
    """Gives the text of a file at the head of the branch."""

    def read(name: str) -> str | None:
        if head.sha is None or name not in head.files:
            return None
        snapshot = hub.Snapshot(repo.repo_id, head.sha, head.sha, frozenset(head.files), True)
        path = Path(hub.fetch(snapshot, name, repo.token))
        return path.read_text("utf-8")

    return read


def _holds_other_dataset(
    benchmark: Benchmark, repo: Repo, head: Head, read_old: Callable[[str], str | None]
) -> bool:
    """Whether the branch holds files that are not an earlier push of this benchmark."""
    others = head.files.keys() - {".gitattributes", CARD, CITATION, "LICENSE", ".gitignore"}
    if not others:
        return False
    old_card = read_old(CARD)
    if old_card is None or not card.is_ours(old_card):
        return True
    names = _old_db_names(repo, head)
    return bool(names) and not names & set(benchmark.db_names)


def _old_db_names(repo: Repo, head: Head) -> set[str]:
    """The databases that the claims of the branch name."""
    import pyarrow.parquet as pq

    snapshot = hub.Snapshot(repo.repo_id, str(head.sha), str(head.sha), frozenset(head.files), True)
    names: set[str] = set()
    for name in filter(_DATABASE_ROWS.fullmatch, head.files):
        path = hub.fetch(snapshot, name, repo.token)
        names.update(pq.read_table(path, columns=["db_name"])["db_name"].to_pylist())
    return names


def _clear(folder: Path, benchmark: Benchmark) -> None:
    """Take away what an earlier dry run wrote; a folder with anything else is refused."""
    if benchmark.folder is not None and folder.resolve() == benchmark.folder.resolve():
        raise DataError(f"{folder} is the benchmark itself: give another folder to --dry-run")
    if not folder.exists():
        return
    if not folder.is_dir():
        raise DataError(f"{folder} is not a folder")
    names = [p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()]
    if not names:
        return
    readme = folder / CARD
    if not readme.is_file() or not card.is_ours(readme.read_text("utf-8", "replace")):
        raise DataError(
            f"{folder} holds something else: give --dry-run a new folder, or one that it wrote"
        )
    for name in _written_by_us(names):
        (folder / name).unlink()


def _written_by_us(names: Iterable[str]) -> list[str]:
    fixed = {CARD, CITATION, DATABASE_MANIFEST}
    database = re.compile(r"databases/([^/]+)/\1\.sqlite")
    return [n for n in names if n in fixed or _OURS.fullmatch(n) or database.fullmatch(n)]
