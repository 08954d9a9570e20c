"""The metric as a Gradio Space, from which `evaluate.load("NAME/claimdb_metric")` takes it too."""

from __future__ import annotations

from contextlib import ExitStack
from importlib import resources
from pathlib import Path
from typing import Final

import claimdb
from claimdb_loader.hub_account import sign_in
from claimdb_loader.hub_commit import Sent, check_privacy, commit, ensure_repo
from claimdb_loader.hub_head import Changes, Repo, compare, read_head
from claimdb_metric.errors import DataError

MODULE: Final = "claimdb_metric.py"
SUFFIXES: Final = (".py", ".md", ".txt")


def push_metric(
    space: Repo,
    private: bool = False,
    create_pr: bool = False,
    message: str | None = None,
    force: bool = False,
) -> tuple[Changes, Sent | None]:
    """Return what changed in a Space and the commit, None where nothing differed.

    Args:
        space: a repository of type "space"; its name must be that of the module, because `evaluate`
            looks for NAME.py in it.
        private: create it as a private one.
        create_pr: open a pull request in place of changing the branch.
        message: of the commit.
        force: replace another app that the Space holds.

    Raises:
        DataError: no token, no right to write, another app in the Space, or another name.
        UnavailableError: the Hub does not answer; the old revision stands, push again.
    """
    space.check(create_pr)
    name = Path(MODULE).stem
    if space.repo_id.partition("/")[2] != name:
        raise DataError(
            f'`evaluate.load("{space.repo_id}")` would look for another file: name the Space '
            f"{space.repo_id.partition('/')[0]}/{name}"
        )
    sign_in(space.token).check_may_write(space.repo_id, create_pr)
    head = read_head(space)
    check_privacy(space, head, private)
    others = head.files.keys() - {".gitattributes", "README.md"}
    is_other = bool(others) and MODULE not in others
    if is_other and not force:
        raise DataError(f"{space.what} holds another app: replace it with --force")
    with ExitStack() as stack:
        files = metric_files(stack)
        stale = [name for name in others if is_other or name.endswith(".py")]
        changes = compare(files, head, stale)
        if not changes and not head.is_new_branch:
            return changes, None
        head = ensure_repo(space, head, private, space_sdk="gradio")
        if not changes:
            return changes, None
        message = message or f"Publish the metric with claimdb {claimdb.__version__}"
        return changes, commit(space, head, files, changes, message, create_pr)


def metric_files(stack: ExitStack) -> dict[str, Path]:
    """Return the files of the Space: path in it -> file on this disk.

    Args:
        stack: keeps the files there, also where the package is imported from a zip.

    >>> with ExitStack() as stack:
    ...     files = metric_files(stack)
    >>> {"README.md", "app.py", "requirements.txt", "claimdb_metric.py"} <= files.keys()
    True
    """
    folder = resources.files("claimdb_metric")
    files = [item for item in folder.iterdir() if item.name.endswith(SUFFIXES)]
    return {item.name: stack.enter_context(resources.as_file(item)) for item in files}
