"""Fills the caches of `datasets` and `evaluate`: both names load without `import claimdb`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Final

from claimdb_loader import cache_slots, load_options, sources
from claimdb_loader.registration import METRIC_NAME
from claimdb_loader.storage import replace_atomically

_METRIC_FOLDER: Final = f"evaluate-metric--{METRIC_NAME}"
"""Where `evaluate` 0.4.6 looks for a bare name when nothing local and no Space answers."""


@dataclass(frozen=True)
class Prepared:
    """What `prepare` did: the copy of the claims, the copy of the metric, and from where."""

    source: str
    was_there: bool
    claims_folder: str
    n_rows: Mapping[str, int]
    metric_folder: str


def prepare(builder: Any, data_dir: str | None) -> Prepared:
    """Return what was prepared: the default config of the claims, and the metric.

    Args:
        builder: a `ClaimDB` of the default config; its copy is the one that is served by name.
        data_dir: a local copy to read instead of the Hub; None takes CLAIMDB_DATA_DIR if set. Its
            files always replace the copy that is there; the Hub's replace only a local copy's.

    Raises:
        UnavailableError: nothing local and no network.
        ClaimFileError: rows of the local copy are wrong.
    """
    folder = load_options.chosen_data_dir_of(sources.DEFAULT_CONFIG, data_dir, {})
    repository = sources.where_on_hub(builder.config.source_repo)
    origin = cache_slots.read_origin(builder.cache_dir)
    was_there = folder is None and origin == repository
    if folder is not None:
        builder.source = sources.local(folder)
    builder.download_and_prepare(download_mode=None if was_there else "force_redownload")
    return Prepared(
        source=folder or repository,
        was_there=was_there,
        claims_folder=str(builder.cache_dir),
        n_rows={name: split.num_examples for name, split in builder.info.splits.items()},
        metric_folder=str(seed_metric()),
    )


def seed_metric() -> Path:
    """Return the folder in the module cache of `evaluate` that now holds the metric."""
    from evaluate.loading import init_dynamic_modules

    files = {
        path.name: path.read_bytes()
        for path in resources.files("claimdb_metric").iterdir()
        if path.name.endswith(".py") and path.name != "__init__.py"
    }
    digest = hashlib.sha256(b"".join(files[name] for name in sorted(files))).hexdigest()
    metrics = Path(init_dynamic_modules()) / "metrics"
    folder = metrics / _METRIC_FOLDER / digest
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        replace_atomically(folder / name, content)
    for package in (metrics, folder.parent, folder):
        (package / "__init__.py").touch()
    return folder
