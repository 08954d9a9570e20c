"""The folder of `--dry-run`: a whole tree as it stands, written only where nothing else is."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Final

from claimdb_builder.publish import card
from claimdb_builder.publish.benchmark import Benchmark
from claimdb_builder.publish.tree import CARD, CITATION, CROISSANT, Tree, is_replaced
from claimdb_loader.published import DATABASE_MANIFEST
from claimdb_loader.storage import require_space
from claimdb_metric.errors import DataError

_PART: Final = re.compile(r"(.*/)?\.([^/]+)\.part")
"""A file that an interrupted dry run left half copied."""

_DATABASE: Final = re.compile(r"databases/([^/]+)/\1\.sqlite")


def stale_files(folder: Path, benchmark: Benchmark) -> list[Path]:
    """Return the files that an earlier dry run left in a folder; none where it is new or empty.

    Raises:
        DataError: it is the benchmark itself, or holds something else.
    """
    if benchmark.folder is not None and folder.resolve() == benchmark.folder.resolve():
        raise DataError(f"{folder} is the benchmark itself: give another folder to --dry-run")
    if not folder.exists():
        return []
    if not folder.is_dir():
        raise DataError(f"{folder} is not a folder")
    found = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if p.is_file()}
    ours = [path for name, path in found.items() if _is_of_a_tree(_PART.sub(r"\1\2", name))]
    is_interrupted = all(_PART.fullmatch(name) for name in found)
    readme = found.get(CARD)
    is_a_tree = readme is not None and card.is_ours(readme.read_text("utf-8", "replace"))
    if found and not is_a_tree and not is_interrupted:
        raise DataError(
            f"{folder} holds something else: give --dry-run a new folder, or one that it wrote"
        )
    return ours


def repo_of(folder: Path) -> str | None:
    """Return the repository that an earlier dry run wrote a folder for, None if none did."""
    try:
        url = json.loads((folder / CROISSANT).read_bytes())["url"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return "/".join(str(url).split("/")[-2:])


def _is_of_a_tree(name: str) -> bool:
    fixed = (CARD, CITATION, DATABASE_MANIFEST)
    return name in fixed or is_replaced(name) or _DATABASE.fullmatch(name) is not None


def replace_tree(folder: Path, stale: list[Path], tree: Tree) -> Tree:
    """Return a tree whose files all lie in a folder, in place of those of an earlier dry run.

    The card comes first: by it an interrupted dry run is known the next time.

    Raises:
        UnavailableError: the disk has no room for the databases.
    """
    home = folder.resolve()
    inside = [name for name, path in tree.files.items() if home in path.resolve().parents]
    if inside:
        raise DataError(f"{folder} holds {inside[0]}, which is part of the benchmark itself")
    folder.mkdir(parents=True, exist_ok=True)
    n_bytes = sum(path.stat().st_size for path in tree.files.values())
    freed = sum(path.stat().st_size for path in stale)
    require_space(folder, n_bytes - freed, "give --dry-run a folder on a larger disk")
    names = sorted(tree.files, key=lambda name: (name != CARD, name))
    for name in names:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        # As a whole: the card of an interrupted run must be one, too.
        part = target.with_name(f".{target.name}.part")
        shutil.copyfile(tree.files[name], part)
        part.replace(target)
    files = {name: folder / name for name in names}
    for path in stale:
        if path not in files.values():
            path.unlink(missing_ok=True)
    return replace(tree, files=files)
