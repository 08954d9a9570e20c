"""Where the claims files are: a local copy, the Hub, or the files embedded in this package."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any, Final

from claimdb_loader import hub
from claimdb_loader.exclusions import issues_folder
from claimdb_loader.published import DATABASE_MANIFEST, database_name
from claimdb_loader.published_splits import (
    PARQUET_FILES,
    names_in_cache,
    names_in_folder,
    split_files,
)
from claimdb_metric.errors import DataError, UnavailableError

DATA_DIR_VARIABLE: Final = "CLAIMDB_DATA_DIR"

SPLIT_FILES: Final = {
    "train": "train.jsonl",
    "test_public": "test-public.jsonl",
    "test_private": "test-private.jsonl",
}
"""Each split of the `claims` config and upstream's name for its file.

Where one of these is there, the Parquet files of a published repository are not looked at.
"""

KNOWN_SHA256: Final = {
    "test-public.jsonl": "b87d7062307cfcf5ae862bf03bd7e82f7123ff39cf0b69d3dc5cc25caaaea810",
    "test-private.jsonl": "1cc7136b6ab583d396f0e7f46d839655ad263e1e16d4de5fc5ca9b0b4ece4962",
}
"""The published test files (ACL 2026); upstream's train.jsonl was not at hand to be hashed."""

DEFAULT_CONFIG: Final = "claims"
SAMPLE: Final = "sample"
DATABASES: Final = "databases"
COMPRESSED: Final = (".gz", ".bz2", ".xz", ".zst")
_NONE_OF: Final = f"none of {', '.join(SPLIT_FILES.values())}, nor {PARQUET_FILES}"
OFFLINE_HELP: Final = (
    'Without a network, load_dataset("claimdb", "sample") works everywhere, and '
    'load_dataset("claimdb", data_dir="DIR") or the environment variable CLAIMDB_DATA_DIR reads a '
    f"local copy ({', '.join(SPLIT_FILES.values())})."
)


@dataclass(frozen=True)
class Source:
    """The files of each split that is there, and where they were found.

    Attributes:
        folder: the local copy; None where the files come from elsewhere.
        issues_folder: where a known_issues.jsonl of the source's own may lie on this disk.
        manifest: the file that lists the databases beside the claims, on this disk.
    """

    where: str
    files: Mapping[str, tuple[str, ...]]
    snapshot: hub.Snapshot | None = None
    folder: str | None = None
    issues_folder: str | None = None
    manifest: str | None = None


def chosen_data_dir(data_dir: str | os.PathLike[str] | None) -> str | None:
    """Return the folder of the local copy: the argument, else CLAIMDB_DATA_DIR, else None.

    An empty text means no local copy, whatever the environment says.
    """
    chosen = os.environ.get(DATA_DIR_VARIABLE) if data_dir is None else data_dir
    if not chosen:
        return None
    try:
        return str(Path(chosen).expanduser())
    except (TypeError, RuntimeError) as error:
        raise DataError(f"data_dir={chosen!r} is not the path of a folder ({error})") from None


def holds_databases_only(folder: str) -> bool:
    """Whether a folder holds databases but no claims file."""
    path = Path(folder)
    has_claims = any(any(path.glob(name)) for name in (*SPLIT_FILES.values(), PARQUET_FILES))
    layouts = ("*.sqlite", "*/*.sqlite", database_name("*"), "*_databases.zip")
    return not has_claims and any(any(path.glob(layout)) for layout in layouts)


def local(data_dir: str) -> Source:
    """Return the source of a local copy; splits without a file are left out.

    Raises:
        DataError: no such folder, or none of the files in it.
    """
    folder = Path(data_dir).expanduser()
    if not folder.is_dir():
        raise DataError(
            f"data_dir (or {DATA_DIR_VARIABLE}) {data_dir} is not a folder; "
            "give the one that holds train.jsonl"
        )
    there = {split: name for split, name in SPLIT_FILES.items() if _is_there(folder, name)}
    found: Mapping[str, tuple[str, ...]] = {split: (name,) for split, name in there.items()}
    if not found:
        found = split_files(names_in_folder(folder), f"data_dir {data_dir}", SPLIT_FILES)
    if not found:
        raise DataError(
            f"data_dir {data_dir} holds {_NONE_OF}; it holds "
            + (", ".join(sorted(path.name for path in folder.iterdir())[:10]) or "nothing")
        )
    files = {split: tuple(str(folder / name) for name in names) for split, names in found.items()}
    return Source(data_dir, files, folder=str(folder), issues_folder=str(folder))


def _is_there(folder: Path, name: str) -> bool:
    """Whether a claims file is there; what is there but cannot be one is an error, not a gap."""
    path = folder / name
    if path.is_file():
        return True
    if os.path.lexists(path):
        raise DataError(
            f"{path} is not a file: mend it, or remove it if the split is to be left out"
        )
    misnamed = folder / name.replace("-", "_")
    if misnamed != path and misnamed.is_file():
        raise DataError(f"{misnamed} must be named {name}")
    return False


