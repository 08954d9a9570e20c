"""Which splits a published repository or folder holds: the Parquet files of each, none missing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from huggingface_hub import constants

from claimdb_loader.published import claim_files, parquet_name
from claimdb_metric.errors import DataError

_FOLDER: Final = parquet_name("claims", "train").rpartition("/")[0]
PARQUET_FILES: Final = f"{_FOLDER}/*.parquet"
_NUMBERS: Final = re.compile(r"\d{5}-of-(\d{5})\.parquet$")


def split_files(
    names: Iterable[str], where: str, first: Iterable[str]
) -> dict[str, tuple[str, ...]]:
    """Return the files of each split of the `claims` config, empty where there are none.

    Args:
        names: the paths in a repository or folder.
        where: the words for that repository or folder.
        first: the splits that come first, in this order; the others follow by name.

    Raises:
        DataError: a file is misnamed, missing, or one too many.

    >>> split_files(["data/claims/dev-00000-of-00001.parquet"], "here", first=["train"])
    {'dev': ('data/claims/dev-00000-of-00001.parquet',)}
    """
    names = list(names)
    found = claim_files(names)
    taken = {name for files in found.values() for name in files}
    beside = {name for name in names if name.rpartition("/")[0] == _FOLDER} - taken
    misnamed = {name for name in beside if name.endswith(".parquet")}
    if misnamed:
        raise DataError(
            f"{where} holds {', '.join(sorted(misnamed))}; the Parquet files of claims must be "
            "named SPLIT-00000-of-00001.parquet, with letters, digits and _ in SPLIT"
        )
    if "all" in found:
        raise DataError(f"{where} has a split named all, which `datasets` keeps for itself")
    for split, files in found.items():
        _check_whole(split, files, where)
    order = dict.fromkeys([*first, *sorted(found)])
    return {split: found[split] for split in order if split in found}


def _check_whole(split: str, files: tuple[str, ...], where: str) -> None:
    """Raise unless the files of a split are all of N that say "of N", and no others."""
    n_files = max(int(match[1]) for name in files if (match := _NUMBERS.search(name)))
    wanted = {f"{_FOLDER}/{split}-{number:05}-of-{n_files:05}.parquet" for number in range(n_files)}
    missing, others = sorted(wanted - {*files}), sorted({*files} - wanted)
    if missing:
        raise DataError(f"split {split} of {where} is not whole: {missing[0]} is missing")
    if others:
        raise DataError(f"split {split} of {where} has too many files: remove {others[0]}")


def names_in_folder(folder: Path) -> list[str]:
    """Return the paths of the Parquet claims files in a folder, relative to it.

    Raises:
        DataError: one is not a file.
    """
    paths = sorted(folder.glob(PARQUET_FILES))
    for path in paths:
        if not path.is_file():
            raise DataError(f"{path} is not a file: mend it, or remove it to leave the split out")
    return [path.relative_to(folder).as_posix() for path in paths]


def names_in_cache(repo_id: str) -> set[str]:
    """Return the paths of the Parquet claims files of a repository that the Hub cache holds.

    Those of every commit; which of them a revision has, `hub.look_up` tells.
    """
    repo = Path(constants.HF_HUB_CACHE, "datasets--" + repo_id.replace("/", "--"))
    return {
        path.relative_to(commit).as_posix()
        for commit in repo.glob("snapshots/*")
        for path in commit.glob(PARQUET_FILES)
    }