def upstream(repo_id: str, revision: str | None, token: hub.Token) -> Source:
    """Return the source of a Hub repository in upstream's layout, or as `claimdb push` writes it.

    Raises:
        UnavailableError: no network and nothing cached, at once; it names what works offline.
        DataError: the repository holds none of the claims files.
    """
    wanted = [*SPLIT_FILES.values(), *names_in_cache(repo_id)]
    try:
        snapshot = hub.look_up(repo_id, revision, token, wanted)
    except UnavailableError as error:
        raise UnavailableError(f"{error}. {OFFLINE_HELP}") from error
    where = where_on_hub(repo_id)
    files: Mapping[str, tuple[str, ...]] = {
        split: (name,) for split, name in SPLIT_FILES.items() if name in snapshot.names
    }
    if not files:
        there = where if snapshot.is_online else f"what is cached of {where}"
        files = split_files(snapshot.names, there, SPLIT_FILES)
    if not files:
        raise DataError(f"{where} holds {_NONE_OF}")
    return Source(where, files, snapshot=snapshot)


def where_on_hub(repo_id: str) -> str:
    """Return the words that stand for a repository in messages.

    >>> where_on_hub("you/claimdb")
    'the Hub repository you/claimdb'
    """
    return f"the Hub repository {repo_id}"


def sample() -> Source:
    """Return the source of the sample that is embedded in this package."""
    path = resources.files("claimdb_loader.sample") / "claims.jsonl"
    return Source("the embedded sample", {"test": (str(path),)})


def find(config: Any, token: hub.Token) -> Source:
    """Return the source that a config asks for: its files, the sample, a local copy or the Hub.

    Args:
        config: a ClaimDBConfig; data_files wins over data_dir, which wins over the Hub.
    """
    if config.data_files is not None:
        files = {str(split): tuple(paths) for split, paths in config.data_files.items()}
        empty = [split for split, paths in files.items() if not paths]
        if empty or not files:
            raise DataError(f"data_files= names no file for {', '.join(empty) or 'any split'}")
        return Source("data_files", files)
    if config.name == SAMPLE:
        return sample()
    if config.data_dir is not None:
        source = local(config.data_dir)
    else:
        source = upstream(config.source_repo, config.revision, token)
    if source.snapshot is not None and config.exclude_known_issues:
        source = replace(source, issues_folder=issues_folder(source.snapshot, token))
    return _with_manifest(source, token) if config.name == DATABASES else source


def _with_manifest(source: Source, token: hub.Token) -> Source:
    """The source with the list of databases that lies beside its claims, where there is one."""
    snapshot = source.snapshot
    if snapshot is not None:
        if DATABASE_MANIFEST not in snapshot.names:
            return source
        return replace(source, manifest=hub.fetch(snapshot, DATABASE_MANIFEST, token))
    path = Path(source.folder or "", DATABASE_MANIFEST)
    return replace(source, manifest=str(path)) if path.is_file() else source


def find_early(
    config_name: str, data_dir: str | None, options: Mapping[str, Any], token: hub.Token
) -> Source | None:
    """Return the source whose state names the prepared copy, None for the published data.

    A prepared copy of the published data is served without asking anybody; a local copy or
    another repository is looked at first, so that a change is seen.
    """
    if config_name == SAMPLE:
        return sample()
    if data_dir is not None:
        source = local(data_dir)
        return _with_manifest(source, token) if config_name == DATABASES else source
    if "source_repo" in options or "revision" in options:
        repo_id = options.get("source_repo", hub.UPSTREAM_REPO)
        return upstream(repo_id, options.get("revision"), token)
    return None


def reachable_files(source: Source, downloads: Any, token: hub.Token) -> dict[str, tuple[str, ...]]:
    """Return, for each split, paths on this disk, or addresses to stream from.

    Args:
        downloads: the download manager of `datasets`; a streaming one fetches nothing.
    """
    snapshot = source.snapshot
    if snapshot is None:
        return {
            split: tuple(_reachable(path, downloads) for path in paths)
            for split, paths in source.files.items()
        }
    if downloads.is_streaming and snapshot.is_online:
        return {k: tuple(map(snapshot.url, names)) for k, names in source.files.items()}
    return {
        split: tuple(hub.fetch(snapshot, name, token) for name in names)
        for split, names in source.files.items()
    }


def _reachable(path: str, downloads: Any) -> str:
    # By name: `datasets` goes by the first bytes, and takes a file of zero bytes for a tar archive.
    if path.endswith(COMPRESSED):
        return str(downloads.download_and_extract(path))
    return str(downloads.download(path)) if "://" in path else path
